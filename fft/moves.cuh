/* A thread's loads and stores of lines in global memory. */
#ifndef FFT_MOVES_CUH
#define FFT_MOVES_CUH

#include "fft/lines.cuh"

static __device__ __forceinline__ float2 exchanged(float2 v, bool exchange)
{
    return exchange ? make_float2(v.y, v.x) : v;
}

/* How long the L2 cache shall keep what is loaded or stored (PTX ISA, "Cache Operators"). KEPT leaves it to
 * the cache. STREAMED values are stored until the room is needed (.cs), if two lines are stored at once.
 * USED_UP values are loaded for the last time (.lu). In all other cases the three are the same. They are only
 * hints: the barrier's fence makes the stores of other multiprocessors visible. */
enum kept { KEPT, STREAMED, USED_UP };

template <kept HOW, class Vector>
static __device__ __forceinline__ Vector load_vector(const Vector *p)
{
    if constexpr (HOW == USED_UP)
        return __ldlu(p);
    else
        return __ldcg(p);
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
    if constexpr (HOW == STREAMED && WIDE == 2)
        return __stcs((float4 *)p, make_float4(x.of[0].x, x.of[0].y, x.of[1].x, x.of[1].y));
    *(values<WIDE> *)p = x;
}

/* Loads a thread's values of its lines. `place(at)` is the index in `from` of the first line's value `at`;
 * the other lines' values `at` follow. Exchanges the two parts of each value if `exchange` is set. */
template <class Lines, kept HOW, class Place>
static __device__ __forceinline__ void load_lines(const thread_of_lines<Lines> &me, const float2 *from,
                                                  float2 (*v)[Lines::POINTS], bool exchange, Place place)
{
    UNROLL(32)
    for (int i = 0; i < Lines::POINTS; i++) {
        values<Lines::WIDE> x = load_shared_by_all<Lines::WIDE, HOW>(from + place(me.at(i)));
        UNROLL(2)
        for (int q = 0; q < Lines::WIDE; q++)
            v[q][i] = exchanged(x.of[q], exchange);
    }
}

/* Stores a thread's values, times `scale`, where load_lines() loads. `inverse` exchanges their parts. */
template <class Lines, kept HOW, class Place>
static __device__ __forceinline__ void store_lines(const thread_of_lines<Lines> &me, float2 *to,
                                                   float2 (*v)[Lines::POINTS], bool inverse, float scale,
                                                   Place place)
{
    UNROLL(32)
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

#endif
