#include "report/points.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct points points_of(const struct result *r)
{
    struct points points = {NULL, 0};
    FOR_EACH_POINT(p, r)
    {
        points.items = with_room(points.items, sizeof *points.items, points.count, 1);
        points.items[points.count++] = (struct point){.variant = text_of(p, "variant"),
                                                      .blocks = number_of(p, "blocks"),
                                                      .threads = number_of(p, "threads"),
                                                      .size = number_of(p, "size"),
                                                      .run = run_time(r, p),
                                                      .operation = operation_time(r, p),
                                                      .compared = compared_time(r, p),
                                                      .ordered = is_true(p, "ordered"),
                                                      .unordered = is_false(p, "ordered"),
                                                      .json = p};
    }
    return points;
}

void points_free(struct points *points)
{
    free(points->items);
    *points = (struct points){NULL, 0};
}

const struct point *point_at(const struct points *points, const char *variant, double blocks, double size)
{
    for (const struct point *p = points->items; p < points->items + points->count; p++)
        if ((blocks < 0 || p->blocks == blocks) && (size < 0 || p->size == size) &&
            strcmp(p->variant, variant) == 0)
            return p;
    return NULL;
}

const struct point *fastest_at_all(const struct points *points, const char *variant)
{
    const struct point *best = NULL;
    for (const struct point *p = points->items; p < points->items + points->count; p++)
        if (strcmp(p->variant, variant) == 0 && (!best || p->compared.us < best->compared.us))
            best = p;
    return best;
}

const struct point *fastest_of_size(const struct points *points, double size,
                                    bool (*wanted)(const struct point *))
{
    const struct point *best = NULL;
    for (const struct point *p = points->items; p < points->items + points->count; p++)
        if (p->size == size && wanted(p) && (!best || p->compared.us < best->compared.us))
            best = p;
    return best;
}
