// Steps of a five-point stencil on a torus; a block keeps its tile of 16 x 16 in shared memory and waits only
// for its four neighbours. a: a flag of the block, when all of its edges are in global memory; b: a flag of
// each edge, which a warp of its own hands over. ns per step; the number is the number of blocks.
#include "../blind.h"

static const int SIDE = 16, STEPS = 8, THREADS = SIDE * SIDE;

static __device__ void store_release(unsigned *address, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

static __device__ void wait_for(const unsigned *address, unsigned target)
{
    unsigned value;
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    while ((int)(value - target) < 0);
}

/* The cell at place i of an edge of the tile (0 up, 1 down, 2 left, 3 right); `out` is 1 for the halo. */
static __device__ unsigned *cell(unsigned (*tile)[SIDE + 2], int edge, int i, int out)
{
    int line = edge % 2 ? SIDE + out : 1 - out;
    return edge < 2 ? &tile[line][i + 1] : &tile[i + 1][line];
}

/* Each edge has two buffers, which steps take in turns: a block that writes one again has waited for the next
 * step of its neighbour, which had read the buffer before. */
template <bool EDGES>
__global__ void stencil(const unsigned *input, unsigned *output, unsigned *edges, unsigned *flags, int across,
                        int down, unsigned base)
{
    __shared__ unsigned tile[SIDE + 2][SIDE + 2];
    int column = blockIdx.x % across, row = blockIdx.x / across, width = across * SIDE, height = down * SIDE;
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    auto neighbour = [&](int edge) {
        int to_column = edge == 2 ? column + across - 1 : edge == 3 ? column + 1 : column;
        int to_row = edge == 0 ? row + down - 1 : edge == 1 ? row + 1 : row;
        return to_row % down * across + to_column % across;
    };
    auto buffer = [&](int block, int edge, int step) {
        return edges + ((block * 4 + edge) * 2 + step % 2) * 32;
    };
    for (int i = threadIdx.x; i < (SIDE + 2) * (SIDE + 2); i += THREADS) {
        int from_y = (row * SIDE + i / (SIDE + 2) + height - 1) % height;
        int from_x = (column * SIDE + i % (SIDE + 2) + width - 1) % width;
        tile[i / (SIDE + 2)][i % (SIDE + 2)] = input[from_y * width + from_x];
    }
    for (int s = 0; s < STEPS; s++) {
        __syncthreads();
        unsigned value = tile[y + 1][x + 1] * 4 + tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] +
                         tile[y + 1][x + 2];
        __syncthreads();
        tile[y + 1][x + 1] = value ^ value >> 3;
        if (s + 1 == STEPS)
            break;
        __syncthreads();
        if (EDGES) {
            if (warp < 4) {
                if (lane < SIDE)
                    buffer(blockIdx.x, warp, s)[lane] = *cell(tile, warp, lane, 0);
                __syncwarp();
                if (lane == 0) {
                    store_release(&flags[(blockIdx.x * 4 + warp) * 32], base + s + 1);
                    wait_for(&flags[(neighbour(warp) * 4 + (warp ^ 1)) * 32], base + s + 1);
                }
                __syncwarp();
                if (lane < SIDE)
                    *cell(tile, warp, lane, 1) = buffer(neighbour(warp), warp ^ 1, s)[lane];
            }
        } else {
            int edge = threadIdx.x / SIDE;
            if (edge < 4)
                buffer(blockIdx.x, edge, s)[x] = *cell(tile, edge, x, 0);
            __syncthreads();
            if (threadIdx.x == 0)
                store_release(&flags[blockIdx.x * 4 * 32], base + s + 1);
            if (threadIdx.x < 4)
                wait_for(&flags[neighbour(threadIdx.x) * 4 * 32], base + s + 1);
            __syncthreads();
            if (edge < 4)
                *cell(tile, edge, x, 1) = buffer(neighbour(edge), edge ^ 1, s)[x];
        }
    }
    output[(row * SIDE + y) * width + column * SIDE + x] = tile[y + 1][x + 1];
}

template <bool EDGES>
static void run(const char *name, int across, int down)
{
    int blocks = across * down, width = across * SIDE, height = down * SIDE, size = width * height;
    std::vector<unsigned> host(size), got(size);
    for (int i = 0; i < size; i++)
        host[i] = i * 2654435761u >> 16;
    unsigned *input = words(size), *output = words(size), *edges = words(blocks * 4 * 2 * 32);
    unsigned *flags = words(blocks * 4 * 32), base = 0;
    CHECK(cudaMemcpy(input, host.data(), size * sizeof(unsigned), cudaMemcpyHostToDevice));
    measure(name, blocks, STEPS, [&] {
        stencil<EDGES><<<blocks, THREADS>>>(input, output, edges, flags, across, down, base);
        base += STEPS;
    });
    CHECK(cudaMemcpy(got.data(), output, size * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int s = 0; s < STEPS; s++) {
        std::vector<unsigned> old = host;
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                unsigned up = old[(y + height - 1) % height * width + x],
                         below = old[(y + 1) % height * width + x];
                unsigned left = old[y * width + (x + width - 1) % width],
                         right = old[y * width + (x + 1) % width];
                unsigned value = old[y * width + x] * 4 + up + below + left + right;
                host[y * width + x] = value ^ value >> 3;
            }
    }
    if (got != host) {
        fprintf(stderr, "%s: wrong cells with %d blocks\n", name, blocks);
        exit(1);
    }
    for (unsigned *p : {input, output, edges, flags})
        CHECK(cudaFree(p));
}

int main()
{
    const int shapes[][2] = {{2, 2}, {6, 6}, {12, 11}};
    for (const int *shape : shapes) {
        run<false>("tile-stencil-a", shape[0], shape[1]);
        run<true>("tile-stencil-b", shape[0], shape[1]);
    }
    return 0;
}
