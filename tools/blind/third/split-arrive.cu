// Exchanges words in shared memory, with work between arrival and wait, as in cuda::pipeline code (CUTLASS).
// a: cuda::barrier's arrive, then wait; b: __syncthreads. ns per round; the number is the number of threads.
#include "../blind.h"
#include <cuda/barrier>
#include <utility>

/* init() initializes the barrier, not a constructor */
#pragma nv_diag_suppress static_var_with_dynamic_init

static const int BLOCKS = 4, ROUNDS = 40;

template <bool SPLIT>
__global__ void exchange(unsigned *output)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ unsigned buffers[2][1024];
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    unsigned value = threadIdx.x, own = 1;
    for (int r = 0; r < ROUNDS; r++) {
        unsigned *buffer = buffers[r % 2];
        buffer[threadIdx.x] = value;
        if (SPLIT) {
            auto token = barrier.arrive();
            for (int k = 0; k < 8; k++)
                own = own * 1664525u + value;
            barrier.wait(std::move(token));
        } else {
            for (int k = 0; k < 8; k++)
                own = own * 1664525u + value;
            __syncthreads();
        }
        value = buffer[(threadIdx.x + 33) % blockDim.x] * 3 + own;
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void verify(unsigned *output, int threads)
{
    std::vector<unsigned> got(BLOCKS * threads), value(threads), own(threads, 1), next(threads);
    for (int i = 0; i < threads; i++)
        value[i] = i;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < threads; i++) {
            for (int k = 0; k < 8; k++)
                own[i] = own[i] * 1664525u + value[i];
            next[i] = value[(i + 33) % threads] * 3 + own[i];
        }
        value = next;
    }
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS * threads; i++)
        if (got[i] != value[i % threads]) {
            fprintf(stderr, "split-arrive: word %d is %u\n", i, got[i]);
            exit(1);
        }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    unsigned *output = words(BLOCKS * 1024);
    for (int threads : {64, 256, 1024}) {
        measure("split-arrive-a", threads, ROUNDS, [&] { exchange<true><<<BLOCKS, threads>>>(output); });
        verify(output, threads);
        measure("split-arrive-b", threads, ROUNDS, [&] { exchange<false><<<BLOCKS, threads>>>(output); });
        verify(output, threads);
    }
    return 0;
}
