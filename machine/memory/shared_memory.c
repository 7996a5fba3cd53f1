#include "machine/memory/shared_memory.h"
#include "base/failure.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The beginning and the end of the section of __shared__ variables. Weak symbols, because a program
 * without such variables has no such section. */
extern unsigned char __start_machine_shared[] __attribute__((weak));
extern unsigned char __stop_machine_shared[] __attribute__((weak));

/* alignment of a block's dynamic shared memory, which keeps the bank of each word equal in all blocks */
#define ALIGNMENT 256

static unsigned char *dynamic;
static size_t dynamic_bytes;
static struct block *owner; /* the block whose __shared__ variables are at the variables' address now */

/* slots in which blocks keep their __shared__ variables while another block's variables are at the variables'
 * address */
static unsigned char *statics;
static size_t statics_bytes;
static unsigned *free_slots, free_count;

static size_t static_bytes(void)
{
    return (size_t)((uintptr_t)__stop_machine_shared - (uintptr_t)__start_machine_shared);
}

size_t shared_memory_static_bytes(void)
{
    return static_bytes();
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

static size_t slot_bytes(void)
{
    return (static_bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Reserves address space for `need` bytes, unless *space is large enough already. */
static void reserve(unsigned char **space, size_t *bytes, size_t need)
{
    if (need <= *bytes)
        return;
    if (*space)
        munmap(*space, *bytes);
    *space = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*space == MAP_FAILED)
        fail(EXIT_CANNOT, "out of memory");
    *bytes = need;
}

void shared_memory_open(size_t need, size_t blocks)
{
    owner = NULL;
    reserve(&dynamic, &dynamic_bytes, need);
    reserve(&statics, &statics_bytes, blocks * slot_bytes());
    free(free_slots);
    free_slots = allocate(blocks * sizeof *free_slots);
    for (free_count = 0; free_count < blocks; free_count++)
        free_slots[free_count] = (unsigned)blocks - 1 - free_count;
}

void shared_memory_give(struct block *block)
{
    const struct kernel *kernel = block->kernel;
    size_t stride = dynamic_stride(kernel);
    block->statics = statics + free_slots[--free_count] * slot_bytes();
    if (static_bytes())
        memset(block->statics, 0, static_bytes());
    block->dynamic =
        dynamic + kernel->first_shared + (block->sm->index * kernel->per_sm + block->place) * stride;
    if (stride)
        memset(block->dynamic, 0, stride);
}

void shared_memory_fill(struct block *block, unsigned char byte)
{
    if (static_bytes())
        memset(block->statics, byte, static_bytes());
    if (block->kernel->launch.shared_bytes)
        memset(block->dynamic, byte, block->kernel->launch.shared_bytes);
}

const unsigned char *shared_memory_content(const struct block *block, size_t offset)
{
    if (offset >= static_bytes())
        return block->dynamic + (offset - static_bytes());
    return (owner == block ? __start_machine_shared : block->statics) + offset;
}

void shared_memory_take(struct block *block)
{
    free_slots[free_count++] =
        slot_bytes() ? (unsigned)((size_t)(block->statics - statics) / slot_bytes()) : 0;
    if (owner == block)
        owner = NULL;
}

static bool is_static(uintptr_t address)
{
    return address - (uintptr_t)__start_machine_shared < static_bytes();
}

static bool is_elsewhere(uintptr_t address)
{
    return address - (uintptr_t)statics < statics_bytes;
}

bool shared_memory_has(uintptr_t address)
{
    return address - (uintptr_t)dynamic < dynamic_bytes || is_static(address) || is_elsewhere(address);
}

static bool is_of(const struct block *block, uintptr_t address)
{
    return is_static(address) || address - (uintptr_t)block->dynamic < block->kernel->launch.shared_bytes ||
           address - (uintptr_t)block->statics < static_bytes();
}

struct block *shared_memory_owner(struct block *seeing, uintptr_t address)
{
    if (is_of(seeing, address))
        return seeing;
    for (unsigned i = 0; i < seeing->cluster->count; i++)
        if (seeing->cluster->blocks[i] && is_of(seeing->cluster->blocks[i], address))
            return seeing->cluster->blocks[i];
    return NULL;
}

bool shared_memory_is_of_other(const struct block *block, uintptr_t address)
{
    return shared_memory_has(address) && !is_of(block, address);
}

uintptr_t shared_memory_word(const struct block *block, uintptr_t address)
{
    /* __shared__ variables have equal addresses in all blocks, so the block's number is added */
    const struct block *of = block;
    if (!is_of(block, address)) {
        of = shared_memory_owner((struct block *)block, address);
        if (!of)
            return address;
        if (is_elsewhere(address))
            address = (uintptr_t)__start_machine_shared + (address - (uintptr_t)of->statics);
    }
    return address + ((uintptr_t)(of->index + 1) << 48);
}

size_t shared_memory_bytes(const struct kernel *kernel)
{
    return static_bytes() + kernel->launch.shared_bytes;
}

size_t shared_memory_offset(const struct block *block, uintptr_t address)
{
    if (is_static(address))
        return address - (uintptr_t)__start_machine_shared;
    if (is_elsewhere(address))
        return address - (uintptr_t)block->statics;
    return static_bytes() + (address - (uintptr_t)block->dynamic);
}

/* In an offset, the bits from this one on hold the rank of another block plus one; 0 means the block
 * itself. */
#define RANK_BEGINS 24

uint32_t shared_memory_offset_of_rank(uint32_t offset, unsigned rank)
{
    return (offset & ((UINT32_C(1) << RANK_BEGINS) - 1)) | (rank + 1) << RANK_BEGINS;
}

/* The first of a range of addresses that no block has. They stand for the shared memory of a block that has
 * ended or never existed. */
#define NOWHERE (UINT64_C(0xffff) << 44)

bool shared_memory_is_nowhere(uintptr_t address)
{
    return address >> RANK_BEGINS == NOWHERE >> RANK_BEGINS;
}

uintptr_t shared_memory_at(const struct block *block, size_t offset)
{
    unsigned rank_plus_one = (unsigned)(offset >> RANK_BEGINS);
    const struct block *of = block;
    offset &= (UINT32_C(1) << RANK_BEGINS) - 1;
    if (rank_plus_one)
        of = rank_plus_one <= block->cluster->count ? block->cluster->blocks[rank_plus_one - 1] : NULL;
    if (!of)
        return NOWHERE | offset;
    if (offset >= static_bytes())
        return (uintptr_t)of->dynamic + (offset - static_bytes());
    return (of == block ? (uintptr_t)__start_machine_shared : (uintptr_t)of->statics) + offset;
}

static void install(struct block *block)
{
    if (owner == block)
        return;
    if (owner)
        memcpy(owner->statics, __start_machine_shared, static_bytes());
    memcpy(__start_machine_shared, block->statics, static_bytes());
    owner = block;
}

/* While this block's variables are at the variables' address, the variables of the cluster's other blocks are
 * in their slots. */
void shared_memory_install_at(struct block *block, uintptr_t address)
{
    if (owner != block && (is_static(address) || is_elsewhere(address)))
        install(block);
}

void shared_memory_install(const struct warp *warp, lane_set lanes)
{
    if (owner == warp->block || !static_bytes())
        return;
    FOR_EACH_LANE(i, lanes) shared_memory_install_at(warp->block, warp->lanes[i].address);
}
