// Sweeps over a small ring of cells by two colours, a barrier after each, as physics solvers (PhysX) do.
// a: cooperative grid.sync; b: a barrier with one counter. ns per sweep; the number is the number of blocks.
#include "../blind.h"
#include <cooperative_groups.h>

static const int THREADS = 128, SWEEPS = 20;

static __device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

template <bool COUNTER>
static __device__ void barrier(unsigned *counter, unsigned &target)
{
    if (!COUNTER) {
        cooperative_groups::this_grid().sync();
        return;
    }
    target += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1u);
        while ((int)(load_acquire(counter) - target) < 0)
            ;
    }
    __syncthreads();
}

template <bool COUNTER>
__global__ void sweep(unsigned *cells, unsigned *counter, unsigned target)
{
    int me = blockIdx.x * THREADS + threadIdx.x, count = 2 * gridDim.x * THREADS;
    cells[2 * me] = 2 * me * 1000;
    cells[2 * me + 1] = (2 * me + 1) * 1000;
    barrier<COUNTER>(counter, target);
    for (int s = 0; s < SWEEPS; s++)
        for (int colour = 0; colour < 2; colour++) {
            int i = 2 * me + colour;
            cells[i] = (cells[(i + count - 1) % count] + cells[(i + 1) % count] + cells[i]) >> 1;
            barrier<COUNTER>(counter, target);
        }
}

static void verify(unsigned *cells, int count)
{
    std::vector<unsigned> got(count), expected(count);
    for (int i = 0; i < count; i++)
        expected[i] = i * 1000;
    for (int s = 0; s < SWEEPS; s++)
        for (int colour = 0; colour < 2; colour++)
            for (int i = colour; i < count; i += 2)
                expected[i] =
                    (expected[(i + count - 1) % count] + expected[(i + 1) % count] + expected[i]) >> 1;
    CHECK(cudaMemcpy(got.data(), cells, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != expected) {
        fprintf(stderr, "color-sweep: wrong result for %d cells\n", count);
        exit(1);
    }
    CHECK(cudaMemset(cells, 0, count * sizeof(unsigned)));
}

int main()
{
    for (int blocks : {1, 2, 8, 32}) {
        int count = 2 * blocks * THREADS;
        unsigned *cells = words(count), *counter = words(32), target = 0;
        void *arguments[] = {&cells, &counter, &target};
        measure("color-sweep-a", blocks, SWEEPS, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)sweep<false>, blocks, THREADS, arguments, 0, 0));
        });
        verify(cells, count);
        measure("color-sweep-b", blocks, SWEEPS, [&] {
            sweep<true><<<blocks, THREADS>>>(cells, counter, target);
            target += blocks * (2 * SWEEPS + 1);
        });
        verify(cells, count);
        CHECK(cudaFree(cells));
        CHECK(cudaFree(counter));
    }
    return 0;
}
