/* Device memory that was freed: by the host, or by kernels if it belongs to the heap (device_heap.c). */
#ifndef MACHINE_GIVEN_BACK_H
#define MACHINE_GIVEN_BACK_H

#include <stddef.h>
#include <stdint.h>

struct given_back {
    uintptr_t begin;
    size_t bytes;
    const void *taken_by; /* the instruction that allocated it */
    uint32_t freed_by;    /* the site that freed it (machine/code/calls.h) */
};

/* Keeps freed memory. If too much is kept, returns the memory that was freed first to the host. */
void given_back_add(const struct given_back *entry);

/* Gives memory to the host at once. */
void given_back_end(const struct given_back *entry);

/* Returns the freed memory that contains the address, or NULL if there is none or if it has been allocated
 * again. It is valid until the next call of a function of this file. */
const struct given_back *given_back_at(uintptr_t address);

/* Allocate memory on the heap of the running lane's device (NULL if there is no room), and free it. */
void *device_heap_take(size_t bytes, size_t alignment, const void *instruction);
void device_heap_give_back(void *memory, const void *instruction);

#endif
