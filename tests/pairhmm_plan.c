/* Tests the plan that orders the pairs for the kernels: every pair has one place in its batch, and all pairs
 * of a warp have the same class. A class is a number of lanes per pair and of rows per lane. */
#include "pairhmm/plan.h"
#include "base/memory.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

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

/* Returns whether each part of the plan is one batch, and the places of the batch's pairs are within the
 * part. */
static bool parts_are_batches(const struct pairhmm_tasks *t, const struct pairhmm_plan *plan)
{
    bool good = plan->part_count == t->batch_count;
    for (size_t i = 0; i < plan->part_count && good; i++) {
        const struct pairhmm_batch *r = &plan->parts[i].range;
        good = memcmp(r, &t->batches[i], sizeof *r) == 0;
        for (size_t p = r->first; p < r->first + r->pairs; p++)
            good &= plan->place[p] >= r->first && plan->place[p] < r->first + r->pairs;
    }
    return good;
}

/* Sets gap continuation qualities to 20: in some reads all of them, and in others every seventh. The choice
 * depends on where the read lies, because pairs can share a read. */
static void vary_continuations(struct pairhmm_tasks *t)
{
    for (size_t p = 0; p < t->pair_count; p++) {
        unsigned at = t->pairs[p].read_at;
        for (unsigned i = 0; i < (unsigned)t->pairs[p].read_length; i++)
            if (at % 5 == 3 || (at % 5 == 4 && i % 7 == 6))
                t->reads[at + i].continuation = 20;
    }
}

/* Returns whether the warps of this part of the plan take the part's pairs from the first one on, one warp
 * after the other without a gap. */
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

static bool is_usual(const struct pairhmm_tasks *t, const struct pairhmm_pair *pair)
{
    const struct read_letter *read = t->reads + pair->read_at;
    for (int i = 0; i < pair->read_length; i++)
        if (read[i].continuation != t->reads[t->pairs[0].read_at].continuation)
            return false;
    return true;
}

/* Returns whether the class suits the gap continuation qualities of the pair's read. If these are not the
 * usual ones, the class must keep a quality for each row; otherwise it may have at most one row of padding
 * per lane. */
static bool class_keeps_continuations(const struct pairhmm_tasks *t, const struct pairhmm_pair *pair,
                                      struct blocked_class class)
{
    if (class.lanes == 32 || class.rows <= BLOCKED_ALL_OWN)
        return true;
    return is_usual(t, pair) && class.lanes * class.rows - pair->read_length <= class.lanes;
}

/* Returns whether the class of each pair has a row for each base of the read, and one row above them. */
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
                    plan->warps[w].turns * 4 >= (unsigned)pair->haplotype_length &&
                    class_keeps_continuations(t, pair, class);
        }
    free(pair_at);
    return good;
}

static void check_tasks(const char *what, struct pairhmm_tasks tasks, struct pairhmm_manner manner)
{
    struct pairhmm_plan plan;
    pairhmm_make_plan(&tasks, manner, &plan);
    bool full = true;
    for (size_t i = 0; i < plan.part_count; i++)
        full &= warps_are_full(&plan, &plan.parts[i]);
    check(each_has_a_place(&tasks, &plan), "%s: every pair has a place of its own", what);
    check(parts_are_batches(&tasks, &plan), "%s: a part is a batch, and its pairs stay in it", what);
    check(full, "%s: warps have the first pairs of their part, in a row", what);
    check(class_holds_its_reads(&tasks, &plan),
          "%s: the rows of a warp hold its reads and their gap continuations", what);
    pairhmm_free_plan(&plan);
}

static void check_plan(const char *what, size_t size, size_t batches, struct length_range reads,
                       struct pairhmm_manner manner)
{
    struct pairhmm_tasks tasks;
    pairhmm_generate_tasks(size, batches, reads, (struct length_range){20, 60}, 5, &tasks);
    check_tasks(what, tasks, manner);
    vary_continuations(&tasks);
    check_tasks(what, tasks, manner);
    pairhmm_free_tasks(&tasks);
}

int main(void)
{
    const struct length_range usual = {50, 100}, any = {1, 600};
    check_plan("one batch", 1000, 1, usual, (struct pairhmm_manner){25, 1, false});
    check_plan("a large batch", 30000, 1, usual, (struct pairhmm_manner){25, 132, false});
    check_plan("a large batch that is copied", 30000, 1, usual, (struct pairhmm_manner){25, 132, true});
    check_plan("reads of any length", 500, 1, any, (struct pairhmm_manner){25, 132, false});
    check_plan("little shared memory", 500, 1, any, (struct pairhmm_manner){8, 4, false});
    check_plan("small batches", 20, 30, usual, (struct pairhmm_manner){25, 132, true});
    check_plan("none by the blocked kernel", 50, 1, any, (struct pairhmm_manner){0, 132, false});
    return checks_done();
}
