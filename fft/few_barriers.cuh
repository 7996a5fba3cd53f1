/*
 * The FFT of N = rows x columns values in one kernel with one grid barrier (the four-step method of Bailey
 * 1990): two passes of transforms that fit in a block replace log2 N steps that each pass over memory.
 *
 *     step 0: blocks take adjacent columns, transform them, multiply each by exp(-2 pi i row column / N),
 *             and store them so that the values that a block reads next lie together
 *     step 1: blocks take adjacent rows and transform them into natural order
 *
 * In contrast to Xiao and Feng's FFT (fft/fft.cu), a thread keeps 4 to 32 values in registers, exchanges go
 * through shared memory, twiddles are computed while loads or the barrier are pending, and there is one
 * barrier in place of log2 N - 1. Up to 2^12 values one block does the whole transform, without any barrier.
 *
 * The inverse transform is the forward transform of the values with real and imaginary parts exchanged.
 */
#ifndef FFT_FEW_BARRIERS_CUH
#define FFT_FEW_BARRIERS_CUH

#include "fft/ahead.cuh"
#include "fft/between.cuh"

/* The shape of the transform for N = rows x columns. Columns is the class (fft/lines.cuh) that transforms
 * lines of `rows` values, one for each column, and Rows the class that transforms lines of `columns` values,
 * one for each row. Both passes have the same number of threads. */
template <class Columns, class Rows>
struct few_shape {
    typedef Columns columns;
    typedef Rows rows;
    static_assert(Columns::THREADS == Rows::THREADS, "a launch has one number of threads");
    static constexpr int STEPS = 2, LOG_ROWS = Columns::LOG_OF_LENGTH, LOG_COLUMNS = Rows::LOG_OF_LENGTH,
                         LOG_N = LOG_ROWS + LOG_COLUMNS;
    static constexpr unsigned THREADS = Columns::THREADS;
    static constexpr unsigned TILES_OF_COLUMNS = (1u << LOG_COLUMNS) / Columns::COLUMNS,
                              TILES_OF_ROWS = (1u << LOG_ROWS) / Rows::COLUMNS;
    static constexpr size_t SHARED_BYTES =
        Columns::SHARED_BYTES > Rows::SHARED_BYTES ? Columns::SHARED_BYTES : Rows::SHARED_BYTES;
    /* How long the L2 cache keeps values. Three arrays of 2^21 values are 48 MB, which is the size of the L2
     * caches of GPUs of 2022. For this N the cache should keep the values between the passes, and not the
     * output. For larger N it should keep the output, too, until all segments of a cache line are there. */
    static constexpr kept OF_BETWEEN = LOG_N == 21 ? USED_UP : KEPT,
                          OF_OUTPUT = LOG_N == 21 ? STREAMED : KEPT;

    /* Returns where the first pass stores a value: by tiles of rows, and within a tile line by line, in the
     * order in which the second pass reads them. */
    static __device__ __forceinline__ size_t place_between(unsigned row, unsigned column)
    {
        constexpr int LOG_TILE = Rows::LOG_OF_COLUMNS;
        unsigned in_tile = row & ((1u << LOG_TILE) - 1);
        return (((size_t)(row >> LOG_TILE) << LOG_COLUMNS) + column) << LOG_TILE | in_tile;
    }
};

template <class A, class B>
struct equal_lines {
    static constexpr bool value = false;
};
template <class A>
struct equal_lines<A, A> {
    static constexpr bool value = true;
};

/* The shape of the transform for small N: one block does the whole transform, as one line of values. */
template <class Line>
struct few_line {
    typedef Line rows;
    static constexpr int STEPS = 1, LOG_N = Line::LOG_OF_LENGTH;
    static constexpr unsigned THREADS = Line::THREADS;
    static constexpr size_t SHARED_BYTES = Line::SHARED_BYTES;
};

/* Returns a zero that depends on a reading of the clock, which the compiler does not move: so nothing that
 * uses this zero is computed before this place in the code. Otherwise the compiler would compute a pass's
 * addresses and roots of unity before the first pass's loads, or before a block's arrival at the barrier, for
 * which other blocks wait. */
static __device__ __forceinline__ unsigned zero_here()
{
    unsigned clock = 0;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
    return clock & (blockDim.y - 1);
}

/* The twiddle factors exp(-2 pi i row column / N) of a thread's columns: `first` is the factor in its first
 * row, and `step` leads from one of its rows to the next. */
template <class Shape>
struct turns_of_columns {
    typedef typename Shape::columns Lines;
    typedef powers_of<Lines::POINTS> powers;
    float2 first[Lines::WIDE], step[Lines::WIDE * powers::ROOTS];

