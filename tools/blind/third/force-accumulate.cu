// Adds floats to few words in shared memory, as molecular dynamics (GROMACS, LAMMPS) and splatting codes do.
// a: a loop of atomicCAS; b: atomicAdd of floats. ns per round; the number is the number of words.
#include "../blind.h"

static const int BLOCKS = 4, THREADS = 128, ROUNDS = 8, WORDS = 64;

static __device__ void add_by_cas(float *address, float value)
{
    unsigned *word = (unsigned *)address;
    unsigned old = *(volatile unsigned *)word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __float_as_uint(__uint_as_float(assumed) + value));
    } while (old != assumed);
}

template <bool NATIVE>
__global__ void accumulate(float *result, int count)
{
    __shared__ float forces[WORDS];
    for (int i = threadIdx.x; i < count; i += THREADS)
        forces[i] = 0;
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        int target = (threadIdx.x * 7 + r) % count;
        float value = (threadIdx.x + r) % 4 + 1;
        if (NATIVE)
            atomicAdd(&forces[target], value);
        else
            add_by_cas(&forces[target], value);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += THREADS)
        result[blockIdx.x * WORDS + i] = forces[i];
}

static void verify(float *result, int count)
{
    std::vector<float> expected(count), got(BLOCKS * WORDS);
    for (int t = 0; t < THREADS; t++)
        for (int r = 0; r < ROUNDS; r++)
            expected[(t * 7 + r) % count] += (t + r) % 4 + 1;
    CHECK(cudaMemcpy(got.data(), result, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < count; i++)
            if (got[b * WORDS + i] != expected[i]) {
                fprintf(stderr, "force-accumulate: block %d has %f in word %d\n", b, got[b * WORDS + i], i);
                exit(1);
            }
    CHECK(cudaMemset(result, 0, got.size() * sizeof(float)));
}

int main()
{
    float *result = (float *)words(BLOCKS * WORDS);
    for (int count : {1, 4, 16, 64}) {
        measure("force-accumulate-a", count, ROUNDS,
                [&] { accumulate<false><<<BLOCKS, THREADS>>>(result, count); });
        verify(result, count);
        measure("force-accumulate-b", count, ROUNDS,
                [&] { accumulate<true><<<BLOCKS, THREADS>>>(result, count); });
        verify(result, count);
    }
    return 0;
}
