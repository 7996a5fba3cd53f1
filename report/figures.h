/* The list of figures, and functions that draw them. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/results.h"
#include "report/table.h"

/* What a figure draws, and against what. */
enum series {
    /* curves against the number of blocks */
    AGAINST_BLOCKS,     /* at most one block on each multiprocessor */
    AGAINST_9_TO_30,    /* 9 to 30 blocks, as in the algorithms' figures of the papers of 2010 */
    AGAINST_ALL_BLOCKS, /* every measured number of blocks */
    SWAT_AND_BITONIC,   /* two panels, Smith-Waterman and bitonic sort, with 9 to 30 blocks */
    /* curves against something else */
    AGAINST_SIZE,          /* the time of a run by the size of the problem */
    OPERATION_BY_SIZE,     /* the time of one operation by the size */
    OPERATION_BY_PARTNERS, /* the time of one operation by the number of blocks less one */
    AGAINST_WARPS,
    AGAINST_GPUS,   /* the sizes of micro-multi-gpu, which are numbers of GPUs */
    AGAINST_WORK,   /* micro-split: by the time of the independent work alone */
    BESIDE_LIBRARY, /* the best of the paper's algorithm, the best with few barriers, the library, by size */
    GAIN_BY_SIZE,   /* the speedup over cpu-implicit of the best barrier, the best graph and dataflow */
    SPREAD_OF_HOPS, /* microseconds by the percentage of pairs and lines that take at most that long */
    /* bars */
    COST_OF_BARRIERS, /* with a block on every multiprocessor, less the loop without barriers */
    SHARES,           /* computation and synchronization of each variant at its best number of blocks */
    SHARES_OF_TOKEN,  /* micro-decode: loads, and what launches or waiting take beyond the loads */
    LATENCIES,        /* the analysis of micro-latency */
    RATES_OF_BATCHES, /* the average rate and the maximum rate */
    CHAIN_OF_16,      /* the time of a chain of 16 warps */
    OPERATIONS,       /* the time of one operation */
    /* others */
    OUTCOMES, /* cells: how often a litmus test's outcome came on the device and on the machine */
    MEASURED_AND_PREDICTED, /* a point for each prediction of the folder */
    STUDY_N,                /* the study of the abstract machines: time by n */
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
    US_COMPARED, /* compared_time of report/timing.h */
    CYCLES,
    CELLS, /* billions of cells a second */
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
    const char *result; /* a result, or "*FAMILY[@SWEEP]": one figure for each program of the family */
    enum series series;
    enum quantity quantity;
    /* The variants in their order, separated by blanks; NULL means that the series chooses them. A variant
     * with "?" at its end may be missing in a result. "*" stands for every method of the register that was
     * measured. */
    const char *variants;
    const char *labels;   /* the variants' labels in the key, separated by "|"; NULL means their names */
    const char *x_label;  /* the label of the x axis, or NULL */
    unsigned axes;        /* flags of enum axes */
    const char *title;    /* "%s" in it stands for the program */
    const char *place;    /* a figure or table of a paper, or "ours" */
    const char *question; /* the question of the page that the figure helps to answer (question_text) */
    const char *help;     /* how to read the figure, in a sentence or two */
};
extern const struct figure figures[];
extern const size_t figures_count;

#endif
