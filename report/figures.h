/* The list of figures, and what each of them shows. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/results.h"
#include "report/table.h"

#include <stddef.h>

/* What a figure shows, and what its x axis is. */
enum series {
    AGAINST_BLOCKS,  /* curves against the number of blocks, up to one block on each multiprocessor */
    AGAINST_9_TO_30, /* curves against 9 to 30 blocks, as in the algorithms' figures of Xiao and Feng 2010 */
    AGAINST_ALL_BLOCKS, /* curves against the number of blocks, with every measured number */
    SWAT_AND_BITONIC,   /* two panels, Smith-Waterman and bitonic sort, with curves against 9 to 30 blocks */
    AGAINST_SIZE,       /* curves of a run's time against the size of the problem */
    /* curves against size: the time of a launch of nw; for atom-lock, the time of all launches */
    LAUNCHES_BY_SIZE,
    OPERATION_BY_SIZE,     /* curves of the time of one operation against the size of the problem */
    OPERATION_BY_PARTNERS, /* curves of the time of one operation against the number of blocks minus one */
    AGAINST_WARPS,
    AGAINST_GPUS, /* curves of micro-multi-gpu against its size, which is a number of GPUs */
    AGAINST_WORK, /* curves of micro-split against the time that the independent work takes alone */
    /* three curves of time against size: the papers' fastest variant, the fastest variant with few barriers,
     * and the library */
    BESIDE_LIBRARY,
    /* curves against size: the speedups over cpu-implicit of the best barrier, the best CUDA graph and
     * dataflow */
    GAIN_BY_SIZE,
    SPREAD_OF_HOPS, /* curves of the time within which x percent of all hops end, against x */
    /* bars */
    /* bars: the time of each barrier with a block on every multiprocessor, less the time of the loop without
     * barriers */
    COST_OF_BARRIERS,
    /* bars: the shares of computation and of synchronization in each variant's time, at its best number of
     * blocks */
    SHARES,
    /* bars: the time of micro-decode, divided into the share of the loads and the share that launches or
     * waiting add */
    SHARES_OF_TOKEN,
    LATENCIES,        /* bars: the latencies of instructions, from the analysis that micro-latency writes */
    RATES_OF_BATCHES, /* bars: for each variant, the average and the maximum rate of the batches */
    CHAIN_OF_16,      /* bars: for each variant, the time of a chain of 16 warps */
    OPERATIONS,       /* bars: for each variant, the time of one operation */
    /* others */
    /* cells of a table: how often each litmus test showed its outcome, on the device and on the machine */
    OUTCOMES,
    MEASURED_AND_PREDICTED, /* a dot for each predicted point, at its measured (x) and predicted (y) time */
    STUDY_N, /* curves of the study of the abstract machines: time against the number n of values */
    STUDY_BARRIERS,
    STUDY_LATENCY,
    STUDY_FIGURE_2,
    STUDY_FIGURE_3
};

/* What the y axis shows; report/plot.c computes it. */
enum quantity {
    MILLISECONDS,
    /* milliseconds: the time of a run less the time of the variant `none` with the same number of blocks */
    MS_OF_SYNC,
    MS_OF_10000, /* milliseconds: the time of 10,000 operations */
    MICROSECONDS,
    /* microseconds: the time of one operation less the point's size, a number of nanoseconds */
    US_LATE,
    /* microseconds: the time by which variants are compared (compared_time in report/timing.h) */
    US_COMPARED,
    CYCLES,
    CELLS, /* rate, in billions of cells per second */
    RATIO,
    TIMES_AS_FAST, /* the time of the figure's `base` over the variant's, at the same x */
    /* the time over the least time in which memory moves what must be moved at this size, by the rate at
     * which the figure's `base`, a copy, moved the largest size */
    OVER_FLOOR,
    TIME_UNITS
};

/* Flags for a figure's axes and bars, which may be combined. */
enum axes {
    LOG_X = 1,         /* x is logarithmic */
    LOG_Y = 2,         /* y is logarithmic */
    POWERS_OF_TWO = 4, /* the x axis is labelled with powers of two */
    FROM_ZERO = 8,     /* the y axis begins at zero */
    SORTED = 16,       /* the bars are sorted, the lowest first */
    LISTED = 32        /* the figure's sentence lists all curves at the last x */
};

/* A figure: a row of a room's figures.def. A member that the row leaves out is NULL or 0. */
struct figure {
    /* name of the figure's files; in a figure of a family (see `result`) it is followed by -PROGRAM */
    const char *name;
    const char *script; /* name of the gnuplot script, plots/SCRIPT.gp, that draws the figure */
    /* name of the result that the figure shows, or "*FAMILY[@SWEEP]", which stands for one figure for each
     * program of the family */
    const char *result;
    enum series series;
    enum quantity quantity;
    /* The names of the variants to draw, in their order, separated by blanks; NULL means that the figure's
     * `series` decides. A result may lack a variant whose name ends in "?". "*" stands for every ordered
     * method of harness/methods.def that was measured, except cpu-explicit; "**" stands for every variant
     * that was measured. */
    const char *variants;
    const char *base; /* the variant with which TIMES_AS_FAST and OVER_FLOOR compare; otherwise NULL */
    /* in OVER_FLOOR, how the names of variants begin that only read, and so move half as much as a copy; NULL
     * if there are none */
    const char *read_only;
    /* how many bytes a copy of one item reads and writes, in OVER_FLOOR: the figure marks the size at which
     * they fill the L2 cache */
    double bytes_moved;
    const char *labels; /* the variants' labels in the key, separated by "|"; NULL means their names */
    /* label of the x axis, or NULL if it has none; "size" stands for what the program's sizes count */
    const char *x_label;
    unsigned axes;     /* flags of enum axes */
    const char *title; /* the title of the figure, in which "%s" stands for the program */
    const char *place; /* the figure or table of a paper that the figure reproduces, or "ours" */
    /* The programs or the devices that the parts (a), (b), ... of the paper's figure show, separated by
     * blanks. NULL if it has no parts. */
    const char *parts;
    /* the only program that the paper's figure shows; NULL means every program for which the figure is
     * drawn */
    const char *only;
    /* name of the question, on a device's page, that the figure helps to answer (below) */
    const char *question;
    const char *help; /* one or two sentences that say how to read the figure */
};
extern const struct figure figures[];
extern const size_t figures_count;

/* ---- questions ---- */

struct question {
    const char *name; /* the name by which rows of figures and tables refer to the question */
    const char *text; /* a sentence */
};
extern const struct question questions[];
extern const size_t questions_count;

/* Returns the text of the question with this name, or "Others" if there is none. */
const char *question_text(const char *name);

#endif
