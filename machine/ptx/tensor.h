/* Tiles of tensors: what a tensor map says of the bytes that a copy moves (PTX ISA, "Tensors"). */
#ifndef MACHINE_PTX_TENSOR_H
#define MACHINE_PTX_TENSOR_H

#include "machine/engine/copies.h"
#include "machine/ptx/arithmetic.h"

#define PTX_MOST_RANK 5
#define PTX_TENSOR_MAP 128 /* the size of a tensor map in bytes */

/* A tile of a tensor in global memory. */
struct ptx_tile {
    uintptr_t begin;           /* the address of the tensor */
    enum ptx_type type;        /* the type of its elements */
    unsigned bytes;            /* the size of the tile in shared memory */
    struct copy_piece *pieces; /* the caller frees them */
    unsigned piece_count;
};

/* Finds the pieces of a copy of a tile to shared memory if `loads`, or from there. `map` is the tensor map,
 * the tile's first element has these coordinates, and the tile begins at this offset in a block's shared
 * memory. Returns NULL, or a text that says why no such copy is possible. */
const char *ptx_find_tile(struct ptx_tile *tile, const void *map, unsigned rank, const int32_t *coordinates,
                          size_t offset, bool loads);

#endif
