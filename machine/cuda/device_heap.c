/*
 * The heap of a device: kernels take memory from it by malloc() and new, and give it back by free() and
 * delete (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations"). Its memory outlives
 * the kernel, and the runtime's functions can neither free it nor copy it. check/program.bash renames these
 * functions in the objects of a checked program; host code gets the host's own functions from them.
 */
#include "machine/cuda/given_back.h"
#include "machine/code/calls.h"
#include "machine/code/kernel_code.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/request.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/memory/written.h"
#include "machine/runtime_api.h"
#include "machine/weak/weak_launches.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>

/* size of a device's heap in bytes, unless cudaDeviceSetLimit() sets another one */
#define DEFAULT_SIZE ((size_t)8 << 20)
#define ALIGNMENT 16 /* alignment of the memory that malloc() returns, in bytes */
/* number of unused bytes after each array, so that an access after an array's end does not hit the next
 * array */
#define AFTER_ARRAY 1024
static struct {
    size_t size, used; /* numbers of bytes; a size of 0 stands for DEFAULT_SIZE */
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
    if (is_weak())
        weak_access_ends(); /* handles the lane's last access, which may be to this memory */
    heaps[array->device].used -= (entry.bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    array_forget(memory);
    given_back_add(&entry);
}

/* ---- what a checked program calls, under the names of the C and C++ libraries ---- */

/* A function that takes memory: its name in the program, its parameters, what a kernel does, and the
 * arguments. It is weak, because a program may define these operators itself. */
#define TAKES(name, parameters, alignment, arguments)                                                        \
    void *host_##name parameters __asm__(#name);                                                             \
    void *machine_##name parameters;                                                                         \
    HOOK_VALUE __attribute__((weak)) void *machine_##name parameters                                         \
    {                                                                                                        \
        return calling_warp() ? device_heap_take(bytes, alignment, HERE) : host_##name arguments;            \
    }
TAKES(malloc, (size_t bytes), 0, (bytes))
TAKES(_Znwm, (size_t bytes), 0, (bytes))
TAKES(_Znam, (size_t bytes), 0, (bytes))
TAKES(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), 0, (bytes, tag))
TAKES(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), 0, (bytes, tag))
TAKES(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), alignment, (bytes, alignment))
TAKES(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), alignment, (bytes, alignment))

#define GIVES_BACK(name, parameters, arguments)                                                              \
    void host_##name parameters __asm__(#name);                                                              \
    void machine_##name parameters;                                                                          \
    HOOK_NOTE __attribute__((weak)) void machine_##name parameters                                           \
    {                                                                                                        \
        if (calling_warp())                                                                                  \
            device_heap_give_back(memory, HERE);                                                             \
        else                                                                                                 \
            host_##name arguments;                                                                           \
    }
GIVES_BACK(free, (void *memory), (memory))
GIVES_BACK(_ZdlPv, (void *memory), (memory))
GIVES_BACK(_ZdaPv, (void *memory), (memory))
GIVES_BACK(_ZdlPvm, (void *memory, size_t bytes), (memory, bytes))
GIVES_BACK(_ZdaPvm, (void *memory, size_t bytes), (memory, bytes))
GIVES_BACK(_ZdlPvSt11align_val_t, (void *memory, size_t alignment), (memory, alignment))
GIVES_BACK(_ZdaPvSt11align_val_t, (void *memory, size_t alignment), (memory, alignment))
GIVES_BACK(_ZdlPvmSt11align_val_t, (void *memory, size_t bytes, size_t alignment), (memory, bytes, alignment))
GIVES_BACK(_ZdaPvmSt11align_val_t, (void *memory, size_t bytes, size_t alignment), (memory, bytes, alignment))
