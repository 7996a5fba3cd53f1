/* Tensor maps (CUDA Driver API, "Tensor Map Object Management") and the tiles that they describe (PTX ISA,
 * "Tensors"). NVIDIA does not document the bits of a tensor map, so those of this file are its own. */
#include "machine/ptx/tensor.h"
#include "base/memory.h"
#include "machine/ptx/images.h"

#include <stdio.h>
#include <string.h>

#define CHUNK 16        /* a swizzle moves pieces of this many bytes */
#define SWIZZLE_ROW 128 /* the number of a chunk changes by the number of its row of this many bytes */
#define MADE UINT64_C(0x70616d726f736e74) /* marks a map that cuTensorMapEncodeTiled() has written */

/* What is in a CUtensorMap. */
struct tensor_map {
    uint64_t made, address;
    uint64_t strides[PTX_MOST_RANK]; /* distance in bytes from one element of a dimension to the next */
    uint32_t last[PTX_MOST_RANK];    /* the largest coordinate in each dimension */
    uint16_t box[PTX_MOST_RANK];     /* the number of coordinates that a tile spans in each dimension */
    uint8_t steps[PTX_MOST_RANK];    /* of which it takes each `steps`th */
    uint8_t rank, type, chunks;      /* number of chunks that change places with each other: 1, 2, 4 or 8 */
};
_Static_assert(sizeof(struct tensor_map) <= PTX_TENSOR_MAP, "a CUtensorMap is not larger");

/* The types of CUtensorMapDataType, in its order. The later ones, which are packed, are not of sm_90. */
static const struct {
    enum ptx_type type;
    uint8_t bytes;
} element_types[] = {{PTX_u8, 1},  {PTX_u16, 2}, {PTX_u32, 4}, {PTX_s32, 4}, {PTX_u64, 8},
                     {PTX_s64, 8}, {PTX_f16, 2}, {PTX_f32, 4}, {PTX_f64, 8}, {PTX_bf16, 2},
                     {PTX_f32, 4}, {PTX_f32, 4}, {PTX_f32, 4}};
#define TYPES (sizeof element_types / sizeof *element_types)

/* ---- the driver's functions ---- */

enum { INVALID = 1, UNSUPPORTED = 801 }; /* CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED */

static int refuse(const char *what)
{
    fprintf(stderr, "cuTensorMapEncodeTiled(): the memory machine does not support %s\n", what);
    return UNSUPPORTED;
}

int cuTensorMapEncodeTiled(void *to, unsigned type, uint32_t rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                           unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill);
int cuTensorMapReplaceAddress(void *map, void *address);

/* Makes a tensor map. Returns CUDA_ERROR_INVALID_VALUE where the driver's manual forbids the arguments. */
int cuTensorMapEncodeTiled(void *to, unsigned type, uint32_t rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                           unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill)
{
    if (!to || type >= TYPES || !rank || rank > PTX_MOST_RANK || !address || (uintptr_t)address % 16 ||
        !extents || (rank > 1 && !strides) || !box || !steps || interleave > 2 || swizzle > 3 ||
        promotion > 3 || fill > 1)
        return INVALID;
    const bool is_real = type >= 6; /* CU_TENSOR_MAP_DATA_TYPE_FLOAT16 */
    const unsigned bytes = element_types[type].bytes, row = box[0] * bytes;
    struct tensor_map map = {.made = MADE,
                             .address = (uintptr_t)address,
                             .strides = {bytes},
                             .rank = (uint8_t)rank,
                             .type = (uint8_t)type,
                             .chunks = (uint8_t)(1 << swizzle)};
    for (unsigned d = 0; d < rank; d++) {
        if (!extents[d] || extents[d] > UINT64_C(1) << 32 || !box[d] || box[d] > 256 || !steps[d] ||
            steps[d] > 8 || (d && (strides[d - 1] % 16 || strides[d - 1] >> 40)))
            return INVALID;
        map.last[d] = (uint32_t)(extents[d] - 1);
        map.box[d] = (uint16_t)box[d];
        map.steps[d] = d ? (uint8_t)steps[d] : 1;
        map.strides[d] = d ? strides[d - 1] : bytes;
    }
    if ((interleave && rank < 3) || (fill && !is_real) ||
        (!interleave && (row % CHUNK || (swizzle && row > (unsigned)CHUNK << swizzle))))
        return INVALID;
    if (interleave)
        return refuse("CU_TENSOR_MAP_INTERLEAVE_16B and _32B");
    if (fill)
        return refuse("CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA");
    memset(to, 0, PTX_TENSOR_MAP);
    memcpy(to, &map, sizeof map);
    return 0;
}

