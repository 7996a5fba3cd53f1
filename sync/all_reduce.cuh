/* SPDX-License-Identifier: MIT */
/*
 * An all-reduce inside a kernel: each GPU has a vector, and each gets the sum of all vectors, added in the
 * order of the GPUs, so that all get the same bits. Every block stores its share of its GPU's vector into the
 * inbox of every GPU, its own too; what is stored carries its round, so no fence, flag or barrier is needed.
 *
 *     gpusync::AllReduce<float, 2> sum;                      // of two GPUs; memory: all_reduce_memory.h
 *     sum.begin(memory);
 *     for (...) {
 *         sum.send([&](unsigned i) { return partial[i]; });          // asked for this block's share
 *         sum.receive([&](unsigned i, float total) { ... });         // in every block: the whole sum
 *     }
 *     sum.end();
 *
 * T is a type of 4 bytes with +=: float, unsigned, int, or bfloat16_pair. The way to send is the third
 * parameter: PackedUnit (any T; half of what is sent is data) or PhaseUnit (31 bits of each value; all but
 * 1/32 of it is data).
 *
 * Contract: all blocks of all GPUs are resident at once, and all their threads call send and receive in turn, in
 * all rounds with the same one of receive and receive_share; a launch has the number of blocks for which the memory was
 * created, and the same threads in every round. No block may only receive: nobody waits for a block that sends
 * nothing, so the others would overwrite what it has yet to read. That is why a vector with fewer units than
 * blocks is padded. The elements of receive_share are those for which send asked, by the same threads.
 *
 * Why two slots are enough, without a fence. A thread leaves its wait for a unit of round r by a load that
 * contains r, so the values beside it are those of round r (PTX ISA, "Memory Operations": scalars have at most
 * 64 bits, and a vector is as many scalars, in any order; so each 64 bits have their round). A store of round
 * r + 2 into the same slot depends on its block's having received round r + 1 from every block, which sent it
 * only after its threads had read round r and met at a __syncthreads. With receive_share the same holds for
 * each thread and its own units. Nothing relates two locations, so nothing has to be ordered.
 * PhaseUnit has one bit of r: one thread loads a word in all rounds, never goes back (coherence) and misses
 * no store, so the number of changes it has seen is the number of stores made.
 */
#ifndef GPUSYNC_ALL_REDUCE_CUH
#define GPUSYNC_ALL_REDUCE_CUH

#include "all_reduce_memory.h"
#include "device.cuh"
#include "packed_word.cuh"
#include "system_order.cuh"

#include <string.h>

GPUSYNC_NEEDS_70

#ifdef GPUSYNC_MACHINE
#define GPUSYNC_UNROLL
#else
#define GPUSYNC_UNROLL _Pragma("unroll")
#endif

