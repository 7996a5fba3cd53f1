#include "report/value.h"

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
