// Grid barriers from scratch, as in megakernels and graph frameworks, with a word of each block to exchange.
// a: tree of arity 4, up and down; b: dissemination. ns per barrier; the number is the number of blocks.
#include "../blind.h"

static const int ROUNDS = 24, LINE = 32, THREADS = 64;

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

static __device__ void await(const unsigned *flag, unsigned epoch)
{
    while ((int)(load_acquire(flag) - epoch) < 0)
        ;
}

/* Line 2b of the flags says that block b's part of the tree has arrived, and line 2b + 1 that b may go. */
static __device__ void tree(unsigned *flags, unsigned epoch)
{
    unsigned b = blockIdx.x, child = 4 * b + 1 + threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x < 4 && child < gridDim.x)
            await(flags + 2 * child * LINE, epoch);
        __syncwarp();
        if (threadIdx.x == 0) {
            if (b != 0) {
                store_release(flags + 2 * b * LINE, epoch);
                await(flags + (2 * ((b - 1) / 4) + 1) * LINE, epoch);
            }
            if (4 * b + 1 < gridDim.x)
                store_release(flags + (2 * b + 1) * LINE, epoch);
        }
    }
    __syncthreads();
}

static __device__ void dissemination(unsigned *flags, unsigned epoch)
{
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned k = 0, distance = 1; distance < gridDim.x; k++, distance *= 2) {
            store_release(flags + ((blockIdx.x + distance) % gridDim.x * 8 + k) * LINE, epoch);
            await(flags + (blockIdx.x * 8 + k) * LINE, epoch);
        }
    __syncthreads();
}

template <bool TREE>
__global__ void rounds(unsigned *flags, unsigned *buffers, unsigned *output, unsigned epoch)
{
    unsigned n = gridDim.x, b = blockIdx.x, value = b;
    for (int r = 0; r < ROUNDS; r++) {
        unsigned *buffer = buffers + (r & 1) * n;
        if (threadIdx.x == THREADS - 1)
            buffer[b] = value;
        if (TREE)
            tree(flags, ++epoch);
        else
            dissemination(flags, ++epoch);
        value = value * 5 + buffer[(b + n / 2 + 1) % n];
    }
    if (threadIdx.x == THREADS - 1)
        output[b] = value;
}

static void verify(unsigned *output, int n)
{
    std::vector<unsigned> got(n), value(n), next(n);
    for (int b = 0; b < n; b++)
        value[b] = b;
    for (int r = 0; r < ROUNDS; r++) {
        for (int b = 0; b < n; b++)
            next[b] = value[b] * 5 + value[(b + n / 2 + 1) % n];
        value = next;
    }
    CHECK(cudaMemcpy(got.data(), output, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "tree-barrier: wrong result for %d blocks\n", n);
        exit(1);
    }
    CHECK(cudaMemset(output, 0, n * sizeof(unsigned)));
}

template <bool TREE>
static void run(const char *name, int n)
{
    unsigned *flags = words(8 * n * LINE), *buffers = words(2 * n), *output = words(n), epoch = 0;
    measure(name, n, ROUNDS, [&] {
        rounds<TREE><<<n, THREADS>>>(flags, buffers, output, epoch);
        epoch += ROUNDS;
    });
    verify(output, n);
    for (unsigned *p : {flags, buffers, output})
        CHECK(cudaFree(p));
}

int main()
{
    for (int n : {4, 16, 64, 132}) {
        run<true>("tree-barrier-a", n);
        run<false>("tree-barrier-b", n);
    }
    return 0;
}
