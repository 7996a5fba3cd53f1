/* Which kernel takes which pair: every pair has one place, a part has its own letters, and a warp has pairs
 * of one class. */
#include "pairhmm/plan.h"
#include "base/memory.h"
#include "tests/check.h"

#include <stdlib.h>

static bool each_has_a_place(const struct pairhmm_tasks *t, const struct pairhmm_plan *plan)
{
    bool good = true, *taken = allocate(t->pair_count * sizeof *taken);
    for (size_t p = 0; p < t->pair_count && good; p++) {
        good = plan->place[p] < t->pair_count && !taken[plan->place[p]];
        taken[plan->place[p]] = true;
    }
    free(taken);
    return good;
}

static bool within(size_t at, int length, size_t first, size_t count)
{
    return at >= first && at + (size_t)length <= first + count;
}

/* Its pairs stay in it, with all their letters; and parts follow each other. */
static bool part_is_whole(const struct pairhmm_tasks *t, const struct pairhmm_plan *plan, size_t number)
{
    const struct pairhmm_batch *r = &plan->parts[number].range;
    for (size_t p = r->first; p < r->first + r->pairs; p++) {
        const struct pairhmm_pair *pair = &t->pairs[p];
        if (!within(plan->place[p], 1, r->first, r->pairs) ||
            !within(pair->read_at, pair->read_length, r->read_at, r->read_letters) ||
            !within(pair->haplotype_at, pair->haplotype_length, r->haplotype_at, r->haplotype_letters))
            return false;
    }
    bool last = number + 1 == plan->part_count;
    const struct pairhmm_batch *next = last ? NULL : &plan->parts[number + 1].range;
    size_t first = last ? t->pair_count : next->first, read = last ? t->read_letters : next->read_at,
           haplotype = last ? t->haplotype_letters : next->haplotype_at;
    return r->first + r->pairs == first && r->read_at + r->read_letters == read &&
           r->haplotype_at + r->haplotype_letters == haplotype;
}

static bool parts_are_whole(const struct pairhmm_tasks *t, const struct pairhmm_plan *plan)
{
    bool good = true;
    for (size_t i = 0; i < plan->part_count; i++)
        good &= part_is_whole(t, plan, i);
    return good;
}

/* The warps of a part have its first pairs, in a row. */
static bool warps_are_full(const struct pairhmm_plan *plan, const struct pairhmm_part *part)
{
    size_t at = part->range.first;
    bool good = true;
    for (size_t w = part->first_warp; w < part->first_warp + part->warps; w++) {
        const struct blocked_warp *warp = &plan->warps[w];
        good &= warp->first == at && warp->count >= 1 && warp->count * warp->class_.lanes <= 32 &&
                blocked_entries(warp->class_.rows) <= part->entries;
        at += warp->count;
    }
    return good && at == part->starts[0] &&
           part->starts[PAIRHMM_CLASSES] == part->range.first + part->range.pairs;
}

/* A row above the read's first fits in, too. */
static bool class_holds_its_reads(const struct pairhmm_tasks *t, const struct pairhmm_plan *plan)
{
    bool good = true;
    size_t *pair_at = allocate(t->pair_count * sizeof *pair_at);
    for (size_t p = 0; p < t->pair_count; p++)
        pair_at[plan->place[p]] = p;
    for (size_t w = 0; w < plan->warp_count; w++)
        for (unsigned i = 0; i < plan->warps[w].count; i++) {
            struct blocked_class class = plan->warps[w].class_;
            const struct pairhmm_pair *pair = &t->pairs[pair_at[plan->warps[w].first + i]];
            good &= class.lanes * class.rows > pair->read_length &&
                    plan->warps[w].turns * 4 >= (unsigned)pair->haplotype_length;
        }
    free(pair_at);
    return good;
}

static void check_plan(const char *what, size_t size, size_t batches, struct length_range reads,
                       struct pairhmm_manner manner, size_t parts)
{
    struct pairhmm_tasks tasks;
    struct pairhmm_plan plan;
    pairhmm_generate_tasks(size, batches, reads, (struct length_range){20, 60}, 5, &tasks);
    pairhmm_make_plan(&tasks, manner, &plan);
    bool full = true;
    for (size_t i = 0; i < plan.part_count; i++)
        full &= warps_are_full(&plan, &plan.parts[i]);
    check(plan.part_count == parts && plan.first_part[batches] == parts, "%s: %zu parts", what, parts);
    check(each_has_a_place(&tasks, &plan), "%s: every pair has a place of its own", what);
    check(parts_are_whole(&tasks, &plan), "%s: a part has all letters of its pairs, and no other's", what);
    check(full, "%s: warps have the first pairs of their part, in a row", what);
    check(class_holds_its_reads(&tasks, &plan), "%s: the rows of a warp hold its reads", what);
    pairhmm_free_plan(&plan);
    pairhmm_free_tasks(&tasks);
}

int main(void)
{
    const struct length_range usual = {50, 100}, any = {1, 600};
    check_plan("one batch", 1000, 1, usual, (struct pairhmm_manner){25, 0, 1}, 1);
    check_plan("a batch in pieces", 1000, 1, usual, (struct pairhmm_manner){25, 100, 132},
               3); /* a group of 192, two, and the rest */
    check_plan("reads of any length", 500, 1, any, (struct pairhmm_manner){25, 0, 132}, 1);
    check_plan("little shared memory", 500, 1, any, (struct pairhmm_manner){8, 0, 4}, 1);
    check_plan("small batches", 20, 30, usual, (struct pairhmm_manner){25, 100, 132}, 30);
    check_plan("none by the blocked kernel", 50, 1, any, (struct pairhmm_manner){0, 0, 132}, 1);
    return checks_done();
}
