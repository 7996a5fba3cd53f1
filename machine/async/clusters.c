#include "machine/async/clusters.h"
#include "base/memory.h"
#include "machine/code/kernel_code.h"
#include "machine/cuda/kernel_calls.h"
#include "machine/cuda/request.h"
#include "machine/engine/places.h"
#include "machine/engine/shared_memory.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>

/* Of the barriers of clusters; here, because a kernel may only touch arrays and what the program has. */
#define WORDS 8192
static uint32_t words[2 * WORDS];

static unsigned size_of(const struct block *block)
{
    return block->kernel->launch.cluster > 1 ? block->kernel->launch.cluster : 1;
}

void cluster_join(struct block *block)
{
    static struct cluster *open; /* whose last blocks are yet to come: they come one after the other */
    unsigned size = size_of(block);
    if (block->index % size == 0) {
        open = allocate(sizeof *open);
        open->words = &words[2 * (block->index % WORDS)];
    }
    block->cluster = open;
    open->blocks[open->count++] = block;
    open->left++;
    open->threads += block->threads;
}

void cluster_leave(struct block *block)
{
    struct cluster *cluster = block->cluster;
    for (unsigned i = 0; i < cluster->count; i++)
        if (cluster->blocks[i] == block)
            cluster->blocks[i] = NULL;
    if (--cluster->left == 0)
        free(cluster);
}

struct block *cluster_owner(struct block *block, uintptr_t address)
{
    if (shared_memory_is_of(block, address))
        return block;
    for (unsigned i = 0; i < block->cluster->count; i++)
        if (block->cluster->blocks[i] && shared_memory_is_of(block->cluster->blocks[i], address))
            return block->cluster->blocks[i];
    return NULL;
}

unsigned cluster_places(struct run *run, const struct kernel *kernel, struct sm *places[MOST_CLUSTER_BLOCKS])
{
    unsigned found = 0, before;
    size_t round = 0;
    do {
        before = found;
        for (unsigned s = 0; s < run->sm_count && found < kernel->launch.cluster; s++)
            if (places_wanted(kernel, &run->sms[s]) && places_free(&run->sms[s], kernel) > round)
                places[found++] = &run->sms[s];
        round++;
    } while (found > before && found < kernel->launch.cluster);
    return found;
}

/* ---- its barrier ---- */

static void open_if_complete(struct cluster *cluster)
{
    if (!cluster->threads || cluster->arrived < cluster->threads)
        return;
    cluster->arrived = 0;
    cluster->phase++;
    note_change();
}

void cluster_lanes_exit(const struct warp *warp, lane_set lanes)
{
    struct cluster *cluster = warp->block->cluster;
    FOR_EACH_LANE(i, lanes)
    {
        cluster->arrived -= warp->more[i].cluster_phase > cluster->phase;
        cluster->threads--;
    }
    open_if_complete(cluster);
}

static struct cluster *own_cluster(void)
{
    return running.warp->block->cluster;
}

/* Phases have two words in turn: who still waits for one must not learn of arrivals at the next. */
static uint32_t *word_of(const struct cluster *cluster, unsigned phase)
{
    return &cluster->words[phase % 2];
}

/* On weak memory a change of the barrier's word says what was known, or learns it. */
static void synchronize(uint32_t *word, enum machine_order order, bool arrives, const void *instruction)
{
    if (!the_machine.memory.is_weak)
        return;
    struct observation heard = running_block()->weak->last; /* an arrival hears nothing */
    weak_atomic_begins((uintptr_t)word, sizeof *word, (struct strength){SCOPE_DEVICE, order}, instruction);
    *word += arrives;
    weak_atomic_ends(arrives);
    if (arrives)
        running_block()->weak->last = heard;
}

HOOK_REQUEST void machine_cluster_arrive(enum machine_order order)
{
    struct cluster *cluster = own_cluster();
    uint32_t *word = word_of(cluster, ++more_of_self()->cluster_phase);
    request(REQUEST_ATOMIC, (uintptr_t)word, sizeof *word, HERE);
    synchronize(word, order & ORDER_RELEASE, true, HERE);
    cluster->arrived++;
    note_change();
    open_if_complete(cluster);
}

HOOK_REQUEST void machine_cluster_wait(enum machine_order order)
{
    struct cluster *cluster = own_cluster();
    uint32_t *word = word_of(cluster, more_of_self()->cluster_phase);
    do
        request(REQUEST_LOAD, (uintptr_t)word, sizeof *word, HERE);
    while (cluster->phase < more_of_self()->cluster_phase);
    synchronize(word, order & ORDER_ACQUIRE, false, HERE);
}

/* ---- its blocks ---- */

HOOK_VALUE unsigned machine_cluster_blocks(void)
{
    return size_of(running.warp->block);
}

HOOK_VALUE unsigned machine_cluster_rank(void)
{
    return running.warp->block->index % size_of(running.warp->block);
}

HOOK_VALUE uint32_t machine_cluster_offset(uint32_t offset, unsigned rank)
{
    return shared_memory_offset_of_rank(offset, rank);
}

HOOK_VALUE void *machine_cluster_address(const void *address, unsigned rank)
{
    struct block *block = running.warp->block;
    size_t offset = shared_memory_offset(block, (uintptr_t)address);
    return (void *)shared_memory_at(block, shared_memory_offset_of_rank((uint32_t)offset, rank));
}
