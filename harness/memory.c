#include "harness/memory.h"
#include "harness/check.h"

#include <string.h>

/* The byte with which memory is filled. As floats it gives 6e16, and as ints and counts numbers far too large
 * for an answer. */
#define PATTERN 0x5b

void *device_memory(size_t bytes)
{
    void *p;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, PATTERN, bytes));
    return p;
}

void *copy_on_device(const void *host, size_t bytes)
{
    void *p = device_memory(bytes);
    CHECK(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice));
    return p;
}

void *pinned_memory(size_t bytes)
{
    void *p;
    CHECK(cudaMallocHost(&p, bytes));
    return memset(p, PATTERN, bytes);
}
