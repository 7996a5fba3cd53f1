#include "pairhmm/pools.h"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/memory.h"

#include <stdlib.h>
#include <string.h>

/* Allocates memory for letters on the device and clears it, so that every quality in it is valid. */
static void *device_letters(size_t bytes)
{
    char *memory = device_memory(bytes + 2 * POOL_MARGIN);
    CHECK(cudaMemset(memory, 0, bytes + 2 * POOL_MARGIN));
    return memory + POOL_MARGIN;
}

static void free_letters(void *letters)
{
    CHECK(cudaFree((char *)letters - POOL_MARGIN));
}

static void *on_device(const void *host, size_t bytes)
{
    void *device = device_memory(bytes);
    CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    return device;
}

/* Rounds a number of bytes up to whole vectors, because a kernel that copies by vectors may copy some bytes
 * more. */
static size_t whole_vectors(size_t bytes)
{
    return (bytes + POOL_VECTOR - 1) / POOL_VECTOR * POOL_VECTOR;
}

static void make_letters(struct pairhmm_pools *p, size_t read_bytes, size_t haplotype_bytes)
{
    p->host.reads = pinned_memory(whole_vectors(read_bytes));
    p->host.haplotypes = pinned_memory(whole_vectors(haplotype_bytes));
    p->device.reads = device_letters(read_bytes);
    p->device.haplotypes = device_letters(haplotype_bytes);
}

/* Allocates the arrays of pairs and of warps, with room for as many warps as pairs. */
static void make_room(struct pairhmm_pools *p, size_t pairs)
{
    p->host.pairs = pinned_memory(pairs * sizeof *p->host.pairs);
    p->host.warps = pinned_memory(whole_vectors(pairs * sizeof *p->host.warps));
    p->host.results = pinned_memory(pairs * sizeof *p->host.results);
    p->device.pairs = device_memory(pairs * sizeof *p->device.pairs);
    p->device.warps = device_memory(whole_vectors(pairs * sizeof *p->device.warps));
    p->device.results = device_memory(pairs * sizeof *p->device.results);
    p->letters_before = allocate((pairs + 1) * sizeof *p->letters_before);
    p->redo = device_memory(pairs * sizeof *p->redo);
}

void pools_open(const struct pairhmm_tasks *tasks, struct pairhmm_pools *out)
{
    double phred[PHRED_LEVELS];
    float ratios[BLOCKED_RATIOS];
    make_letters(out, tasks->read_letters * sizeof *tasks->reads, tasks->haplotype_letters);
    make_room(out, tasks->pair_count);
    pairhmm_phred_table(phred);
    blocked_ratio_table(ratios);
    out->phred = on_device(phred, sizeof phred);
    out->ratios = on_device(ratios, sizeof ratios);
}

void pools_close(struct pairhmm_pools *p)
{
    void *const host[] = {p->host.reads, p->host.haplotypes, p->host.pairs, p->host.warps, p->host.results};
    void *const device[] = {p->device.pairs, p->device.warps, p->device.results,
                            p->redo,         p->ratios,       p->phred};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        CHECK(cudaFreeHost(host[i]));
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        CHECK(cudaFree(device[i]));
    free_letters(p->device.reads);
    free_letters(p->device.haplotypes);
    free(p->letters_before);
}

/* ---- how letters come into the order in which pairs need them ---- */

/* The state while letters are moved into the order in which pairs need them. */
struct moving {
    const void *from;
    void *to;
    size_t bytes; /* number of bytes of a letter */
    /* for each old place of letters, their new place plus 1, or 0 if they have not moved yet */
    size_t *moved;
    size_t end; /* the new place after the last letter that has moved */
};

static struct moving begin_moving(const void *from, void *to, size_t letters, size_t bytes)
{
    memset(to, 0, whole_vectors(letters * bytes));
    return (struct moving){from, to, bytes, allocate(letters * sizeof(size_t)), 0};
}

/* Moves `count` letters from place `at` to the new order, unless they have moved already; returns their new
 * place. */
static unsigned move_letters(struct moving *m, size_t at, size_t count)
{
    if (!m->moved[at]) {
        memcpy((char *)m->to + m->end * m->bytes, (const char *)m->from + at * m->bytes, count * m->bytes);
        m->moved[at] = m->end + 1;
        m->end += count;
    }
    return (unsigned)(m->moved[at] - 1);
}

/* Returns, for each place of the plan, the number of the pair in the input. The caller frees the array. */
static size_t *pairs_by_place(const struct pairhmm_plan *plan, size_t pairs)
{
    size_t *number = allocate(pairs * sizeof *number);
    for (size_t p = 0; p < pairs; p++)
        number[plan->place[p]] = p;
    return number;
}

static void move_pair(struct pairhmm_pools *p, const struct pairhmm_pair *pair, size_t place,
                      struct moving *reads, struct moving *haplotypes)
{
    p->letters_before[place] = (struct pairhmm_letters){reads->end, haplotypes->end};
    p->host.pairs[place] = *pair;
    p->host.pairs[place].read_at = move_letters(reads, pair->read_at, (size_t)pair->read_length);
    p->host.pairs[place].haplotype_at =
        move_letters(haplotypes, pair->haplotype_at, (size_t)pair->haplotype_length);
}

