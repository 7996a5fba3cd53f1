#include "report/results.h"

#include <math.h>
#include <string.h>

/* Returns the length in microseconds of the time unit of the point. */
static double us_in_unit(const struct result *r, const cJSON *p)
{
    return strcmp(text_of(p, "unit"), "ns") == 0 ? 1e-3 : 1e6 / r->clock_hz;
}

static double interval_end(const cJSON *p, int end)
{
    const cJSON *item = p ? cJSON_GetArrayItem(cJSON_GetObjectItem(p, "ci95"), end) : NULL;
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

double run_in_units(const cJSON *p)
{
    return number_of(p, "median");
}

struct timing run_as_measured(const cJSON *p)
{
    return (struct timing){run_in_units(p), interval_end(p, 0), interval_end(p, 1)};
}

struct timing run_time(const struct result *r, const cJSON *p)
{
    return time_scaled(run_as_measured(p), us_in_unit(r, p));
}

struct timing operation_time(const struct result *r, const cJSON *p)
{
    struct timing run = run_time(r, p);
    double operations = number_of(p, "operations");
    return (struct timing){run.us / operations, run.low / operations, run.high / operations};
}

struct timing compared_time(const struct result *r, const cJSON *p)
{
    return strncmp(r->experiment, "micro-", strlen("micro-")) == 0 ? operation_time(r, p) : run_time(r, p);
}

bool size_counts_repetitions(const struct result *r)
{
    static const char *const names[] = {"micro-barrier", "micro-producer-consumer", "micro-latency",
                                        "micro-throughput"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(r->experiment, names[i]) == 0)
            return true;
    return false;
}

struct timing time_scaled(struct timing time, double factor)
{
    return (struct timing){factor * time.us, factor * time.low, factor * time.high};
}

struct timing time_beyond(struct timing time, struct timing baseline)
{
    return (struct timing){time.us - baseline.us, time.low - baseline.high, time.high - baseline.low};
}

struct timing time_ratio(struct timing time, struct timing other)
{
    return (struct timing){time.us / other.us, time.low / other.high, time.high / other.low};
}

double run_us(const struct result *r, const char *variant, double blocks, double size)
{
    return run_time(r, result_point(r, variant, blocks, -1, size)).us;
}

double operation_us(const struct result *r, const char *variant, double blocks)
{
    return operation_time(r, result_point(r, variant, blocks, -1, -1)).us;
}

struct timing barrier_time(const struct result *r, const cJSON *p)
{
    const cJSON *none =
        p ? result_point(r, "none", number_of(p, "blocks"), number_of(p, "threads"), -1) : NULL;
    return time_beyond(operation_time(r, p), operation_time(r, none));
}

const cJSON *fastest_of(const struct result *r, const char *variant, double size)
{
    const cJSON *best = NULL;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && (size < 0 || number_of(p, "size") == size) &&
        (!best || compared_time(r, p).us < compared_time(r, best).us))
        best = p;
    return best;
}

const cJSON *largest_of(const struct result *r, const char *variant)
{
    const cJSON *largest = NULL;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && (!largest || number_of(p, "size") > number_of(largest, "size")))
        largest = p;
    return largest;
}

const cJSON *fastest_point(const struct result *r, double blocks, double size,
                           bool (*wanted)(const cJSON *point))
{
    const cJSON *best = NULL;
    FOR_EACH_POINT(p, r)
    if ((blocks < 0 || number_of(p, "blocks") == blocks) && (size < 0 || number_of(p, "size") == size) &&
        wanted(p) && (!best || compared_time(r, p).us < compared_time(r, best).us))
        best = p;
    return best;
}

bool is_ordered_barrier(const cJSON *p)
{
    const char *variant = text_of(p, "variant");
    return is_true(p, "ordered") && is_true(p, "verified") && !is_launch(p) && !is_dataflow(variant) &&
           !is_library(variant);
}

bool is_launch(const cJSON *p)
{
    return strncmp(text_of(p, "variant"), "cpu-", 4) == 0;
}

/* Compares variant `a` with variant `b` at this number of blocks. Returns 1 if `a` takes longer, -1 if it
 * takes less time, and 0 if that is a tie or one of them was not measured. */
static int compare_at(const struct result *r, const char *a, const char *b, double blocks)
{
    struct timing x = compared_time(r, result_point(r, a, blocks, -1, -1)),
                  y = compared_time(r, result_point(r, b, blocks, -1, -1));
    return (x.low > y.high && x.us > BETTER * y.us) - (x.high < y.low && y.us > BETTER * x.us);
}

double crossing_at(const struct result *r, const char *a, const char *b)
{
    bool was_faster = false;
    double crossing = INFINITY;
    for (double blocks = 1; blocks <= r->sms; blocks++) {
        int order = compare_at(r, a, b, blocks);
        was_faster = was_faster || order < 0;
        if (order > 0 && isinf(crossing))
            crossing = was_faster ? blocks : -INFINITY;
        if (order < 0)
            crossing = INFINITY;
    }
    return crossing;
}
