#include "swat/batch/plan.h"
#include "base/memory.h"

#include <stdlib.h>

/* Returns the largest number of elements of a task's alignment: twice as many as its shorter sequence has
 * letters, and two more. */
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

/* Cuts a batch, for SW1 and SW2, into parts of at most MOST_CELLS_OF_PART cells; a single task with more
 * cells is a part, too. */
static void cut_for_general(const struct sw_tasks *tasks, const struct sw_batch *batch, struct sw_plan *plan)
{
    unsigned long long cells = 0;
    size_t first = batch->first, end = batch->first + batch->tasks;
    for (size_t i = first; i < end; i++) {
        const struct sw_task *task = &tasks->tasks[i];
        unsigned long long more =
            (unsigned long long)task->reference_length * (unsigned long long)task->alternate_length;
        if (cells && cells + more > MOST_CELLS_OF_PART) {
            add_part(tasks, batch, first, i - first, plan);
            first = i;
            cells = 0;
        }
        cells += more;
    }
    add_part(tasks, batch, first, end - first, plan);
}

/* Cuts a batch, for the blocked kernel, into parts by number of tasks. Each part has twice as many tasks as
 * the preceding part, so that the first copy is short and the later kernels, which overlap with copies, are
 * few. */
static void cut_for_blocked(const struct sw_tasks *tasks, const struct sw_batch *batch,
                            struct sw_manner manner, struct sw_plan *plan)
{
    size_t left = batch->tasks, at = batch->first;
    for (size_t piece = manner.first_piece ? manner.first_piece : MOST_OF_PART; left; piece *= 2) {
        size_t count = manner.first_piece && left < 2 * piece ? left : piece;
        count = count > MOST_OF_PART ? MOST_OF_PART : count;
        count = count > left ? left : count;
        add_part(tasks, batch, at, count, plan);
        at += count;
        left -= count;
    }
}

/* ---- order ---- */

struct item {
    size_t number;
    /* `rows` is the number of rows that each lane gets if half a warp does the task, or 0 if the blocked
     * kernel cannot do the task */
    int rows, columns;
    const struct sw_task *task;
};

static int falling(int a, int b)
{
    return (b > a) - (b < a);
}

/* Compares two tasks for sorting: the larger one comes first. Tasks with the same number of rows for each
 * lane come together, because they use the same code. */
static int in_order(const void *first, const void *second)
{
    const struct item *a = first, *b = second;
    int by_rows = falling(a->rows, b->rows), by_columns = falling(a->columns, b->columns);
    if (by_rows || by_columns)
        return by_rows ? by_rows : by_columns;
    return (a->number > b->number) - (a->number < b->number);
}

size_t sw_part_warps(const struct sw_part *part)
{
    return part->blocked - part->narrow + part->narrow / BLOCKED_MOST_TASKS;
}

/* Decides which of a part's tasks get a whole warp each: tasks that are too long for half a warp and, if each
 * warp gets few tasks, all others, too. If warps get many tasks, the last tasks get a whole warp each: they
 * then take half as long, so that all warps end at about the same time. (On an H200, half a warp for each
 * task is slower with up to five tasks for each warp, and faster from six on.) */
static void share_warps(const struct item *items, size_t warps, struct sw_part *part)
{
    while (part->wide < part->blocked && items[part->wide].rows > BLOCKED_MOST_ROWS_A_LANE)
        part->wide++;
    size_t rest = part->blocked - part->wide;
    if (rest >= 6 * warps)
        part->narrow = (rest - 2 * warps) / BLOCKED_MOST_TASKS * BLOCKED_MOST_TASKS;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void make_room(const struct item *items, const struct sw_part *part, struct blocked_room *room)
{
    for (size_t n = 0, count; n < part->blocked; n += count) {
        count = n >= part->wide && n < part->wide + part->narrow ? BLOCKED_MOST_TASKS : 1;
        int lanes = WARP_LANES / (int)count;
        struct blocked_shape shape = {lanes, 0, 0};
        for (size_t k = n; k < n + count; k++) {
            int rows = blocked_rows_a_lane(items[k].task->reference_length, lanes);
            shape.rows_a_lane = rows > shape.rows_a_lane ? rows : shape.rows_a_lane;
            shape.columns = items[k].columns > shape.columns ? items[k].columns : shape.columns;
        }
        room->shared_bytes = larger(room->shared_bytes, count * blocked_shared_bytes(shape, room->letters));
        room->back_words = larger(room->back_words, count * blocked_back_words(shape));
    }
}

/* Returns for how many kinds of letters the blocked kernel needs scores: the most that any task needs. The
 * number is the same for all tasks, because they share the warps' memory. */
static int kinds_of_letters(const struct sw_tasks *tasks, struct sw_manner manner)
{
    int most = 1;
    for (size_t i = 0; i < tasks->task_count && manner.blocked; i++) {
        int letters = blocked_letters(tasks, &tasks->tasks[i]);
        most = letters > most ? letters : most;
    }
    return most;
}

static void place_tasks(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_part *part,
                        struct sw_plan *plan)
{
    const struct sw_batch *range = &part->range;
    struct item *items = allocate(range->tasks * sizeof *items);
    size_t pool_words = 1;
    for (size_t n = 0; n < range->tasks; n++) {
        const struct sw_task *task = &tasks->tasks[range->first + n];
        items[n] = (struct item){range->first + n, 0, 0, task};
        pool_words += most_elements(task);
        if (!manner.blocked || !blocked_can_do(tasks, task))
            continue;
        items[n].rows = blocked_rows_a_lane(task->reference_length, WARP_LANES / BLOCKED_MOST_TASKS);
        items[n].columns = task->alternate_length;
        part->blocked++;
    }
    qsort(items, range->tasks, sizeof *items, in_order);
    share_warps(items, manner.warps, part);
    make_room(items, part, &plan->room);
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
        if (manner.blocked)
            cut_for_blocked(tasks, &tasks->batches[b], manner, out);
        else
            cut_for_general(tasks, &tasks->batches[b], out);
    }
    out->first_part[tasks->batch_count] = out->part_count;
    out->room.letters = kinds_of_letters(tasks, manner);
    for (size_t p = 0; p < out->part_count; p++)
        place_tasks(tasks, manner, &out->parts[p], out);
}

void sw_free_plan(struct sw_plan *plan)
{
    free(plan->parts);
    free(plan->first_part);
    free(plan->place);
    *plan = (struct sw_plan){0};
}
