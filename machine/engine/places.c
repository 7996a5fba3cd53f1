#include "machine/engine/places.h"
#include "machine/memory/devices.h"
#include "machine/engine/progress.h"

size_t places_free(const struct sm *sm, const struct kernel *kernel)
{
    const struct machine_description *d = &the_machine.description;
    size_t threads = (size_t)d->max_threads_per_sm, shared = 0, registers = 0;
    if (!kernel->launch.cooperative && !progress_has_place(&the_machine.run))
        return 0;
    if (kernel->stream->sm_count && sm->index % (unsigned)d->sm_count >= kernel->stream->sm_count)
        return 0;
    for (unsigned b = 0; b < sm->block_count; b++) {
        threads -= sm->blocks[b]->threads;
        const struct machine_launch *other = &sm->blocks[b]->kernel->launch;
        shared += shared_of_block(other->shared_bytes);
        registers += registers_of_block(sm->blocks[b]->threads, other->registers);
    }
    size_t places = (size_t)d->max_blocks_per_sm - sm->block_count;
    if (places > threads / kernel->threads)
        places = threads / kernel->threads;
    size_t by_shared = blocks_by_shared(shared, kernel->launch.shared_bytes),
           by_registers = blocks_by_registers(registers, kernel->threads, kernel->launch.registers);
    places = places > by_shared ? by_shared : places;
    return places > by_registers ? by_registers : places;
}

bool places_wanted(const struct kernel *kernel, const struct sm *sm)
{
    unsigned device = device_of_sm(sm);
    return kernel->begun && kernel->started_on[device] < device_blocks(kernel, device);
}

static bool comes_before(const struct kernel *a, const struct kernel *b)
{
    return a->stream->priority != b->stream->priority ? a->stream->priority < b->stream->priority
                                                      : a->number < b->number;
}

struct kernel *places_next(struct run *run, const struct sm *sm)
{
    struct kernel *first = NULL;
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number && places_wanted(k, sm) && (!first || comes_before(k, first)) && places_free(sm, k))
            first = k;
    return first;
}

/* A cooperative grid may begin only when all its blocks have places; other grids may begin at once. */
static bool may_begin(const struct run *run, const struct kernel *kernel)
{
    size_t places = 0;
    if (!kernel->launch.cooperative)
        return true;
    for (unsigned s = 0; s < run->sm_count; s++)
        places += places_free(&run->sms[s], kernel);
    return places >= kernel->grid;
}

struct kernel *places_next_to_begin(struct run *run)
{
    struct kernel *first = NULL;
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number && !k->begun && (!first || comes_before(k, first)) && may_begin(run, k))
            first = k;
    return first;
}
