// Counts the tokens of each expert in shared memory, as MoE routers do (vLLM's moe_align_block_size).
// a: an atomic a lane; b: an atomic for equal lanes. ns per round; the number is the number of experts.
#include "../blind.h"

static const int BLOCKS = 16, THREADS = 256, ROUNDS = 16;

template <bool GROUPED>
__global__ void count(const unsigned *experts, unsigned *totals, int expert_count)
{
    __shared__ unsigned counts[256];
    for (int e = threadIdx.x; e < expert_count; e += THREADS)
        counts[e] = 0;
    __syncthreads();
    const unsigned *mine = experts + blockIdx.x * THREADS * ROUNDS + threadIdx.x;
    for (int r = 0; r < ROUNDS; r++) {
        unsigned e = mine[r * THREADS];
        if (GROUPED) {
            unsigned equals = __match_any_sync(0xffffffffu, e);
            if (__ffs(equals) - 1 == threadIdx.x % 32)
                atomicAdd(&counts[e], __popc(equals));
        } else {
            atomicAdd(&counts[e], 1u);
        }
    }
    __syncthreads();
    for (int e = threadIdx.x; e < expert_count; e += THREADS)
        atomicAdd(&totals[e], counts[e]);
}

static void run(int expert_count)
{
    const int tokens = BLOCKS * THREADS * ROUNDS;
    std::vector<unsigned> host(tokens), expected(expert_count), got(expert_count);
    unsigned random = 1;
    for (int i = 0; i < tokens; i++) {
        random = random * 1664525u + 1013904223u;
        /* the smaller of two numbers, because some experts are more liked than others */
        host[i] = std::min((random >> 8) % expert_count, (random >> 18) % expert_count);
        expected[host[i]]++;
    }
    unsigned *experts = words(tokens), *totals = words(expert_count), calls = 0;
    CHECK(cudaMemcpy(experts, host.data(), tokens * sizeof(unsigned), cudaMemcpyHostToDevice));
    measure("moe-count-a", expert_count, ROUNDS, [&] {
        count<false><<<BLOCKS, THREADS>>>(experts, totals, expert_count);
        calls++;
    });
    measure("moe-count-b", expert_count, ROUNDS, [&] {
        count<true><<<BLOCKS, THREADS>>>(experts, totals, expert_count);
        calls++;
    });
    CHECK(cudaMemcpy(got.data(), totals, expert_count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int e = 0; e < expert_count; e++)
        if (got[e] != expected[e] * calls) {
            fprintf(stderr, "moe-count: expert %d has %u tokens\n", e, got[e]);
            exit(1);
        }
    CHECK(cudaFree(experts));
    CHECK(cudaFree(totals));
}

int main()
{
    run(2);
    run(8);
    run(64);
    run(256);
    return 0;
}
