/* The machine's own memory: zeroed, or the end of the program. */
#ifndef MACHINE_ALLOCATE_H
#define MACHINE_ALLOCATE_H

#include <stdio.h>
#include <stdlib.h>

static inline void __attribute__((noreturn)) out_of_memory(void)
{
    fputs("machine: out of memory\n", stderr);
    abort();
}

static inline void *allocate_aligned(size_t count, size_t size)
{
    size_t bytes = (count * size + 63) / 64 * 64 + 64;
    unsigned char *p = aligned_alloc(64, bytes);
    if (!p)
        out_of_memory();
    return __builtin_memset(p, 0, bytes);
}

static inline void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

#endif
