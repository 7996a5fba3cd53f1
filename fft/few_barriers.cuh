/*
 * The FFT of N = rows x columns values in one kernel with one grid barrier (the four-step method of Bailey
 * 1990): two passes of transforms that fit in a block replace log2 N steps that each pass over memory.
 *
 *     step 0: blocks take adjacent columns, transform them, multiply each by exp(-2 pi i row column / N),
 *             and store them so that the values that a block reads next lie together
 *     step 1: blocks take adjacent rows and transform them into natural order
 *
 * How it differs from the paper's FFT (fft/fft.cu): a thread keeps 4 to 16 values in registers, exchanges go
 * through shared memory, twiddles are computed while loads or the barrier are pending, and there is one
 * barrier in place of log2 N - 1. Up to 2^12 values one block does the whole transform, without any barrier.
 *
 * The inverse transform is the forward transform of the values with real and imaginary parts exchanged.
 */
#ifndef FFT_FEW_BARRIERS_CUH
#define FFT_FEW_BARRIERS_CUH

#include "fft/lines.cuh"
#include "sync/full_empty.cuh"

#include <string.h>

#define FEW_LEAST 10 /* log2 N */
#define FEW_MOST 24

static __device__ __forceinline__ float2 exchanged(float2 v, bool exchange)
{
    return exchange ? make_float2(v.y, v.x) : v;
}

/* How long the L2 cache keeps what is loaded or stored: as it likes, or only until it needs the room (PTX ISA, "Cache
 * Operators": .cs, and for loads .lu, "last use"). Only hints: that another multiprocessor's stores are seen is due to
 * the barrier's fence. */
enum kept { KEPT, STREAMED, USED_UP };

template <kept HOW, class Vector>
static __device__ __forceinline__ Vector load_vector(const Vector *p)
{
#ifdef GPUSYNC_MACHINE
    return *p;
#else
    if constexpr (HOW == STREAMED)
        return __ldcs(p);
    else if constexpr (HOW == USED_UP)
        return __ldlu(p);
    else
        return __ldcg(p);
#endif
}

template <int WIDE, kept HOW>
static __device__ __forceinline__ values<WIDE> load_shared_by_all(const float2 *p)
{
    values<WIDE> x;
    if constexpr (WIDE == 2) {
        float4 v = load_vector<HOW>((const float4 *)p);
        x.of[0] = make_float2(v.x, v.y);
        x.of[1] = make_float2(v.z, v.w);
    } else {
        x.of[0] = load_vector<HOW>(p);
    }
    return x;
}

template <int WIDE, kept HOW>
static __device__ __forceinline__ void store_values(float2 *p, const values<WIDE> &x)
{
#ifndef GPUSYNC_MACHINE
    if constexpr (HOW == STREAMED && WIDE == 2)
        return __stcs((float4 *)p, make_float4(x.of[0].x, x.of[0].y, x.of[1].x, x.of[1].y));
#endif
    *(values<WIDE> *)p = x;
}

/* N = rows x columns: Columns transforms one line of `rows` values for each column; Rows the other way round.
 * Both passes have equally many threads. */
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
    /* Three arrays of 2^21 values are 48 MB, as much as L2 caches of 2022 hold: then it keeps what is between the
     * passes rather than the output, and of larger arrays rather than the input, too. */
    static constexpr kept OF_INPUT = LOG_N > 21 ? STREAMED : KEPT, OF_BETWEEN = LOG_N > 20 ? USED_UP : KEPT,
                          OF_OUTPUT = LOG_N > 20 ? STREAMED : KEPT;
};

template <class A, class B>
struct equal_lines {
    static constexpr bool value = false;
};
template <class A>
struct equal_lines<A, A> {
    static constexpr bool value = true;
};

/* The whole transform by one block, as one line. */
template <class Line>
struct few_line {
    typedef Line rows;
    static constexpr int STEPS = 1, LOG_N = Line::LOG_OF_LENGTH;
    static constexpr unsigned THREADS = Line::THREADS;
    static constexpr size_t SHARED_BYTES = Line::SHARED_BYTES;
};

struct few_arrays {
    const float2 *input;
    float2 *between, *output;
    bool inverse;
};

/* Zero, but not before this place, because reading the clock stays here. Otherwise the compiler would compute
 * addresses and roots of a pass before the first pass's loads, or before a block's arrival at the barrier,
 * for which others wait. */
static __device__ __forceinline__ unsigned zero_here()
{
    unsigned clock = 0;
#ifndef GPUSYNC_MACHINE
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
#endif
    return clock & (blockDim.y - 1);
}

template <class Lines>
struct thread_of_lines {
    unsigned g, t;

    __device__ explicit thread_of_lines(unsigned zero = 0)
        : g((threadIdx.x + zero) % Lines::GROUPS), t((threadIdx.x + zero) / Lines::GROUPS)
    {
    }

