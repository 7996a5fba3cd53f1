/* Compares the times that the memory machine predicts with measured times. FOLDER has the measured points and
 * FOLDER/predicted/ the predicted ones. The predictions use a preset that is made only of
 * FOLDER/predicted/micro-components.json, which was measured on the same GPU. */
#ifndef REPORT_FIDELITY_H
#define REPORT_FIDELITY_H

#include "report/figures.h"
#include "report/results.h"
#include "report/table.h"

#include <stdio.h>

struct predicted_point {
    size_t file; /* index of the point's file in `names` of struct fidelity */
    const cJSON *point;
    /* time of the measured run, and predicted time of as many operations, both in microseconds */
    double measured, predicted;
};

struct fidelity {
    const char **names; /* names of the result files with points that were both predicted and measured */
    size_t names_count;
    const struct result *first; /* the measured result of the first name, or NULL */
    struct predicted_point *points;
    size_t count;
};

/* Returns the points that were both predicted and measured, with the same variant, blocks, threads and size;
 * a size that is a number of repetitions may differ. Exits with EXIT_WRONG_RESULT, and names the file, if the
 * constants of the predicting machine differ from the constants that follow from micro-components.json. */
struct fidelity fidelity_read(const char *folder);
void fidelity_close(struct fidelity *fidelity);

/* Returns the names of the kinds into which the points are grouped, which names_free frees. */
struct names fidelity_kinds(void);

/* Writes data for gnuplot: a data set for each kind, in the order of fidelity_kinds, with the measured and
 * the predicted microseconds of each point. */
void write_fidelity(const struct fidelity *fidelity, FILE *file);

/* Prints the tables `fidelity` and `worst-predictions`. In Markdown, which documents have, `fidelity` has no
 * rows of single programs. */
void print_fidelity(const char *folder, enum form form, FILE *file);
void print_worst_predictions(const char *folder, enum form form, FILE *file);

#endif