/* Gives all pairs and their letters their places in the pools; the letters of a batch stay in the batch's
 * part of the pools. */
static void place_pairs(struct pairhmm_pools *p, const struct pairhmm_tasks *tasks,
                        const struct pairhmm_plan *plan)
{
    size_t *number = pairs_by_place(plan, tasks->pair_count);
    struct moving reads =
        begin_moving(tasks->reads, p->host.reads, tasks->read_letters, sizeof *tasks->reads);
    struct moving haplotypes =
        begin_moving(tasks->haplotypes, p->host.haplotypes, tasks->haplotype_letters, 1);
    for (size_t b = 0; b < plan->part_count; b++) {
        const struct pairhmm_batch *r = &plan->parts[b].range;
        reads.end = r->read_at;
        haplotypes.end = r->haplotype_at;
        for (size_t place = r->first; place < r->first + r->pairs; place++)
            move_pair(p, &tasks->pairs[number[place]], place, &reads, &haplotypes);
    }
    p->letters_before[tasks->pair_count] = (struct pairhmm_letters){reads.end, haplotypes.end};
    free(reads.moved);
    free(haplotypes.moved);
    free(number);
}

/* Clears the input on the device, so that a kernel that does not wait until its input is copied finds only
 * zeros. */
static void clear_input(const struct pairhmm_pools *p, const struct pairhmm_tasks *tasks)
{
    CHECK(cudaMemset(p->device.reads, 0, tasks->read_letters * sizeof *p->device.reads));
    CHECK(cudaMemset(p->device.haplotypes, 0, tasks->haplotype_letters));
    CHECK(cudaMemset(p->device.pairs, 0, tasks->pair_count * sizeof *p->device.pairs));
    CHECK(cudaMemset(p->device.warps, 0, tasks->pair_count * sizeof *p->device.warps));
}

void pools_arrange(struct pairhmm_pools *p, const struct pairhmm_tasks *tasks,
                   const struct pairhmm_plan *plan, bool runs_copy)
{
    size_t result_bytes = tasks->pair_count * sizeof *p->host.results;
    place_pairs(p, tasks, plan);
    memcpy(p->host.warps, plan->warps, plan->warp_count * sizeof *plan->warps);
    for (size_t i = 0; i < plan->part_count && !runs_copy; i++)
        pools_copy_in(p, &plan->parts[i], harness_stream());
    if (runs_copy)
        clear_input(p, tasks);
    CHECK(cudaMemset(p->device.results, 0xff, result_bytes));
    memset(p->host.results, 0xff, result_bytes);
}

/* ---- copies ---- */

void pools_vectors_before(const struct pairhmm_pools *p, size_t place, size_t warp,
                          unsigned vectors[POOL_ARRAYS])
{
    const struct pairhmm_letters *letters = &p->letters_before[place];
    const size_t bytes[] = {letters->haplotypes, letters->reads * sizeof *p->host.reads,
                            place * sizeof *p->host.pairs, warp * sizeof *p->host.warps};
    for (int array = 0; array < POOL_ARRAYS; array++)
        vectors[array] = (unsigned)(whole_vectors(bytes[array]) / POOL_VECTOR);
}

void pools_arrays(const struct pairhmm_copies *copies, void *arrays[POOL_ARRAYS])
{
    arrays[0] = copies->haplotypes;
    arrays[1] = copies->reads;
    arrays[2] = copies->pairs;
    arrays[3] = copies->warps;
}

static void copy_in(void *device, const void *host, size_t first, size_t count, size_t bytes,
                    cudaStream_t stream)
{
    if (count)
        CHECK(cudaMemcpyAsync((char *)device + first * bytes, (const char *)host + first * bytes,
                              count * bytes, cudaMemcpyHostToDevice, stream));
}

void pools_copy_in(const struct pairhmm_pools *p, const struct pairhmm_part *part, cudaStream_t stream)
{
    const struct pairhmm_batch *r = &part->range;
    const struct pairhmm_copies *device = &p->device, *host = &p->host;
    copy_in(device->reads, host->reads, r->read_at, r->read_letters, sizeof *host->reads, stream);
    copy_in(device->haplotypes, host->haplotypes, r->haplotype_at, r->haplotype_letters, 1, stream);
    copy_in(device->pairs, host->pairs, r->first, r->pairs, sizeof *host->pairs, stream);
    copy_in(device->warps, host->warps, part->first_warp, part->warps, sizeof *host->warps, stream);
}

void pools_copy_out(const struct pairhmm_pools *p, const struct pairhmm_part *part, cudaStream_t stream)
{
    const struct pairhmm_batch *r = &part->range;
    CHECK(cudaMemcpyAsync(p->host.results + r->first, p->device.results + r->first,
                          r->pairs * sizeof *p->host.results, cudaMemcpyDeviceToHost, stream));
}
