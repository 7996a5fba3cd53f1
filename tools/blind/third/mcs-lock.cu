// One thread a block takes a fair lock again and again, as in runtimes' allocators and multi-producer logs.
// a: MCS queue lock; b: ticket lock. ns per hold; the number is the number of blocks.
#include "../blind.h"

static const int HOLDS = 8, WORDS = 4, LINE = 32;

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

static __device__ void work_inside(unsigned *data)
{
    for (int i = 0; i < WORDS; i++)
        data[i]++;
}

/* A node is two lines: the number of the next waiter plus 1, and whether its block must still wait. */
__global__ void mcs(unsigned *tail, unsigned *nodes, unsigned *data)
{
    unsigned me = blockIdx.x + 1, *next = nodes + 2 * LINE * me, *waits = next + LINE;
    for (int h = 0; h < HOLDS; h++) {
        store_release(next, 0);
        store_release(waits, 1);
        __threadfence();
        unsigned previous = atomicExch(tail, me);
        __threadfence();
        if (previous != 0) {
            store_release(nodes + 2 * LINE * previous, me);
            while (load_acquire(waits) != 0)
                ;
        }
        work_inside(data);
        unsigned successor = load_acquire(next);
        if (successor == 0) {
            __threadfence();
            if (atomicCAS(tail, me, 0u) == me)
                continue;
            while ((successor = load_acquire(next)) == 0)
                ;
        }
        store_release(nodes + 2 * LINE * successor + LINE, 0);
    }
}

/* Line 0 has the next ticket, and line 1 the ticket that is served. */
__global__ void ticket(unsigned *lock, unsigned *data)
{
    for (int h = 0; h < HOLDS; h++) {
        unsigned mine = atomicAdd(lock, 1u);
        while (load_acquire(lock + LINE) != mine)
            ;
        work_inside(data);
        store_release(lock + LINE, mine + 1);
    }
}

static void verify(unsigned *data, unsigned expected)
{
    unsigned got[WORDS];
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WORDS; i++)
        if (got[i] != expected) {
            fprintf(stderr, "mcs-lock: word %d is %u, not %u\n", i, got[i], expected);
            exit(1);
        }
}

int main()
{
    for (int blocks : {2, 16, 64, 132}) {
        unsigned *tail = words(LINE), *nodes = words(2 * LINE * (blocks + 1)), *lock = words(2 * LINE);
        unsigned *data = words(LINE), calls = 0;
        measure("mcs-lock-a", blocks, blocks * HOLDS, [&] {
            mcs<<<blocks, 1>>>(tail, nodes, data);
            calls++;
        });
        verify(data, calls * blocks * HOLDS);
        measure("mcs-lock-b", blocks, blocks * HOLDS, [&] {
            ticket<<<blocks, 1>>>(lock, data);
            calls++;
        });
        verify(data, calls * blocks * HOLDS);
        for (unsigned *p : {tail, nodes, lock, data})
            CHECK(cudaFree(p));
    }
    return 0;
}