    __device__ __forceinline__ void make(unsigned line, unsigned t)
    {
        UNROLL(2)
        for (int q = 0; q < Lines::WIDE; q++) {
            unsigned column = line + (unsigned)q;
            first[q] = root<Shape::LOG_N>(column * t);
            UNROLL(2)
            for (int r = 0; r < powers::ROOTS; r++)
                step[q * powers::ROOTS + r] =
                    root<Shape::LOG_N>(column * (unsigned)Lines::STRIDE * (r ? 16 : 1));
        }
    }
    __device__ __forceinline__ unsigned zero_after_all() const
    {
        return zero_after<Lines::WIDE>(first) | zero_after<Lines::WIDE * powers::ROOTS>(step);
    }
};

/* The places in memory of the values of a tile of columns: from() returns where the WIDE lines of group g
 * begin, and the call operator returns the distance from a line's beginning to its value number `at`. */
template <class Shape>
struct place_of_columns {
    typedef typename Shape::columns Lines;
    static __device__ const float2 *from(const few_arrays &a, unsigned tile, unsigned g)
    {
        return a.input + tile * Lines::COLUMNS + g * Lines::WIDE;
    }
    __device__ size_t operator()(unsigned at) const { return (size_t)at << Shape::LOG_COLUMNS; }
};
template <class Shape>
struct place_of_rows {
    typedef typename Shape::rows Lines;
    static __device__ float2 *from(const few_arrays &a, unsigned tile, unsigned g)
    {
        return a.between + (size_t)tile * Lines::LENGTH * Lines::COLUMNS + g * Lines::WIDE;
    }
    __device__ size_t operator()(unsigned at) const { return (size_t)at * Lines::COLUMNS; }
};

/* Fetches the values of tile `tile`, if there is such a tile. The function computes the addresses of the tile
 * anew each time, because the current tile's values leave no registers free to keep addresses. */
template <class Place>
static __device__ __forceinline__ void fetch_next(const few_arrays &a, unsigned tile, unsigned tiles)
{
    if (tile < tiles) {
        thread_of_lines<typename Place::Lines> me(zero_here());
        lines_ahead<typename Place::Lines>::fetch(me, Place::from(a, tile, me.g), Place());
    }
}

/* Transforms a tile of columns. The results are stored in the order in which the next pass reads them. */
template <class Shape, class Between>
static __device__ __forceinline__ void few_columns(const few_arrays &a, Between &between, unsigned tile,
                                                   float2 *roots)
{
    typedef typename Shape::columns Lines;
    typedef place_of_columns<Shape> place;
    constexpr int POINTS = Lines::POINTS, WIDE = Lines::WIDE, ROOTS = powers_of<POINTS>::ROOTS;
    thread_of_lines<Lines> me(zero_here());
    const float2 *from = place::from(a, tile, me.g);
    unsigned line = tile * Lines::COLUMNS + me.g * WIDE, zero = 0;
    float2 v[WIDE][POINTS];
    turns_of_columns<Shape> turns;
    if constexpr (Lines::IS_AHEAD) {
        if (tile == blockIdx.x) {
            lines_ahead<Lines>::fetch(me, from, place());
            Lines::make_roots(me.t, roots);
        }
        lines_ahead<Lines>::take(v, a.inverse);
        fetch_next<place>(a, tile + gridDim.x, Shape::TILES_OF_COLUMNS);
        between.begin(a);
    } else {
        load_lines<Lines, KEPT>(me, from, v, a.inverse, place());
        between.begin(a);
        Lines::make_roots(me.t, roots);
        turns.make(line, me.t);
        zero = zero_after<Lines::ROOTS>(roots) | turns.zero_after_all();
    }
    Lines::stages(v, me.t + zero, me.g, roots);
    /* The twiddles are computed only here, because no registers were free earlier. So their computation does
     * not overlap with a pending load. */
    if constexpr (Lines::IS_AHEAD)
        turns.make(line, me.t + zero_here());
    UNROLL(2)
    for (int q = 0; q < WIDE; q++) {
        powers_of<POINTS> turn(turns.step + q * ROOTS);
        UNROLL(32)
        for (int i = 0; i < POINTS; i++) {
            between.put(a.between + Shape::place_between(me.at(i), line + (unsigned)q),
                        multiply(v[q][i], i ? multiply(turn[i], turns.first[q]) : turns.first[q]));
        }
    }
}

