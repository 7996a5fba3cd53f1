#include "harness/memory.h"
#include "harness/check.h"

#include <string.h>

#define PATTERN 0xa7 /* as a float -4.7e-15, as a count far too large */

void *device_memory(size_t bytes)
{
    void *p;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, PATTERN, bytes));
    return p;
}

void *pinned_memory(size_t bytes)
{
    void *p;
    CHECK(cudaMallocHost(&p, bytes));
    return memset(p, PATTERN, bytes);
}
