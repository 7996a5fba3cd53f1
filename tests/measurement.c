/* Tests the summary of samples that were measured on a GPU: samples that another program disturbed do not
 * count, unless half of all samples or more are disturbed. Also tests that a measurement is read from JSON as
 * it was written, and the times of the sequential reference, which is repeated if it is short. */
#include "harness/measurement.h"
#include "base/random.h"
#include "harness/device.h"
#include "harness/sweep.h"
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

/* ---- round trips ---- */

static struct random random_state;

static unsigned any(unsigned count)
{
    return (unsigned)(random_next(&random_state) % count);
}

/* Returns a random number that 15 digits tell, as cJSON prints it. */
static double any_number(void)
{
    return any(100000) / 8.0;
}

/* Returns a random measurement: samples of one process or of several, and each member at its least value or
 * another one. */
static struct measurement *any_measurement(const struct experiment *experiment, const struct variant *variant)
{
    struct measurement *m = measurement_new(&(struct point){.variant = variant}, experiment);
    int process = (int)any(3);
    for (unsigned samples = 1 + any(8); samples; samples--, process += any(3) == 0)
        measurement_add_sample(m, any_number(), process);
    m->operations = 1 + any(1000);
    m->repeats = 1 + (int)any(9);
    m->throttled = (int)any(2);
    m->clock_hz = any(2) * 1e6 * any_number();
    m->verdict.correct = variant->unchecked || any(2);
    m->verdict.compared = variant->unchecked ? 0 : any(1u << 31);
    m->verdict.wrong = m->verdict.correct ? 0 : 1 + any(1u << 31);
    m->races = any(2) ? any(1000) : 0;
    for (unsigned fact = any(3); fact; fact--)
        cJSON_AddNumberToObject(m->facts, fact == 1 ? "requests" : "spread", any_number());
    measurement_summarize(m);
    return m;
}

static double measured(const struct point *point)
{
    return (double)point->size;
}

/* Checks that a measurement that is read from a text has the same text: at once, and after the measurement
 * and its copy got the same further samples, as in a resumed sweep. */
static void check_round_trips(unsigned count)
{
    static const struct variant variants[] = {{.name = "a", .ordered = true},
                                              {.name = "b", .unchecked = true}};
    static const struct experiment experiments[] = {
        {.name = "e"}, {.name = "f", .measured = measured, .measured_unit = "words"}};
    unsigned changed = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct experiment *experiment = &experiments[any(2)];
        struct measurement *m = any_measurement(experiment, &variants[any(2)]), *read = NULL;
        for (int more = 0; more < 3; more++) {
            cJSON *json = measurement_json(m), *parsed;
            char *text = cJSON_PrintUnformatted(json), *again;
            parsed = cJSON_Parse(text);
            read = read ? read : measurement_read(parsed, &m->point, experiment);
            cJSON_Delete(json);
            json = measurement_json(read);
            again = cJSON_PrintUnformatted(json);
            changed += strcmp(text, again) != 0;
            cJSON_Delete(json);
            cJSON_Delete(parsed);
            free(text);
            free(again);
            double sample = any_number();
            measurement_add_sample(m, sample, 9);
            measurement_add_sample(read, sample, 9);
            measurement_summarize(m);
            measurement_summarize(read);
        }
        measurement_free(m);
        measurement_free(read);
    }
    check(changed == 0, "a measurement is read as it was written (%u of %u texts differ)", changed,
          3 * count);
}

int main(void)
{
    check_round_trips(2000);
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
