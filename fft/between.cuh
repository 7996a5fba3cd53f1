/* The values between the two passes: how the threads of the first pass put them and the threads of the second
 * take them, either ordered by a barrier, or awaited one by one without a barrier. */
#ifndef FFT_BETWEEN_CUH
#define FFT_BETWEEN_CUH

#include "fft/moves.cuh"
#include "sync/packed_word.cuh"

#include <string.h>

struct few_arrays {
    const float2 *input;
    float2 *between, *output; /* `between` is what the first pass stores and the second pass loads */
    /* For each block, the parity that the next run gives to awaited values (struct awaited_values). It is 0
     * before the first run, when all bits of `between` are set and so none of its values has this parity. */
    unsigned *parity;
    bool inverse;
};

/* Plain values, which a barrier between put and take orders. */
struct ordered_values {
    static constexpr bool ORDERED = true;
    __device__ void begin(const few_arrays &) {}
    __device__ __forceinline__ void put(float2 *to, float2 v) const { *to = v; }

    template <class Lines, kept HOW, class Place>
    __device__ __forceinline__ void take(const thread_of_lines<Lines> &me, float2 *from,
                                         float2 (*v)[Lines::POINTS], Place place) const
    {
        load_lines<Lines, HOW>(me, from, v, false, place);
    }
};

/*
 * Self-validating values, without a fence or a flag: the last bit of the real part, where rounding errors
 * are, is the parity of the run. So a value of the run before is not taken for one of this run, and the array
 * need not be cleared, which would take as many stores again. A value is 64 bits, stored and loaded as a
 * whole.
 */
struct awaited_values {
    static constexpr bool ORDERED = false;
    unsigned parity; /* the parity of this run, 0 or 1 */

    /* Reads the parity of this run. A block calls this only shortly before it needs the parity, because the
     * load is in flight until then. */
    __device__ __forceinline__ void begin(const few_arrays &a)
    {
        parity = load_vector<KEPT>(a.parity + blockIdx.x);
    }
    /* Flips the parity for the next run; called by one thread after all threads of the block have called
     * begin(). */
    __device__ __forceinline__ void end(const few_arrays &a) const { a.parity[blockIdx.x] = parity ^ 1; }

    __device__ __forceinline__ void put(float2 *to, float2 v) const
    {
        packed_word word;
        memcpy(&word, &v, sizeof word);
        *(volatile packed_word *)to = (word & ~1ull) | parity;
    }

    template <class Lines, kept, class Place>
    __device__ __forceinline__ void take(const thread_of_lines<Lines> &me, float2 *from,
                                         float2 (*v)[Lines::POINTS], Place place) const
    {
        packed_word word[Lines::POINTS][Lines::WIDE], others;
        do {
            UNROLL(32)
            for (int i = 0; i < Lines::POINTS; i++)
                load<Lines::WIDE>(from + place(me.at(i)), word[i]);
            others = 0;
            each<Lines>([&](int i, int q) { others |= word[i][q] ^ parity; });
        } while (others & 1);
        each<Lines>([&](int i, int q) { memcpy(&v[q][i], &word[i][q], sizeof v[q][i]); });
    }

  private:
    template <int WIDE>
    static __device__ __forceinline__ void load(const float2 *from, packed_word *word)
    {
        if constexpr (WIDE == 2) {
            packed_word_pair two = packed_word_load((const packed_word_pair *)from);
            word[0] = two.first;
            word[1] = two.second;
        } else {
            word[0] = packed_word_load((const packed_word *)from);
        }
    }
    template <class Lines, class Do>
    static __device__ __forceinline__ void each(Do act)
    {
        UNROLL(32)
        for (int i = 0; i < Lines::POINTS; i++)
            UNROLL(2)
        for (int q = 0; q < Lines::WIDE; q++)
            act(i, q);
    }
};

#endif
