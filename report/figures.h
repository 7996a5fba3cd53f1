/* The list of figures, and what each of them shows. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/arguments.h"
#include "report/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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
    /* microseconds: the time by which variants are compared (compared_time in report/results.h) */
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
    /* how the names of those variants begin that do another work than the others, so that the sentence under
     * the figure does not compare them; NULL if there are none */
    const char *apart;
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

/* ---- report/plot.c: the curves of a figure from one result, for gnuplot ---- */

/* The names of the variants that a figure shows. */
struct names {
    char **items;
    /* for each variant, whether it is ordered; an unordered one gets a dashed line or a pale bar */
    bool *ordered;
    size_t *places; /* for each variant, its place in the figure's list of variants */
    size_t count;
    char *lacking; /* name of the first variant that the figure requires and the result lacks, or NULL */
};

/* A figure and the result from which it is drawn. */
struct plot {
    const struct figure *figure;
    /* the result that is drawn, or NULL for the study of the abstract machines */
    const struct result *result;
    const char *folder; /* the folder of the result */
    struct names names;
};

/* Returns the figure with the names that it needs, which names_free frees. `result` may be NULL; then the
 * figure shows the study of the abstract machines. */
struct plot plot_of(const struct figure *figure, const struct result *result, const char *folder);

/* Returns a struct with the names of the list. The figure draws all of them, whatever was measured. */
struct names names_of_list(const char *const *list, size_t count);
void names_free(struct names *names);

/* Returns a variant's name as the figure shows it: methods have the paper's names in a figure of a paper, and
 * plain ones in all others. */
const char *name_in_figure(const struct figure *figure, const char *variant);

/* Returns the label of variant number `i` of the names: its entry in the figure's `labels`, or else its
 * name. */
const char *figure_label(const struct figure *figure, const struct names *names, size_t i);

/* Writes a data set for gnuplot for each of the names; its rows are x, y and the ends of the interval of
 * y. */
void write_curves(const struct plot *plot, const struct names *names, FILE *file);

/* ---- report/series.c: the data of a figure for gnuplot, which are curves, bars or cells ---- */

struct bar {
    double value, second, third; /* the numbers of the bar's three parts, from the first to the third */
    char name[96];
    double low, high; /* the ends of the 95 % interval of `value` */
    bool ordered;     /* whether the variant is ordered; otherwise the bar is pale */
};
struct bars {
    struct bar *items;
    size_t count;
};

/* Adds a bar with `value` alone, without an interval, and returns the new bar. */
struct bar *bars_add(struct bars *bars, const char *name, double value, bool ordered);

/* Adds a bar whose value is the time, in microseconds, with the time's interval. */
void bars_add_time(struct bars *bars, const char *name, struct timing time, bool ordered);

/* Sorts the bars by height, the lowest first. */
void bars_sort(struct bars *bars);

/* Writes a row for each bar with a finite value, for gnuplot. Its columns are: "NAME", the value, the second
 * part, 1 if the variant is ordered (else 0), the bar's colour as a number (its variant's colour if all bars'
 * variants have one), the two ends of the interval, and the third part. Frees the bars. Returns whether any
 * row was written. */
bool bars_write(const struct plot *plot, struct bars *bars, FILE *file);

/* Writes the data of the figure: a data set for each name, in their order, or a row for each bar. Returns
 * false if there is nothing to draw. */
bool write_series(const struct plot *plot, FILE *file);

/* A kind of figure that serves one paper or one program, and the function that writes its data;
 * report/papers/series.c has the list. */
struct series_kind {
    enum series series;
    bool (*write)(const struct plot *plot, FILE *file);
};
extern const struct series_kind paper_series[];
extern const size_t paper_series_count;

/* A row of a figure's data file, when it is read back. */
struct data_row {
    char name[96];    /* the text in quotes with which the row begins; "" if it begins with a number */
    double values[8]; /* the numbers of the row, by column; NaN if a column has a text or is missing */
};

/* A data set: rows between two pairs of empty lines, which separate data sets for gnuplot. */
struct data_set {
    struct data_row *rows;
    size_t count;
};
struct figure_data {
    struct data_set *sets;
    size_t count;
};

/* Returns the data sets of the file; none if there is no such file. The caller frees them. */
struct figure_data figure_data_read(const char *path);
void figure_data_free(struct figure_data *data);

/* Returns whether a drawing of the data would show next to nothing: no data at all, fewer than two curves,
 * fewer than three bars of operations, or fewer than three points in the longest curve. Two points are enough
 * if x counts GPUs, or in a paper's figure against sizes. */
bool figure_is_trivial(const struct figure *figure, const struct figure_data *data);

/* ---- report/figure_texts.c: texts about figures, and the table of all figures ---- */

/*
 * The texts of a drawn figure. The heading is "PLACE: TITLE", where PLACE contains the part of the paper's
 * figure; it is left out if the figure is not from a paper. `sizes` has the sizes of the problems that the
 * figure shows, from its results; it is "" if their sizes have no meaning. The plot's result may be NULL;
 * then the figure shows the study of the abstract machines, and its title contains the sizes.
 */
struct caption {
    char *heading, *sizes;
};
struct caption caption_of(const struct plot *plot);

/* Returns the label of the figure's x axis, or NULL if it has none. Where the figure's row says "size", it is
 * what the sizes of the figure's program count. */
const char *x_label_of(const struct plot *plot);

/* The programs of Xiao and Feng's algorithms, each with the algorithm's name. */
enum { ALGORITHMS = 3 };
extern const char *const algorithm_names[ALGORITHMS][2];

/* Returns the command that makes the figure's results, as a made text (report/table.h). */
const char *figure_command(const struct figure *figure);

/* The command `list-figures`: prints a table with a row for each figure: its place in a paper, title, file
 * and command. */
int print_figures(struct arguments *arguments, FILE *file);

/* ---- report/figure_says.c: a sentence on what the figure shows, from the data that it draws ---- */

/* Returns the sentence, which the caller frees. For curves it names the best variant at both ends of the
 * figure, and by how much the worst one is slower; for bars it names the extremes; for cells or dots it says
 * how many are where. It is "" if the number of data sets differs from the plot's number of names. */
char *figure_says(const struct plot *plot, const struct figure_data *data);

#endif
