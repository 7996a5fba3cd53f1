#include "machine/code/runs.h"
#include "base/memory.h"
#include "machine/code/joins.h"

#include <stdlib.h>

static struct kernel_instruction **in_order; /* the function's instructions in the order of their addresses */
/* for each index in in_order: does a run (machine/code/runs.h) begin with this instruction? */
static bool *begins;
static size_t count;

static int compare_places(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)(*(struct kernel_instruction *const *)a)->at,
              y = (uintptr_t)(*(struct kernel_instruction *const *)b)->at;
    return (x > y) - (x < y);
}

/* Returns the index in in_order of the first instruction at this address or after it. */
static size_t place_of(const unsigned char *at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)in_order[middle]->at < (uintptr_t)at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* If the instruction with this index in in_order is a branch or jump, ends the run after it. Other runs
 * begin there and at the branch's target. */
static void end_run(size_t place)
{
    const struct x86_instruction *read = &in_order[place]->read;
    size_t target = read->target && !read->calls ? place_of(read->target) : count;
    if ((!read->leaves && !read->branches) || is_predicated(kernel_instruction_at(in_order[place]->at)))
        return;
    begins[place + 1] = true;
    begins[target] = true;
}

static void note_run(size_t first, size_t end)
{
    unsigned length = 0;
    for (size_t i = first; i < end; i++)
        length += is_counted(in_order[i]);
    for (size_t i = first; i < end; i++)
        in_order[i]->in_long_run = length > SHORT_RUN;
}

void runs_find(const struct kernel_function *function)
{
    count = function->end - function->first;
    in_order = allocate(count * sizeof(struct kernel_instruction *));
    begins = allocate(count + 1);
    for (size_t i = 0; i < count; i++)
        in_order[i] = kernel_instruction(function->first + i);
    qsort(in_order, count, sizeof(struct kernel_instruction *), compare_places);
    for (size_t i = 0; i < count; i++)
        end_run(i);
    for (size_t first = 0, i = 1; i <= count; i++)
        if (i == count || begins[i]) {
            note_run(first, i);
            first = i;
        }
    free(in_order);
    free(begins);
}
