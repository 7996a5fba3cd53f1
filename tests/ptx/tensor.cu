/*
 * Tests copies of tiles by tensor maps (PTX ISA, "Tensors") against loops of the host over the elements of a
 * tile: tensors, tiles and coordinates are drawn at random. Prints a line for each case, and ends with status
 * 1 if one is wrong.
 */
#include "judge.cuh"

#include <cstdint>
#include <cuda.h>

static uint32_t drawn(uint32_t below)
{
    static uint32_t state = 2024;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

enum { MOST_TILE = 33792, MOST_TENSOR = 1 << 20, FILL = 0xee };

/* The coordinates of a tile's first element, and where the tile begins in shared memory. */
struct place {
    int at[5];
    unsigned base;
};

/* What a case copies. The members are those of cuTensorMapEncodeTiled(). */
struct tensor {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    unsigned element = 4, rank = 2; /* `element` is the size of an element in bytes */
    cuuint64_t extents[5] = {64, 20, 1, 1, 1}, strides[4] = {256, 5120, 5120, 5120};
    cuuint32_t box[5] = {16, 8, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

    CUresult encode(CUtensorMap *map, void *data) const
    {
        static decltype(&cuTensorMapEncodeTiled) function;
        cudaDriverEntryPointQueryResult found;
        if (!function)
            CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&function, 12000,
                                                   cudaEnableDefault, &found));
        return function(map, type, rank, data, extents, strides, box, steps, interleave, swizzle, promotion,
                        fill);
    }
    int count(int d) const { return d ? (int)((box[d] + steps[d] - 1) / steps[d]) : (int)box[0]; }
    int elements() const
    {
        int all = 1;
        for (int d = 0; d < (int)rank; d++)
            all *= count(d);
        return all;
    }
    /* Returns the offset in bytes of element e of the tile that begins at this place, or -1 if it is outside
     * of the tensor. A row ends after this many elements. */
    int64_t in_global(const place &first, int e, cuuint64_t row) const
    {
        int64_t offset = 0;
        for (int d = 0; d < (int)rank; e /= count(d++)) {
            const int64_t at = first.at[d] + e % count(d) * (d ? (int)steps[d] : 1);
            if (at < 0 || at >= (int64_t)(d ? extents[d] : row))
                return -1;
            offset += at * (d ? (int64_t)strides[d - 1] : element);
        }
        return offset;
    }
    /* Returns the elements of a row that a store can write: an H200 writes whole pieces of 16 bytes. */
    cuuint64_t stored_row() const { return (extents[0] * element + 15) / 16 * 16 / element; }
    /* Returns the offset in bytes of element e of the tile in shared memory. */
    int in_shared(const place &p, int e) const
    {
        const int bytes = (int)(box[0] * element), chunks = 1 << swizzle,
                  pitch = bytes < 16 * chunks ? 16 * chunks : bytes, line = e / (int)box[0],
                  offset = (int)p.base + line * pitch + e % (int)box[0] * (int)element;
        return offset ^ (offset / 128 % chunks) << 4;
    }
};

/* ---- kernels ---- */

#define SHARED(pointer) ((unsigned)__cvta_generic_to_shared(pointer))
#define COORDINATES "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4])
#define BY_RANK(text)                                                                                        \
    switch (rank) {                                                                                          \
    case 1:                                                                                                  \
        text("1d", "%2");                                                                                    \
        break;                                                                                               \
    case 2:                                                                                                  \
        text("2d", "%2, %3");                                                                                \
        break;                                                                                               \
    case 3:                                                                                                  \
        text("3d", "%2, %3, %4");                                                                            \
        break;                                                                                               \
    case 4:                                                                                                  \
        text("4d", "%2, %3, %4, %5");                                                                        \
        break;                                                                                               \
    case 5:                                                                                                  \
        text("5d", "%2, %3, %4, %5, %6");                                                                    \
        break;                                                                                               \
    }
#define LOAD(rank, at)                                                                                       \
    asm volatile("cp.async.bulk.tensor." rank                                                                \
                 ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" at                 \
                 "}], [%7];" ::"r"(SHARED(tile) + p.base),                                                   \
                 "l"(map), COORDINATES, "r"(SHARED(&bar))                                                    \
                 : "memory")
#define SPREAD(rank, at)                                                                                     \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"    \
                 ".multicast::cluster [%0], [%1, {" at "}], [%7], %8;" ::"r"(SHARED(tile) + p.base),         \
                 "l"(map), COORDINATES, "r"(SHARED(&bar)), "h"((short)3)                                     \
                 : "memory")
