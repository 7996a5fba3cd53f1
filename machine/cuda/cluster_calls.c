#include "machine/cuda/cluster_calls.h"
#include "machine/engine/clusters.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

uint32_t *cluster_word(const struct cluster *cluster, unsigned phase)
{
    return &cluster->words[phase % 2];
}

void cluster_synchronize(uint32_t *word, enum machine_order order, bool arrives, const void *instruction)
{
    /* The block's last observation of another thread's write. An arrival is no observation, so this value is
     * restored after it. */
    struct observation heard = running_block()->weak->last;
    weak_atomic_begins((uintptr_t)word, sizeof *word, (struct strength){SCOPE_CLUSTER, order}, instruction);
    *word += arrives;
    weak_atomic_ends(arrives);
    if (arrives)
        running_block()->weak->last = heard;
    else
        running_block()->weak->last.is_cluster_barrier = true;
}

uintptr_t cluster_address(uintptr_t address, unsigned rank)
{
    const struct block *block = running.warp->block;
    size_t offset = shared_memory_offset(block, address);
    if (rank != block->index % cluster_size(block))
        the_machine.uses.cluster_memory = true;
    return shared_memory_at(block, shared_memory_offset_of_rank((uint32_t)offset, rank));
}
