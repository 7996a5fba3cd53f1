/*
 * The fidelity of the memory machine: times that it predicted, beside the measured ones. The points of
 * FOLDER/predicted/ were predicted with a preset that is made only of FOLDER/predicted/micro-components.json,
 * which was measured on that GPU; the measured points are in FOLDER.
 */
#ifndef REPORT_FIDELITY_H
#define REPORT_FIDELITY_H

#include "report/results.h"
#include "report/table.h"

#include <stdio.h>

struct predicted_point {
    size_t file; /* the place of the file in `names` */
    const cJSON *point;
    /* microseconds of the measured run, and of as many operations on the predicting machine */
    double measured, predicted;
};

struct fidelity {
    char **names; /* names of the result files that were both predicted and measured */
    size_t names_count;
    /* for each name the measured result, then the predicted one; `points` refers to their points */
    struct result **results;
    struct predicted_point *points;
    size_t count;
};

/*
 * Reads the points that were predicted and measured. They have the same variant, blocks, threads and size;
 * the size does not count where it is a number of repetitions. Exits with EXIT_WRONG_RESULT, naming the file,
 * if the constants of the predicting machine are not those that micro-components.json gives.
 */
struct fidelity fidelity_read(const char *folder);
void fidelity_close(struct fidelity *fidelity);

/* Writes a data set for each name in order, for gnuplot: measured and predicted microseconds of each
 * point. */
void write_fidelity(const struct fidelity *fidelity, FILE *file);

/* Prints the tables `fidelity` and `worst-predictions`. */
void print_fidelity(const char *folder, enum form form, FILE *file);
void print_worst_predictions(const char *folder, enum form form, FILE *file);

#endif
