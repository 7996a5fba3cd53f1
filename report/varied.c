#include "report/varied.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The different numbers of blocks, or sizes, among which a formula has searched, in ascending order. */
struct numbers {
    double *of;
    size_t count;
};

static void add_once(struct numbers *numbers, double number)
{
    size_t at = 0;
    while (at < numbers->count && numbers->of[at] < number)
        at++;
    if (at < numbers->count && numbers->of[at] == number)
        return;
    numbers->of = with_room(numbers->of, sizeof *numbers->of, numbers->count, 1);
    memmove(numbers->of + at + 1, numbers->of + at, (numbers->count - at) * sizeof *numbers->of);
    numbers->of[at] = number;
    numbers->count++;
}

static struct numbers searched(const struct sources *sources, const char *axis)
{
    struct numbers numbers = {NULL, 0};
    for (const struct read *read = sources->reads; read < sources->reads + sources->read_count; read++)
        if (read->searched)
            add_once(&numbers, number_of(read->point, axis));
    return numbers;
}

/* Returns the member in which the points that the formula searched differ: "size", or else "blocks". If there
 * are several sizes, "size" is returned, because each of them may have its own number of blocks. Sizes of
 * different programs are not compared. */
static const char *axis_of(const struct sources *all)
{
    const struct read *end = all->reads + all->read_count;
    for (const struct read *a = all->reads; a < end; a++)
        for (const struct read *b = a + 1; b < end; b++)
            if (a->searched && b->searched && a->result == b->result &&
                number_of(a->point, "size") != number_of(b->point, "size"))
                return "size";
    return "blocks";
}

/* Returns whether a search among these numbers of blocks can return a number near `value`. */
static bool can_be(double value, const struct numbers *few)
{
    size_t at = 0;
    while (at < few->count && few->of[at] < value)
        at++;
    if (at == few->count)
        return isinf(value);
    double before = at ? few->of[at - 1] : value;
    return few->of[at] <= fmax(1.25 * before, before + 1);
}

static bool has_enough(const struct numbers *all, const struct numbers *few)
{
    return few->count > 1 && 4 * few->count >= all->count && few->of[0] <= 1.25 * all->of[0] &&
           1.25 * few->of[few->count - 1] >= all->of[all->count - 1];
}

bool is_varied(const cJSON *claim, const struct value *v, const struct sources *all,
               const struct sources *few)
{
    const char *axis = axis_of(all);
    struct numbers of_all = searched(all, axis), of_few = searched(few, axis);
    double paper = number_of(claim, "value");
    bool looks_for_blocks = strcmp(text_of(claim, "unit"), "blocks") == 0;
    bool varied = of_all.count < 2 ||
                  (looks_for_blocks ? can_be(isinf(v->is) ? paper : v->is, &of_few) && can_be(paper, &of_few)
                                    : has_enough(&of_all, &of_few));
    free(of_all.of);
    free(of_few.of);
    return varied;
}

void describe_not_varied(cJSON *json, const struct sources *all, const struct sources *few)
{
    const char *axis = axis_of(all);
    struct numbers numbers = searched(few, axis);
    cJSON_AddBoolToObject(json, "varied", false);
    cJSON_AddStringToObject(json, "axis", axis);
    cJSON_AddItemToObject(json, "draws_have", cJSON_CreateDoubleArray(numbers.of, (int)numbers.count));
    free(numbers.of);
}
