/*
 * The FFT of N = rows x columns values in one kernel with one grid barrier (the four-step method of Bailey 1990): in
 * place of log2 N steps that each pass over memory, two passes of transforms that fit in a block.
 *
 *     step 0: blocks take adjacent columns, transform them, turn each value by exp(-2 pi i row column / N), and leave
 *             them so that what a block reads next lies together
 *     step 1: blocks take adjacent rows and transform them into natural order
 *
 * How it differs from the paper's FFT (fft/fft.cu): a thread keeps 4 to 16 values in registers, exchanges are in shared
 * memory, twiddles are computed while the loads are on their way, and the whole has one barrier in place of log2 N - 1.
 */
#ifndef FFT_FEW_BARRIERS_CUH
#define FFT_FEW_BARRIERS_CUH

#include "fft/lines.cuh"

#define FEW_LEAST 10 /* log2 N */
#define FEW_MOST 24

/* What both passes work on. The inverse transform is the forward one of the values with their parts exchanged. */
struct few_pass {
    const float2 *from;
    float2 *to;
    int log_n, log_other; /* of lines of the other pass: as many as this pass has lines */
    int log_tile;         /* lines that a block of the second pass takes together */
    bool first, inverse;
    float scale;
};

static __device__ __forceinline__ float2 exchanged(float2 v, bool exchange)
{
    return exchange ? make_float2(v.y, v.x) : v;
}

/* From the cache that all multiprocessors share: another one's stores are never in the own. */
template <int WIDE>
static __device__ __forceinline__ values<WIDE> load_shared_by_all(const float2 *p)
{
    values<WIDE> x;
#ifdef GPUSYNC_MACHINE
    for (int q = 0; q < WIDE; q++)
        x.of[q] = p[q];
#else
    if constexpr (WIDE == 2) {
        float4 v = __ldcg((const float4 *)p);
        x.of[0] = make_float2(v.x, v.y);
        x.of[1] = make_float2(v.z, v.w);
    } else {
        x.of[0] = __ldcg(p);
    }
#endif
    return x;
}

/* One tile of COLUMNS lines, numbered `tile`. */
template <class Lines>
static __device__ __forceinline__ void few_tile(const few_pass &p, unsigned tile)
{
    constexpr int POINTS = Lines::POINTS, WIDE = Lines::WIDE, STRIDE = Lines::STRIDE;
    unsigned thread = threadIdx.x, g = thread % Lines::GROUPS, t = thread / Lines::GROUPS;
    unsigned line = tile * Lines::COLUMNS + g * WIDE;
    float2 v[WIDE][POINTS];
    UNROLL(16)
    for (int i = 0; i < POINTS; i++) {
        unsigned at = t + (unsigned)(i * STRIDE); /* in the line */
        /* the first pass reads columns of the input; the second what the first left for this tile */
        size_t place = p.first ? ((size_t)at << p.log_other) + line
                               : ((size_t)tile * Lines::LENGTH + at) * Lines::COLUMNS + g * WIDE;
        values<WIDE> x = load_shared_by_all<WIDE>(p.from + place);
        UNROLL(2)
        for (int q = 0; q < WIDE; q++)
            v[q][i] = exchanged(x.of[q], p.first && p.inverse);
    }
    Lines::template stages<0, 0>(v, t, g);
    if (p.first) {
        UNROLL(2)
        for (int q = 0; q < WIDE; q++) {
            float2 turn[POINTS], first = root((float)((line + q) * t) / (float)(1u << p.log_n));
            powers_of<POINTS>(root((float)((line + q) * (unsigned)STRIDE) / (float)(1u << p.log_n)), turn);
            UNROLL(16)
            for (int i = 0; i < POINTS; i++) {
                unsigned row = t + (unsigned)(i * STRIDE), tile_of_row = row >> p.log_tile;
                size_t place = ((((size_t)tile_of_row << p.log_other) + line + q) << p.log_tile) +
                               (row & ((1u << p.log_tile) - 1));
                p.to[place] = multiply(v[q][i], multiply(turn[i], first));
            }
        }
        return;
    }
    UNROLL(16)
    for (int i = 0; i < POINTS; i++) {
        values<WIDE> x;
        UNROLL(2)
        for (int q = 0; q < WIDE; q++) {
            float2 y = exchanged(v[q][i], p.inverse);
            x.of[q] = make_float2(y.x * p.scale, y.y * p.scale);
        }
        *(values<WIDE> *)(p.to + ((size_t)(t + (unsigned)(i * STRIDE)) << p.log_other) + line) = x;
    }
}

