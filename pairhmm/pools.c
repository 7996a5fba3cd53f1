#include "pairhmm/pools.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/memory.h"

#include <string.h>

/* Letters of any kind, but with qualities that there are. */
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

/* At most a warp a pair, and a part a pair. */
static void make_room(struct pairhmm_pools *p, size_t pairs)
{
    p->host.pairs = pinned_memory(pairs * sizeof *p->host.pairs);
    p->host.warps = pinned_memory(pairs * sizeof *p->host.warps);
    p->host.results = pinned_memory(pairs * sizeof *p->host.results);
    p->device.pairs = device_memory(pairs * sizeof *p->device.pairs);
    p->device.warps = device_memory(pairs * sizeof *p->device.warps);
    p->device.results = device_memory(pairs * sizeof *p->device.results);
    p->redo = device_memory(pairs * sizeof *p->redo);
    p->redo_counts = device_memory(pairs * sizeof *p->redo_counts);
}

void pools_open(const struct pairhmm_tasks *tasks, struct pairhmm_pools *out)
{
    size_t read_bytes = tasks->read_letters * sizeof *tasks->reads;
    double phred[PHRED_LEVELS];
    float ratios[BLOCKED_RATIOS];
    out->host.reads = memcpy(pinned_memory(read_bytes), tasks->reads, read_bytes);
    out->host.haplotypes =
        memcpy(pinned_memory(tasks->haplotype_letters), tasks->haplotypes, tasks->haplotype_letters);
    out->device.reads = device_letters(read_bytes);
    out->device.haplotypes = device_letters(tasks->haplotype_letters);
    make_room(out, tasks->pair_count);
    pairhmm_phred_table(phred);
    blocked_ratio_table(ratios);
    out->phred = on_device(phred, sizeof phred);
    out->ratios = on_device(ratios, sizeof ratios);
    out->arrived = device_memory(sizeof *out->arrived);
    CHECK(cudaMemset(out->arrived, 0, sizeof *out->arrived));
}

void pools_close(struct pairhmm_pools *p)
{
    void *const host[] = {p->host.reads, p->host.haplotypes, p->host.pairs, p->host.warps, p->host.results};
    void *const device[] = {p->device.pairs, p->device.warps, p->device.results, p->redo,
                            p->redo_counts,  p->ratios,       p->phred,          p->arrived};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        CHECK(cudaFreeHost(host[i]));
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        CHECK(cudaFree(device[i]));
    free_letters(p->device.reads);
    free_letters(p->device.haplotypes);
}

/* So that who does not wait for a copy finds nothing. */
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
    for (size_t i = 0; i < tasks->pair_count; i++)
        p->host.pairs[plan->place[i]] = tasks->pairs[i];
    memcpy(p->host.warps, plan->warps, plan->warp_count * sizeof *plan->warps);
    for (size_t i = 0; i < plan->part_count && !runs_copy; i++)
        pools_copy_in(p, &plan->parts[i], harness_stream());
    if (runs_copy)
        clear_input(p, tasks);
    CHECK(cudaMemset(p->device.results, 0xff, result_bytes));
    memset(p->host.results, 0xff, result_bytes);
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
