/*
 * The FFT of so many values that two passes of transforms that fit in a block are too few: N = a x b x c
 * values in three passes (the four-step method of Bailey 1990, applied to its own rows), of which the last
 * two follow each other so closely that the values between them stay in the L2 cache. So values pass through
 * memory twice. Value n = (n1 b + n2) c + n3 of the input becomes value k1 + a (k2 + b k3) of the output.
 *
 *     step 0: blocks take adjacent columns, a column being the values with the same n2 and n3, transform
 *             n1 to k1, and multiply by exp(-2 pi i k1 (n2 c + n3) / N)
 *     step s: for group number s - 1, of a few adjacent k1, blocks take lines with the same n3, transform n2
 *             to k2, multiply by exp(-2 pi i k2 n3 / (b c)), and store to one of two slots in turn; for the
 *             group before, whose values are in the other slot, they take lines with the same k2, transform
 *             n3 to k3, and store in natural order
 *
 * A slot is as large as a third of the L2 cache at most. What is read for the last time and what is never
 * read again leaves the cache first (enum kept in fft/moves.cuh).
 */
#ifndef FFT_BY_GROUPS_CUH
#define FFT_BY_GROUPS_CUH

#include "fft/few_barriers.cuh"

/* The shape of the transform by groups: the classes (fft/lines.cuh) that transform lines of a, b and c
 * values. Both of a group's classes have as many columns as a group has k1, and all have the same number of
 * threads. */
template <class First, class Middle, class Last>
struct group_shape {
    typedef First columns;
    typedef Middle middle;
    typedef Last rows;
    static_assert(First::THREADS == Middle::THREADS && Middle::THREADS == Last::THREADS,
                  "a launch has one number of threads");
    static_assert(Middle::COLUMNS == Last::COLUMNS, "a group has one number of k1");
    static constexpr int LOG_A = First::LOG_OF_LENGTH, LOG_B = Middle::LOG_OF_LENGTH,
                         LOG_C = Last::LOG_OF_LENGTH, LOG_N = LOG_A + LOG_B + LOG_C,
                         LOG_GROUP = Middle::LOG_OF_COLUMNS, GROUPS = 1 << (LOG_A - LOG_GROUP);
    static constexpr int STEPS = GROUPS + 2;
    static constexpr int LOG_COLUMNS = LOG_B + LOG_C; /* of the matrix of a rows that step 0 sees */
    static constexpr unsigned THREADS = First::THREADS;
    static constexpr unsigned TILES_OF_COLUMNS = (1u << LOG_COLUMNS) / First::COLUMNS;
    static constexpr size_t SLOT = (size_t)1 << (LOG_GROUP + LOG_B + LOG_C); /* number of values of a slot */
    static constexpr size_t LARGER = First::SHARED_BYTES > Middle::SHARED_BYTES ? First::SHARED_BYTES
                                                                                : Middle::SHARED_BYTES,
                            SHARED_BYTES = LARGER > Last::SHARED_BYTES ? LARGER : Last::SHARED_BYTES;

    /* Returns where step 0 stores the value k1 of a column: by groups, by n3, by n2, and by the k1 of a
     * group. */
    static __device__ __forceinline__ size_t place_between(unsigned k1, unsigned column)
    {
        unsigned n2 = column >> LOG_C, n3 = column & ((1u << LOG_C) - 1);
        size_t line = (size_t)(k1 >> LOG_GROUP) << LOG_C | n3;
        return (line << LOG_B | n2) << LOG_GROUP | (k1 & ((1u << LOG_GROUP) - 1));
    }
};

/* The FFT by groups as a step loop (harness/step_loop.cuh). `slots` has memory for two slots. */
template <class Shape>
struct group_fft {
    static constexpr int STEPS = Shape::STEPS;
    static constexpr unsigned THREADS = Shape::THREADS, BLOCKS_AT_ONCE = 2;
    static constexpr bool IS_LARGE = false;

    few_arrays arrays;
    float2 *slots;

    __device__ void look_ahead(int) {}

    __device__ void operator()(int s)
    {
        if (s == 0)
            return columns();
        /* One half of the blocks begins with loads from memory, the other half with stores to it. */
        if (blockIdx.x & 1) {
            middle(s - 1);
            __syncthreads(); /* all threads wait here until all have finished with their lines in shared
                              * memory */
            last(s - 2);
        } else {
            last(s - 2);
            __syncthreads();
            middle(s - 1);
        }
    }

    __device__ __forceinline__ void columns() const
    {
        float2 roots[Shape::columns::ROOTS];
        ordered_values between;
        for (unsigned tile = blockIdx.x; tile < Shape::TILES_OF_COLUMNS; tile += gridDim.x) {
            if (tile != blockIdx.x)
                __syncthreads();
            few_columns<Shape>(arrays, between, tile, roots);
        }
    }

