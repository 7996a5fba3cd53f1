/* Tests the summary of samples that were measured on a GPU: samples that another program disturbed do not
 * count, unless half of all samples or more are like them. */
#include "harness/measurement.h"
#include "harness/device.h"
#include "tests/check.h"

/* The device of this test, in place of harness/device_gpu.cu: a GPU whose times are in microseconds. */
bool device_is_machine(void)
{
    return false;
}

const char *time_unit(void)
{
    return "us";
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

int main(void)
{
    check_disturbed((const double[]){4, 5, 4, 9, 4}, 5, 4, 4,
                    "a sample of more than 5/4 of the least is left out");
    check_disturbed((const double[]){1, 1, 2, 1, 2}, 5, 3, 1, "two of five samples may be disturbed");
    check_disturbed((const double[]){1, 1, 2, 2}, 4, 4, 1.5, "if half of the samples are slow, all count");
    return checks_done();
}
