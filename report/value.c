#include "report/value.h"
#include "base/failure.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct value value_exactly(double number)
{
    return (struct value){number, number, number, ""};
}

struct value value_missing(const char *what, const char *where)
{
    struct value v = value_exactly(NAN);
    int length = (int)(strchr(where, ',') ? strcspn(where, "@") : strlen(where));
    snprintf(v.missing, sizeof v.missing, "%.70s%s%.*s", what, *where ? " in " : "",
             length < 70 ? length : 70, where);
    return v;
}

struct value value_of_timing(struct timing time)
{
    return (struct value){time.us, time.low, time.high, ""};
}

static double calculate(char operation, double a, double b)
{
    switch (operation) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case 'm':
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

struct value value_combine(char operation, struct value a, struct value b)
{
    if (*a.missing || *b.missing)
        return *a.missing ? a : b;
    const double ends[2][2] = {{a.low, a.high}, {b.low, b.high}};
    struct value v = {calculate(operation, a.is, b.is), INFINITY, -INFINITY, ""};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double end = calculate(operation, ends[0][i], ends[1][j]);
            v.low = fmin(v.low, end);
            v.high = fmax(v.high, end);
        }
    return v;
}

struct value value_scaled(struct value v, double factor)
{
    return value_combine('*', v, value_exactly(factor));
}

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
    return time_scaled(time, unit_factor(unit, r));
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