    /* In its line. */
    __device__ unsigned at(int i) const { return t + (unsigned)(i * Lines::STRIDE); }
};

/* `place`: the place of value `at` of line 0; lines lie side by side. */
template <class Lines, kept HOW, class Place>
static __device__ __forceinline__ void load_lines(const thread_of_lines<Lines> &me, const float2 *from,
                                                  float2 (*v)[Lines::POINTS], bool exchange, Place place)
{
    UNROLL(16)
    for (int i = 0; i < Lines::POINTS; i++) {
        values<Lines::WIDE> x = load_shared_by_all<Lines::WIDE, HOW>(from + place(me.at(i)));
        UNROLL(2)
        for (int q = 0; q < Lines::WIDE; q++)
            v[q][i] = exchanged(x.of[q], exchange);
    }
}

/* The values between the passes: plain values, which a barrier orders. */
struct ordered_values {
    static __device__ __forceinline__ void put(float2 *to, float2 v) { *to = v; }

    template <class Lines, kept HOW, class Place>
    static __device__ __forceinline__ void take(const thread_of_lines<Lines> &me, float2 *from,
                                                float2 (*v)[Lines::POINTS], Place place)
    {
        load_lines<Lines, HOW>(me, from, v, false, place);
    }
};

/* Self-validating values: the second pass waits for them one by one,
 * without a barrier (sync/full_empty.cuh). */
struct awaited_values {
    /* A value is never all ones, which means empty: arithmetic makes NaNs with other bits,
     * and input is finite. */
    static __device__ __forceinline__ void put(float2 *to, float2 v)
    {
        full_empty_word word;
        memcpy(&word, &v, sizeof word);
        full_empty_fill((full_empty_word *)to, word);
    }

    template <class Lines, kept, class Place>
    static __device__ __forceinline__ void take(const thread_of_lines<Lines> &me, float2 *from,
                                                float2 (*v)[Lines::POINTS], Place place)
    {
        full_empty_word word[Lines::WIDE][Lines::POINTS];
        bool full;
        do {
            full = true;
            each<Lines>(
                [&](int q, int i) { word[q][i] = full_empty_load(word_at(from, place(me.at(i)), q)); });
            each<Lines>([&](int q, int i) { full = full && full_empty_is_full(word[q][i]); });
        } while (!full);
        each<Lines>([&](int q, int i) {
            full_empty_leave_empty(word_at(from, place(me.at(i)), q));
            memcpy(&v[q][i], &word[q][i], sizeof v[q][i]);
        });
    }

  private:
    static __device__ __forceinline__ full_empty_word *word_at(float2 *from, size_t place, int q)
    {
        return (full_empty_word *)(from + place + q);
    }
    template <class Lines, class Do>
    static __device__ __forceinline__ void each(Do act)
    {
        UNROLL(16)
        for (int i = 0; i < Lines::POINTS; i++)
            UNROLL(2)
        for (int q = 0; q < Lines::WIDE; q++)
            act(q, i);
    }
};

template <class Lines, kept HOW, class Place>
static __device__ __forceinline__ void store_lines(const thread_of_lines<Lines> &me, float2 *to,
                                                   float2 (*v)[Lines::POINTS], bool inverse, float scale,
                                                   Place place)
{
    UNROLL(16)
    for (int i = 0; i < Lines::POINTS; i++) {
        values<Lines::WIDE> x;
        UNROLL(2)
        for (int q = 0; q < Lines::WIDE; q++) {
            float2 y = exchanged(v[q][i], inverse);
            x.of[q] = make_float2(y.x * scale, y.y * scale);
        }
        store_values<Lines::WIDE, HOW>(to + place(me.at(i)), x);
    }
}

/* Columns: COLUMNS lines of each tile. The results lie by tiles of the other pass, line by line. */
template <class Shape, class Between>
static __device__ __forceinline__ void few_columns(const few_arrays &a, unsigned tile, float2 *roots)
{
    typedef typename Shape::columns Lines;
    constexpr int POINTS = Lines::POINTS, WIDE = Lines::WIDE, LOG_TILE = Shape::rows::LOG_OF_COLUMNS;
    thread_of_lines<Lines> me(zero_here());
    unsigned line = tile * Lines::COLUMNS + me.g * WIDE;
    float2 v[WIDE][POINTS], first[WIDE], step[WIDE];
    load_lines<Lines, Shape::OF_INPUT>(
        me, a.input, v, a.inverse, [&](unsigned at) { return ((size_t)at << Shape::LOG_COLUMNS) + line; });
    Lines::make_roots(me.t, roots);
    UNROLL(2)
    for (int q = 0; q < WIDE; q++) {
        first[q] = root<Shape::LOG_N>((line + (unsigned)q) * me.t);
        step[q] = root<Shape::LOG_N>((line + (unsigned)q) * (unsigned)Lines::STRIDE);
    }
    unsigned zero = zero_after<Lines::ROOTS>(roots) | zero_after<WIDE>(first) | zero_after<WIDE>(step);
    Lines::stages(v, me.t + zero, me.g, roots);
    UNROLL(2)
    for (int q = 0; q < WIDE; q++) {
        float2 turn[POINTS];
        powers_of<POINTS>(step[q], turn);
        UNROLL(16)
        for (int i = 0; i < POINTS; i++) {
            unsigned row = me.at(i), in_tile = row & ((1u << LOG_TILE) - 1);
            size_t place = (((size_t)(row >> LOG_TILE) << Shape::LOG_COLUMNS) + line + (unsigned)q)
                               << LOG_TILE |
                           in_tile;
            Between::put(a.between + place, multiply(v[q][i], i ? multiply(turn[i], first[q]) : first[q]));
        }
    }
}

