/* Sorts with CUB's DeviceRadixSort, for comparison. On the memory machine, which has no libraries, these
 * functions are empty. */
#ifndef BITONIC_CUB_SORT_CUH
#define BITONIC_CUB_SORT_CUH

#include "bitonic/on_device.cuh"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/memory.h"

#include <cub/device/device_radix_sort.cuh>

/* The problem that CUB solves: it sorts n keys, given as unsigned numbers. With `has_values` each key carries
 * its index in the input as a value. */
struct cub_problem {
    size_t n;
    bool has_values;
    const void *input; /* the n keys on the device, or pairs of a key and a value */
    void *output;      /* where the n sorted keys or pairs belong on the device */
};

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
    const cub_problem &p = cub_sort.problem;
    allocate_on_device(cub_sort.keys, 2 * p.n * sizeof(unsigned));
    allocate_on_device(cub_sort.values, 2 * p.n * sizeof(unsigned));
    look_at_all(split_pairs{(const unsigned long long *)p.input, cub_sort.keys, cub_sort.values}, p.n);
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
            : cub::DeviceRadixSort::SortKeys(cub_sort.memory, cub_sort.bytes, (const unsigned *)p.input,
                                             (unsigned *)p.output, (int)p.n, 0, 32, harness_stream());
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

/* Stores the sorted keys and values as pairs to the output. */
static void cub_sort_join(void)
{
    const cub_problem &p = cub_sort.problem;
    look_at_all(join_pairs{cub_sort.keys + p.n, cub_sort.values + p.n, (unsigned long long *)p.output}, p.n);
}

static void cub_sort_release(void)
{
    CHECK(cudaFree(cub_sort.memory));
    CHECK(cudaFree(cub_sort.keys));
    CHECK(cudaFree(cub_sort.values));
}

#endif
