/*
 * An FFT that is too large for two passes of transforms that fit in a block: it computes N = a x b x c
 * values in three passes with two barriers (the four-step method of Bailey 1990, applied to its own rows).
 * Value n = (n1 b + n2) c + n3 of the input becomes value k1 + a (k2 + b k3) of the output.
 *
 *     step 0: blocks take adjacent columns, a column being the values with the same n2 and n3, transform
 *             n1 to k1, and multiply by exp(-2 pi i k1 (n2 c + n3) / N)
 *     step 1: blocks take adjacent n3 of one k1, transform n2 to k2, and multiply by
 *             exp(-2 pi i k2 n3 / (b c))
 *     step 2: blocks take adjacent k1 of one k2, transform n3 to k3, and store in natural order
 *
 * Values keep their places until the last step. So every load and store moves whole lines of 128 bytes, with
 * one exchange through shared memory in the last step. More arithmetic in fewer passes does not pay: two
 * passes of transforms of 2^13 values fit in a block only by two columns at a time, and loads and stores of
 * 16 bytes take 2.4 times as long as three passes for 2^26 values on an H100.
 */
#ifndef FFT_THREE_PASSES_CUH
#define FFT_THREE_PASSES_CUH

#include "fft/few_barriers.cuh"

/* The shape of the transform in three passes: the classes (fft/lines.cuh) that transform lines of a, b and c
 * values. All passes have the same number of threads, and fetch tiles ahead. */
template <class First, class Middle, class Last>
struct three_shape {
    typedef First first;
    typedef Middle middle;
    typedef Last rows;
    static_assert(First::THREADS == Middle::THREADS && Middle::THREADS == Last::THREADS,
                  "a launch has one number of threads");
    static_assert(First::IS_AHEAD && Middle::IS_AHEAD && Last::IS_AHEAD, "tiles are fetched ahead");
    static constexpr int STEPS = 3, LOG_A = First::LOG_OF_LENGTH, LOG_B = Middle::LOG_OF_LENGTH,
                         LOG_C = Last::LOG_OF_LENGTH, LOG_N = LOG_A + LOG_B + LOG_C;
    static constexpr unsigned THREADS = First::THREADS;
    static constexpr size_t LARGER = First::SHARED_BYTES > Middle::SHARED_BYTES ? First::SHARED_BYTES
                                                                                : Middle::SHARED_BYTES,
                            SHARED_BYTES = LARGER > Last::SHARED_BYTES ? LARGER : Last::SHARED_BYTES;
};

/* A pass over columns: an array of matrices with 2^LOG_COLUMNS columns each, whose columns are transformed in
 * place or to the same places of another array, and multiplied by exp(-2 pi i row column / 2^LOG_TURN). */
template <class Lines, int LOG_COLUMNS, int LOG_TURN, int LOG_ITEMS>
struct pass_over_columns {
    typedef powers_of<Lines::POINTS> powers;
    static constexpr unsigned TILES = 1u << (LOG_ITEMS - Lines::LOG_OF_LENGTH - Lines::LOG_OF_COLUMNS);

    /* Returns the column of line 0 of a group of lines of a tile. */
    static __device__ unsigned column_of(unsigned tile, unsigned g)
    {
        return (tile * Lines::COLUMNS & ((1u << LOG_COLUMNS) - 1)) + g * Lines::WIDE;
    }
    /* Returns the place in memory of the first value of line 0 of a group. */
    static __device__ size_t begin_of(unsigned tile, unsigned g)
    {
        size_t matrix = (size_t)tile * Lines::COLUMNS >> LOG_COLUMNS;
        return (matrix << (Lines::LOG_OF_LENGTH + LOG_COLUMNS)) + column_of(tile, g);
    }
    struct place {
        __device__ size_t operator()(unsigned at) const { return (size_t)at << LOG_COLUMNS; }
    };
    static __device__ __forceinline__ void fetch(const float2 *from, unsigned tile)
    {
        if (tile < TILES) {
            const thread_of_lines<Lines> me(zero_here());
            lines_ahead<Lines>::fetch(me, from + begin_of(tile, me.g), place());
        }
    }

