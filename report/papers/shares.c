#include "report/papers/shares.h"
#include "report/timing.h"

#include <math.h>

/* Returns the time in microseconds of the fence with which the variant none-cold empties the L1 cache: the
 * time of a round of none-cold in micro-barrier minus that of a round of none. Uses the measured number of
 * blocks nearest to `blocks`. */
static double fence_us(const struct result *micro, double blocks)
{
    double least = INFINITY, us = NAN;
    if (!micro)
        return NAN;
    FOR_EACH_POINT(cold, micro)
    {
        double at = number_of(cold, "blocks");
        if (!point_is(cold, "none-cold") || !(fabs(at - blocks) < least))
            continue;
        least = fabs(at - blocks);
        us = operation_us(micro, "none-cold", at) - operation_us(micro, "none", at);
    }
    return us;
}

struct shares shares_of(const struct result *r, const struct result *micro, const char *variant)
{
    const cJSON *best = fastest_of(r, variant, -1);
    double blocks = number_of(best, "blocks"), all = run_time(r, best).us,
           none = run_us(r, "none", blocks, -1), cold = run_us(r, "none-cold", blocks, -1),
           fences = number_of(best, "operations") * fence_us(micro, blocks);
    double refill = fmax(0, cold - none - fences);
    if (isnan(refill))
        refill = 0;
    return (struct shares){100 * none / all, 100 * refill / all, 100 * (all - none - refill) / all};
}
