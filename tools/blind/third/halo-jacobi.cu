// A persistent stencil: each block keeps 256 cells in shared memory and swaps edges, as in PERKS.
// a: flags of the two neighbours; b: cooperative grid.sync. ns per iteration; the number: blocks.
#include "../blind.h"
#include <cooperative_groups.h>

static const int CELLS = 256, ITERATIONS = 16, LINE = 32;

static __device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ void store_release(unsigned *address, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/* Line 2b + p of the edges has block b's first and last cell after iterations of parity p. */
template <bool FLAGS>
__global__ void jacobi(unsigned *edges, unsigned *flags, unsigned *output, unsigned epoch)
{
    __shared__ unsigned cells[CELLS + 2];
    int n = gridDim.x, b = blockIdx.x, me = threadIdx.x, left = (b + n - 1) % n, right = (b + 1) % n;
    unsigned own = (b * CELLS + me) * 1000;
    for (int i = 0; i < ITERATIONS; i++) {
        epoch++;
        cells[me + 1] = own;
        if (me == 0)
            edges[(2 * b + i % 2) * LINE] = own;
        if (me == CELLS - 1)
            edges[(2 * b + i % 2) * LINE + 1] = own;
        if (FLAGS) {
            __syncthreads();
            if (me == 0)
                store_release(flags + b * LINE, epoch);
            if (me == 0 || me == CELLS - 1) {
                int other = me == 0 ? left : right;
                while ((int)(load_acquire(flags + other * LINE) - epoch) < 0)
                    ;
            }
        } else {
            cooperative_groups::this_grid().sync();
        }
        if (me == 0)
            cells[0] = edges[(2 * left + i % 2) * LINE + 1];
        if (me == CELLS - 1)
            cells[CELLS + 1] = edges[(2 * right + i % 2) * LINE];
        __syncthreads();
        own = (cells[me] + 2 * own + cells[me + 2]) / 4 + 1;
        __syncthreads();
    }
    output[b * CELLS + me] = own;
}

static void verify(unsigned *output, int count)
{
    std::vector<unsigned> got(count), value(count), next(count);
    for (int i = 0; i < count; i++)
        value[i] = i * 1000;
    for (int t = 0; t < ITERATIONS; t++, value = next)
        for (int i = 0; i < count; i++)
            next[i] = (value[(i + count - 1) % count] + 2 * value[i] + value[(i + 1) % count]) / 4 + 1;
    CHECK(cudaMemcpy(got.data(), output, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "halo-jacobi: wrong result for %d cells\n", count);
        exit(1);
    }
    CHECK(cudaMemset(output, 0, count * sizeof(unsigned)));
}

int main()
{
    for (int blocks : {3, 16, 64, 128}) {
        unsigned *edges = words(2 * blocks * LINE), *flags = words(blocks * LINE);
        unsigned *output = words(blocks * CELLS), epoch = 0;
        measure("halo-jacobi-a", blocks, ITERATIONS, [&] {
            jacobi<true><<<blocks, CELLS>>>(edges, flags, output, epoch);
            epoch += ITERATIONS;
        });
        verify(output, blocks * CELLS);
        void *arguments[] = {&edges, &flags, &output, &epoch};
        measure("halo-jacobi-b", blocks, ITERATIONS, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)jacobi<false>, blocks, CELLS, arguments, 0, 0));
        });
        verify(output, blocks * CELLS);
        for (unsigned *p : {edges, flags, output})
            CHECK(cudaFree(p));
    }
    return 0;
}
