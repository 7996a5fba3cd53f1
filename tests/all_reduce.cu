/*
 * Tests sync/all_reduce.cuh: every block of every member must get the sums that a sequential loop over the
 * members computes, bit by bit, for every type and every way to send. Here the members of an all-reduce are
 * parts of one grid; tests/algorithms/all_reduce tests several GPUs and weak memory.
 */
#include "harness/check.h"
#include "harness/device.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "base/failure.h"
#include "harness/options.h"
#include "harness/timer.h"
#include "base/memory.h"
#include "sync/all_reduce.cuh"
#include "tests/check.h"

#include <math.h>
#include <string.h>

using namespace gpusync;

/* A launch has two rounds, so that it leaves values in memory that the next launch must not take for its
 * own. */
enum { BLOCKS = 3, THREADS = 64, ROUNDS = 2, LAUNCHES = 4 };

/* Returns the number that a member adds. Converted to float, the numbers differ so much in size that
 * another order of the sum changes its last bits. */
static __host__ __device__ unsigned draw(unsigned member, unsigned round, unsigned at)
{
    unsigned x = (at * 2654435761u) ^ (round * 2246822519u) ^ ((member + 1) * 3266489917u);
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}
static __host__ __device__ float draw_float(unsigned member, unsigned round, unsigned at)
{
    unsigned x = draw(member, round, at);
    float magnitude = (float)(1u << x % 16);
    return ((float)(x >> 8 & 0xffff) - 32768.0f) * magnitude / 7.0f;
}

template <class T>
struct drawn;
template <>
struct drawn<unsigned> {
    static __device__ unsigned value(unsigned m, unsigned r, unsigned i) { return draw(m, r, i); }
};
template <>
struct drawn<int> {
    static __device__ int value(unsigned m, unsigned r, unsigned i) { return (int)draw(m, r, i) >> 3; }
};
template <>
struct drawn<float> {
    static __device__ float value(unsigned m, unsigned r, unsigned i) { return draw_float(m, r, i); }
};
template <>
struct drawn<bfloat16_pair> {
    static __device__ bfloat16_pair value(unsigned m, unsigned r, unsigned i)
    {
        return bfloat16_pair_of(draw_float(m, r, i), -draw_float(m, r, i + 1));
    }
};

/* Writes all sums of the last round for each block. `patience` is the time-out of a wait in cycles; 0
 * means no time-out. */
template <class T, unsigned GPUS, class Unit>
static __global__ void reduce(gpusync_all_reduce memory, unsigned launch, T *sums, long long patience)
{
    AllReduce<T, GPUS, Unit> reduce;
    unsigned gpu = block_in_grid() / memory.blocks;
    reduce.begin_as(memory, gpu, block_in_grid() % memory.blocks);
    for (unsigned r = 0; r < ROUNDS; r++) {
        unsigned round = launch * ROUNDS + r;
        reduce.send([&](unsigned i) { return drawn<T>::value(gpu, round, i); });
        while (patience && !reduce.wait_for(patience)) {
        }
        reduce.receive([&](unsigned i, T sum) { sums[block_in_grid() * memory.elements + i] = sum; });
    }
    reduce.end();
}

/* ---- the expected sums: the host computes them, with another method of rounding than the kernels ---- */

