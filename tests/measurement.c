/* Tests the summary of samples that were measured on a GPU: samples that another program disturbed do not
 * count, unless half of all samples or more are disturbed. Also tests the times of the sequential reference,
 * which is repeated if it is short. */
#include "harness/measurement.h"
#include "harness/device.h"
#include "harness/problem.h"
#include "harness/timer.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

/* The device of this test, in place of harness/device_gpu.c: a GPU whose times are in microseconds. */
bool device_is_machine(void)
{
    return false;
}

const char *time_unit(void)
{
    return "us";
}

size_t device_free_bytes(void)
{
    return 0;
}

/* The clock of this test, in place of harness/timer.c: it moves only while the reference works. */
static double now, seconds_of_reference;

double host_seconds(void)
{
    return now;
}

static void work(void)
{
    now += seconds_of_reference;
}

static void check_reference(double seconds, int runs, const char *sentence)
{
    static const struct experiment experiment = {.name = "e", .problem.sequential = work};
    seconds_of_reference = seconds;
    cJSON *json = problem_time_sequential(&experiment, 1024), *sample;
    bool right = strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(json, "unit")), "ns") == 0 &&
                 cJSON_GetNumberValue(cJSON_GetObjectItem(json, "size")) == 1024 &&
                 fabs(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "median")) - seconds / 1e-9) < 1;
    int count = 0;
    cJSON_ArrayForEach(sample, cJSON_GetObjectItem(json, "samples"))
    {
        right &= fabs(cJSON_GetNumberValue(sample) - seconds / 1e-9) < 1;
        count++;
    }
    check(right, "a reference of %g s is told in nanoseconds, with its size", seconds);
    check(count == runs, "%s: %d", sentence, count);
    cJSON_Delete(json);
}

static struct measurement *summary_of(const double *samples, size_t count)
{
    static const struct variant variant = {.name = "a"};
    static const struct experiment experiment = {.name = "e"};
    struct measurement *m = measurement_new(&(struct point){.variant = &variant}, &experiment);
    for (size_t i = 0; i < count; i++)
        measurement_add_sample(m, samples[i], 0);
    measurement_summarize(m);
    return m;
}

static void check_disturbed(const double *samples, size_t count, size_t undisturbed, double median,
                            const char *sentence)
{
    struct measurement *m = summary_of(samples, count);
    check(m->count == count && m->undisturbed == undisturbed && m->median >= median && m->median <= median,
          "%s: %zu of %zu count, and their median is %g", sentence, m->undisturbed, m->count, m->median);
    measurement_free(m);
}

static void check_width(void)
{
    struct measurement *m = summary_of((const double[]){10, 8, 9}, 3);
    check(fabs(measurement_width(m) - 1.0 / 9) < 1e-12,
          "the interval of three samples is from the least to the most: %g of the median on either side",
          measurement_width(m));
    measurement_free(m);
}

int main(void)
{
    check_width();
    check_disturbed((const double[]){4, 5, 4, 9, 4}, 5, 4, 4,
                    "a sample of more than 5/4 of the least is left out");
    check_disturbed((const double[]){1, 1, 2, 1, 2}, 5, 3, 1, "two of five samples may be disturbed");
    check_disturbed((const double[]){1, 1, 2, 2}, 4, 4, 1.5, "if half of the samples are slow, all count");
    check_reference(0.000123456, 9, "a short reference is timed nine times");
    check_reference(0.13, 3, "a longer one three times");
    check_reference(7, 1, "a long one once");
    return checks_done();
}
