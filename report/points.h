/* The points of a result as numbers, from which figures are drawn. */
#ifndef REPORT_POINTS_H
#define REPORT_POINTS_H

#include "report/arguments.h"
#include "report/timing.h"

struct point {
    const char *variant;
    double blocks, threads, size;
    struct timing run, operation; /* the time of a run, and the time of one operation */
    /* `run` or `operation`: the time by which the experiment's variants are compared */
    struct timing compared;
    bool ordered;   /* the result file says that the memory model guarantees the variant's order */
    bool unordered; /* the result file says that the memory model does not guarantee the variant's order */
    const cJSON *json;
};

/* The points of one result, in the order of the result file. */
struct points {
    struct point *items;
    size_t count;
};
struct points points_of(const struct result *result);
void points_free(struct points *points);

/* Returns the first point of the variant with this number of blocks and this size, or NULL if there is none.
 * -1 stands for any number of blocks or any size. */
const struct point *point_at(const struct points *points, const char *variant, double blocks, double size);

/* Returns the fastest point of the variant, or NULL if it has none. */
const struct point *fastest_at_all(const struct points *points, const char *variant);

/* Returns the fastest point of this size for which wanted() returns true, or NULL if there is none. */
const struct point *fastest_of_size(const struct points *points, double size,
                                    bool (*wanted)(const struct point *));

/* The command `points`: every measured point of a device, for other programs. */

/* Prints a row for each point of the folder's results or of those that are named, each with all of its
 * sweeps: its variables; the median time of a run and its 95 % interval, and the median time of an
 * operation, in the options' unit (of a machine without a clock in time units, if no unit is asked for); and
 * whether its order is guaranteed and its answers were right. Exits with EXIT_BAD_INPUT if a named result is
 * absent. */
void print_points(const char *folder, char **names, size_t count, const struct arguments *options,
                  FILE *file);

#endif
