#include "pairhmm/plan.h"
#include "base/memory.h"

#include <stdlib.h>

int pairhmm_class_of(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair)
{
    if (pairhmm_float_error(tasks, pair) >= FLOAT_TOLERANCE)
        return DOUBLE_CLASS;
    int class_number = (pair->read_length - 1) / 32;
    return class_number < LONG_CLASS ? class_number : LONG_CLASS;
}

/* ---- order ---- */

struct sorting {
    const struct pairhmm_tasks *tasks;
    struct pairhmm_manner manner;
    unsigned lanes; /* the smallest number of lanes that a pair gets */
    struct pairhmm_plan *plan;
};

/* Returns the gap continuation quality that a launch uses for all letters of a read where it can, because
 * HaplotypeCaller gives all letters the same. */
static unsigned char usual_continuation(const struct pairhmm_tasks *tasks)
{
    return tasks->reads[tasks->pairs[0].read_at].continuation;
}

static bool continues_as_usual(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair)
{
    const struct read_letter *read = tasks->reads + pair->read_at;
    for (int i = 0; i < pair->read_length; i++)
        if (read[i].continuation != usual_continuation(tasks))
            return false;
    return true;
}

static bool is_blocked(const struct sorting *s, const struct pairhmm_pair *pair, struct blocked_item *item)
{
    item->usual = continues_as_usual(s->tasks, pair);
    return s->manner.most_rows && blocked_class_of(item, s->lanes, s->manner.most_rows) &&
           blocked_can_do(s->tasks, pair, FLOAT_TOLERANCE);
}

/* If pairs get 4 lanes each, gives the last `end` items 8 lanes each instead. With 4 lanes for each pair, few
 * warps are left at the end of a launch, each with 8 pairs. With 8 lanes these last pairs take half as long.
 * (On an H100 and an H200, 25,600 pairs take 4 % less time. More than `end` pairs, or 32 lanes, gain
 * nothing.) */
static void shorten_end(const struct sorting *s, struct blocked_item *items, size_t count, size_t end)
{
    if (s->lanes != 4)
        return;
    for (struct blocked_item *item = items + count - end; item < items + count; item++)
        blocked_class_of(item, 8, s->manner.most_rows);
    blocked_sort(items, count);
}

/* Sorts the items. If input is copied while the kernel computes, the launch shall begin with the batch's
 * first pairs, one block for each multiprocessor, because these pairs need few haplotypes. So these pairs are
 * sorted by themselves, and come before the others. (On an H200, 25,600 pairs with their copies take 2 % less
 * time. It takes longer to set two or three times as many pairs apart, or any if nothing is copied.) */
static void sort_items(const struct sorting *s, struct blocked_item *items, size_t count)
{
    size_t round = (size_t)s->manner.sm_count * BLOCKED_WARPS * (32 / s->lanes);
    size_t begin = s->manner.copied && count >= 2 * round ? round : 0;
    blocked_sort(items, begin);
    blocked_sort(items + begin, count - begin);
    shorten_end(s, items + begin, count - begin, count / 20);
}

/* Gives the blocked kernel's pairs the first places of a part. Returns the place after them, and lists the
 * numbers of the other pairs in `others`. */
static unsigned place_blocked(const struct sorting *s, struct pairhmm_part *part, size_t *others,
                              size_t *other_count)
{
    struct pairhmm_plan *plan = s->plan;
    struct blocked_item *items = allocate(part->range.pairs * sizeof *items);
    size_t count = 0;
    for (size_t p = part->range.first; p < part->range.first + part->range.pairs; p++) {
        const struct pairhmm_pair *pair = &s->tasks->pairs[p];
        struct blocked_item item = {p, pair->read_length, pair->haplotype_length, false, {0, 0}};
        if (is_blocked(s, pair, &item))
            items[count++] = item;
        else
            others[(*other_count)++] = p;
    }
    sort_items(s, items, count);
    for (size_t i = 0; i < count; i++)
        plan->place[items[i].number] = part->range.first + i;
    part->first_warp = plan->warp_count;
    part->warps = blocked_cut(items, count, (unsigned)part->range.first, plan->warps + plan->warp_count);
    for (size_t i = 0; i < count; i++)
        if (blocked_entries(items[i].class_.rows) > part->entries)
            part->entries = blocked_entries(items[i].class_.rows);
    plan->warp_count += part->warps;
    free(items);
    return (unsigned)(part->range.first + count);
}

/* Places all pairs of a part in the order of their classes; pairs of one class keep their order. */
static void place_pairs(const struct sorting *s, struct pairhmm_part *part)
{
    size_t *others = allocate(part->range.pairs * sizeof *others), count = 0;
    unsigned at = place_blocked(s, part, others, &count);
    int *class_of = allocate(count * sizeof *class_of);
    for (size_t i = 0; i < count; i++)
        class_of[i] = pairhmm_class_of(s->tasks, &s->tasks->pairs[others[i]]);
    for (int c = 0; c < PAIRHMM_CLASSES; c++) {
        part->starts[c] = at;
        for (size_t i = 0; i < count; i++)
            if (class_of[i] == c)
                s->plan->place[others[i]] = at++;
    }
    part->starts[PAIRHMM_CLASSES] = at;
    free(class_of);
    free(others);
}

void pairhmm_make_plan(const struct pairhmm_tasks *tasks, struct pairhmm_manner manner,
                       struct pairhmm_plan *out)
{
    float ratios[BLOCKED_RATIOS];
    *out = (struct pairhmm_plan){.place = allocate(tasks->pair_count * sizeof *out->place),
                                 .warps = allocate(tasks->pair_count * sizeof *out->warps),
                                 .parts = allocate(tasks->batch_count * sizeof *out->parts),
                                 .part_count = tasks->batch_count};
    blocked_ratio_table(ratios);
    out->gcp = ratios[BLOCKED_RATIO_1 + usual_continuation(tasks)];
    for (size_t b = 0; b < tasks->batch_count; b++) {
        const struct pairhmm_batch *batch = &tasks->batches[b];
        struct sorting sorting = {tasks, manner, blocked_lanes_for(batch->pairs, manner.sm_count), out};
        out->parts[b].range = *batch;
        place_pairs(&sorting, &out->parts[b]);
    }
}

void pairhmm_free_plan(struct pairhmm_plan *plan)
{
    free(plan->parts);
    free(plan->place);
    free(plan->warps);
    *plan = (struct pairhmm_plan){0};
}
