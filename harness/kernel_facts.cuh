/* Describes the resources of a multiprocessor that a kernel uses, for the result file. */
#ifndef HARNESS_KERNEL_FACTS_CUH
#define HARNESS_KERNEL_FACTS_CUH

#include "harness/launch.cuh"

#include <cjson/cJSON.h>

struct kernel_resources {
    int registers; /* number of registers that a thread of the kernel has */
    size_t static_shared_bytes;
};

#ifdef GPUSYNC_MACHINE

/* Returns zeros on the memory machine, which does not model registers. */
template <class... Parameters>
static kernel_resources resources_of(void (*)(Parameters...))
{
    return {0, 0};
}

#else

template <class... Parameters>
static kernel_resources resources_of(void (*kernel)(Parameters...))
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return {attributes.numRegs, attributes.sharedSizeBytes};
}

#endif

/* Adds the object "kernel", with the resources of the kernel, to a point's JSON. `cells` is the number of
 * cells that a thread fills in an iteration. */
template <class... Parameters>
static void add_kernel_facts(cJSON *json, void (*kernel)(Parameters...), unsigned threads,
                             size_t dynamic_shared_bytes, int cells)
{
    kernel_resources resources = resources_of(kernel);
    cJSON *facts = cJSON_AddObjectToObject(json, "kernel");
    cJSON_AddNumberToObject(facts, "threads", threads);
    cJSON_AddNumberToObject(facts, "cells_per_thread", cells);
    cJSON_AddNumberToObject(facts, "registers", resources.registers);
    cJSON_AddNumberToObject(facts, "shared_bytes",
                            (double)(dynamic_shared_bytes + resources.static_shared_bytes));
    cJSON_AddNumberToObject(facts, "blocks_per_sm",
                            resident_blocks_per_sm(kernel, threads, dynamic_shared_bytes));
}

#endif
