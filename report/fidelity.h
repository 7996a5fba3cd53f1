/*
 * How good is the memory machine's time? The points of FOLDER/predicted/, which the machine gave with a preset made of
 * FOLDER/predicted/micro-components.json alone, measured on that GPU, then or earlier, beside the same points of FOLDER.
 */
#ifndef REPORT_FIDELITY_H
#define REPORT_FIDELITY_H

#include "report/results.h"
#include "report/table.h"

#include <stdio.h>

struct predicted_point {
    size_t file; /* in names */
    const cJSON *point;
    double measured, predicted; /* microseconds, for as many operations as were measured */
};

struct fidelity {
    char **names; /* of the files that both folders have */
    size_t names_count;
    struct result **results; /* measured, predicted, by name; the points belong to them */
    struct predicted_point *points;
    size_t count;
};

/*
 * Points are the same that have the same variant, blocks, threads, and size (but where a size only counts
 * repetitions). Exits with EXIT_WRONG_RESULT, naming the file, if a prediction's machine has another constant than
 * those that these micro-components make.
 */
struct fidelity fidelity_read(const char *folder);
void fidelity_close(struct fidelity *fidelity);

/* The names that have a point, as gnuplot's data sets of measured and predicted microseconds, in order. */
void write_fidelity(const struct fidelity *fidelity, FILE *file);

/* Prints the tables `fidelity` and `worst-predictions`. */
void print_fidelity(const char *folder, enum form form, FILE *file);
void print_worst_predictions(const char *folder, enum form form, FILE *file);

#endif