int cuTensorMapReplaceAddress(void *map, void *address)
{
    const uint64_t at = (uintptr_t)address;
    if (!map || !at || at % 16)
        return INVALID;
    memcpy((char *)map + offsetof(struct tensor_map, address), &at, sizeof at);
    return 0;
}

/* ---- tiles ---- */

/* Returns where a byte of shared memory is after the swizzle. */
static size_t swizzled(const struct tensor_map *map, size_t offset)
{
    return offset ^ (offset / SWIZZLE_ROW & (map->chunks - 1u)) * CHUNK;
}

/* Adds the pieces of a row of the tile, which begins at this offset in shared memory. `row` is the address of
 * the tensor's row of elements; is_outside says that the tensor has no such row. `first` is the row's first
 * coordinate. */
static void add_row(struct ptx_tile *tile, const struct tensor_map *map, size_t begin, size_t offset,
                    uint64_t row, int64_t first, bool is_outside, bool loads)
{
    /* A store writes whole chunks, also the one in which the row ends, as on an H200. */
    const int64_t element = (int64_t)map->strides[0], size = (map->last[0] + INT64_C(1)) * element,
                  end = loads ? size : (size + CHUNK - 1) / CHUNK * CHUNK, at_first = first * element,
                  bytes = map->box[0] * element;
    for (int64_t done = 0, next; done < bytes; done = next) {
        const int64_t at = at_first + done;
        next = map->chunks > 1 ? (done / CHUNK + 1) * CHUNK : bytes;
        if (at < 0 && at_first + next > 0)
            next = -at_first;
        else if (at < end && at_first + next > end)
            next = end - at_first;
        tile->pieces = with_room(tile->pieces, sizeof *tile->pieces, tile->piece_count, 1);
        const ptrdiff_t in_shared = (ptrdiff_t)(swizzled(map, offset + (size_t)done) - begin),
                        in_global = (ptrdiff_t)(row + (uint64_t)at - map->address);
        const bool is_inside = !is_outside && at >= 0 && at < end;
        tile->pieces[tile->piece_count++] = (struct copy_piece){.to = loads ? in_shared : in_global,
                                                                .from = loads ? in_global : in_shared,
                                                                .bytes = (unsigned)(next - done),
                                                                .is_read = is_inside,
                                                                .is_written = is_inside || loads};
    }
}

const char *ptx_find_tile(struct ptx_tile *tile, const void *from, unsigned rank, const int32_t *coordinates,
                          size_t offset, bool loads)
{
    struct tensor_map map;
    memcpy(&map, from, sizeof map);
    if (map.made != MADE)
        return "copies by a tensor map that cuTensorMapEncodeTiled() has not made";
    if (map.rank != rank)
        return "copies by a tensor map of another rank";
    if (offset % SWIZZLE_ROW)
        return "copies a tile whose place in shared memory is no multiple of 128 bytes";
    /* An H200 ends both kernels with an illegal instruction. */
    for (unsigned d = 0; d < rank && !loads; d++)
        if (coordinates[d] < 0)
            return "stores a tile at a negative coordinate";
    if (coordinates[0] * (int64_t)map.strides[0] % CHUNK)
        return "copies a tile whose first coordinate is no multiple of 16 bytes";
    /* A row that is shorter than its swizzle takes as much room as a whole one, as on an H200. The mbarrier
     * counts only the row's bytes. */
    const unsigned row_bytes = (unsigned)(map.box[0] * map.strides[0]), whole = map.chunks * (unsigned)CHUNK,
                   pitch = row_bytes < whole ? whole : row_bytes;
    unsigned counts[PTX_MOST_RANK], rows = 1;
    for (unsigned d = 1; d < rank; d++) {
        counts[d] = (map.box[d] + map.steps[d] - 1u) / map.steps[d];
        rows *= counts[d];
    }
    *tile = (struct ptx_tile){
        .begin = map.address, .type = element_types[map.type].type, .bytes = rows * row_bytes};
    for (unsigned r = 0; r < rows; r++) {
        uint64_t row = map.address;
        bool is_outside = false;
        for (unsigned d = 1, left = r; d < rank; left /= counts[d++]) {
            const int64_t at = coordinates[d] + (int64_t)(left % counts[d]) * map.steps[d];
            is_outside = is_outside || at < 0 || at > map.last[d];
            row += (uint64_t)at * map.strides[d];
        }
        add_row(tile, &map, offset, offset + (size_t)r * pitch, row, coordinates[0], is_outside, loads);
    }
    return NULL;
}