/* Transforms a tile of rows and stores it in natural order. */
template <class Shape, class Between>
static __device__ __forceinline__ void few_rows(const few_arrays &a, const Between &between, unsigned tile,
                                                const float2 *roots)
{
    typedef typename Shape::rows Lines;
    typedef place_of_rows<Shape> place;
    thread_of_lines<Lines> me(zero_here());
    float2 *from = place::from(a, tile, me.g);
    float2 v[Lines::WIDE][Lines::POINTS];
    if constexpr (Lines::IS_AHEAD && Between::ORDERED) {
        if (tile == blockIdx.x)
            lines_ahead<Lines>::fetch(me, from, place());
        lines_ahead<Lines>::take(v, false);
        fetch_next<place>(a, tile + gridDim.x, Shape::TILES_OF_ROWS);
    } else {
        between.template take<Lines, Shape::OF_BETWEEN>(me, from, v, place());
    }
    Lines::stages(v, me.t, me.g, roots);
    unsigned line = tile * Lines::COLUMNS + me.g * Lines::WIDE;
    store_lines<Lines, Shape::OF_OUTPUT>(me, a.output, v, a.inverse,
                                         a.inverse ? 1.0f / (float)(1u << Shape::LOG_N) : 1.0f,
                                         [&](unsigned at) { return ((size_t)at << Shape::LOG_ROWS) + line; });
}

template <class Shape>
static __device__ __forceinline__ void few_whole(const few_arrays &a)
{
    typedef typename Shape::rows Lines;
    thread_of_lines<Lines> me;
    float2 v[Lines::WIDE][Lines::POINTS], roots[Lines::ROOTS];
    load_lines<Lines, KEPT>(me, a.input, v, a.inverse, [](unsigned at) { return (size_t)at; });
    Lines::make_roots(me.t, roots);
    Lines::stages(v, me.t + zero_after<Lines::ROOTS>(roots), me.g, roots);
    store_lines<Lines, KEPT>(me, a.output, v, a.inverse, a.inverse ? 1.0f / (float)Lines::LENGTH : 1.0f,
                             [](unsigned at) { return (size_t)at; });
}

/* The FFT with one barrier as a step loop (harness/step_loop.cuh). */
template <class Shape, class Between = ordered_values>
struct few_barriers_fft {
    static constexpr int STEPS = Shape::STEPS;
    static constexpr unsigned THREADS = Shape::THREADS;
    /* whether N is so large that the cost of a jump cannot be measured in the kernel's time */
    static constexpr bool IS_LARGE = Shape::LOG_N > 18;

    few_arrays arrays;
    float2 roots[Shape::rows::ROOTS]; /* the roots of unity with which this thread transforms rows */
    /* whether `roots` is already computed: if rows and columns have equal lines, step 0 leaves its roots
     * there */
    bool has_roots;
    Between between;

    __device__ void look_ahead(int s)
    {
        if (s == 0)
            has_roots = false;
        else if (!has_roots)
            Shape::rows::make_roots(thread_of_lines<typename Shape::rows>(zero_here()).t, roots);
    }

    __device__ void operator()(int s)
    {
        if constexpr (Shape::STEPS == 1) {
            if (blockIdx.x == 0)
                few_whole<Shape>(arrays);
        } else if (s == 0) {
            columns();
        } else {
            rows();
        }
    }

    __device__ __forceinline__ void columns()
    {
        typedef typename Shape::columns Columns;
        constexpr bool EQUAL = equal_lines<Columns, typename Shape::rows>::value;
        float2 others[EQUAL ? 1 : Columns::ROOTS], *made = EQUAL ? roots : others;
        for (unsigned tile = blockIdx.x; tile < Shape::TILES_OF_COLUMNS; tile += gridDim.x) {
            if (tile != blockIdx.x)
                __syncthreads(); /* all threads wait here until all have finished with the previous tile in
                                  * shared memory */
            few_columns<Shape>(arrays, between, tile, made);
        }
        has_roots = EQUAL;
    }

    __device__ __forceinline__ void rows()
    {
        for (unsigned tile = blockIdx.x; tile < Shape::TILES_OF_ROWS; tile += gridDim.x) {
            if (tile != blockIdx.x)
                __syncthreads();
            few_rows<Shape>(arrays, between, tile, roots);
        }
    }
};

/* The FFT without any barrier: a block continues with its rows, and waits only for the values that it needs.
 * All blocks must be resident. */
template <class Shape>
static __global__ void __launch_bounds__(Shape::THREADS) fft_by_dataflow(few_arrays arrays)
{
    few_barriers_fft<Shape, awaited_values> fft = {arrays, {}, false, {}};
    begin_early();
    if constexpr (Shape::STEPS == 1) {
        fft(0);
    } else {
        if (blockIdx.x >= Shape::TILES_OF_COLUMNS && blockIdx.x >= Shape::TILES_OF_ROWS)
            return;
        fft.look_ahead(0);
        fft(0);
        __syncthreads(); /* all threads wait here until all have finished with the columns in shared memory */
        fft.look_ahead(1);
        if (blockIdx.x >= Shape::TILES_OF_COLUMNS)
            fft.between.begin(arrays);
        fft(1);
        if (threadIdx.x == 0)
            fft.between.end(arrays);
    }
}

#endif
