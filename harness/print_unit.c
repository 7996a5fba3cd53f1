#include "harness/print_unit.h"
#include "base/failure.h"
#include "harness/measurement.h"

#include <string.h>

struct print_unit print_unit_of(const struct sweep *s)
{
    const char *unit = sample_unit(s->experiment), *wanted = s->options.unit;
    double clock_hz = s->device.clock_hz;
    bool in_ns = strcmp(unit, "ns") == 0;
    if (!wanted)
        wanted = s->device.machine && clock_hz > 0 ? "us" : "units";
    if (strcmp(wanted, "units") == 0)
        return (struct print_unit){unit, 1};
    bool to_cycles = strcmp(wanted, "cycles") == 0;
    if (!(clock_hz > 0) && in_ns == to_cycles)
        fail(EXIT_BAD_INPUT, "--unit %s needs a clock rate, and %s has none", wanted, s->device.name);
    double seconds = in_ns ? 1e-9 : 1 / clock_hz;
    if (to_cycles)
        return (struct print_unit){wanted, in_ns ? seconds * clock_hz : 1};
    return (struct print_unit){wanted, seconds * (strcmp(wanted, "us") == 0 ? 1e6 : 1e9)};
}
