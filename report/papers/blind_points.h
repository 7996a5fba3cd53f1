/* The points that were predicted before they were measured, of all batches: blind/ and its folders. */
#ifndef REPORT_BLIND_POINTS_H
#define REPORT_BLIND_POINTS_H

#include <stddef.h>

struct blind_point {
    const char *name, *program, *kind;
    double ratio; /* measured / predicted */
};

struct blind_points {
    struct blind_point *all;
    size_t count;
};

/* Returns the names of the measured cards, "h100" and so on, in order, and stores their number. The caller
 * frees the array. */
char **blind_cards(const char *folder, size_t *count);

/* Returns the points of a card in all batches of the folder, sorted by kind, program and name. A point
 * whose name kinds.tsv does not have is a program of its own, of the kind "other". The texts live until the
 * program ends. */
struct blind_points blind_points_of(const char *folder, const char *card);

#endif