/* Rows, into natural order. */
template <class Shape, class Between>
static __device__ __forceinline__ void few_rows(const few_arrays &a, unsigned tile, const float2 *roots)
{
    typedef typename Shape::rows Lines;
    thread_of_lines<Lines> me(zero_here());
    float2 v[Lines::WIDE][Lines::POINTS];
    float2 *from = a.between + (size_t)tile * Lines::LENGTH * Lines::COLUMNS + me.g * Lines::WIDE;
    Between::template take<Lines, Shape::OF_BETWEEN>(me, from, v,
                                                     [](unsigned at) { return (size_t)at * Lines::COLUMNS; });
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

/* The step of harness/step_loop.cuh. */
template <class Shape, class Between = ordered_values>
struct few_barriers_fft {
    static constexpr int STEPS = Shape::STEPS;
    static constexpr unsigned THREADS = Shape::THREADS;
    static constexpr bool IS_LARGE = Shape::LOG_N > 18; /* too long for a jump to show */

    few_arrays arrays;
    float2 roots[Shape::rows::ROOTS]; /* of the rows */
    bool has_roots;                   /* already: equal lines of both passes have equal ones */

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
                __syncthreads(); /* the tile before is done with the shared memory */
            few_columns<Shape, Between>(arrays, tile, made);
        }
        has_roots = EQUAL;
    }

    __device__ __forceinline__ void rows()
    {
        for (unsigned tile = blockIdx.x; tile < Shape::TILES_OF_ROWS; tile += gridDim.x) {
            if (tile != blockIdx.x)
                __syncthreads();
            few_rows<Shape, Between>(arrays, tile, roots);
        }
    }
};

/* The transform without any barrier: a block continues with its rows, and waits only for their values. All
 * blocks must be resident. */
template <class Shape>
static __global__ void __launch_bounds__(Shape::THREADS) fft_by_dataflow(few_arrays arrays)
{
    few_barriers_fft<Shape, awaited_values> fft = {arrays, {}, false};
    begin_early();
    for (int s = 0; s < Shape::STEPS; s++) {
        if (s > 0)
            __syncthreads(); /* all are done with the shared memory of the columns */
        fft.look_ahead(s);
        fft(s);
    }
}

/* Calls `call` with the shape for 2^log_n values. */
template <class Call>
static void with_few_shape(int log_n, Call call)
{
    switch (log_n) {
    case 10:
        return call(few_line<lines<10, 3, 0, 0>>());
    case 11:
        return call(few_line<lines<11, 4, 0, 0>>());
    case 12:
        return call(few_line<lines<12, 4, 0, 0>>());
    case 13:
        return call(few_shape<lines<7, 2, 2, 0>, lines<6, 2, 3, 0>>());
    case 14:
        return call(few_shape<lines<7, 2, 2, 0>, lines<7, 2, 2, 0>>());
    case 15:
        return call(few_shape<lines<8, 3, 2, 0>, lines<7, 2, 2, 0>>());
    case 16:
        return call(few_shape<lines<8, 3, 2, 0>, lines<8, 3, 2, 0>>());
    case 17:
        return call(few_shape<lines<9, 3, 2, 0>, lines<8, 3, 3, 0>>());
    case 18:
        return call(few_shape<lines<9, 3, 2, 0>, lines<9, 3, 2, 0>>());
    case 19:
        return call(few_shape<lines<10, 4, 2, 0>, lines<9, 3, 2, 0>>());
    case 20:
        return call(few_shape<lines<10, 4, 3, 1>, lines<10, 4, 3, 1>>());
    case 21:
        return call(few_shape<lines<10, 4, 4, 1>, lines<11, 4, 3, 1>>());
    case 22:
        return call(few_shape<lines<11, 4, 3, 1>, lines<11, 4, 3, 1>>());
    case 23:
        return call(few_shape<lines<12, 4, 2, 1>, lines<11, 4, 3, 1>>());
    default:
        return call(few_shape<lines<12, 4, 2, 1>, lines<12, 4, 2, 1>>());
    }
}

#endif
