/* The kernels of micro-litmus: they run copies of a test, and judge the outcomes. */
#ifndef MICRO_LITMUS_KERNEL_CUH
#define MICRO_LITMUS_KERNEL_CUH

#include "micro/litmus/litmus_access.cuh"
#include "micro/litmus/litmus_test.h"
#include "sync/counter.cuh"

/* The limits of a test that the kernel can execute; a role is a thread of the test */
enum { ROLES = 4, OPERATIONS = 8, REGISTERS = 4, LOCATIONS = 4, MOST_OUTCOMES = 256 };

struct Operation {
    unsigned char kind, scope, order, location, destination, operation, a_is_register, b_is_register;
    int a, b;
};

struct Program {
    Operation code[ROLES][OPERATIONS];
    int length[ROLES];
    unsigned initial[LOCATIONS];
    unsigned roles, locations;
    /* number of blocks of a copy of the test, and number of parts into which a block's threads are divided;
     * the roles (threads of the test) that share a block run in different parts */
    unsigned blocks, parts;
    /* [block][part]: the thread of the test that runs in this part, or ROLES if there is none */
    unsigned char role_of[ROLES][ROLES];
};

/* An outcome of a test: the registers of all its threads, then the values in memory */
struct Outcome {
    int values[ROLES * REGISTERS + LOCATIONS];
};

/* The parameters of the kernels. Copies of the test run side by side, in rounds; each round has new
 * memory. */
struct Bench {
    const Program *program;
    unsigned *words;   /* a word of memory for each round, location and copy of the test */
    int *registers;    /* the registers of the test's threads, for each round and copy of the test */
    unsigned *scratch; /* memory that is hammered by the blocks that execute no copy of the test */
    /* for each allowed outcome, how often it occurred in all runs; one more count, the last, is for all
     * forbidden outcomes */
    unsigned *counts;
    const Outcome *allowed; /* the outcomes that PTX allows; their number is allowed_count */
    unsigned allowed_count, rounds, copies, testing_blocks, seed;
};

static const unsigned SCRATCH_WORDS = 1 << 16;

static __device__ __forceinline__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Returns the index of the word of a location in a round and a copy of the test. In even rounds the locations
 * of a copy lie far apart, in odd rounds side by side. */
static __device__ __forceinline__ size_t word_of(const Bench &b, unsigned round, unsigned location,
                                                 unsigned copy)
{
    size_t all = (size_t)b.program->locations * b.copies;
    return round * all +
           (round & 1 ? (size_t)copy * b.program->locations + location : (size_t)location * b.copies + copy);
}

static __device__ __forceinline__ int value_of(bool is_register, int value, const int *registers)
{
    if (!is_register)
        return value;
    int found = 0;
    for (int r = 0; r < REGISTERS; r++)
        found = r == value ? registers[r] : found;
    return found;
}

static __device__ __forceinline__ void set(int *registers, int destination, int value)
{
    for (int r = 0; r < REGISTERS; r++)
        registers[r] = r == destination ? value : registers[r];
}

static __device__ void run_role(const Bench &b, const Program &program, unsigned round, unsigned role,
                                unsigned copy, int *registers)
{
    for (int at = 0; at < program.length[role]; at++) {
        const Operation o = program.code[role][at];
        unsigned *p = b.words + word_of(b, round, o.location, copy);
        int a = value_of(o.a_is_register, o.a, registers), value = 0;
        switch (o.kind) {
        case LITMUS_LOAD:
            value = (int)litmus_load(p, o.scope, o.order);
            break;
        case LITMUS_STORE:
            litmus_store(p, (unsigned)a, o.scope, o.order);
            break;
        case LITMUS_ATOMIC:
            value = (int)(o.operation == LITMUS_EXCHANGE ? litmus_exchange(p, (unsigned)a, o.scope, o.order)
                                                         : litmus_add(p, (unsigned)a, o.scope, o.order));
            break;
        case LITMUS_FENCE:
            litmus_fence(o.scope, o.order);
            break;
        default:
            value = o.operation == LITMUS_EXCHANGE ? a : a + value_of(o.b_is_register, o.b, registers);
        }
        set(registers, o.destination, value);
    }
}

