/* The kernels of micro-progress: they interpret instances of a program, count the instances that end, and
 * occupy multiprocessors. */
#ifndef MICRO_PROGRESS_INTERPRETER_CUH
#define MICRO_PROGRESS_INTERPRETER_CUH

#include "micro/progress/program.h"
#include "harness/device_time.cuh"
#include "harness/kernel.cuh"
#include "sync/memory_order.cuh"

struct Instruction {
    unsigned char kind, location, destination, is_register, target;
    int value; /* the operand's value, or the number of the operand's register */
};

struct Program {
    Instruction code[PROGRESS_THREADS][PROGRESS_INSTRUCTIONS];
    int length[PROGRESS_THREADS];
    int registers[PROGRESS_THREADS][PROGRESS_REGISTERS]; /* initial values of the registers */
    int memory[PROGRESS_LOCATIONS];
    unsigned threads, locations;
};

enum fate { NEVER_BEGAN, ENDED, GAVE_UP, CAME_LATE };

/* The parameters of a launch: it executes instances of a program, each with its own memory */
struct Bench {
    const Program *program;
    unsigned *memory; /* memory of all instances; words are WORD_STRIDE apart */
    unsigned *fates;  /* for each block, whether its thread ended, gave up or began too late */
    /* for each block, a word that it changes so that the machine does not consider it deadlocked */
    unsigned *signs;
    unsigned *left; /* two words: the number of blocks that have ended, and whether a block has given up */
    /* two counts of instances: those whose threads have all ended, and those whose threads have all begun */
    unsigned *counts;
    unsigned instances, blocks;
    bool by_thread, reversed;
    instant patience;
};

/* distance between the words of the program's memory, in words, so that they share no cache line */
static const unsigned WORD_STRIDE = 32;

static __device__ __forceinline__ unsigned *word_of(const Bench &b, unsigned instance, unsigned location)
{
    return b.memory + ((size_t)instance * PROGRESS_LOCATIONS + location) * WORD_STRIDE;
}

/* thread_of and instance_of return which thread of which instance a block executes. With `by_thread`, the
 * first threads of all instances come first, then the second ones, and so on; otherwise the blocks of an
 * instance are adjacent. */
static __device__ __forceinline__ unsigned thread_of(const Bench &b, unsigned block)
{
    unsigned place = b.reversed ? b.blocks - 1 - block : block;
    return b.by_thread ? place / b.instances : place % b.program->threads;
}
static __device__ __forceinline__ unsigned instance_of(const Bench &b, unsigned block)
{
    unsigned place = b.reversed ? b.blocks - 1 - block : block;
    return b.by_thread ? place % b.instances : place / b.program->threads;
}

static __device__ __forceinline__ int access(unsigned *word, int kind, int value)
{
    __threadfence();
    switch (kind) {
    case PROGRESS_LOAD:
        return (int)load_relaxed(word);
    case PROGRESS_STORE:
        store_relaxed(word, (unsigned)value);
        return 0;
    case PROGRESS_EXCHANGE:
        return (int)atomicExch(word, (unsigned)value);
    default:
        return (int)atomicAdd(word, (unsigned)value);
    }
}

/* Changes the block's word. The memory machine considers a thread deadlocked if it reads the same words again
 * and again while no thread writes; the threads of these programs have a limit of their own. */
static __device__ __forceinline__ void show_life(const Bench &b)
{
#ifdef GPUSYNC_MACHINE
    b.signs[block_in_grid()]++;
#else
    (void)b;
#endif
}

static __device__ fate interpret(const Bench &b, unsigned thread, unsigned instance)
{
    const Program &p = *b.program;
    int registers[PROGRESS_REGISTERS], at = 0;
    for (int r = 0; r < PROGRESS_REGISTERS; r++)
        registers[r] = p.registers[thread][r];
    instant begin = device_time();
    while (at < p.length[thread]) {
        const Instruction i = p.code[thread][at++];
        int value = i.is_register ? registers[i.value] : i.value;
        bool equal = registers[i.destination] == value;
        if (i.kind < PROGRESS_BARRIER) {
            int old = access(word_of(b, instance, i.location), i.kind, value);
            if (i.kind != PROGRESS_STORE)
                registers[i.destination] = old;
        } else if (i.kind == PROGRESS_GOTO || equal == (i.kind == PROGRESS_BRANCH_EQUAL)) {
            at = i.target;
        }
        show_life(b);
        if (device_time() - begin > b.patience)
            return at < p.length[thread] ? GAVE_UP : ENDED;
    }
    return ENDED;
}

static __global__ void run_threads(Bench b)
{
    if (threadIdx.x)
        return;
    unsigned block = block_in_grid();
    /* A block that begins only after another block has given up counts as too late: if no block had given up,
     * this block would never have begun. */
    fate fate =
        load_relaxed(b.left + 1) ? CAME_LATE : interpret(b, thread_of(b, block), instance_of(b, block));
    if (fate == GAVE_UP)
        store_relaxed(b.left + 1, 1);
    b.fates[block] = fate;
    atomicAdd(b.left, 1u);
}

static __global__ void begin_anew(Bench b)
{
    unsigned stride = blocks_in_grid() * threads_in_block(),
             first = block_in_grid() * threads_in_block() + thread_in_block();
    for (unsigned i = first; i < b.instances; i += stride)
        for (unsigned l = 0; l < b.program->locations; l++)
            *word_of(b, i, l) = (unsigned)b.program->memory[l];
    for (unsigned i = first; i < b.blocks; i += stride)
        b.fates[i] = NEVER_BEGAN;
    if (first == 0)
        b.left[0] = b.left[1] = 0;
}

/* Counts the instances whose threads have all ended, and those whose threads have all begun. */
static __global__ void count_fates(Bench b)
{
    unsigned stride = blocks_in_grid() * threads_in_block();
    for (unsigned i = block_in_grid() * threads_in_block() + thread_in_block(); i < b.instances;
         i += stride) {
        unsigned ended = 0, heard = 0;
        for (unsigned t = 0; t < b.program->threads; t++) {
            unsigned place = b.by_thread ? t * b.instances + i : i * b.program->threads + t;
            unsigned fate = b.fates[b.reversed ? b.blocks - 1 - place : place];
            ended += fate == ENDED;
            heard += fate != NEVER_BEGAN;
        }
        atomicAdd(&b.counts[0], ended == b.program->threads ? 1u : 0u);
        atomicAdd(&b.counts[1], heard == b.program->threads ? 1u : 0u);
    }
}

/* The kernel of the second grid. It holds multiprocessors until the first grid's blocks have ended, but at
 * most for the time `longest`. */
static __global__ void hold(volatile unsigned *begun, const unsigned *left, unsigned blocks, unsigned *signs,
                            instant longest)
{
    if (threadIdx.x)
        return;
    instant begin = device_time();
    begun[block_in_grid()] = 1;
    while (load_relaxed(left) < blocks && device_time() - begin < longest)
        signs[block_in_grid()]++;
}

#endif