#define PREFETCH(rank, at)                                                                                   \
    asm volatile("cp.async.bulk.prefetch.tensor." rank ".L2.global.tile [%1, {" at "}];" ::"r"(0), "l"(map), \
                 COORDINATES                                                                                 \
                 : "memory")
#define STORE(rank, at)                                                                                      \
    asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group [%1, {" at                \
                 "}], [%0];" ::"r"(SHARED(tile) + p.base),                                                   \
                 "l"(map), COORDINATES                                                                       \
                 : "memory")
#define REDUCE(operation)                                                                                    \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation                              \
                 ".tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(SHARED(tile) + p.base),                      \
                 "l"(map), COORDINATES                                                                       \
                 : "memory")

/* Loads a tile of this many bytes; out gets them and what is in the shared memory after them. If is_spread,
 * the first block of a cluster of two loads the tile for both. */
__device__ static void load_tile(const CUtensorMap *map, int rank, const place &p, unsigned bytes,
                                 uint8_t *out, bool is_spread)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < MOST_TILE; i += blockDim.x)
        tile[i] = FILL;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SHARED(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
        BY_RANK(PREFETCH)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(SHARED(&bar)),
                     "r"(bytes)
                     : "memory");
        if (is_spread && blockIdx.x == 0) {
            BY_RANK(SPREAD)
        } else if (!is_spread) {
            BY_RANK(LOAD)
        }
    }
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(SHARED(&bar))
                     : "memory");
    for (unsigned i = threadIdx.x; i < MOST_TILE; i += blockDim.x)
        out[blockIdx.x * MOST_TILE + i] = tile[i];
}

__global__ void load(const __grid_constant__ CUtensorMap map, int rank, place p, unsigned bytes, uint8_t *out)
{
    load_tile(&map, rank, p, bytes, out, false);
}

__global__ void __cluster_dims__(2, 1, 1)
    load_both(const CUtensorMap *map, int rank, place p, unsigned bytes, uint8_t *out)
{
    load_tile(map, rank, p, bytes, out, true);
}

/* Stores a tile, whose bytes in shared memory are those of `in`; a `change` other than 0 reduces a tile of
 * two dimensions instead. */