/* All tiles that fall to this block. Not inlined: the kernels of all barriers share it. */
template <class Lines>
static __device__ __noinline__ void few_tiles(few_pass p)
{
    unsigned tiles = (1u << p.log_other) / Lines::COLUMNS;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (tile != blockIdx.x)
            __syncthreads(); /* the tile before is done with the shared memory */
        few_tile<Lines>(p, tile);
    }
}

/* Both passes of a size have as many threads. */
template <class Columns, class Rows>
struct few_shape {
    typedef Columns first;
    typedef Rows second;
    static_assert(Columns::THREADS == Rows::THREADS, "a launch has one number of threads");
    static constexpr unsigned THREADS = Columns::THREADS;
    static constexpr size_t SHARED_BYTES =
        Columns::SHARED_BYTES > Rows::SHARED_BYTES ? Columns::SHARED_BYTES : Rows::SHARED_BYTES;
};

/* Calls `call` with the shape for 2^log_n values. No more than 256 threads: with 16 values of two lines each, a thread
 * has all the registers that it can have. */
#ifdef __CUDACC__
#pragma nv_exec_check_disable /* host code calls host code, device code device code */
#endif
template <class Call>
static inline __host__ __device__ void with_few_shape(int log_n, Call call)
{
    switch (log_n) {
    case 10:
        return call(few_shape<lines<5, 2, 2, 0>, lines<5, 2, 2, 0>>());
    case 11:
        return call(few_shape<lines<6, 2, 2, 0>, lines<5, 2, 3, 0>>());
    case 12:
        return call(few_shape<lines<6, 2, 2, 0>, lines<6, 2, 2, 0>>());
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
        return call(few_shape<lines<10, 4, 3, 1>, lines<9, 3, 2, 0>>());
    case 20:
        return call(few_shape<lines<10, 4, 3, 1>, lines<10, 4, 3, 1>>());
    case 21:
        return call(few_shape<lines<11, 4, 2, 1>, lines<10, 4, 3, 1>>());
    case 22:
        return call(few_shape<lines<11, 4, 2, 1>, lines<11, 4, 2, 1>>());
    case 23:
        return call(few_shape<lines<12, 4, 1, 1>, lines<11, 4, 2, 1>>());
    default:
        return call(few_shape<lines<12, 4, 1, 1>, lines<12, 4, 1, 1>>());
    }
}

/* The step of harness/step_loop.cuh: of two. */
struct FewBarriersStep {
    const float2 *input;
    float2 *between, *output;
    int log_n;
    bool inverse;

    __device__ void look_ahead(int) {} /* so that the loop has no barrier after the second pass */

    __device__ void operator()(int s) const
    {
        with_few_shape(log_n, [&](auto shape) {
            typedef decltype(shape) Shape;
            int log_columns = log_n / 2, log_rows = log_n - log_columns; /* numbers of them */
            int log_tile = 0;
            while (1 << log_tile < Shape::second::COLUMNS)
                log_tile++;
            if (s == 0)
                few_tiles<typename Shape::first>(
                    {input, between, log_n, log_columns, log_tile, true, inverse, 1});
            else
                few_tiles<typename Shape::second>({between, output, log_n, log_rows, log_tile, false, inverse,
                                                   inverse ? 1 / (float)(1u << log_n) : 1});
        });
    }
};

#endif