    /* Each pass is a function of its own, because together they would have too few registers. */
    static __device__ __noinline__ void run(const float2 *from, float2 *to, bool exchange)
    {
        float2 roots[Lines::ROOTS];
        fetch(from, blockIdx.x);
        Lines::make_roots(thread_of_lines<Lines>(zero_here()).t, roots);
        for (unsigned tile = blockIdx.x; tile < TILES; tile += gridDim.x) {
            const thread_of_lines<Lines> me(zero_here());
            float2 v[Lines::WIDE][Lines::POINTS];
            if (tile != blockIdx.x)
                __syncthreads(); /* all threads wait here until all have finished with the previous tile in
                                  * shared memory */
            lines_ahead<Lines>::take(v, exchange);
            fetch(from, tile + gridDim.x);
            Lines::stages(v, me.t, me.g, roots);
            turn_and_store(to, tile, v);
        }
    }

    static __device__ __forceinline__ void turn_and_store(float2 *to, unsigned tile,
                                                          float2 (*v)[Lines::POINTS])
    {
        const thread_of_lines<Lines> me(zero_here());
        const unsigned column = column_of(tile, me.g);
        float2 *begin = to + begin_of(tile, me.g);
        UNROLL(2)
        for (unsigned q = 0; q < Lines::WIDE; q++) {
            float2 step[powers::ROOTS];
            const float2 first = root<LOG_TURN>((column + q) * me.t);
            UNROLL(2)
            for (int r = 0; r < powers::ROOTS; r++)
                step[r] = root<LOG_TURN>((column + q) * (unsigned)Lines::STRIDE * (r ? 16 : 1));
            powers turn(step);
            UNROLL(32)
            for (int i = 0; i < Lines::POINTS; i++)
                v[q][i] = multiply(v[q][i], i ? multiply(turn[i], first) : first);
        }
        UNROLL(32)
        for (int i = 0; i < Lines::POINTS; i++) {
            values<Lines::WIDE> x;
            UNROLL(2)
            for (int q = 0; q < Lines::WIDE; q++)
                x.of[q] = v[q][i];
            store_values<Lines::WIDE, KEPT>(begin + place()(me.at(i)), x);
        }
    }
};

/* The last pass: transforms rows of n3, which lie together in memory, and stores values of adjacent k1 side
 * by side. A tile's rows are fetched in pairs of values, in the order of memory, and each thread takes the
 * values of its rows from shared memory. There the pairs of a row are permuted, so that threads with
 * different rows access different banks. */
template <class Shape>
struct pass_over_rows {
    typedef typename Shape::rows Lines;
    static_assert(Lines::WIDE == 2, "pairs of values are fetched, and pairs of rows are stored");
    static constexpr unsigned PAIRS = Lines::LENGTH / 2; /* number of pairs of values in a row */
    static constexpr int LOG_TILES_OF_K2 = Shape::LOG_A - Lines::LOG_OF_COLUMNS;
    static constexpr unsigned TILES = 1u << (LOG_TILES_OF_K2 + Shape::LOG_B);

    static __device__ unsigned first_k1(unsigned tile)
    {
        return (tile & ((1u << LOG_TILES_OF_K2) - 1)) * Lines::COLUMNS;
    }
    static __device__ unsigned k2_of(unsigned tile) { return tile >> LOG_TILES_OF_K2; }
    static __device__ values<2> *slot(unsigned row, unsigned pair)
    {
        return dynamic_shared<values<2>>() + row * PAIRS + (pair ^ (row / 2 % 8));
    }

