/* The list of figures, and functions that draw them. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/results.h"
#include "report/table.h"

/* What a figure draws, and as a function of what. */
enum series {
    AGAINST_BLOCKS,        /* curves by the number of blocks, at most one on each multiprocessor */
    AGAINST_9_TO_30,       /* curves by 9 to 30 blocks, as in the algorithms' figures of the papers of 2010 */
    AGAINST_ALL_BLOCKS,    /* curves by every measured number of blocks */
    SWAT_AND_BITONIC,      /* two panels of curves by 9 to 30 blocks: Smith-Waterman and bitonic sort */
    AGAINST_SIZE,          /* curves of the time of a run by the size of the problem */
    OPERATION_BY_SIZE,     /* curves of the time of one operation by the size of the problem */
    OPERATION_BY_PARTNERS, /* curves of the time of one operation by the number of blocks less one */
    AGAINST_WARPS,
    AGAINST_GPUS, /* curves by the size in micro-multi-gpu, which is a number of GPUs */
    AGAINST_WORK, /* curves of micro-split by the time of the independent work alone */
    /* curves of time by size: the paper's fastest variant, the fastest with few barriers, the library */
    BESIDE_LIBRARY,
    /* curves by size: the speedup over cpu-implicit of the best barrier, the best graph and dataflow */
    GAIN_BY_SIZE,
    SPREAD_OF_HOPS, /* curves of the time that x percent of all hops take at most, by x */
    /* bars */
    /* the time of each barrier with a block on every multiprocessor, less the loop without barriers */
    COST_OF_BARRIERS,
    /* the shares of computation and synchronization in each variant's time, at its best number of blocks */
    SHARES,
    SHARES_OF_TOKEN, /* the share of loads in the time of micro-decode, and of what launches or waiting add */
    LATENCIES,       /* the latencies of instructions from the analysis of micro-latency */
    RATES_OF_BATCHES, /* the average and the maximum rate of the batches, for each variant */
    CHAIN_OF_16,      /* the time of a chain of 16 warps, for each variant */
    OPERATIONS,       /* the time of one operation */
    /* others */
    OUTCOMES, /* cells: how often a litmus test's outcome came on the device and on the machine */
    MEASURED_AND_PREDICTED, /* a dot for each predicted point: its measured and its predicted time */
    STUDY_N,                /* the study of the abstract machines: time by the number n of values */
    STUDY_BARRIERS,
    STUDY_LATENCY,
    STUDY_FIGURE_2,
    STUDY_FIGURE_3
};

/* The y axis. report/series.c computes it. */
enum quantity {
    MILLISECONDS,
    MS_OF_SYNC,  /* the time of a run less the time of `none` with as many blocks */
    MS_OF_10000, /* the time of 10,000 operations */
    MICROSECONDS,
    US_COMPARED, /* the time by which variants are compared (compared_time in report/timing.h) */
    CYCLES,
    CELLS, /* rate in billions of cells a second */
    RATIO,
    TIME_UNITS
};

/* Flags of the axes. */
enum axes {
    LOG_X = 1,         /* x is logarithmic */
    LOG_Y = 2,         /* y is logarithmic */
    POWERS_OF_TWO = 4, /* x is labelled with powers of two */
    FROM_ZERO = 8      /* y begins at zero */
};

/* A row of a room's figures.def. A field that is left out is NULL or 0. */
struct figure {
    const char *name;   /* the name of the figure's files; in a family the names are NAME-PROGRAM */
    const char *script; /* plots/SCRIPT.gp draws the figure */
    /* the name of a result, or "*FAMILY[@SWEEP]" for one figure of each program of the family */
    const char *result;
    enum series series;
    enum quantity quantity;
    /* The variants in their order, separated by blanks; NULL means that the series chooses them. A variant
     * with "?" at its end may be missing in a result. "*" stands for every method of the register that was
     * measured. */
    const char *variants;
    const char *labels;   /* the variants' labels in the key, separated by "|"; NULL means their names */
    const char *x_label;  /* the label of the x axis, or NULL */
    unsigned axes;        /* flags of enum axes */
    const char *title;    /* the title of the figure, in which "%s" stands for the program */
    const char *place;    /* the figure or table of a paper that the figure reproduces, or "ours" */
    const char *question; /* the question of the page that the figure helps to answer (question_text) */
    const char *help;     /* how to read the figure, in a sentence or two */
};
extern const struct figure figures[];
extern const size_t figures_count;

#endif