static unsigned word_of(float f)
{
    unsigned word;
    memcpy(&word, &f, sizeof word);
    return word;
}
static float number_of(unsigned word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* Returns the 16-bit float nearest to `f`, and of two equally near ones the even one. */
static unsigned nearest_16(float f)
{
    unsigned below = word_of(f) >> 16, above = below + 1;
    double to_below = fabs((double)f - (double)number_of(below << 16));
    double to_above = fabs((double)f - (double)number_of(above << 16));
    return to_below < to_above || (to_below == to_above && below % 2 == 0) ? below : above;
}

template <class T>
static unsigned expected(unsigned gpus, unsigned round, unsigned i, bool backward);
template <>
unsigned expected<unsigned>(unsigned gpus, unsigned round, unsigned i, bool)
{
    unsigned sum = 0;
    for (unsigned m = 0; m < gpus; m++)
        sum += draw(m, round, i);
    return sum;
}
template <>
unsigned expected<int>(unsigned gpus, unsigned round, unsigned i, bool)
{
    unsigned sum = 0;
    for (unsigned m = 0; m < gpus; m++)
        sum += (unsigned)((int)draw(m, round, i) >> 3);
    return sum;
}
template <>
unsigned expected<float>(unsigned gpus, unsigned round, unsigned i, bool backward)
{
    float sum = draw_float(backward ? gpus - 1 : 0, round, i);
    for (unsigned m = 1; m < gpus; m++)
        sum += draw_float(backward ? gpus - 1 - m : m, round, i);
    return word_of(sum);
}
template <>
unsigned expected<bfloat16_pair>(unsigned gpus, unsigned round, unsigned i, bool backward)
{
    float first = 0, second = 0;
    for (unsigned k = 0; k < gpus; k++) {
        unsigned m = backward ? gpus - 1 - k : k;
        float one = number_of(nearest_16(draw_float(m, round, i)) << 16);
        float other = number_of(nearest_16(-draw_float(m, round, i + 1)) << 16);
        first = k ? first + one : one;
        second = k ? second + other : other;
    }
    return nearest_16(first) | nearest_16(second) << 16;
}

/* ---- the checks ---- */

template <class T, unsigned GPUS, class Unit>
static void check_sums(const char *name, unsigned elements, long long patience)
{
    const int devices[GPUSYNC_MOST_GPUS] = {};
    gpusync_all_reduce memory[GPUSYNC_MOST_GPUS];
    T *sums = NULL;
    size_t count = (size_t)GPUS * BLOCKS * elements;
    unsigned *found = (unsigned *)allocate(count * sizeof *found), wrong = 0, other_way = 0;
    CHECK(gpusync_all_reduce_create(memory, devices, GPUS, BLOCKS, elements));
    allocate_on_device(sums, count * sizeof(T));
    launch_shape shape = {GPUS * BLOCKS, THREADS, 0, false, false};
    for (unsigned l = 0; l < LAUNCHES; l++) {
        CHECK(cudaMemset(sums, 0xff, count * sizeof(T)));
        CHECK(launch(reduce<T, GPUS, Unit>, shape, harness_stream(), memory[0], l, sums, patience));
        wait_for_device();
        CHECK(cudaMemcpy(found, sums, count * sizeof *found, cudaMemcpyDeviceToHost));
        for (size_t at = 0; at < count; at++) {
            unsigned i = (unsigned)(at % elements), round = l * ROUNDS + ROUNDS - 1;
            wrong += found[at] != expected<T>(GPUS, round, i, false);
            other_way += found[at] != expected<T>(GPUS, round, i, true);
        }
    }
    check(wrong == 0, "%s: the sums of %u members, %u elements, are those of the loop%s (%u of %zu wrong)",
          name, GPUS, elements, patience ? ", also after waits that timed out" : "", wrong, LAUNCHES * count);
    if (GPUS > 2 && elements > 100 && !strncmp(name, "float", 5))
        check(other_way > 0, "%s: in another order some would differ (%u)", name, other_way);
    CHECK(cudaFree(sums));
    CHECK(gpusync_all_reduce_destroy(memory));
    free(found);
}

template <unsigned GPUS>
static void check_types(unsigned elements)
{
    check_sums<unsigned, GPUS, PackedUnit<unsigned>>("unsigned", elements, 0);
    check_sums<int, GPUS, PackedUnit<int>>("int", elements, 0);
    check_sums<int, GPUS, PhaseUnit<int>>("int of 31 bits", elements, 0);
    check_sums<float, GPUS, PackedUnit<float>>("float", elements, 0);
    check_sums<float, GPUS, PackedUnit<float>>("float", elements, 300);
    check_sums<bfloat16_pair, GPUS, PackedUnit<bfloat16_pair>>("bfloat16", elements, 0);
}

int main()
{
    options options = {};
    device device;
    set_program_name("all_reduce");
#ifdef GPUSYNC_MACHINE
    options.device = "h100";
#endif
    open_device(&options, &device);
    check_types<1>(1);
    check_types<2>(7);
    check_types<2>(1000);
    check_types<3>(333);
    check_types<8>(130);
    return checks_done();
}
