#include "harness/batches.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "base/failure.h"
#include "base/statistics.h"
#include "harness/timer.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdlib.h>

void make_batch_variants(struct variant *variants, const char *shared, const char *shuffle)
{
    static const char *const names[] = {"shared", "shuffle", "shared+copies", "shuffle+copies"};
    for (int id = 0; id < BATCH_VARIANTS; id++) {
        bool shuffles = id & BATCH_SHUFFLE, copies = id & BATCH_COPIES;
        variants[id] =
            (struct variant){.id = id,
                             .name = names[id],
                             .summary = copies     ? "with the copies to and from the device"
                                        : shuffles ? shuffle
                                                   : shared,
                             .ordered = true,
                             .capability = shuffles ? 30 : 0,
                             .special = copies ? "a GPU: the memory machine has no bus to a host" : NULL};
    }
}

bool can_do_batch_variant(const struct variant *variant)
{
    return !(variant->id & BATCH_COPIES) || !device_is_machine();
}

static bool take_range(const char **text, int most, struct length_range *out)
{
    char *end;
    long low = strtol(*text, &end, 10), high = low;
    if (end == *text)
        return false;
    if (*end == '-') {
        *text = end + 1;
        high = strtol(*text, &end, 10);
        if (end == *text)
            return false;
    }
    *text = end;
    *out = (struct length_range){(int)low, (int)high};
    return low >= 1 && low <= high && high <= most;
}

void read_length_ranges(const char *text, int most, struct length_range *first, struct length_range *second)
{
    const char *at = text;
    bool good = take_range(&at, most, first) && *at++ == 'x' && take_range(&at, most, second) && !*at;
    if (!good)
        fail(EXIT_BAD_INPUT, "--lengths must be LOW-HIGHxLOW-HIGH with lengths from 1 to %d, not \"%s\"",
             most, text);
}

double cells_of_batches(size_t count, double (*cells)(size_t batch))
{
    double sum = 0;
    for (size_t b = 0; b < count; b++)
        sum += cells(b);
    return sum;
}

#define RUNS 3

static double median_time(void (*enqueue)(size_t batch), size_t batch)
{
    double times[RUNS];
    for (int i = 0; i < RUNS; i++) {
        timer_start();
        enqueue(batch);
        times[i] = timer_stop();
    }
    return summarize(times, RUNS).median;
}

void describe_batches(cJSON *json, size_t count, void (*enqueue)(size_t batch), double (*cells)(size_t batch))
{
    double sum = 0, maximum = 0;
    for (size_t b = 0; b < count; b++) {
        double rate = cells(b) / median_time(enqueue, b);
        sum += rate;
        maximum = rate > maximum ? rate : maximum;
    }
    cJSON_AddNumberToObject(json, "batches", (double)count);
    cJSON_AddNumberToObject(json, "rate_average", sum / (double)count);
    cJSON_AddNumberToObject(json, "rate_maximum", maximum);
}
