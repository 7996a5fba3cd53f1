#include "machine/engine/clusters.h"
#include "base/memory.h"
#include "machine/engine/progress.h"

#include <stdlib.h>

/* The largest number of cluster barriers with words of their own. The words are a variable of the program,
 * because a kernel may not access other memory of the host. */
#define WORDS 8192
static uint32_t words[2 * WORDS];

unsigned cluster_size(const struct block *block)
{
    return block->kernel->launch.cluster > 1 ? block->kernel->launch.cluster : 1;
}

void cluster_join(struct block *block)
{
    /* the cluster that blocks join now; its blocks join one after another */
    static struct cluster *open;
    unsigned size = cluster_size(block);
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

/* Returns how many of the found places are on the multiprocessor. */
static size_t taken(struct sm *const *places, unsigned count, const struct sm *sm)
{
    size_t found = 0;
    for (unsigned p = 0; p < count; p++)
        found += places[p] == sm;
    return found;
}

unsigned cluster_places(struct run *run, const struct kernel *kernel, struct sm *places[MOST_CLUSTER_BLOCKS])
{
    unsigned found = 0;
    for (; found < kernel->launch.cluster; found++) {
        size_t most = 0;
        for (unsigned s = 0; s < run->sm_count; s++) {
            struct sm *sm = &run->sms[s];
            size_t room = places_wanted(kernel, sm) ? places_free(sm, kernel) : 0,
                   left = room - taken(places, found, sm);
            if (room && left > most) {
                most = left;
                places[found] = sm;
            }
        }
        if (!most)
            break;
    }
    return found;
}

/* ---- its barrier ---- */

/* Opens the cluster's barrier if all threads that have not exited have arrived. Returns whether it opens. */
static bool open_if_complete(struct cluster *cluster)
{
    if (!cluster->threads || cluster->arrived < cluster->threads)
        return false;
    cluster->arrived = 0;
    cluster->phase++;
    note_change();
    return true;
}

bool cluster_lanes_exit(const struct warp *warp, lane_set lanes)
{
    struct cluster *cluster = warp->block->cluster;
    FOR_EACH_LANE(i, lanes)
    {
        cluster->arrived -= warp->more[i].cluster_phase > cluster->phase;
        cluster->threads--;
    }
    return open_if_complete(cluster);
}

bool cluster_arrive(struct cluster *cluster, unsigned threads)
{
    cluster->arrived += threads;
    note_change();
    return open_if_complete(cluster);
}
