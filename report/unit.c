#include "report/unit.h"
#include "base/failure.h"
#include "base/nearest.h"

#include <string.h>

static const char *const names[] = {[UNIT_US] = "us", [UNIT_NS] = "ns", [UNIT_CYCLES] = "cycles"};
#define UNITS (sizeof names / sizeof *names)

enum unit unit_of(const char *name)
{
    char meant[NEAREST_BYTES];
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum unit)i;
    fail(EXIT_BAD_INPUT, "--unit is us, ns or cycles, not \"%s\"%s", name,
         did_you_mean(meant, "", name, names, UNITS));
}

const char *unit_name(enum unit unit)
{
    return names[unit];
}

double unit_factor(enum unit unit, const struct result *r)
{
    if (unit != UNIT_CYCLES)
        return unit == UNIT_NS ? 1e3 : 1;
    if (!(r->clock_hz > 0))
        fail(EXIT_BAD_INPUT,
             "%s: --unit cycles needs the device's clock rate, which this result does not have", r->path);
    return r->clock_hz / 1e6;
}

struct timing timing_in(enum unit unit, const struct result *r, struct timing time)
{
    double factor = unit_factor(unit, r);
    return (struct timing){factor * time.us, factor * time.low, factor * time.high};
}

int unit_digits(enum unit unit, int digits)
{
    return unit == UNIT_US ? digits : digits < 3 ? 0 : digits - 3;
}

static enum unit chosen = UNIT_AS_WRITTEN;

void unit_choose(enum unit unit)
{
    chosen = unit;
}

enum unit unit_chosen(void)
{
    return chosen;
}
