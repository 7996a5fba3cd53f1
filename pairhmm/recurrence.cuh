/* The recurrences of the pair hidden Markov model for a row, as PH1 and PH2 use them; pairhmm/reference.h has
 * the formulas. */
#ifndef PAIRHMM_RECURRENCE_CUH
#define PAIRHMM_RECURRENCE_CUH

#include "pairhmm/tasks.h"
#include "harness/kernel.cuh"
#include "sync/memory_order.cuh"

#include <math.h>

/* The factor C by which the recurrences scale likelihoods, and the bound below which a result is too low to
 * be accurate, for float and for double. A float result that is too low is computed again in double, as in
 * Intel's GKL. */
template <class T>
struct Precision;
template <>
struct Precision<float> {
    static __device__ __forceinline__ float scale() { return 0x1p120f; }
    static __device__ __forceinline__ double log10_of_scale() { return 120 * 0.30102999566398119521; }
    static __device__ __forceinline__ bool too_low(float sum) { return sum < 1e-28f; }
};
template <>
struct Precision<double> {
    static __device__ __forceinline__ double scale() { return 0x1p1020; }
    static __device__ __forceinline__ double log10_of_scale() { return 1020 * 0.30102999566398119521; }
    static __device__ __forceinline__ bool too_low(double) { return false; }
};

template <class T>
struct Cell {
    T m, i, d;
};

/* Counters for the pairs whose float results were too low; both are 0 before a run. `pairs` is the number of
 * these pairs. */
struct redo_counts {
    unsigned pairs;
    unsigned asked; /* number of blocks that have already read `pairs` in this launch */
};

/* The data of a launch. A block takes the pairs number blockIdx.x, blockIdx.x + gridDim.x, ... of the
 * launch. */
template <class T>
struct PairhmmInput {
    const read_letter *reads;
    const unsigned char *haplotypes;
    const pairhmm_pair *pairs;
    const T *phred;        /* the probability 10^(-quality/10) of each quality */
    unsigned first, count; /* number of the launch's first pair, and number of pairs of the launch */
    /* whether the launch computes the pairs that `redo` lists, instead of first..first + count - 1 */
    bool again;
    double *results; /* for each pair, log10 of its likelihood */
    redo_counts *counts;
    unsigned *redo; /* the numbers of the pairs whose results were too low */
    /* for each block, the values of the last row of a strip of a long read, [gridDim.x][border_pitch] */
    Cell<T> *borders;
    int border_pitch;

    __device__ unsigned how_many() const { return again ? ask() : count; }
    __device__ unsigned pair_at(unsigned n) const { return again ? redo[n] : first + n; }

    /* Returns the number of pairs that are to be computed again; called by all threads of a block. The last
     * block that calls this resets both counters for the next run. */
    __device__ unsigned ask() const
    {
        wait_for_kernel_before();
        unsigned number = counts->pairs;
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_release();
            if (add_relaxed(&counts->asked, 1) == gridDim.x - 1) {
                fence_acquire();
                *counts = {0, 0};
            }
        }
        return number;
    }

    __device__ Cell<T> *border() const { return borders + (size_t)blockIdx.x * (size_t)border_pitch; }

    /* Stores the result of a pair or, if it is too low, lists the pair in `redo`; called by one thread. */
    __device__ void finish(unsigned pair, T sum) const
    {
        if (Precision<T>::too_low(sum))
            redo[atomicAdd(&counts->pairs, 1u)] = pair;
        else
            results[pair] = log10((double)sum) - Precision<T>::log10_of_scale();
    }
};

/* The probabilities of a position of the read, which belong to one row of the matrices. */
template <class T>
struct Row {
    T match, mismatch, mm, gm, ins, del, gcp;
    unsigned char base;

    __device__ void set(const read_letter &letter, const T *phred)
    {
        T error = phred[letter.quality];
        ins = phred[letter.insertion];
        del = phred[letter.deletion];
        gcp = phred[letter.continuation];
        mm = 1 - (ins + del);
        gm = 1 - gcp;
        base = letter.base;
        match = 1 - error;
        mismatch = base == 'N' ? match : error / 3;
    }

    /* Makes this a transparent row: in every column its D is the D of the row above, and its M and I are
     * 0. */
    __device__ void set_transparent()
    {
        match = mismatch = mm = gm = ins = del = 0;
        gcp = 1;
        base = 0;
    }

    __device__ __forceinline__ Cell<T> fill(unsigned char letter, const Cell<T> &up, const Cell<T> &left,
                                            const Cell<T> &diagonal) const
    {
        T prior = letter == base || letter == 'N' ? match : mismatch;
        return {prior * (mm * diagonal.m + gm * (diagonal.i + diagonal.d)), ins * up.m + gcp * up.i,
                del * left.m + gcp * left.d};
    }
};

#endif
