#include "machine/engine/shared_memory.h"
#include "base/failure.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* First and last word of the section of __shared__ variables; absent from a
 * program without such variables. */
extern unsigned char __start_machine_shared[] __attribute__((weak));
extern unsigned char __stop_machine_shared[] __attribute__((weak));

#define ALIGNMENT 256 /* of dynamic shared memory: every word keeps its bank */

static unsigned char *dynamic;
static size_t dynamic_bytes;
static struct block *owner; /* whose __shared__ variables are in place */

static size_t static_bytes(void)
{
    return (size_t)((uintptr_t)__stop_machine_shared - (uintptr_t)__start_machine_shared);
}

static size_t dynamic_stride(const struct kernel *kernel)
{
    return (kernel->launch.shared_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t shared_memory_need(const struct kernel *kernel)
{
    return kernel->per_sm * the_machine.run.sm_count * dynamic_stride(kernel);
}

size_t shared_memory_most(void)
{
    const struct machine_description *d = &the_machine.description;
    return (size_t)d->sm_count * ((size_t)d->shared_bytes_per_sm + (size_t)d->max_blocks_per_sm * ALIGNMENT);
}

void shared_memory_open(size_t need)
{
    owner = NULL;
    if (need <= dynamic_bytes)
        return;
    if (dynamic)
        munmap(dynamic, dynamic_bytes);
    dynamic = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (dynamic == MAP_FAILED)
        fail(EXIT_CANNOT, "out of memory");
    dynamic_bytes = need;
}

void shared_memory_give(struct block *block)
{
    const struct kernel *kernel = block->kernel;
    size_t stride = dynamic_stride(kernel);
    block->statics = allocate(static_bytes());
    block->dynamic =
        dynamic + kernel->first_shared + (block->sm->index * kernel->per_sm + block->place) * stride;
    if (stride)
        memset(block->dynamic, 0, stride);
}

void shared_memory_take(struct block *block)
{
    free(block->statics);
    if (owner == block)
        owner = NULL;
}

static bool is_static(uintptr_t address)
{
    return address - (uintptr_t)__start_machine_shared < static_bytes();
}

bool shared_memory_has(uintptr_t address)
{
    return address - (uintptr_t)dynamic < dynamic_bytes || is_static(address);
}

size_t shared_memory_bytes(const struct kernel *kernel)
{
    return static_bytes() + kernel->launch.shared_bytes;
}

size_t shared_memory_offset(const struct block *block, uintptr_t address)
{
    return is_static(address) ? address - (uintptr_t)__start_machine_shared
                              : static_bytes() + (address - (uintptr_t)block->dynamic);
}

uintptr_t shared_memory_at(const struct block *block, size_t offset)
{
    return offset < static_bytes() ? (uintptr_t)__start_machine_shared + offset
                                   : (uintptr_t)block->dynamic + (offset - static_bytes());
}

void shared_memory_install(const struct warp *warp, lane_set lanes)
{
    struct block *block = warp->block;
    if (owner == block || !static_bytes())
        return;
    bool needed = false;
    FOR_EACH_LANE(i, lanes) needed = needed || is_static(warp->lanes[i].address);
    if (!needed)
        return;
    if (owner)
        memcpy(owner->statics, __start_machine_shared, static_bytes());
    memcpy(__start_machine_shared, block->statics, static_bytes());
    owner = block;
}
