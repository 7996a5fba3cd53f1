/*
 * The heap of a device: kernels take memory from it by malloc() and new, and give it back by free() and
 * delete (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations"). Its memory outlives
 * the kernel, and the runtime's functions can neither free it nor copy it.
 */
#include "machine/cuda/given_back.h"
#include "machine/code/calls.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/one_thread.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/runtime_api.h"
#include "machine/weak/weak_launches.h"
#include "machine/weak/weak_memory.h"

#include <assert.h>
#include <stdlib.h>

/* size of a device's heap in bytes, unless cudaDeviceSetLimit() sets another one */
#define DEFAULT_SIZE ((size_t)8 << 20)
#define ALIGNMENT 16 /* alignment of the memory that malloc() returns, in bytes */
/* number of unused bytes after each array, so that an access after an array's end does not hit the next
 * array */
#define AFTER_ARRAY 1024
static struct {
    size_t size, used; /* numbers of bytes; a size of 0 stands for DEFAULT_SIZE */
    size_t arrays;     /* number of arrays that have been taken and not given back */
    bool is_used;      /* has a kernel called malloc()? */
} heaps[MOST_DEVICES];

static size_t size_of(unsigned device)
{
    return heaps[device].size ? heaps[device].size : DEFAULT_SIZE;
}

cudaError_t machine_set_heap_size(size_t bytes)
{
    ONE_THREAD
    if (heaps[device_chosen()].is_used)
        return cudaErrorInvalidValue;
    heaps[device_chosen()].size = bytes ? bytes : 1;
    return cudaSuccess;
}

size_t machine_heap_size(void)
{
    return size_of(device_chosen());
}

/* ---- malloc() and new ---- */

void *device_heap_take(size_t bytes, size_t alignment, const void *instruction)
{
    unsigned device = device_of_sm(running.warp->block->sm);
    size_t counted = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    heaps[device].is_used = true;
    if (bytes > size_of(device) || counted > size_of(device) - heaps[device].used)
        return NULL;
    alignment = alignment < ALIGNMENT ? ALIGNMENT : alignment;
    void *memory = aligned_alloc(alignment, (bytes + AFTER_ARRAY + alignment) / alignment * alignment);
    if (!memory)
        return NULL;
    heaps[device].used += counted;
    heaps[device].arrays++;
    array_note(memory, bytes, device, instruction);
    array_at(memory)->is_of_heap = true;
    if (written_is_noted)
        written_begin_array(memory);
    return memory;
}

/* ---- free() and delete ---- */

void device_heap_give_back(void *memory, const void *instruction)
{
    const struct array *array = array_at(memory);
    if (!memory)
        return;
    if (!array || !array->is_of_heap) {
        bounds_tell_free((uintptr_t)memory, instruction);
        return;
    }
    struct given_back entry = {array->begin, array->bytes, array->instruction, site_here(instruction)};
    if (the_machine.memory.is_weak)
        weak_access_ends(); /* handles the lane's last access, which may be to this memory */
    heaps[array->device].used -= (entry.bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    heaps[array->device].arrays--;
    assert(heaps[array->device].arrays || !heaps[array->device].used);
    array_forget(memory);
    given_back_add(&entry);
}
