/* SPDX-License-Identifier: MIT */
/*
 * Is my grid barrier right? This program runs on the memory machine, without a GPU. Again and again, every
 * thread writes a word, all blocks pass the barrier, and every thread reads words of other blocks. The memory
 * is as weak as PTX allows, and the schedule is adversarial.
 *
 *     gpusync check my_barrier.cuh --type MyBarrier
 *
 * The type has begin(gpusync_grid_barrier), sync() and end(), like the types of sync/ (sync/counter.cuh is a
 * short one to start from; the memory is zero at first and belongs to the barrier). The program prints the
 * errors: wrong values, deadlocks, and data races with the lines of both accesses and with what would order
 * them. The exit status is 0 if nothing went wrong, else 1.
 *
 * On a GPU (nvcc -I. -arch=native examples/check-my-barrier.cu) it tests gpusync::GridBarrier and counts
 * only wrong values. Finding none proves little: a missing fence may stay unseen for thousands of runs.
 */
#ifdef BARRIER_FILE
/* must come first, so that a copy of a header of sync/, which has the same guard, replaces the original */
#include BARRIER_FILE
#endif
#include "sync/barrier_contract.cuh"
#include "sync/grid_barrier.cuh"
#ifdef GPUSYNC_MACHINE
#include "machine/machine.h"
#endif

#include <cstdio>
#include <cstdlib>

#ifndef BARRIER_TYPE
#define BARRIER_TYPE gpusync::GridBarrier
#endif
GPUSYNC_REQUIRE_BARRIER(BARRIER_TYPE);

/* Tests the barrier in `rounds` rounds. In round r each thread writes r + 1 into its own word of an array (a
 * board); after the barrier it must find r + 1 in other blocks' words. Rounds use two boards in turn. */
__global__ void meet_and_look(unsigned *boards, unsigned *wrong, int rounds, gpusync_grid_barrier memory)
{
    BARRIER_TYPE barrier;
    barrier.begin(memory);
    unsigned blocks = gridDim.x * gridDim.y, threads = blockDim.x * blockDim.y, all = blocks * threads;
    unsigned me = (blockIdx.y * gridDim.x + blockIdx.x) * threads + threadIdx.y * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        unsigned *board = boards + (r & 1) * all;
        board[me] = r + 1;
        barrier.sync();
        unsigned other = (me + (1 + r % (blocks - 1)) * threads) % all;
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

/* Whether the second launch with a memory has a block less: each launch may have any number of blocks up to
 * the memory's. */
static bool varies;

/* Launches the kernel `launches` times with the same memory. Returns the number of wrong values, or -1 for a
 * deadlock. */
static int run(dim3 grid, dim3 block, int launches, int rounds)
{
    unsigned *boards, *wrong, count = 0, blocks = grid.x * grid.y, threads = block.x * block.y;
    gpusync_grid_barrier memory;
    check(gpusync_grid_barrier_create(&memory, blocks));
    check(cudaMalloc((void **)&boards, 2 * blocks * threads * sizeof(unsigned)));
    check(cudaMalloc((void **)&wrong, sizeof(unsigned)));
    check(cudaMemset(boards, 0, 2 * blocks * threads * sizeof(unsigned)));
    check(cudaMemset(wrong, 0, sizeof(unsigned)));
    cudaError_t error = cudaSuccess;
    for (int launch = 0; launch < launches && error == cudaSuccess; launch++) {
        dim3 of_this(varies && launch == 1 && grid.x > 2 ? grid.x - 1 : grid.x, grid.y);
        error = gpusync_launch(meet_and_look, of_this, block, 0, 0, boards, wrong, rounds, memory);
    }
    bool deadlock = false;
#ifdef GPUSYNC_MACHINE
    /* true after the first report of a deadlock; the reports of later runs are similar and are not printed */
    static bool told;
    deadlock = error == cudaErrorLaunchTimeout;
    if (deadlock && !told && !varies)
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

/* Chooses the shapes of the grid and of its blocks for a run. A barrier may be wrong for some shapes only, so
 * the runs have few and many blocks, one and several warps, one and two dimensions. */
static void shape(unsigned seed, bool flat, dim3 *grid, dim3 *block)
{
    static const dim3 blocks[] = {dim3(64), dim3(32), dim3(16, 4), dim3(256), dim3(48, 2)};
    unsigned few = 2 + seed % 7;
    *grid = seed % 5 == 4 ? dim3(20) : seed % 5 == 2 ? dim3(2, few) : dim3(few);
    *block = blocks[seed % 5];
    if (flat) {
        *grid = dim3(grid->x * grid->y);
        *block = dim3(block->x * block->y);
    }
}

#define ROUNDS_OF_A_BYTE 300 /* a count or an epoch of 8 bits wraps around in these rounds */

struct counts {
    int runs, wrong, deadlocks;
};

static void count(struct counts *counts, int errors)
{
    counts->runs++;
    counts->wrong += errors > 0;
    counts->deadlocks += errors < 0;
}

static bool is_bad(const struct counts *counts)
{
    return counts->wrong || counts->deadlocks;
}

/* Returns whether the barrier is right in every memory mode of the machine. If `flat` is set, all shapes have
 * one dimension. If `tells` is set, it prints the result of each mode; else it ends at the first error. */
static bool is_right(int launches, int rounds, bool flat, bool tells)
{
    static const char *const memories[] = {"coherent", "l1", "oldest", "random"};
    bool good = true;
    machine_collect_races(true, true);
    for (const char *name : memories) {
        struct counts counts = {0, 0, 0};
        machine_memory memory;
        machine_memory_of(name, &memory);
        machine_set_memory(memory);
        for (unsigned seed = 1; seed <= 20 && counts.deadlocks < 3; seed++) {
            if (!tells && (!good || is_bad(&counts) || machine_races()))
                return false;
            dim3 grid, block;
            machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, seed);
            shape(seed, flat, &grid, &block);
            count(&counts, run(grid, block, launches, rounds));
        }
        if (launches > 1 && !is_bad(&counts) && !machine_races())
            count(&counts, run(2, 32, 1, ROUNDS_OF_A_BYTE));
        if (tells)
            printf("%-8s memory: %d runs, %d with wrong values, %d deadlocks\n", name, counts.runs,
                   counts.wrong, counts.deadlocks);
        good = good && !is_bad(&counts);
    }
    if (tells)
        machine_print_races(stdout);
    return good && !machine_races();
}

int main()
{
    bool good = is_right(2, 6, false, true);
    if (!good && is_right(2, 6, true, false))
        printf("check-my-barrier: it is right for grids and blocks of one dimension alone\n");
    else if (!good && is_right(1, 1, true, false))
        printf("check-my-barrier: its first use is right; it goes wrong when it is used again: what its "
               "blocks wait for must differ from one use to the next (an epoch, a phase, a count that goes "
               "on)\n");
    varies = true;
    if (good && !is_right(3, 6, false, false))
        printf("check-my-barrier: it is right only if all launches with one memory have the same number of "
               "blocks\n");
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
