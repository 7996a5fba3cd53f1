#include "machine/state.h"

struct machine the_machine;
struct running running;

int machine_resident_blocks_per_sm(int threads, size_t shared_bytes)
{
    const struct machine_description *d = &the_machine.description;
    if (threads < 1 || threads > d->max_threads_per_block)
        return 0;
    int blocks = d->max_threads_per_sm / threads;
    if (blocks > d->max_blocks_per_sm)
        blocks = d->max_blocks_per_sm;
    if (shared_bytes && (size_t)blocks > (size_t)d->shared_bytes_per_sm / shared_bytes)
        blocks = (int)((size_t)d->shared_bytes_per_sm / shared_bytes);
    return blocks;
}
