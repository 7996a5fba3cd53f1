#include "harness/batches.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "base/failure.h"
#include "base/statistics.h"
#include "harness/timer.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdlib.h>

int make_batch_variants(struct variant *variants, const char *shared, const char *shuffle,
                        const char *blocked)
{
    const struct {
        int id;
        const char *name, *with_copies, *summary;
        int capability;
    } kernels[] = {{0, "shared", "shared+copies", shared, 0},
                   {BATCH_SHUFFLE, "shuffle", "shuffle+copies", shuffle, 30},
                   {BATCH_BLOCKED, "blocked", "blocked+copies", blocked, 70}};
    int count = blocked ? 3 : 2;
    for (int k = 0; k < count; k++) {
        variants[k] = (struct variant){.id = kernels[k].id,
                                       .name = kernels[k].name,
                                       .summary = kernels[k].summary,
                                       .ordered = true,
                                       .capability = kernels[k].capability};
        variants[count + k] = variants[k];
        variants[count + k].id |= BATCH_COPIES;
        variants[count + k].name = kernels[k].with_copies;
        variants[count + k].summary = "with the copies to and from the device";
        variants[count + k].special = "a GPU, or a machine whose copies take time";
    }
    return 2 * count;
}

const char *batch_variants_left_out(void)
{
    return device_is_machine() ? "shared+copies,shuffle+copies,blocked+copies" : NULL;
}

bool can_do_batch_variant(const struct variant *variant)
{
    return !(variant->id & BATCH_COPIES) || device_times_copies();
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
