#include "harness/memory.h"
#include "harness/check.h"

#include <string.h>

#define PATTERN                                                                                              \
    0x5b /* as a float 6e16, as an int and as a count far too large: nothing that is nearly right */

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
