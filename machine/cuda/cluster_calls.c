/* Implements the functions of machine/kernel_calls.h for clusters: the barrier, and addresses in other
 * blocks' shared memory. */
#include "machine/cuda/cluster_calls.h"
#include "machine/code/kernel_code.h"
#include "machine/cuda/request.h"
#include "machine/engine/clusters.h"
#include "machine/kernel_calls.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

/* ---- the barrier ---- */

static struct cluster *own_cluster(void)
{
    return running.warp->block->cluster;
}

uint32_t *cluster_word(const struct cluster *cluster, unsigned phase)
{
    return &cluster->words[phase % 2];
}

void cluster_synchronize(uint32_t *word, enum machine_order order, bool arrives, const void *instruction)
{
    /* The block's last observation of another thread's write. An arrival is no observation, so this value is
     * restored after it. */
    struct observation heard = running_block()->weak->last;
    weak_atomic_begins((uintptr_t)word, sizeof *word, (struct strength){SCOPE_DEVICE, order}, instruction);
    *word += arrives;
    weak_atomic_ends(arrives);
    if (arrives)
        running_block()->weak->last = heard;
}

/* On coherent memory the arrival takes a slot of dispatch after its fence, as the arrival at a barrier of the
 * block does, because a GPU counts it in a unit of its own and not in memory. */
HOOK_REQUEST void machine_cluster_arrive(enum machine_order order)
{
    struct cluster *cluster = own_cluster();
    uint32_t *word = cluster_word(cluster, ++more_of_running_lane()->cluster_phase);
    if (the_machine.memory.is_weak) {
        request(REQUEST_ATOMIC, (uintptr_t)word, sizeof *word, HERE);
        cluster_synchronize(word, order & ORDER_RELEASE, true, HERE);
        cluster_arrive(cluster, 1);
    } else {
        request_order(REQUEST_FENCE_RELEASE, SCOPE_DEVICE, order, (const char *)HERE + 1);
        request(REQUEST_CLUSTER_ARRIVAL, 0, 0, HERE);
    }
}

HOOK_REQUEST void machine_cluster_wait(enum machine_order order)
{
    struct cluster *cluster = own_cluster();
    uint32_t *word = cluster_word(cluster, more_of_running_lane()->cluster_phase);
    if (!the_machine.memory.is_weak) {
        request(REQUEST_CLUSTER_WAIT, 0, 0, HERE);
        request_order(REQUEST_FENCE_ACQUIRE, SCOPE_DEVICE, order, (const char *)HERE + 1);
        return;
    }
    do
        request(REQUEST_LOAD, (uintptr_t)word, sizeof *word, HERE);
    while (cluster->phase < more_of_running_lane()->cluster_phase);
    cluster_synchronize(word, order & ORDER_ACQUIRE, false, HERE);
}

/* ---- its blocks ---- */

HOOK_VALUE unsigned machine_cluster_blocks(void)
{
    return cluster_size(running.warp->block);
}

HOOK_VALUE unsigned machine_cluster_rank(void)
{
    return running.warp->block->index % cluster_size(running.warp->block);
}

/* Notes that the lane may access the shared memory of the block with this rank. */
static void note_rank(unsigned rank)
{
    const struct block *block = running.warp->block;
    if (rank != block->index % cluster_size(block))
        the_machine.uses.cluster_memory = true;
}

HOOK_VALUE uint32_t machine_cluster_offset(uint32_t offset, unsigned rank)
{
    note_rank(rank);
    return shared_memory_offset_of_rank(offset, rank);
}

HOOK_VALUE void *machine_cluster_address(const void *address, unsigned rank)
{
    struct block *block = running.warp->block;
    size_t offset = shared_memory_offset(block, (uintptr_t)address);
    note_rank(rank);
    return (void *)shared_memory_at(block, shared_memory_offset_of_rank((uint32_t)offset, rank));
}
