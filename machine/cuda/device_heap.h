/*
 * The heap of a device: kernels take memory from it by malloc() and new, and give it back by free() and
 * delete (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations"). Its memory outlives
 * the kernel, and the runtime's functions can neither free it nor copy it. check/program.bash renames these
 * functions in the objects of a checked program; host code gets the host's own functions from them.
 */
#ifndef MACHINE_DEVICE_HEAP_H
#define MACHINE_DEVICE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether this is memory of a device's heap that has not been given back. */
bool device_heap_has(const void *memory);

/* Memory that kernels have given back. */
struct given_back {
    uintptr_t begin;
    size_t bytes;
    const void *taken_by; /* the instruction that took it */
    uint32_t freed_by;    /* the site that gave it back (machine/code/calls.h) */
};

/* Returns the memory given back that contains the address, or NULL if there is none or if it has been used
 * again. It is valid until the next call of a function of this file. */
const struct given_back *device_heap_given_back(uintptr_t address);

#endif
