#include "swat/batch/plan.h"
#include "base/memory.h"

#include <stdlib.h>

/* A task has at most twice as many elements as its shorter sequence has letters, and two more. */
static size_t most_elements(const struct sw_task *t)
{
    int shorter = t->reference_length < t->alternate_length ? t->reference_length : t->alternate_length;
    return 2 * (size_t)shorter + 2;
}

/* ---- parts ---- */

static void add_part(const struct sw_tasks *tasks, const struct sw_batch *batch, size_t first, size_t count,
                     struct sw_plan *plan)
{
    size_t batch_end = batch->first + batch->tasks, end = first + count;
    size_t letter_at = first == batch->first ? batch->letter_at : tasks->tasks[first].reference_at,
           letter_end = end == batch_end ? batch->letter_at + batch->letters : tasks->tasks[end].reference_at;
    plan->parts = with_room(plan->parts, sizeof *plan->parts, plan->part_count, 1);
    plan->parts[plan->part_count++] =
        (struct sw_part){.range = {letter_at, letter_end - letter_at, first, count}};
}

/* Pieces grow, so that the first copy is short, and the later kernels, behind which copies are made,
 * have few ends. */
static void cut_batch(const struct sw_tasks *tasks, const struct sw_batch *batch, struct sw_manner manner,
                      struct sw_plan *plan)
{
    size_t left = batch->tasks, at = batch->first;
    for (size_t piece = manner.first_piece ? manner.first_piece : MOST_OF_PART; left; piece *= 2) {
        size_t count = manner.first_piece && left < 2 * piece ? left : piece;
        count = manner.blocked && count > MOST_OF_PART ? MOST_OF_PART : count;
        count = !manner.blocked || count > left ? left : count;
        add_part(tasks, batch, at, count, plan);
        at += count;
        left -= count;
    }
}

/* ---- order ---- */

struct item {
    size_t number;
    int rows, columns; /* rows a lane; 0 for a task that the blocked kernel cannot do */
};

static int falling(int a, int b)
{
    return (b > a) - (b < a);
}

/* The largest first; tasks with as many rows a lane together, for they have the same code. */
static int in_order(const void *first, const void *second)
{
    const struct item *a = first, *b = second;
    int by_rows = falling(a->rows, b->rows), by_columns = falling(a->columns, b->columns);
    if (by_rows || by_columns)
        return by_rows ? by_rows : by_columns;
    return (a->number > b->number) - (a->number < b->number);
}

static void place_tasks(const struct sw_tasks *tasks, bool blocked, struct sw_part *part,
                        struct sw_plan *plan)
{
    const struct sw_batch *range = &part->range;
    struct item *items = allocate(range->tasks * sizeof *items);
    size_t pool_words = 1;
    for (size_t n = 0; n < range->tasks; n++) {
        const struct sw_task *task = &tasks->tasks[range->first + n];
        items[n] = (struct item){range->first + n, 0, 0};
        pool_words += most_elements(task);
        if (!blocked || !blocked_can_do(tasks, task))
            continue;
        items[n].rows = blocked_rows_a_lane(task->reference_length);
        items[n].columns = task->alternate_length;
        plan->room = blocked_larger_room(plan->room, blocked_room_of(task));
        part->blocked++;
    }
    qsort(items, range->tasks, sizeof *items, in_order);
    for (size_t n = 0; n < range->tasks; n++)
        plan->place[items[n].number] = range->first + n;
    plan->pool_words = pool_words > plan->pool_words ? pool_words : plan->pool_words;
    free(items);
}

void sw_make_plan(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_plan *out)
{
    *out = (struct sw_plan){.place = allocate(tasks->task_count * sizeof *out->place),
                            .first_part = allocate((tasks->batch_count + 1) * sizeof *out->first_part)};
    for (size_t b = 0; b < tasks->batch_count; b++) {
        out->first_part[b] = out->part_count;
        cut_batch(tasks, &tasks->batches[b], manner, out);
    }
    out->first_part[tasks->batch_count] = out->part_count;
    for (size_t p = 0; p < out->part_count; p++)
        place_tasks(tasks, manner.blocked, &out->parts[p], out);
}

void sw_free_plan(struct sw_plan *plan)
{
    free(plan->parts);
    free(plan->first_part);
    free(plan->place);
    *plan = (struct sw_plan){0};
}