/* Loads the locations of a copy of the test in advance, by chance, so that they are in a cache. */
static __device__ void touch(const Bench &b, const Program &program, unsigned round, unsigned copy,
                             unsigned chance)
{
    unsigned sum = 0;
    if (chance & 1)
        for (unsigned l = 0; l < program.locations; l++)
            sum += litmus_load(b.words + word_of(b, round, l, copy), SCOPE_THREAD, ORDER_RELAXED);
    if (sum == 0xdeadbeefu)
        b.scratch[0] = sum;
}

static __device__ void hammer(const Bench &b, unsigned chance)
{
    for (unsigned i = 0; i < 32; i++) {
        chance = mixed(chance + i);
        volatile unsigned *word = b.scratch + chance % SCRATCH_WORDS;
        *word = *word + 1;
    }
}

/* Waits for a random time. From round to round, the limit of this time alternates between none, short and
 * long. */
static __device__ void wait_a_little(unsigned round, unsigned chance)
{
    long long most = round % 3 == 0 ? 1 : round % 3 == 1 ? 64 : 512, begin = clock64();
    while (clock64() - begin < chance % most) {
    }
}

/* Returns this block's number in a round; the blocks' numbers are rotated at random. Blocks with numbers
 * below testing_blocks execute copies of the test. */
static __device__ unsigned place_of(const Bench &b, unsigned round)
{
    unsigned blocks = blocks_in_grid();
    return (block_in_grid() + mixed(b.seed + round)) % blocks;
}

static __global__ void test_rounds(Bench b, gpusync_grid_barrier memory)
{
    __shared__ Program program;
    for (unsigned w = thread_in_block(); w < sizeof program / sizeof(int); w += threads_in_block())
        ((int *)&program)[w] = ((const int *)b.program)[w];
    __syncthreads();
    Counter barrier;
    barrier.begin(memory);
    for (unsigned round = 0; round < b.rounds; round++) {
        unsigned place = place_of(b, round), thread = thread_in_block(), threads = threads_in_block();
        unsigned chance = mixed(b.seed ^ mixed(round * 0x10001u + place * 977u + thread / 8));
        unsigned group = threads / program.parts, part = thread / group;
        unsigned role =
            part < program.parts ? program.role_of[place % program.blocks][part] : (unsigned)ROLES;
        unsigned copy = place / program.blocks * group + thread % group;
        bool tests = place < b.testing_blocks && role < program.roles;
        int registers[REGISTERS] = {};
        barrier.sync();
        if (tests) {
            touch(b, program, round, copy, chance);
            wait_a_little(round, chance >> 1);
            run_role(b, program, round, role, copy, registers);
            for (int r = 0; r < REGISTERS; r++)
                b.registers[(((size_t)round * b.copies + copy) * ROLES + role) * REGISTERS + r] =
                    registers[r];
        } else if (place >= b.testing_blocks) {
            hammer(b, chance);
        }
    }
    barrier.end();
}

/* Counts each copy's outcome: which of the outcomes that PTX allows it is, or that PTX forbids it. */
static __global__ void judge(Bench b)
{
    unsigned all = b.rounds * b.copies, stride = blocks_in_grid() * threads_in_block();
    unsigned roles = b.program->roles, locations = b.program->locations;
    for (unsigned i = block_in_grid() * threads_in_block() + thread_in_block(); i < all; i += stride) {
        const int *registers = b.registers + (size_t)i * ROLES * REGISTERS;
        unsigned found = b.allowed_count;
        for (unsigned o = 0; o < b.allowed_count && found == b.allowed_count; o++) {
            bool same = true;
            for (unsigned r = 0; r < roles * REGISTERS && same; r++)
                same = registers[r] == b.allowed[o].values[r];
            for (unsigned l = 0; l < locations && same; l++)
                same = (int)b.words[word_of(b, i / b.copies, l, i % b.copies)] ==
                       b.allowed[o].values[ROLES * REGISTERS + l];
            if (same)
                found = o;
        }
        atomicAdd(&b.counts[found], 1u);
    }
}

static __global__ void fill(Bench b)
{
    size_t all = (size_t)b.rounds * b.program->locations * b.copies;
    size_t stride = (size_t)blocks_in_grid() * threads_in_block();
    for (size_t i = (size_t)block_in_grid() * threads_in_block() + thread_in_block(); i < all; i += stride) {
        size_t in_round = i % ((size_t)b.program->locations * b.copies),
               round = i / (b.program->locations * b.copies);
        unsigned location = (unsigned)(round & 1 ? in_round % b.program->locations : in_round / b.copies);
        b.words[i] = b.program->initial[location];
    }
}

#endif
