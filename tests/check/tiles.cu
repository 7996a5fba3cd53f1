/* One warp loads tiles of a matrix by a tensor map into two buffers in turn; another warp changes each tile
 * and stores it by the same map. Each fence and each wait of the program is needed. */
// expect: right
// expect -DNO_PROXY_FENCE: race "TILE_STORE(&map" "+= 1;" "no proxy fence"
// expect -DNO_FULL_WAIT: hang "+= 1;" "TILE_LOAD(buffer"
// expect -DNO_EMPTY_WAIT: hang "TILE_LOAD(buffer" "+= 1;"
// expect -DNO_READ_WAIT: race "TILE_LOAD(buffer" "TILE_STORE(&map"
// expect -DNO_INIT_FENCE: race "TILE_LOAD(buffer" "MBARRIER_INIT(&full[" "mbarrier's init"
// expect -DSHIFT=16: outside "TILE_LOAD(buffer" "no multiple of 128 bytes"
// expect -DCOLUMN=2: outside "TILE_LOAD(buffer" "first coordinate is no multiple of 16 bytes"
// expect -DSTORED_ROW=-1: outside "TILE_STORE(&map" "negative coordinate"
// expect -DROWS=64: outside "TILE_LOAD(buffer" "bytes at [512]"
// expect -DMAP=copied: outside "TILE_LOAD(buffer" "in the thread's own memory"
// expect -DMAP=MISPLACED: outside "TILE_LOAD(buffer" "no multiple of 64 bytes"
// expect -DEMPTY: outside "TILE_LOAD(buffer" "cuTensorMapEncodeTiled() has not made"
// expect -DEXPECTED=2048: hang "while (!passed(&full["
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"

#include <cuda.h>

enum { WIDTH = 64, HEIGHT = 32, TILE = 16, TILES = WIDTH / TILE, BYTES_OF_TILE = TILE * TILE * 4 };
#ifndef ROWS /* the rows that the map says the matrix has */
#define ROWS HEIGHT
#endif
#ifndef SHIFT /* the place of the buffers in shared memory */
#define SHIFT 0
#endif
#ifndef COLUMN /* the matrix's column where the tiles begin */
#define COLUMN 0
#endif
#ifndef STORED_ROW /* the matrix's row where the tiles are stored */
#define STORED_ROW y
#endif
#ifndef EXPECTED
#define EXPECTED BYTES_OF_TILE
#endif
#ifndef MAP
#define MAP map
#endif
#define MISPLACED *(const CUtensorMap *)((const char *)&map + 32)

#define TILE_LOAD(to, map, x, y, bar)                                                                        \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "         \
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(SHARED(to)),                                            \
                 "l"(map), "r"(x), "r"(y), "r"(SHARED(bar))                                                  \
                 : "memory")
#define TILE_STORE(map, x, y, from)                                                                          \
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"        \
                 "cp.async.bulk.commit_group;" ::"l"(map),                                                   \
                 "r"(x), "r"(y), "r"(SHARED(from))                                                           \
                 : "memory")

__global__ void change(const __grid_constant__ CUtensorMap map, const CUtensorMap copied, int y)
{
    __shared__ alignas(128) char buffers[SHIFT + 2 * BYTES_OF_TILE];
    __shared__ unsigned long long full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int b = 0; b < 2; b++) {
            MBARRIER_INIT(&full[b], 1);
            MBARRIER_INIT(&empty[b], 1);
        }
#ifndef NO_INIT_FENCE
        FENCE_INIT();
#endif
    }
    __syncthreads();
    for (int t = 0; t < TILES; t++) {
        const int b = t % 2, turn = t / 2 % 2;
        int *buffer = (int *)(buffers + SHIFT + b * BYTES_OF_TILE);
        if (threadIdx.x == 0) {
#ifndef NO_EMPTY_WAIT
            while (!passed(&empty[b], turn ^ 1)) {
            }
#endif
            EXPECT_BYTES(&full[b], EXPECTED);
            TILE_LOAD(buffer, &MAP, COLUMN + t * TILE, y, &full[b]);
        } else if (threadIdx.x >= 32) {
#ifndef NO_FULL_WAIT
            while (!passed(&full[b], turn)) {
            }
#endif
            for (int i = threadIdx.x - 32; i < TILE * TILE; i += 32)
                buffer[i] += 1;
#ifndef NO_PROXY_FENCE
            FENCE_PROXY(".shared::cta");
#endif
            __syncwarp();
            if (threadIdx.x == 32) {
                TILE_STORE(&map, t * TILE, STORED_ROW, buffer);
#ifndef NO_READ_WAIT
                BULK_WAIT_READ();
#endif
                MBARRIER_ARRIVE(&empty[b]);
            }
        }
    }
}

int main()
{
    int *data = new_numbers(WIDTH * HEIGHT);
    decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map = {};
    const cuuint64_t extents[] = {WIDTH, ROWS}, strides[] = {WIDTH * sizeof(int)};
    const cuuint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault,
                                     &found);
#ifndef EMPTY
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, extents, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return 2;
#endif
    change<<<1, 64>>>(map, map, HEIGHT - TILE / 2);
    return is_wrong(data, WIDTH * HEIGHT, [](int i) { return i + (i / WIDTH >= HEIGHT - TILE / 2); });
}
