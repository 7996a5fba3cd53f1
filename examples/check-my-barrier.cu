/* SPDX-License-Identifier: MIT */
/*
 * Is my grid barrier right? This program runs on the memory machine, without a GPU: again and again, every
 * thread writes a word, all blocks pass the barrier, and every thread reads words of other blocks. The memory
 * is as weak as PTX allows, and the schedule is hostile.
 *
 *     make check-barrier BARRIER=my_barrier.cuh TYPE=MyBarrier
 *
 * The type has begin(gpusync_grid_barrier), sync() and end(), like the types of sync/ (sync/counter.cuh is a
 * short one to start from; the memory is zero at first and belongs to the barrier). Without BARRIER the type
 * is gpusync::GridBarrier. The program prints what went wrong: wrong values, deadlocks, and data races with
 * the lines of both accesses and with what would order them. The exit status is 0 if nothing went wrong,
 * else 1.
 *
 * On a GPU (nvcc -I. -arch=native examples/check-my-barrier.cu) it only counts wrong values, and finding none
 * proves little: a missing fence may stay unseen for thousands of runs.
 */
#ifdef BARRIER_FILE
#include BARRIER_FILE /* first: a copy of a header of sync/, with that one's guard, goes before the original */
#endif
#include "sync/grid_barrier.cuh"
#ifdef GPUSYNC_MACHINE
#include "machine/machine.h"
#endif

#include <cstdio>
#include <cstdlib>

#ifndef BARRIER_TYPE
#define BARRIER_TYPE gpusync::GridBarrier
#endif

/* Two boards in turn: in round r a thread writes r + 1 on one, and after the barrier every thread
 * must find that there, while the other board is written. */
__global__ void meet_and_look(unsigned *boards, unsigned *wrong, int rounds, gpusync_grid_barrier memory)
{
    BARRIER_TYPE barrier;
    barrier.begin(memory);
    unsigned all = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        unsigned *board = boards + (r & 1) * all;
        board[me] = r + 1;
        barrier.sync();
        unsigned other = (me + (1 + r % (gridDim.x - 1)) * blockDim.x) % all;
        if (board[other] != (unsigned)r + 1)
            atomicAdd(wrong, 1u);
    }
    barrier.end();
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "check-my-barrier: %s\n", cudaGetErrorString(error));
    exit(3);
}

/* So many launches on one memory. Returns the number of wrong values, or -1 for a deadlock. */
static int run(unsigned blocks, unsigned threads, int launches, int rounds)
{
    unsigned *boards, *wrong, count = 0;
    gpusync_grid_barrier memory;
    check(gpusync_grid_barrier_create(&memory, blocks));
    check(cudaMalloc((void **)&boards, 2 * blocks * threads * sizeof(unsigned)));
    check(cudaMalloc((void **)&wrong, sizeof(unsigned)));
    check(cudaMemset(boards, 0, 2 * blocks * threads * sizeof(unsigned)));
    check(cudaMemset(wrong, 0, sizeof(unsigned)));
    cudaError_t error = cudaSuccess;
    for (int launch = 0; launch < launches && error == cudaSuccess; launch++)
        error = gpusync_launch(meet_and_look, blocks, threads, 0, 0, boards, wrong, rounds, memory);
    bool deadlock = false;
#ifdef GPUSYNC_MACHINE
    static bool told; /* once: who waits for what is alike in all runs */
    deadlock = error == cudaErrorLaunchTimeout;
    if (deadlock && !told)
        printf("%s\n", machine_deadlock_report());
    told = told || deadlock;
#endif
    if (!deadlock) {
        check(error);
        check(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    }
    check(gpusync_grid_barrier_destroy(&memory));
    check(cudaFree(boards));
    check(cudaFree(wrong));
    return deadlock ? -1 : (int)count;
}

#ifdef GPUSYNC_MACHINE

/* Under every memory; tells of each, if asked to. */
static bool is_right(int launches, int rounds, bool tells)
{
    static const char *const memories[] = {"coherent", "l1", "oldest", "random"};
    bool good = true;
    machine_collect_races(true, true);
    for (const char *name : memories) {
        int runs = 0, wrong = 0, deadlocks = 0;
        machine_memory memory;
        machine_memory_of(name, &memory);
        machine_set_memory(memory);
        for (unsigned seed = 1; seed <= 20 && deadlocks < 3; seed++) {
            machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, seed);
            int errors = run(2 + seed % 7, 64, launches, rounds);
            runs++;
            wrong += errors > 0;
            deadlocks += errors < 0;
        }
        if (tells)
            printf("%-8s memory: %d runs, %d with wrong values, %d deadlocks\n", name, runs, wrong,
                   deadlocks);
        good = good && !wrong && !deadlocks;
    }
    if (tells)
        machine_print_races(stdout);
    return good && !machine_races();
}

int main()
{
    bool good = is_right(2, 6, true);
    if (!good && is_right(1, 1, false))
        printf("check-my-barrier: its first use is right; it goes wrong when it is used again: what its "
               "blocks wait for must differ from one use to the next (an epoch, a phase, a count that goes "
               "on)\n");
    printf("check-my-barrier: %s\n",
           good ? "nothing is wrong with it that this could find" : "it is not a barrier");
    return good ? 0 : 1;
}

#else

int main()
{
    int wrong = run(8, 64, 2, 10000);
    printf("check-my-barrier: %d wrong values\n", wrong);
    return wrong != 0;
}

#endif
