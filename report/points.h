/* The points of a result as numbers, from which figures are drawn. */
#ifndef REPORT_POINTS_H
#define REPORT_POINTS_H

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

#endif