    static __device__ __forceinline__ void fetch(const float2 *from, unsigned tile)
    {
        if (tile < TILES) {
            const unsigned thread = threadIdx.x + zero_here();
            const float2 *begin = from + ((size_t)first_k1(tile) << (Shape::LOG_B + Shape::LOG_C)) +
                                  ((size_t)k2_of(tile) << Shape::LOG_C);
            UNROLL(32)
            for (unsigned i = 0; i < Lines::POINTS; i++) {
                const unsigned at = i * Lines::THREADS + thread, row = at / PAIRS, pair = at % PAIRS;
                small_copy_16(slot(row, pair),
                              begin + ((size_t)row << (Shape::LOG_B + Shape::LOG_C)) + 2 * pair);
            }
            small_copies_commit();
        }
    }
    static __device__ __forceinline__ void take(float2 (*v)[Lines::POINTS])
    {
        const thread_of_lines<Lines> me(zero_here());
        small_copies_wait();
        __syncthreads(); /* all threads wait here until all have their copies in shared memory */
        UNROLL(32)
        for (int i = 0; i < Lines::POINTS; i++)
            UNROLL(2)
        for (unsigned q = 0; q < 2; q++)
            v[q][i] = slot(me.g * 2 + q, me.at(i) / 2)->of[me.at(i) % 2];
        __syncthreads(); /* all threads wait here until all have taken their values */
    }

    static __device__ __noinline__ void run(few_arrays a)
    {
        constexpr int LOG_ROWS = Shape::LOG_A + Shape::LOG_B;
        float2 roots[Lines::ROOTS];
        fetch(a.between, blockIdx.x);
        Lines::make_roots(thread_of_lines<Lines>(zero_here()).t, roots);
        for (unsigned tile = blockIdx.x; tile < TILES; tile += gridDim.x) {
            const thread_of_lines<Lines> me(zero_here());
            float2 v[Lines::WIDE][Lines::POINTS];
            take(v);
            fetch(a.between, tile + gridDim.x);
            Lines::stages(v, me.t, me.g, roots);
            const unsigned line = (k2_of(tile) << Shape::LOG_A) + first_k1(tile) + me.g * Lines::WIDE;
            store_lines<Lines, KEPT>(me, a.output, v, a.inverse,
                                     a.inverse ? 1.0f / (float)(1u << Shape::LOG_N) : 1.0f,
                                     [&](unsigned at) { return ((size_t)at << LOG_ROWS) + line; });
        }
    }
};

/* The FFT in three passes as a step loop (harness/step_loop.cuh). In the kernel that all methods share, a
 * barrier begins anew each time, which not every barrier allows (fft/fft.cu refuses the others). */
template <class Shape>
struct three_pass_fft {
    static constexpr int STEPS = Shape::STEPS;
    static constexpr unsigned THREADS = Shape::THREADS;
    static constexpr bool IS_LARGE = true;

    few_arrays arrays;

    __device__ void look_ahead(int) {}

    __device__ void operator()(int s)
    {
        typedef typename Shape::first First;
        typedef typename Shape::middle Middle;
        constexpr int LOG_M = Shape::LOG_B + Shape::LOG_C;
        if (s == 0)
            pass_over_columns<First, LOG_M, Shape::LOG_N, Shape::LOG_N>::run(arrays.input, arrays.between,
                                                                             arrays.inverse);
        else if (s == 1)
            pass_over_columns<Middle, Shape::LOG_C, LOG_M, Shape::LOG_N>::run(arrays.between, arrays.between,
                                                                              false);
        else
            pass_over_rows<Shape>::run(arrays);
    }
};

/* The step loop for a shape. */
template <class Shape, int STEPS = Shape::STEPS>
struct step_of_shape {
    typedef few_barriers_fft<Shape> type;
    static type make(const few_arrays &arrays) { return {arrays, {}, false, {}}; }
};
template <class Shape>
struct step_of_shape<Shape, 3> {
    typedef three_pass_fft<Shape> type;
    static type make(const few_arrays &arrays) { return {arrays}; }
};

#endif
