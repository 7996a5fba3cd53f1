/* The figures: which there are, and drawing them. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/results.h"
#include "report/table.h"

/* What a figure's data are of. */
enum series {
    AGAINST_BLOCKS,  /* up to a block a multiprocessor */
    AGAINST_9_TO_30, /* blocks, as the papers of 2010 show their algorithms */
    AGAINST_ALL_BLOCKS,
    AGAINST_SIZE,
    OPERATION_BY_SIZE,     /* the time of one operation */
    OPERATION_BY_PARTNERS, /* of it, against the blocks but one */
    AGAINST_WARPS,
    AGAINST_GPUS,     /* micro-multi-gpu, whose sizes are numbers of GPUs */
    AGAINST_WORK,     /* micro-split: the time of the work alone */
    COST_OF_BARRIERS, /* bars: with one block on every multiprocessor, less the loop without barriers */
    SHARES,           /* bars: computation and synchronization, each variant at its best */
    BESIDE_LIBRARY, /* microseconds against size: best of the papers' algorithm, of few barriers, the library */
    GAIN_BY_SIZE,   /* over cpu-implicit: best barrier, best graph, dataflow */
    SHARES_OF_TOKEN,  /* bars: what the loads of micro-decode take, and beyond that launches, or waiting */
    LATENCIES,        /* bars: of micro-latency's analysis */
    RATES_OF_BATCHES, /* bars: average and maximum */
    CHAIN_OF_16,      /* bars: of 16 warps */
    OPERATIONS,       /* bars: the time of one operation */
    SPREAD_OF_HOPS,   /* microseconds against the percent of pairs and lines that take at most as long */
    OUTCOMES,         /* cells: how often a litmus test's outcome came, here and on the machine */
    SWAT_AND_BITONIC, /* two panels against blocks */
    MEASURED_AND_PREDICTED, /* a point each, of the folder's predictions */
    STUDY_N,                /* the study of the abstract machines */
    STUDY_BARRIERS,
    STUDY_LATENCY,
    STUDY_FIGURE_2,
    STUDY_FIGURE_3
};

/* MS_OF_SYNC: of a run, less that of `none` at as many blocks; US_COMPARED: compared_time. Computed in data.c. */
enum quantity {
    MILLISECONDS,
    MS_OF_SYNC,
    MS_OF_10000,
    MICROSECONDS,
    US_COMPARED,
    CYCLES,
    CELLS,
    RATIO,
    TIME_UNITS
};

struct figure {
    const char *name;   /* of its files; of a family, with -PROGRAM behind it */
    const char *script; /* plots/SCRIPT.gp */
    const char *of; /* a result, or "*FAMILY": each of that family, or "*FAMILY@SWEEP": of PROGRAM@SWEEP */
    enum series series;
    enum quantity quantity;
    const char *names;    /* of the variants in it, in order; "?" behind one: where it was measured; "*": all
                           methods of the register that were */
    const char *labels;   /* for the key, separated by "|"; NULL: the names */
    const char *x, *axes; /* label, and any of x, y (logarithmic), 2 (x by powers of two), 0 (y from zero) */
    const char *title;    /* "%s": the program */
    const char *place;    /* in a paper, or "ours" */
    const char *question; /* of the page that it helps to answer: "cost", "algorithms", ... */
    const char *help;     /* how to read it, a sentence or two */
};
extern const struct figure figures[];
extern const size_t figures_count;

/* What was drawn of a folder: figures and their file names without the ending; and how many were left out. */
struct drawing {
    const char *folder;
    char plots[512]; /* plots/FOLDER */
    struct drawn {
        const struct figure *figure;
        char name[128];
    } * drawn; /* to be freed */
    size_t count, left_out;
};

/* Draws all figures that a folder has the results for into plots_of(folder). A figure that lacks data or cannot be drawn
 * is named on stderr and left out. */
struct drawing draw_folder(const char *folder);

/* Is gnuplot there? */
bool can_draw(void);

/* Two devices' curves into plots/compare-A-B/. Returns how many figures could not be drawn. */
size_t draw_comparison(const char *a, const char *b);

/* The question of the page that figures of this `question` help to answer, as a sentence. */
const char *question_text(const char *question);

/* The figure's title, of that program, into text; returns text. */
const char *figure_title(const struct figure *figure, const char *program, char *text, size_t bytes);

/* What makes the results that it is drawn from, as one would type it, into text; returns text. */
const char *figure_command(const struct figure *figure, char *text, size_t bytes);

/* The figures as a table: place, file, command. */
void print_figures(enum form form, FILE *file);

/* The page of a folder whose figures have been drawn. */
void write_page(const struct drawing *drawing);

/* plots/index.html: links to the pages of all folders, every claim on every device, and two GPUs compared. */
void write_overview(void);

#endif
