/* SPDX-License-Identifier: MIT */
/*
 * An all-reduce inside a kernel: each GPU has a vector, and each GPU gets the sum of all vectors. The
 * values are added in the order of the GPUs, so all GPUs get the same bits. Every block stores its share of
 * its GPU's vector into the inbox of every GPU, including its own. Each stored unit contains the number of
 * its round, so no fence, flag or barrier is needed.
 *
 *     gpusync::AllReduce<float, 2> sum;                  // two GPUs; all_reduce_memory.h creates `memory`
 *     sum.begin(memory);
 *     for (...) {
 *         sum.send([&](unsigned i) { return partial[i]; });      // called for this block's share
 *         sum.receive([&](unsigned i, float total) { ... });     // called in every block for the whole sum
 *     }
 *     sum.end();
 *
 * T is a type of 4 bytes with +=: float, unsigned, int, or bfloat16_pair. The third template parameter is
 * the format of a stored unit: PackedUnit (any T; half of the stored bits are data) or PhaseUnit (31 bits
 * of each value; 31 of 32 stored bits are data).
 *
 * Contract: all blocks of all GPUs are resident at once. All their threads call send and receive in turn; a
 * program calls either receive in all rounds or receive_share in all rounds. A launch has the number of
 * blocks for which the memory was created, and the same threads take part in every round. A block must not
 * receive without sending: nobody waits for a block that sends nothing, so the others would overwrite units
 * that it has not read. For this reason a vector with fewer units than blocks is padded. receive_share
 * delivers to each thread the elements that send asked it for.
 *
 * Two slots are enough without a fence for this reason. A thread leaves its wait for a unit of round r
 * after a load that contains r, so the values of this load belong to round r (PTX ISA, "Memory Operations":
 * a scalar has at most 64 bits, and a vector access is a set of scalar accesses in any order; therefore
 * each 64 bits contain the round). A block stores round r + 2 into the same slot only after it has received
 * round r + 1 from every block. Each of these blocks sent round r + 1 only after its threads had read round
 * r and met at a __syncthreads. With receive_share the same argument holds for each thread and its own
 * units. The argument never relates accesses to two locations, so no accesses need to be ordered. PhaseUnit
 * contains only one bit of r. One thread loads a given word in all rounds. It never sees an older value
 * after a newer one (coherence) and misses no store, so it sees one change of the bit for each store.
 */
#ifndef GPUSYNC_ALL_REDUCE_CUH
#define GPUSYNC_ALL_REDUCE_CUH

#include "all_reduce_memory.h"
#include "device.cuh"
#include "packed_word.cuh"
#include "system_order.cuh"

#include <string.h>

GPUSYNC_NEEDS_70

namespace gpusync
{

/* Two bfloat16 values, the first in the lower half. Sums are computed in 32 bits and rounded once. */
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

/* Returns the bits of the bfloat16 that is nearest to the value, ties to even; a NaN stays a NaN. */
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

/* ---- Units of 16 bytes, which the blocks store into the inboxes ---- */

struct alignas(GPUSYNC_UNIT_BYTES) all_reduce_unit {
    packed_word half[2];
};

/* A unit of two values of 4 bytes, each beside the number of its round. The numbers of rounds may wrap
 * around. */
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

/* Returns the value in the upper 31 bits of a word: an integer must fit into 31 bits, a float loses its
 * last bit. */
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
    unsigned word = word_of_float(value);
    /* A NaN whose payload is only the last bit would become an infinity. */
    return (word & 0x7fffffffu) > 0x7f800000u ? (word | 0x400000u) & ~1u : word & ~1u;
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

/* A unit of four values of 31 bits, each with a phase bit that changes whenever the slot is used. */
template <class T>
struct PhaseUnit {
    static const unsigned VALUES = 4;

    /* Returns the phase bit of a round: 1 in the first two rounds, as the memory is 0 at first. */
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

/* ---- The sum over the GPUs of one element of their vectors ---- */

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
    /* number of units of each GPU's vector that a thread waits for at once */
    static const unsigned IN_FLIGHT = GPUS > 8 ? 1 : 8 / GPUS;

