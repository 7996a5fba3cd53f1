/*
 * Loads the values of a block's next tile into shared memory while the block transforms a tile. Otherwise
 * global memory would be idle while a block computes, where the registers have room for only one block per
 * multiprocessor.
 */
#ifndef FFT_AHEAD_CUH
#define FFT_AHEAD_CUH

#include "fft/moves.cuh"
#include "harness/async.cuh"

/* Brings a tile's values to shared memory and from there to registers. Each thread fetches exactly the values
 * that load_lines would load for it, and takes only these, so no __syncthreads is needed. */
template <class Lines>
struct lines_ahead {
    template <class Place>
    static __device__ __forceinline__ void fetch(const thread_of_lines<Lines> &me, const float2 *from,
                                                 Place place)
    {
        UNROLL(32)
        for (int i = 0; i < Lines::POINTS; i++)
            small_copy_16(slot(i), from + place(me.at(i)));
        small_copies_commit();
    }

    static __device__ __forceinline__ void take(float2 (*v)[Lines::POINTS], bool exchange)
    {
        small_copies_wait();
        UNROLL(32)
        for (int i = 0; i < Lines::POINTS; i++) {
            values<Lines::WIDE> x = *slot(i);
            UNROLL(2)
            for (int q = 0; q < Lines::WIDE; q++)
                v[q][i] = exchanged(x.of[q], exchange);
        }
    }

  private:
    static_assert(sizeof(values<Lines::WIDE>) == 16, "what small_copy_16 copies");
    static __device__ __forceinline__ values<Lines::WIDE> *slot(int i)
    {
        return dynamic_shared<values<Lines::WIDE>>() + (unsigned)i * Lines::THREADS + threadIdx.x;
    }
};

#endif
