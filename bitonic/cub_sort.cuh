/* Sorts with CUB's DeviceRadixSort, for comparison. On the memory machine, which has no libraries, these
 * functions are empty. */
#ifndef BITONIC_CUB_SORT_CUH
#define BITONIC_CUB_SORT_CUH

#include "base/memory.h"
#include "harness/cannot.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/memory.h"

#ifndef GPUSYNC_MACHINE
#include <cub/device/device_radix_sort.cuh>
#endif
#include <stdint.h>
#include <stdlib.h>

/* The problem that CUB solves: it sorts n keys, given as unsigned numbers. With `has_values` each key carries
 * its index in the input as a value. */
struct cub_problem {
    unsigned n;
    bool has_values;
    const uint32_t *host_input;
    const unsigned *input; /* the n keys on the device, read if `has_values` is false */
    unsigned *output;      /* the n sorted keys on the device, written if `has_values` is false */
};

#ifndef GPUSYNC_MACHINE

/* The working memory for CUB, which needs keys and values in separate arrays. `keys` and `values` each have
 * the n numbers of the input, followed by the n sorted ones. */
static struct {
    cub_problem problem;
    unsigned *keys, *values;
    void *memory; /* CUB's temporary memory */
    size_t bytes;
} cub_sort;

static void cub_fill_values(void)
{
    const unsigned n = cub_sort.problem.n;
    size_t one = n * sizeof(unsigned);
    unsigned *places = (unsigned *)allocate(one);
    for (unsigned i = 0; i < n; i++)
        places[i] = i;
    allocate_on_device(cub_sort.keys, 2 * one);
    allocate_on_device(cub_sort.values, 2 * one);
    CHECK(cudaMemcpy(cub_sort.keys, cub_sort.problem.host_input, one, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(cub_sort.values, places, one, cudaMemcpyHostToDevice));
    free(places);
}

/* Sorts on the harness's stream. Without temporary memory, as in the first call, it only sets cub_sort.bytes
 * to the number of bytes that CUB needs. */
static void cub_sort_run(void)
{
    const cub_problem &p = cub_sort.problem;
    unsigned *keys = cub_sort.keys, *values = cub_sort.values;
    cudaError_t error =
        p.has_values
            ? cub::DeviceRadixSort::SortPairs(cub_sort.memory, cub_sort.bytes, keys, keys + p.n, values,
                                              values + p.n, (int)p.n, 0, 32, harness_stream())
            : cub::DeviceRadixSort::SortKeys(cub_sort.memory, cub_sort.bytes, p.input, p.output, (int)p.n, 0,
                                             32, harness_stream());
    need_library("CUB", error == cudaSuccess, cudaGetErrorString(error));
}

static void cub_sort_prepare(const cub_problem &problem)
{
    cub_sort = {};
    cub_sort.problem = problem;
    if (problem.has_values)
        cub_fill_values();
    cub_sort_run();
    allocate_on_device(cub_sort.memory, cub_sort.bytes);
}

/* Copies the sorted keys and values to the host, as pairs. */
static void cub_sort_download(uint64_t *pairs)
{
    const unsigned n = cub_sort.problem.n;
    size_t one = n * sizeof(unsigned);
    unsigned *keys = (unsigned *)allocate(one), *values = (unsigned *)allocate(one);
    CHECK(cudaMemcpy(keys, cub_sort.keys + n, one, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(values, cub_sort.values + n, one, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        pairs[i] = (uint64_t)keys[i] << 32 | values[i];
    free(keys);
    free(values);
}

static void cub_sort_release(void)
{
    CHECK(cudaFree(cub_sort.memory));
    CHECK(cudaFree(cub_sort.keys));
    CHECK(cudaFree(cub_sort.values));
}

#else

static void cub_sort_prepare(const cub_problem &) {}
static void cub_sort_run(void) {}
static void cub_sort_download(uint64_t *) {}
static void cub_sort_release(void) {}

#endif

#endif