    all_reduce_unit *inbox[GPUS], *here;
    unsigned *rounds_done;
    unsigned me, round, elements, units, room;
    /* this block sends the units `first` to `end_of_share` - 1 */
    unsigned first, end_of_share;

    __device__ void begin(const gpusync_all_reduce &m)
    {
        GPUSYNC_REQUIRE(blocks_in_grid() == m.blocks);
        begin_as(m, m.me, block_in_grid());
    }
    /* Begins the all-reduce as block `block` of GPU `gpu`. The two may differ from blockIdx, as several
     * members may share a grid. */
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

    /* Begins a round and sends this block's share; value_of(i) returns element i of this GPU's vector. */
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

    /* Ends a round: calls use(i, sum) for every element in each block, and then synchronizes the block. */
    template <class Use>
    __device__ void receive(Use use)
    {
        collect(0, units, use);
        __syncthreads();
    }
    /* Ends a round: calls use(i, sum) for the elements of this block's share, in the threads that sent
     * them. It does not synchronize the block. */
    template <class Use>
    __device__ void receive_share(Use use)
    {
        collect(first, end_of_share, use);
    }

    /* Waits until the whole vector has arrived, but for at most `cycles` clock cycles. It returns false
     * in every thread of the block if units are missing; the block may then wait again or call receive.
     * Only for a program that calls receive in all rounds: a block that calls receive_share does not
     * wait for the other units, so that their phase bits may come from an older round. */
    __device__ bool wait_for(long long cycles) { return wait_for_units(0, units, cycles); }
    /* Waits for this block's share only, in a program that calls receive_share in all rounds. */
    __device__ bool wait_for_share(long long cycles) { return wait_for_units(first, end_of_share, cycles); }

    __device__ void end()
    {
        __syncthreads(); /* all threads have read *rounds_done in begin() */
        if (is_block_leader())
            *rounds_done = round;
    }

  private:
    __device__ bool wait_for_units(unsigned from, unsigned to, long long cycles)
    {
        long long begun = clock64();
        bool all = true;
        for (unsigned u = from + thread_in_block(); u < to && all; u += threads_in_block())
            for (unsigned g = 0; g < GPUS && all; g++)
                do
                    all = has_come(here + vector_of(g) + u);
                while (!all && clock64() - begun < cycles);
        return all_of_block(all);
    }
    /* Returns where the vector of a GPU begins in an inbox, in the slot of this round, counted in units. */
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

    /* Receives units `from` to `to` - 1. All threads of a warp execute its loop equally often, since
     * collect_units calls __syncwarp. */
    template <class Use>
    __device__ void collect(unsigned from, unsigned to, Use use)
    {
        const unsigned apart = threads_in_block();
        unsigned u = from;
        for (; u + apart < to; u += IN_FLIGHT * apart)
            collect_units<IN_FLIGHT>(u + thread_in_block(), to, use);
        /* usually at most one unit is left for each thread; to wait for one takes half the instructions */
        if (u < to)
            collect_units<1>(u + thread_in_block(), to, use);
    }
    /* Waits for up to N units of each GPU and calls use() for their values. The units are `mine`, `mine` +
     * the block's number of threads, and so on below `to`. All loads are in flight at once. */
    template <unsigned N, class Use>
    __device__ __forceinline__ void collect_units(unsigned mine, unsigned to, Use use)
    {
        const unsigned apart = threads_in_block();
        all_reduce_unit unit[N][GPUS];
        while (!load_all(unit, mine, to)) {
        }
        /* without this, a thread that waited less than others would go on alone, and the lanes of the warp
         * would execute their later stores as separate instructions */
        __syncwarp();
        GPUSYNC_UNROLL
        for (unsigned k = 0; k < N; k++)
            if (mine + k * apart < to)
                use_units(unit[k], mine + k * apart, use);
    }
    /* Loads the units and returns whether all of them belong to this round. */
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
    /* Calls use() for the values of a unit. If the whole unit lies inside the vector, one test replaces a
     * test of each value. */
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