    __device__ float2 *slot_of(int group) const { return slots + (group & 1) * Shape::SLOT; }

    /* Transforms n2 to k2 for a group, if there is such a group. */
    __device__ __forceinline__ void middle(int group) const
    {
        typedef typename Shape::middle Lines;
        if (group >= Shape::GROUPS)
            return;
        const thread_of_lines<Lines> me(zero_here());
        float2 roots[Lines::ROOTS];
        Lines::make_roots(me.t, roots);
        const size_t first = (size_t)group << (Shape::LOG_B + Shape::LOG_C);
        const float2 *from = arrays.between + (first << Shape::LOG_GROUP);
        for (unsigned n3 = blockIdx.x; n3 < 1u << Shape::LOG_C; n3 += gridDim.x) {
            if (n3 != blockIdx.x)
                __syncthreads();
            middle_of(from + ((size_t)n3 << (Shape::LOG_B + Shape::LOG_GROUP)), slot_of(group), n3, me, roots);
        }
    }
    __device__ static __forceinline__ void middle_of(const float2 *from, float2 *slot, unsigned n3,
                                                     const thread_of_lines<typename Shape::middle> &me,
                                                     const float2 *roots)
    {
        typedef typename Shape::middle Lines;
        typedef powers_of<Lines::POINTS> powers;
        float2 v[Lines::WIDE][Lines::POINTS];
        load_lines<Lines, USED_UP>(me, from + me.g * Lines::WIDE, v, false,
                                   [](unsigned at) { return (size_t)at << Shape::LOG_GROUP; });
        /* All lines of the tile have the same n3, so their values have the same twiddles. */
        float2 step[powers::ROOTS], start = root<Shape::LOG_COLUMNS>(n3 * me.t);
        UNROLL(2)
        for (int r = 0; r < powers::ROOTS; r++)
            step[r] = root<Shape::LOG_COLUMNS>(n3 * (unsigned)Lines::STRIDE * (r ? 16 : 1));
        Lines::stages(v, me.t, me.g, roots);
        powers turn(step);
        UNROLL(32)
        for (int i = 0; i < Lines::POINTS; i++) {
            const float2 w = i ? multiply(turn[i], start) : start;
            values<Lines::WIDE> x;
            UNROLL(2)
            for (int q = 0; q < Lines::WIDE; q++)
                x.of[q] = multiply(v[q][i], w);
            const size_t line = (size_t)me.at(i) << Shape::LOG_C | n3;
            store_values<Lines::WIDE, KEPT>(slot + (line << Shape::LOG_GROUP) + me.g * Lines::WIDE, x);
        }
    }

    /* Transforms n3 to k3 for a group, if there is such a group, and stores in natural order. */
    __device__ __forceinline__ void last(int group) const
    {
        typedef typename Shape::rows Lines;
        constexpr int LOG_ROWS = Shape::LOG_A + Shape::LOG_B;
        if (group < 0)
            return;
        const thread_of_lines<Lines> me(zero_here());
        float2 roots[Lines::ROOTS], v[Lines::WIDE][Lines::POINTS];
        Lines::make_roots(me.t, roots);
        for (unsigned k2 = blockIdx.x; k2 < 1u << Shape::LOG_B; k2 += gridDim.x) {
            if (k2 != blockIdx.x)
                __syncthreads();
            const float2 *from = slot_of(group) + ((size_t)k2 << (Shape::LOG_C + Shape::LOG_GROUP));
            load_lines<Lines, KEPT>(me, from + me.g * Lines::WIDE, v, false,
                                    [](unsigned at) { return (size_t)at << Shape::LOG_GROUP; });
            Lines::stages(v, me.t, me.g, roots);
            const unsigned line =
                (k2 << Shape::LOG_A) + ((unsigned)group << Shape::LOG_GROUP) + me.g * Lines::WIDE;
            store_lines<Lines, STREAMED>(me, arrays.output, v, arrays.inverse,
                                         arrays.inverse ? 1.0f / (float)(1u << Shape::LOG_N) : 1.0f,
                                         [&](unsigned at) { return ((size_t)at << LOG_ROWS) + line; });
        }
    }
};

/* The step loop for a shape, and how many values of memory it needs besides the arrays. */
template <class Shape>
struct step_of_shape {
    typedef few_barriers_fft<Shape> type;
    static constexpr size_t SLOTS = 0;
    static type make(const few_arrays &arrays, float2 *) { return {arrays, {}, false, {}}; }
};
template <class First, class Middle, class Last>
struct step_of_shape<group_shape<First, Middle, Last>> {
    typedef group_shape<First, Middle, Last> Shape;
    typedef group_fft<Shape> type;
    static constexpr size_t SLOTS = 2 * Shape::SLOT;
    static type make(const few_arrays &arrays, float2 *slots) { return {arrays, slots}; }
};

#endif
