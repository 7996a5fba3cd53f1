#include "machine/memory/shared_memory.h"
#include "base/failure.h"

#include <string.h>
#include <sys/mman.h>

/* alignment of a block's shared memory, which keeps the bank of each word equal in all blocks */
#define ALIGNMENT 256

/* the shared memory of all blocks */
static unsigned char *memory;
static size_t memory_bytes;

static size_t stride_of(const struct kernel *kernel)
{
    return (kernel->launch.shared_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t shared_memory_need(const struct kernel *kernel)
{
    return kernel->per_sm * the_machine.run.sm_count * stride_of(kernel);
}

size_t shared_memory_most(void)
{
    const struct machine_description *d = &the_machine.description;
    return (size_t)d->sm_count * ((size_t)d->shared_bytes_per_sm + (size_t)d->max_blocks_per_sm * ALIGNMENT);
}

/* Reserves address space; a page is allocated when a block first uses it. */
void shared_memory_open(size_t bytes)
{
    if (bytes <= memory_bytes)
        return;
    if (memory)
        munmap(memory, memory_bytes);
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        fail(EXIT_CANNOT, "out of memory");
    memory_bytes = bytes;
}

void shared_memory_give(struct block *block)
{
    const struct kernel *kernel = block->kernel;
    size_t stride = stride_of(kernel);
    block->dynamic =
        memory + kernel->first_shared + (block->sm->index * kernel->per_sm + block->place) * stride;
    if (stride)
        memset(block->dynamic, 0, stride);
}

void shared_memory_fill(struct block *block, unsigned char byte)
{
    if (block->kernel->launch.shared_bytes)
        memset(block->dynamic, byte, block->kernel->launch.shared_bytes);
}

bool shared_memory_has(uintptr_t address)
{
    return address - (uintptr_t)memory < memory_bytes;
}

static bool is_of(const struct block *block, uintptr_t address)
{
    return address - (uintptr_t)block->dynamic < block->kernel->launch.shared_bytes;
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
    const struct block *of = shared_memory_owner((struct block *)block, address);
    return of ? address + ((uintptr_t)(of->index + 1) << 48) : address;
}

size_t shared_memory_offset(const struct block *block, uintptr_t address)
{
    return address - (uintptr_t)block->dynamic;
}

/* Number of the lowest bit of an offset that belongs to the block's rank plus one; a rank field of 0 means
 * the block itself. */
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
    return of ? (uintptr_t)of->dynamic + offset : NOWHERE | offset;
}
