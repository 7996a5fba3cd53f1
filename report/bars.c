#include "report/bars.h"
#include "base/memory.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdlib.h>

struct bar *bars_add(struct bars *bars, const char *name, double value, bool ordered)
{
    bars->items = with_room(bars->items, sizeof *bars->items, bars->count, 1);
    struct bar *bar = &bars->items[bars->count++];
    *bar = (struct bar){.value = value, .ordered = ordered, .low = value, .high = value};
    snprintf(bar->name, sizeof bar->name, "%s", name);
    return bar;
}

void bars_add_time(struct bars *bars, const char *name, struct timing time, bool ordered)
{
    struct bar *bar = bars_add(bars, name, time.us, ordered);
    bar->low = time.low;
    bar->high = time.high;
}

static int by_value(const void *a, const void *b)
{
    double x = ((const struct bar *)a)->value, y = ((const struct bar *)b)->value;
    return (x > y) - (x < y);
}

void bars_sort(struct bars *bars)
{
    if (bars->items)
        qsort(bars->items, bars->count, sizeof *bars->items, by_value);
}

bool bars_write(struct bars *bars, FILE *file)
{
    bool any = false;
    for (const struct bar *b = bars->items; b < bars->items + bars->count; b++)
        if (isfinite(b->value)) {
            fprintf(file, "\"%s\"\t%.9g\t%.9g\t%d\t%ld\t%.9g\t%.9g\t%.9g\n", b->name, b->value, b->second,
                    b->ordered, strtol(style_of(b->name).color + 1, NULL, 16), b->low, b->high, b->third);
            any = true;
        }
    free(bars->items);
    return any;
}
