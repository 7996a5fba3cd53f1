#include "machine/engine/kernels.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/ptx.h"
#include "machine/engine/run.h"
#include "machine/engine/sample.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/weak_launches.h"

#include <string.h>

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static void note_size(const struct kernel *kernel)
{
    struct machine_grids *grids = &the_machine.progress.grids;
    grids->blocks = larger(grids->blocks, kernel->grid);
    if (kernel->launch.cooperative)
        grids->cooperative = larger(grids->cooperative, kernel->grid);
    if (!grids->per_sm || kernel->per_sm < grids->per_sm)
        grids->per_sm = (unsigned)kernel->per_sm;
}

struct machine_grids machine_grids_so_far(void)
{
    return the_machine.progress.grids;
}

static struct kernel make_kernel(const struct machine_launch *launch, const struct machine_stream *stream)
{
    struct kernel kernel = {.launch = *launch,
                            .stream = stream,
                            .grid = machine_blocks(launch),
                            .threads = machine_threads(launch)};
    void *closure = allocate(launch->closure_bytes);
    memcpy(closure, launch->closure, launch->closure_bytes);
    kernel.launch.closure = closure;
    kernel.per_sm =
        (size_t)machine_resident_blocks_per_sm((int)kernel.threads, launch->shared_bytes, launch->registers);
    note_size(&kernel);
    sample_begin(&kernel);
    kernel.blocks_left = kernel.most;
    return kernel;
}

struct kernel kernels_prepare(struct run *run, const struct machine_launch *launch,
                              const struct machine_stream *stream, const struct task_order *order)
{
    struct kernel kernel = make_kernel(launch, stream);
    kernel.order = order;
    if (run->sms && !kernels_of(run, NULL))
        run_close(run);
    ptx_weigh(launch->program);
    if (!run->sms)
        run_open(run, &kernel);
    else if (the_machine.memory.is_weak && !order)
        fail(EXIT_CANNOT, "machine: one kernel at a time where memory is weak");
    return kernel;
}

static struct kernel *free_kernel(struct run *run)
{
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (!k->number)
            return k;
    fail(EXIT_CANNOT, "machine: more than %d kernels at once", MOST_KERNELS);
}

struct kernel *kernels_add(struct run *run, const struct kernel *prepared)
{
    struct kernel *kernel = free_kernel(run);
    size_t nth = (size_t)(kernel - run->kernels);
    *kernel = *prepared;
    kernel->number = ++run->launched;
    kernel->end = run->now;
    kernel->first_shared = nth * shared_memory_most();
    for (unsigned s = 0; run->shared && s < run->sm_count; s++)
        run->sms[s].acquires++; /* a kernel must not find lines in L1 that were read before it began */
    weak_launch_begins(kernel);
    return kernel;
}

struct kernel *kernels_of(struct run *run, const struct machine_stream *stream)
{
    for (struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++)
        if (k->number && (!stream || k->stream == stream))
            return k;
    return NULL;
}