__global__ void store(const __grid_constant__ CUtensorMap by_value, int rank, place p, const uint8_t *in,
                      int change)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    const CUtensorMap *map = &by_value;
    for (unsigned i = threadIdx.x; i < MOST_TILE; i += blockDim.x)
        tile[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
    switch (change) {
    case 1:
        REDUCE("add");
        break;
    case 2:
        REDUCE("max");
        break;
    case 3:
        REDUCE("xor");
        break;
    case 4:
        REDUCE("inc");
        break;
    default:
        BY_RANK(STORE)
    }
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- drawn tiles ---- */

static uint8_t *tensor_bytes, *tile_bytes, was[MOST_TENSOR];

static void fill_tensor()
{
    for (int i = 0; i < MOST_TENSOR; i++)
        was[i] = tensor_bytes[i] = (uint8_t)drawn(256);
}

/* Are the bytes of the tile of block `block` those of the tensor, and are the other ones as they were? */
static bool is_loaded(const tensor &t, const place &p, int block)
{
    static uint8_t expected[MOST_TILE];
    memset(expected, FILL, sizeof expected);
    for (int e = 0; e < t.elements(); e++) {
        const int64_t from = t.in_global(p, e, t.extents[0]);
        for (unsigned b = 0; b < t.element; b++)
            expected[t.in_shared(p, e) + b] = from < 0 ? 0 : tensor_bytes[from + b];
    }
    return memcmp(expected, tile_bytes + block * MOST_TILE, MOST_TILE) == 0;
}

static bool is_stored(const tensor &t, const place &p)
{
    for (int e = 0; e < t.elements(); e++) {
        const int64_t to = t.in_global(p, e, t.stored_row());
        for (unsigned b = 0; to >= 0 && b < t.element; b++)
            was[to + b] = tile_bytes[t.in_shared(p, e) + b];
    }
    return memcmp(was, tensor_bytes, MOST_TENSOR) == 0;
}

/* Draws a tensor of this rank and the place of a tile, which may be outside of the tensor in part. A tile
 * begins at a multiple of 16 bytes of a row, since an H200 takes no other first coordinate. */
static tensor draw(unsigned rank, place *p)
{
    static const CUtensorMapDataType types[] = {
        CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_INT64};
    tensor t;
    const unsigned size = drawn(4);
    cuuint64_t stride;
    t.rank = rank;
    t.type = types[size];
    t.element = 1u << size;
    t.swizzle = (CUtensorMapSwizzle)drawn(4);
    const unsigned row = 16 * (1 + drawn(t.swizzle ? 1u << t.swizzle : 8));
    t.box[0] = row / t.element;
    t.extents[0] = 1 + drawn(2 * t.box[0]);
    stride = (t.extents[0] * t.element + 15) / 16 * 16 + 16 * drawn(3);
    for (unsigned d = 1; d < rank; d++) {
        t.extents[d] = 1 + drawn(rank > 3 ? 4 : 12);
        t.box[d] = 1 + drawn(rank > 3 ? 4 : 12);
        t.steps[d] = drawn(2) ? 1 : 1 + drawn(3);
        t.strides[d - 1] = stride;
        stride = stride * t.extents[d] + 16 * drawn(2);
    }
    for (unsigned d = 0; d < 5; d++)
        p->at[d] = d < rank ? (int)drawn(2 * (uint32_t)t.extents[d] + 1) - (int)t.extents[d] / 2 : 0;
    p->at[0] -= p->at[0] % (int)(16 / t.element);
    p->base = 128 * drawn(8);
    return t;
}

static void test_rank(unsigned rank, int cases)
{
    static const int loads_of_both = 3; /* one case in three */
    bool loads = true, spreads = true, stores = true;
    for (int c = 0; c < cases; c++) {
        place p;
        const tensor t = draw(rank, &p);
        const unsigned bytes = (unsigned)t.elements() * t.element;
        CUtensorMap map, *copied;
        if (bytes + p.base > MOST_TILE || t.encode(&map, tensor_bytes) != CUDA_SUCCESS) {
            printf("    bytes of a tile: %u\n", bytes);
            loads = false;
            continue;
        }
        if (c % loads_of_both == 0) {
            CHECK(cudaMalloc(&copied, sizeof map));
            CHECK(cudaMemcpy(copied, &map, sizeof map, cudaMemcpyHostToDevice));
            load_both<<<2, 64, MOST_TILE>>>(copied, (int)rank, p, bytes, tile_bytes);
            ended("load_both");
            CHECK(cudaFree(copied));
            spreads = spreads && is_loaded(t, p, 0) && is_loaded(t, p, 1);
        } else {
            load<<<1, 64, MOST_TILE>>>(map, (int)rank, p, bytes, tile_bytes);
            ended("load");
            loads = loads && is_loaded(t, p, 0);
        }
        for (int i = 0; i < MOST_TILE; i++)
            tile_bytes[i] = (uint8_t)drawn(256);
        for (int &at : p.at) /* an H200 stores no tile at a negative coordinate */
            at = abs(at);
        store<<<1, 64, MOST_TILE>>>(map, (int)rank, p, tile_bytes, 0);
        ended("store");
        stores = stores && is_stored(t, p);
        memcpy(was, tensor_bytes, MOST_TENSOR);
    }
    char what[128];
    snprintf(what, sizeof what, "tiles of rank %u are loaded", rank);
    need(loads, what);
    snprintf(what, sizeof what, "tiles of rank %u are loaded for two blocks, by a map in memory", rank);
    need(spreads, what);
    snprintf(what, sizeof what, "tiles of rank %u are stored", rank);
    need(stores, what);
}

/* ---- reductions ---- */

static int32_t changed(int change, int32_t old, int32_t value)
{
    switch (change) {
    case 1:
        return (int32_t)((uint32_t)old + (uint32_t)value);
    case 2:
        return old > value ? old : value;
    case 3:
        return old ^ value;
    default:
        return (uint32_t)old >= (uint32_t)value ? 0 : old + 1;
    }
}

static void test_reductions()
{
    const place p = {{52, 15}};
    bool holds = true;
    for (int change = 1; change <= 4; change++) {
        tensor t;
        CUtensorMap map;
        t.extents[0] = 62; /* a row ends within 16 bytes */
        if (change == 4)
            t.type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
        fill_tensor();
        holds = holds && t.encode(&map, tensor_bytes) == CUDA_SUCCESS;
        store<<<1, 64, MOST_TILE>>>(map, 2, p, tile_bytes, change);
        ended("reduce");
        for (int e = 0; e < t.elements(); e++) {
            const int64_t at = t.in_global(p, e, t.stored_row());
            int32_t old, value;
            if (at < 0)
                continue;
            memcpy(&old, was + at, 4);
            memcpy(&value, tile_bytes + t.in_shared(p, e), 4);
            old = changed(change, old, value);
            memcpy(was + at, &old, 4);
        }
        holds = holds && memcmp(was, tensor_bytes, MOST_TENSOR) == 0;
    }
    need(holds, "tiles are reduced");
}

/* ---- maps ---- */

template <class F>
static void refuses(const char *what, F change)
{
    tensor t;
    CUtensorMap maps[2];
    char *to = (char *)maps, *data = (char *)tensor_bytes;
    change(t, to, data);
    need(t.encode((CUtensorMap *)to, data) == CUDA_ERROR_INVALID_VALUE, what);
}

static void test_maps()
{
    refuses("no map", [](tensor &, char *&to, char *&) { to = nullptr; });
    refuses("an unknown type", [](tensor &t, char *&, char *&) { t.type = (CUtensorMapDataType)99; });
    refuses("no dimension", [](tensor &t, char *&, char *&) { t.rank = 0; });
    refuses("six dimensions", [](tensor &t, char *&, char *&) { t.rank = 6; });
    refuses("a tensor that is not aligned", [](tensor &, char *&, char *&data) { data += 8; });
    refuses("an empty dimension", [](tensor &t, char *&, char *&) { t.extents[1] = 0; });
    refuses("a dimension of 2^32 + 1", [](tensor &t, char *&, char *&) { t.extents[1] = (1ull << 32) + 1; });
    refuses("a stride of 264 bytes", [](tensor &t, char *&, char *&) { t.strides[0] = 264; });
    refuses("a stride of 2^40 bytes", [](tensor &t, char *&, char *&) { t.strides[0] = 1ull << 40; });
    refuses("an empty box", [](tensor &t, char *&, char *&) { t.box[1] = 0; });
    refuses("a box of 257", [](tensor &t, char *&, char *&) { t.box[1] = 257; });
    refuses("rows of 12 bytes", [](tensor &t, char *&, char *&) { t.box[0] = 3; });
    refuses("a step of 0", [](tensor &t, char *&, char *&) { t.steps[1] = 0; });
    refuses("a step of 9", [](tensor &t, char *&, char *&) { t.steps[1] = 9; });
    refuses("rows of 64 bytes with a swizzle of 32",
            [](tensor &t, char *&, char *&) { t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; });
    refuses("an unknown swizzle", [](tensor &t, char *&, char *&) { t.swizzle = (CUtensorMapSwizzle)99; });
    refuses("an unknown promotion",
            [](tensor &t, char *&, char *&) { t.promotion = (CUtensorMapL2promotion)9; });
    refuses("NaN for integers",
            [](tensor &t, char *&, char *&) { t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; });
    refuses("two dimensions that are interleaved",
            [](tensor &t, char *&, char *&) { t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; });
    tensor t;
    CUtensorMap map;
    t.extents[0] = 1ull << 32;
    t.strides[0] = 1ull << 34;
    t.steps[0] = 8;
    t.box[1] = 256;
    need(t.encode(&map, tensor_bytes) == CUDA_SUCCESS, "the largest dimension, box and step are allowed");

    decltype(&cuTensorMapReplaceAddress) replace;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPoint("cuTensorMapReplaceAddress", (void **)&replace, cudaEnableDefault, &found));
    const tensor other;
    const place first = {{8, 4}}, second = {{8, 5}};
    const unsigned bytes = (unsigned)other.elements() * 4;
    need(other.encode(&map, tensor_bytes) == CUDA_SUCCESS &&
             replace(&map, tensor_bytes + 8) == CUDA_ERROR_INVALID_VALUE &&
             replace(&map, tensor_bytes + 256) == CUDA_SUCCESS,
         "a map gets another address");
    load<<<1, 64, MOST_TILE>>>(map, 2, first, bytes, tile_bytes);
    ended("load");
    need(is_loaded(other, second, 0), "which counts from then on");
}

int main()
{
    tensor_bytes = managed<uint8_t>(MOST_TENSOR);
    tile_bytes = managed<uint8_t>(2 * MOST_TILE);
    fill_tensor();
    for (unsigned rank = 1; rank <= 5; rank++)
        test_rank(rank, 12);
    test_reductions();
    test_maps();
    return failures != 0;
}
