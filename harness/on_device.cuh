/*
 * Problems too large for the host: their inputs are made on the device, and their answers are checked there.
 * The input is the one that the host would generate from the same seed (base/random.h), so that both checks
 * can be compared at small sizes.
 */
#ifndef HARNESS_ON_DEVICE_CUH
#define HARNESS_ON_DEVICE_CUH

#include "base/memory.h"
#include "base/random.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"

#include <stdlib.h>

/* Returns number `index`, counted from 0, of the random numbers that follow from the seed. */
static __host__ __device__ __forceinline__ uint64_t random_at(unsigned long long seed, size_t index)
{
    struct random random = {seed + index * UINT64_C(0x9e3779b97f4a7c15)};
    return random_next(&random);
}

/* Calls look(i, &found) for each i < n. Each thread adds up in a struct Look::found of its own, which begins
 * as zeros, and stores it. */
template <class Look>
static __global__ void look_at_shares(Look look, size_t n, typename Look::found *shares)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    typename Look::found mine = {};
    for (size_t i = thread; i < n; i += threads)
        look(i, &mine);
    shares[thread] = mine;
}

/* Calls look(i, &found) on the device for each i < n, and returns the sum of what all threads have found.
 * Look::found has a function add(other). */
template <class Look>
static typename Look::found look_at_all(const Look &look, size_t n)
{
    typedef typename Look::found found;
    launch_shape shape = {MACHINE_OR_GPU(1, 1024), MACHINE_OR_GPU(32, 256), 0, false, false};
    const size_t threads = (size_t)shape.blocks.x * shape.threads.x;
    found *shares, *on_host = (found *)allocate(threads * sizeof(found)), all = {};
    allocate_on_device(shares, threads * sizeof(found));
    CHECK(launch(look_at_shares<Look>, shape, harness_stream(), look, n, shares));
    CHECK(cudaStreamSynchronize(harness_stream()));
    CHECK(cudaMemcpy(on_host, shares, threads * sizeof(found), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < threads; i++)
        all.add(on_host[i]);
    CHECK(cudaFree(shares));
    free(on_host);
    return all;
}

/* What a Look finds that only stores to memory. */
struct nothing {
    void add(const nothing &) {}
};

#endif
