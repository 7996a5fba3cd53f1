// Warps of all blocks update a table under one lock and hold it long, as device allocators do.
// a: waiters retry at once; b: they sleep longer and longer. ns per hold; the number is the number of blocks.
#include "../blind.h"

static const int HOLDS = 4, TABLE = 128, PASSES = 3;

template <bool BACKOFF>
__global__ void update(unsigned *lock, unsigned *table)
{
    for (int h = 0; h < HOLDS; h++) {
        if (threadIdx.x == 0) {
            unsigned pause = 64;
            while (atomicCAS(lock, 0u, 1u) != 0) {
                if (BACKOFF) {
                    __nanosleep(pause);
                    pause = pause < 1024 ? pause * 2 : pause;
                }
            }
            __threadfence();
        }
        __syncwarp();
        unsigned carry = 0;
        for (int p = 0; p < PASSES; p++)
            for (int i = threadIdx.x; i < TABLE; i += 32) {
                unsigned word = table[i] + 1 + (carry & 0x80000000u);
                table[i] = word;
                carry = word;
            }
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(lock, 0u);
        }
        __syncwarp();
    }
}

static void verify(unsigned *table, unsigned expected)
{
    std::vector<unsigned> got(TABLE);
    CHECK(cudaMemcpy(got.data(), table, TABLE * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < TABLE; i++)
        if (got[i] != expected) {
            fprintf(stderr, "backoff-lock: word %d is %u, not %u\n", i, got[i], expected);
            exit(1);
        }
}

int main()
{
    for (int blocks : {2, 16, 64, 132}) {
        unsigned *lock = words(32), *table = words(TABLE), calls = 0;
        measure("backoff-lock-a", blocks, blocks * HOLDS, [&] {
            update<false><<<blocks, 32>>>(lock, table);
            calls++;
        });
        verify(table, calls * blocks * HOLDS * PASSES);
        measure("backoff-lock-b", blocks, blocks * HOLDS, [&] {
            update<true><<<blocks, 32>>>(lock, table);
            calls++;
        });
        verify(table, calls * blocks * HOLDS * PASSES);
        CHECK(cudaFree(lock));
        CHECK(cudaFree(table));
    }
    return 0;
}
