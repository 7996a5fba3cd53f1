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

/* ---- parts ---- */

static void extend(size_t at, int length, size_t *end)
{
    *end = at + (size_t)length > *end ? at + (size_t)length : *end;
}

/* The pairs from `first` on, at least so many of the batch, until one of them begins new letters in
 * both pools: what is copied for one part is not copied for another. */
static struct pairhmm_batch take_part(const struct pairhmm_tasks *tasks, const struct pairhmm_batch *batch,
                                      const struct pairhmm_batch *before, size_t least)
{
    struct pairhmm_batch part = {.first = before->first + before->pairs,
                                 .read_at = before->read_at + before->read_letters,
                                 .haplotype_at = before->haplotype_at + before->haplotype_letters};
    size_t read_end = part.read_at, haplotype_end = part.haplotype_at, p = part.first;
    for (; p < batch->first + batch->pairs; p++) {
        const struct pairhmm_pair *pair = &tasks->pairs[p];
        if (p - part.first >= least && pair->read_at >= read_end && pair->haplotype_at >= haplotype_end)
            break;
        extend(pair->read_at, pair->read_length, &read_end);
        extend(pair->haplotype_at, pair->haplotype_length, &haplotype_end);
    }
    part.pairs = p - part.first;
    part.read_letters = read_end - part.read_at;
    part.haplotype_letters = haplotype_end - part.haplotype_at;
    return part;
}

/* Pieces grow, so that the first copy is short and the later kernels, behind which copies are made,
 * have few ends; no piece is smaller than `first`, which is 0 for a batch as a whole. */
static void cut_batch(const struct pairhmm_tasks *tasks, const struct pairhmm_batch *batch, size_t first,
                      struct pairhmm_plan *plan)
{
    struct pairhmm_batch part = {batch->read_at, 0, batch->haplotype_at, 0, batch->first, 0};
    size_t left = batch->pairs, least = first;
    do {
        part = take_part(tasks, batch, &part, first && left >= 2 * least ? least : left);
        plan->parts = with_room(plan->parts, sizeof *plan->parts, plan->part_count, 1);
        plan->parts[plan->part_count++] = (struct pairhmm_part){.range = part};
        left -= part.pairs;
        least *= 2;
    } while (left);
}

/* ---- order ---- */

struct sorting {
    const struct pairhmm_tasks *tasks;
    struct pairhmm_manner manner;
    unsigned lanes; /* a pair, at least */
    struct pairhmm_plan *plan;
};

static bool is_blocked(const struct sorting *s, const struct pairhmm_pair *pair, struct blocked_class *class)
{
    return s->manner.most_rows && blocked_class_of(pair->read_length, s->lanes, s->manner.most_rows, class) &&
           blocked_can_do(s->tasks, pair, FLOAT_TOLERANCE);
}

/* With 4 lanes a pair a launch ends with few warps, each with 8 pairs: the last twentieth, in order of size, has 8
 * lanes a pair, which take half as long. (On an H100 and an H200, 25,600 pairs in 4 % less time; more pairs or 32
 * lanes gain nothing.) */
static void shorten_end(const struct sorting *s, struct blocked_item *items, size_t count)
{
    if (s->lanes != 4)
        return;
    for (struct blocked_item *item = items + count - count / 20; item < items + count; item++)
        blocked_class_of(item->read_length, 8, s->manner.most_rows, &item->class_);
    blocked_sort(items, count);
}

/* The blocked kernel's pairs stand first; returns where the others begin. The `others` are listed. */
static unsigned place_blocked(const struct sorting *s, struct pairhmm_part *part, size_t *others,
                              size_t *other_count)
{
    struct pairhmm_plan *plan = s->plan;
    struct blocked_item *items = allocate(part->range.pairs * sizeof *items);
    size_t count = 0;
    for (size_t p = part->range.first; p < part->range.first + part->range.pairs; p++) {
        const struct pairhmm_pair *pair = &s->tasks->pairs[p];
        struct blocked_item item = {p, pair->read_length, pair->haplotype_length, {0, 0}};
        if (is_blocked(s, pair, &item.class_))
            items[count++] = item;
        else
            others[(*other_count)++] = p;
    }
    blocked_sort(items, count);
    shorten_end(s, items, count);
    for (size_t i = 0; i < count; i++)
        plan->place[items[i].number] = part->range.first + i;
    part->first_warp = plan->warp_count;
    part->warps = blocked_cut(items, count, (unsigned)part->range.first, plan->warps + plan->warp_count);
    part->entries = count ? blocked_entries(items[0].class_.rows) : 0;
    plan->warp_count += part->warps;
    free(items);
    return (unsigned)(part->range.first + count);
}

/* Stable: pairs of one class keep their order. */
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
    *out = (struct pairhmm_plan){.place = allocate(tasks->pair_count * sizeof *out->place),
                                 .warps = allocate(tasks->pair_count * sizeof *out->warps),
                                 .first_part = allocate((tasks->batch_count + 1) * sizeof *out->first_part)};
    for (size_t b = 0; b < tasks->batch_count; b++) {
        const struct pairhmm_batch *batch = &tasks->batches[b];
        struct sorting sorting = {tasks, manner, blocked_lanes_for(batch->pairs, manner.sm_count), out};
        cut_batch(tasks, batch, manner.first_piece, out);
        for (size_t p = out->first_part[b]; p < out->part_count; p++)
            place_pairs(&sorting, &out->parts[p]);
        out->first_part[b + 1] = out->part_count;
    }
}

void pairhmm_free_plan(struct pairhmm_plan *plan)
{
    free(plan->parts);
    free(plan->first_part);
    free(plan->place);
    free(plan->warps);
    *plan = (struct pairhmm_plan){0};
}
