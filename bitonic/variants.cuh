/* The variants of the sort that are not a method of harness/methods.def. */
#ifndef BITONIC_VARIANTS_CUH
#define BITONIC_VARIANTS_CUH

#include "harness/barriers.cuh"
#include "harness/variants.h"

/* The ids of the variants that are not step loops, after the methods of the step loops. */
enum { CUB_SORT = SYNC_METHODS, FASTEST_OF_ALL, COPY };
static const struct variant beyond_steps[] = {
    VARIANT(CUB_SORT, "cub-radix-sort", "CUB's DeviceRadixSort, for comparison", .ordered = true,
            .special = "a GPU: CUB is a library for it"),
    VARIANT(FASTEST_OF_ALL, "fastest", "the counter, with the number of blocks that is best for the size",
            .ordered = true, .resident = true, .capability = 70, .special = "--algorithm fastest"),
    VARIANT(COPY, "copy", "a copy of the keys: what a sort takes at least where memory decides",
            .ordered = true, .unchecked = true, .special = "a GPU, whose memory it measures")};

/* Returns the method by which the blocks of a step loop wait for each other. */
static sync_id method_of(const struct variant *v)
{
    return v->id == FASTEST_OF_ALL ? SYNC_COUNTER : (sync_id)v->id;
}

#endif
