#include "micro/barrier/barrier_fits.h"
#include "base/statistics.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MOST_POINTS 4096

/* Returns whether the point is used for the fits: it has the same number of threads and of rounds as the
 * first point. */
static bool is_analysed(const cJSON *points, const cJSON *p)
{
    static const char *const same[] = {"threads", "size"};
    for (int i = 0; i < 2; i++)
        if (cJSON_GetNumberValue(cJSON_GetObjectItem(p, same[i])) !=
            cJSON_GetNumberValue(cJSON_GetObjectItem(points->child, same[i])))
            return false;
    return true;
}

static bool is_variant(const cJSON *p, const char *name)
{
    const char *of_point = cJSON_GetStringValue(cJSON_GetObjectItem(p, "variant"));
    return of_point && strcmp(of_point, name) == 0;
}

/* Returns the time per barrier of the variant with this many blocks, or NaN if it was not measured. */
static double time_of(const cJSON *points, const char *variant, double blocks)
{
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        if (is_variant(p, variant) && is_analysed(points, p) &&
            cJSON_GetNumberValue(cJSON_GetObjectItem(p, "blocks")) == blocks)
            return cJSON_GetNumberValue(cJSON_GetObjectItem(p, "per_operation"));
    }
    return (double)NAN;
}

/*
 * The largest factor by which the computation, scaled weakly, may take longer with more blocks. Differences
 * of times assume that the computation takes the same time for any number of blocks: where the memory's
 * bandwidth limits the computation, the computation hides a barrier's wait.
 */
#define WEAKLY_SCALED 1.1
static bool is_weakly_scaled(const cJSON *points, double blocks)
{
    double least = (double)INFINITY, here = time_of(points, "none", blocks);
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        if (!is_variant(p, "none") || !is_analysed(points, p))
            continue;
        double time = cJSON_GetNumberValue(cJSON_GetObjectItem(p, "per_operation"));
        least = time < least ? time : least;
    }
    return isnan(here) || here <= WEAKLY_SCALED * least;
}

/* One term of a sum of times: the time of a variant, multiplied by its sign. A line is fitted to the sum. */
struct term {
    const char *variant;
    double sign;
};

/* Returns a line fitted to the sum of the terms as a function of the number of blocks, or a JSON null if no
 * point is left. The line uses the points of the first term with at most one block on each multiprocessor. If
 * there are several terms, it omits points whose computation is not weakly scaled. */
static cJSON *fit(const cJSON *points, int sm_count, const struct term *terms, size_t term_count)
{
    double x[MOST_POINTS], y[MOST_POINTS];
    size_t count = 0;
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        double blocks = cJSON_GetNumberValue(cJSON_GetObjectItem(p, "blocks"));
        if (!is_variant(p, terms[0].variant) || blocks > sm_count || count == MOST_POINTS ||
            !is_analysed(points, p) || (term_count > 1 && !is_weakly_scaled(points, blocks)))
            continue;
        double sum = 0;
        for (size_t t = 0; t < term_count; t++)
            sum += terms[t].sign * time_of(points, terms[t].variant, blocks);
        if (isnan(sum))
            continue;
        x[count] = blocks;
        y[count++] = sum;
    }
    if (!count)
        return cJSON_CreateNull();
    struct line line = fit_line(x, y, count);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "slope", line.slope);
    cJSON_AddNumberToObject(json, "constant", line.intercept);
    cJSON_AddNumberToObject(json, "r2", line.r2);
    cJSON_AddNumberToObject(json, "mean", summarize(y, count).mean);
    cJSON_AddNumberToObject(json, "points", (double)count);
    return json;
}

#define FIT(...)                                                                                             \
    fit(points, sm_count, (const struct term[]){__VA_ARGS__},                                                \
        sizeof((const struct term[]){__VA_ARGS__}) / sizeof(struct term))

cJSON *fit_barrier_times(const cJSON *points, int sm_count)
{
    const struct term t1 = {"none", 1}, t2 = {"atomic-part", 1}, t3 = {"syncthreads-part", 1},
                      t4 = {"lock-based", 1}, t5 = {"lock-based-fence-each", 1},
                      t5_leader = {"lock-based-fence", 1};
    const struct term minus_t1 = {"none", -1}, minus_t2 = {"atomic-part", -1},
                      minus_t3 = {"syncthreads-part", -1}, minus_t4 = {"lock-based", -1};
    const struct term lock_free = {"lock-free", 1};
    cJSON *json = cJSON_CreateObject();
    if (points->child)
        cJSON_AddNumberToObject(json, "threads",
                                cJSON_GetNumberValue(cJSON_GetObjectItem(points->child, "threads")));
    cJSON_AddItemToObject(json, "computation", FIT(t1));
    cJSON_AddItemToObject(json, "equation_6", FIT(t4, minus_t1));
    cJSON_AddItemToObject(json, "equation_7", FIT(lock_free, minus_t1));
    cJSON *section_6 = cJSON_AddObjectToObject(json, "section_6");
    cJSON_AddItemToObject(section_6, "t_a", FIT(t2));
    cJSON_AddItemToObject(section_6, "t_c", FIT(t4, minus_t3, minus_t2));
    cJSON_AddItemToObject(section_6, "t_s", FIT(t3, minus_t1));
    /* t_f belongs to the variant in which every thread executes the fence: only this fence takes longer with
     * more blocks, on the GPU of Feng and Xiao 2010 and on the machine. */
    cJSON_AddItemToObject(section_6, "t_f", FIT(t5, minus_t4));
    cJSON_AddItemToObject(section_6, "t_f_leader", FIT(t5_leader, minus_t4));
    return json;
}
