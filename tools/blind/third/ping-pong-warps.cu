// Two groups of warps take turns, each going on from what the other wrote, as in CUTLASS's ping-pong kernels.
// a: by two named barriers; b: by __syncthreads. ns per turn; the number is the number of threads of a group.
#include "../blind.h"

static const int BLOCKS = 8, TURNS = 100;

static __device__ void bar_sync(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __device__ void bar_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* Group 0 reads the second half of the state and writes the first one; group 1 does the converse. */
static __device__ void turn(unsigned *state, int group, int me, int size)
{
    if (group == 0)
        state[me] = state[size + (me + 1) % size] * 3 + 7;
    else
        state[size + me] = state[(me + 1) % size] * 5 + state[me] + 1;
}

template <bool NAMED>
__global__ void alternate(unsigned *output, int size)
{
    __shared__ unsigned state[2 * 256];
    int group = threadIdx.x / size, me = threadIdx.x % size;
    if (group == 0)
        state[size + me] = me;
    __syncthreads();
    if (NAMED) {
        if (group == 1)
            bar_arrive(1, 2 * size);
        for (int t = 0; t < TURNS / 2; t++) {
            bar_sync(1 + group, 2 * size);
            turn(state, group, me, size);
            if (group == 0 || t + 1 < TURNS / 2)
                bar_arrive(2 - group, 2 * size);
        }
    } else {
        for (int t = 0; t < TURNS / 2; t++) {
            if (group == 0)
                turn(state, group, me, size);
            __syncthreads();
            if (group == 1)
                turn(state, group, me, size);
            __syncthreads();
        }
    }
    if (group == 1)
        output[blockIdx.x * size + me] = state[size + me];
}

static void verify(unsigned *output, int size)
{
    std::vector<unsigned> got(BLOCKS * size), first(size), second(size);
    for (int i = 0; i < size; i++)
        second[i] = i;
    for (int t = 0; t < TURNS / 2; t++) {
        for (int i = 0; i < size; i++)
            first[i] = second[(i + 1) % size] * 3 + 7;
        for (int i = 0; i < size; i++)
            second[i] = first[(i + 1) % size] * 5 + first[i] + 1;
    }
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS * size; i++)
        if (got[i] != second[i % size]) {
            fprintf(stderr, "ping-pong-warps: word %d is %u\n", i, got[i]);
            exit(1);
        }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    unsigned *output = words(BLOCKS * 256);
    for (int size : {32, 128, 256}) {
        measure("ping-pong-warps-a", size, TURNS,
                [&] { alternate<true><<<BLOCKS, 2 * size>>>(output, size); });
        verify(output, size);
        measure("ping-pong-warps-b", size, TURNS,
                [&] { alternate<false><<<BLOCKS, 2 * size>>>(output, size); });
        verify(output, size);
    }
    return 0;
}