namespace gpusync
{

/* Two floats of 16 bits (bfloat16), the first in the lower half. Sums are made in 32 bits and rounded once. */
struct bfloat16_pair {
    unsigned both;
};

static __device__ __forceinline__ unsigned word_of_float(float value)
{
    unsigned word;
    memcpy(&word, &value, sizeof word);
    return word;
}
static __device__ __forceinline__ float float_of_word(unsigned word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* To the nearest, ties to even; what is no number stays none. */
static __device__ __forceinline__ unsigned bfloat16_of_float(float value)
{
    unsigned word = word_of_float(value);
    bool is_number = (word & 0x7fffffffu) <= 0x7f800000u;
    return is_number ? (word + 0x7fffu + (word >> 16 & 1u)) >> 16 : word >> 16 | 0x40u;
}
static __device__ __forceinline__ bfloat16_pair bfloat16_pair_of(float first, float second)
{
    return {bfloat16_of_float(first) | bfloat16_of_float(second) << 16};
}
static __device__ __forceinline__ float first_of(bfloat16_pair pair)
{
    return float_of_word(pair.both << 16);
}
static __device__ __forceinline__ float second_of(bfloat16_pair pair)
{
    return float_of_word(pair.both & 0xffff0000u);
}

/* ---- what is stored: units of 16 bytes ---- */

struct alignas(GPUSYNC_UNIT_BYTES) all_reduce_unit {
    packed_word half[2];
};

/* Values of 4 bytes, each beside the round: two in a unit. Rounds may wrap around. */
template <class T>
struct PackedUnit {
    static const unsigned VALUES = 2;

    static __device__ __forceinline__ void wrap(const T *values, unsigned round, packed_word *unit)
    {
        for (unsigned k = 0; k < VALUES; k++) {
            unsigned word;
            static_assert(sizeof(T) == sizeof word, "an all-reduce is of values of 4 bytes");
            memcpy(&word, &values[k], sizeof word);
            unit[k] = packed(word, round);
        }
    }
    static __device__ __forceinline__ bool is_of(const packed_word *unit, unsigned round)
    {
        return packed_word_is(unit[0], round) && packed_word_is(unit[1], round);
    }
    static __device__ __forceinline__ T value(const packed_word *unit, unsigned k)
    {
        unsigned word = packed_word_value(unit[k]);
        T value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
};

/* 31 bits of a value: integers must be that small, floats lose their last bit. */
static __device__ __forceinline__ unsigned bits_31(unsigned value)
{
    return value << 1;
}
static __device__ __forceinline__ unsigned bits_31(int value)
{
    return (unsigned)value << 1;
}
static __device__ __forceinline__ unsigned bits_31(float value)
{
    return word_of_float(value) & ~1u;
}
static __device__ __forceinline__ void of_bits_31(unsigned word, unsigned *value)
{
    *value = word >> 1;
}
static __device__ __forceinline__ void of_bits_31(unsigned word, int *value)
{
    *value = (int)word >> 1;
}
static __device__ __forceinline__ void of_bits_31(unsigned word, float *value)
{
    *value = float_of_word(word & ~1u);
}

/* Values of 31 bits, each with a bit that changes whenever its slot is used: four in a unit. */
template <class T>
struct PhaseUnit {
    static const unsigned VALUES = 4;

    /* The first two rounds have 1, where memory has 0. */
    static __device__ __forceinline__ unsigned phase(unsigned round) { return ((round - 1) >> 1 & 1u) ^ 1u; }

    static __device__ __forceinline__ void wrap(const T *values, unsigned round, packed_word *unit)
    {
        for (unsigned k = 0; k < 2; k++)
            unit[k] =
                packed(bits_31(values[2 * k]) | phase(round), bits_31(values[2 * k + 1]) | phase(round));
    }
    static __device__ __forceinline__ bool is_of(const packed_word *unit, unsigned round)
    {
        const packed_word both = 1ull << 32 | 1ull, wanted = phase(round) ? both : 0;
        return (unit[0] & both) == wanted && (unit[1] & both) == wanted;
    }
    static __device__ __forceinline__ T value(const packed_word *unit, unsigned k)
    {
        T value;
        of_bits_31((unsigned)(unit[k / 2] >> k % 2 * 32), &value);
        return value;
    }
};

/* ---- the sum of a value of each GPU ---- */

template <class T, unsigned GPUS>
static __device__ __forceinline__ T sum_in_order(const T (&values)[GPUS])
{
    T sum = values[0];
    for (unsigned g = 1; g < GPUS; g++)
        sum += values[g];
    return sum;
}
template <unsigned GPUS>
static __device__ __forceinline__ bfloat16_pair sum_in_order(const bfloat16_pair (&values)[GPUS])
{
    float first = first_of(values[0]), second = second_of(values[0]);
    for (unsigned g = 1; g < GPUS; g++) {
        first += first_of(values[g]);
        second += second_of(values[g]);
    }
    return bfloat16_pair_of(first, second);
}

template <class T, unsigned GPUS, class Unit = PackedUnit<T>>
struct AllReduce {
    static const unsigned IN_FLIGHT =
        GPUS > 8 ? 1 : 8 / GPUS; /* units of each GPU that a thread awaits at once */

    all_reduce_unit *inbox[GPUS], *here;
    unsigned *rounds_done;
    unsigned me, round, elements, units, room;
    unsigned first, end_of_share; /* this block's units */

    __device__ void begin(const gpusync_all_reduce &m)
    {
        GPUSYNC_REQUIRE(blocks_in_grid() == m.blocks);
        begin_as(m, m.me, block_in_grid());
    }
    /* As this block of this GPU, if its number differs from blockIdx: where several members share a grid. */
    __device__ void begin_as(const gpusync_all_reduce &m, unsigned gpu, unsigned block)
    {
        GPUSYNC_REQUIRE(m.gpus == GPUS);
        for (unsigned g = 0; g < GPUS; g++)
            inbox[g] = (all_reduce_unit *)m.inbox[g];
        me = gpu;
        here = (all_reduce_unit *)m.inbox[gpu];
        elements = m.elements;
        units = (elements + Unit::VALUES - 1) / Unit::VALUES;
        units = units > m.blocks ? units : m.blocks;
        room = m.units;
        first = (unsigned)((unsigned long long)units * block / m.blocks);
        end_of_share = (unsigned)((unsigned long long)units * (block + 1) / m.blocks);
        rounds_done = (unsigned *)(here + (size_t)GPUSYNC_ALL_REDUCE_SLOTS * GPUS * room) + block;
        round = *rounds_done;
    }

    /* Begins a round; value_of(i) is this GPU's element i. */
    template <class ValueOf>
    __device__ void send(ValueOf value_of)
    {
        round++;
        const unsigned mine = vector_of(me);
        for (unsigned u = first + thread_in_block(); u < end_of_share; u += threads_in_block()) {
            T values[Unit::VALUES];
            all_reduce_unit unit;
            GPUSYNC_UNROLL
            for (unsigned k = 0; k < Unit::VALUES; k++) {
                unsigned i = u * Unit::VALUES + k;
                values[k] = i < elements ? value_of(i) : T();
            }
            Unit::wrap(values, round, unit.half);
            GPUSYNC_UNROLL
            for (unsigned g = 0; g < GPUS; g++)
                store_relaxed_system_16(inbox[g] + mine + u, unit.half);
        }
    }

    /* Ends a round: use(i, sum) for every element, in each block; the block meets behind it. */
    template <class Use>
    __device__ void receive(Use use)
    {
        collect(0, units, use);
        __syncthreads();
    }
    /* Ends a round: use(i, sum) for the elements of this block's share, by the threads that have sent them. The
     * block does not meet. */
    template <class Use>
    __device__ void receive_share(Use use)
    {
        collect(first, end_of_share, use);
    }

    /* Waits for the whole vector, but for at most this number of clock cycles. False in every thread of the block
     * means: it is not all there; receive is still to come, or another wait. */
    __device__ bool wait_for(long long cycles)
    {
        long long begun = clock64();
        bool all = true;
        for (unsigned u = thread_in_block(); u < units && all; u += threads_in_block())
            for (unsigned g = 0; g < GPUS && all; g++)
                do
                    all = has_come(here + vector_of(g) + u);
                while (!all && clock64() - begun < cycles);
        return all_of_block(all);
    }

    __device__ void end()
    {
        __syncthreads(); /* all threads have read it in begin */
        if (is_block_leader())
            *rounds_done = round;
    }

  private:
    /* Units from an inbox's begin to the vector of a GPU in the round's slot. */
    __device__ unsigned vector_of(unsigned gpu) const
    {
        return (round % GPUSYNC_ALL_REDUCE_SLOTS * GPUS + gpu) * room;
    }
    __device__ bool has_come(const all_reduce_unit *from) const
    {
        all_reduce_unit unit;
        load_relaxed_system_16(from, unit.half);
        return Unit::is_of(unit.half, round);
    }

    /* All threads of a warp go round the loops equally often. */
    template <class Use>
    __device__ void collect(unsigned from, unsigned to, Use use)
    {
        const unsigned apart = threads_in_block();
        unsigned u = from;
        for (; u + apart < to; u += IN_FLIGHT * apart)
            collect_units<IN_FLIGHT>(u + thread_in_block(), to, use);
        if (u < to) /* one unit a thread at most, which is the usual case: half the instructions */
            collect_units<1>(u + thread_in_block(), to, use);
    }
    /* The N units of each GPU from `mine` on, each as far from the next as the block has threads; those before
     * `to`. The loads of all of them are under way at once. */
    template <unsigned N, class Use>
    __device__ __forceinline__ void collect_units(unsigned mine, unsigned to, Use use)
    {
        const unsigned apart = threads_in_block();
        all_reduce_unit unit[N][GPUS];
        while (!load_all(unit, mine, to)) {
        }
        __syncwarp(); /* who has waited shorter would go on alone, and store by an instruction of its own */
        GPUSYNC_UNROLL
        for (unsigned k = 0; k < N; k++)
            if (mine + k * apart < to)
                use_units(unit[k], mine + k * apart, use);
    }
    /* True: all of them are of this round. */
    template <unsigned N>
    __device__ __forceinline__ bool load_all(all_reduce_unit (&unit)[N][GPUS], unsigned mine,
                                             unsigned to) const
    {
        const unsigned apart = threads_in_block();
        const all_reduce_unit *vectors = here + vector_of(0);
        bool all = true;
        GPUSYNC_UNROLL
        for (unsigned k = 0; k < N; k++)
            GPUSYNC_UNROLL
        for (unsigned g = 0; g < GPUS; g++)
            if (mine + k * apart < to)
                load_relaxed_system_16(vectors + g * room + mine + k * apart, unit[k][g].half);
        GPUSYNC_UNROLL
        for (unsigned k = 0; k < N; k++)
            GPUSYNC_UNROLL
        for (unsigned g = 0; g < GPUS; g++)
            all = all & (mine + k * apart >= to || Unit::is_of(unit[k][g].half, round));
        return all;
    }
    /* A unit that is whole is asked about once, not once for each of its values. */
    template <class Use>
    __device__ __forceinline__ void use_units(const all_reduce_unit (&unit)[GPUS], unsigned at, Use use)
    {
        const unsigned begin = at * Unit::VALUES;
        if (begin + Unit::VALUES <= elements) {
            GPUSYNC_UNROLL
            for (unsigned k = 0; k < Unit::VALUES; k++)
                use(begin + k, sum_of_values(unit, k));
            return;
        }
        GPUSYNC_UNROLL
        for (unsigned k = 0; k < Unit::VALUES; k++)
            if (begin + k < elements)
                use(begin + k, sum_of_values(unit, k));
    }
    __device__ __forceinline__ T sum_of_values(const all_reduce_unit (&unit)[GPUS], unsigned k) const
    {
        T values[GPUS];
        GPUSYNC_UNROLL
        for (unsigned g = 0; g < GPUS; g++)
            values[g] = Unit::value(unit[g].half, k);
        return sum_in_order(values);
    }
};

} // namespace gpusync

#endif
