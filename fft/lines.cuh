/*
 * Transforms of lines of a matrix by one block: COLUMNS adjacent lines of LENGTH values each. Each thread
 * holds POINTS values of WIDE lines in registers. The transform has Stockham's form: a stage of radix up to
 * POINTS in registers, then an exchange through shared memory, padded against bank conflicts; with two
 * buffers in turn an exchange needs one __syncthreads.
 */
#ifndef FFT_LINES_CUH
#define FFT_LINES_CUH

#include "fft/complex.cuh"

/* One value of each of WIDE adjacent lines. The values lie side by side and are moved together, as 8 or 16
 * bytes. */
template <int WIDE>
struct alignas(8 * WIDE) values {
    float2 of[WIDE];
};

/* The transform of a tile of COLUMNS lines by one block. With AHEAD, shared memory also holds the values of
 * the next tile (fft/ahead.cuh), and a thread exchanges its WIDE lines one after the other. */
template <int LOG_LENGTH, int LOG_POINTS, int LOG_COLUMNS, int LOG_WIDE, bool AHEAD = false>
struct lines {
    static constexpr bool IS_AHEAD = AHEAD;
    static constexpr int LOG_OF_LENGTH = LOG_LENGTH, LOG_OF_COLUMNS = LOG_COLUMNS;
    static constexpr int LENGTH = 1 << LOG_LENGTH, POINTS = 1 << LOG_POINTS, COLUMNS = 1 << LOG_COLUMNS,
                         WIDE = 1 << LOG_WIDE;
    static constexpr int GROUPS = COLUMNS / WIDE,
                         /* a thread whose thread_of_lines has the members t and g holds the values t + i
                          * STRIDE of a line */
        STRIDE = LENGTH / POINTS;
    static constexpr unsigned THREADS = GROUPS * STRIDE;
    /* In shared memory GROUPS elements of padding follow each POINTS * GROUPS elements (struct values). */
    static constexpr int LOG_PADDED = LOG_POINTS + LOG_COLUMNS - LOG_WIDE;
    static constexpr unsigned BUFFER =
        /* number of elements (struct values) in an exchange buffer */
        LENGTH * GROUPS + (LENGTH * GROUPS >> LOG_PADDED) * GROUPS;
    static constexpr int STAGES = (LOG_LENGTH + LOG_POINTS - 1) / LOG_POINTS;
    static constexpr int AT_ONCE = AHEAD ? 1 : WIDE; /* number of lines that a thread exchanges at once */
    static constexpr int BUFFERS = !AHEAD && STAGES > 2 && 2 * BUFFER * sizeof(values<WIDE>) <= 160 * 1024
                                       ? 2
                                       : 1;
    static constexpr size_t AHEAD_BYTES = AHEAD ? THREADS * POINTS * sizeof(values<WIDE>) : 0;
    static constexpr size_t SHARED_BYTES = AHEAD_BYTES + BUFFERS * BUFFER * sizeof(values<AT_ONCE>);

    static __device__ __forceinline__ unsigned place(unsigned at) { return at + (at >> LOG_PADDED) * GROUPS; }

    /* The stage that follows sub-transforms of 2^LOG_DONE values. This stage and the following ones have
     * radices as equal as possible. */
    template <int LOG_DONE>
    struct stage {
        static constexpr int LEFT = LOG_LENGTH - LOG_DONE, STAGES_LEFT = (LEFT + LOG_POINTS - 1) / LOG_POINTS;
        static constexpr int LOG_RADIX = (LEFT + STAGES_LEFT - 1) / STAGES_LEFT;
        /* BUTTERFLIES is the number of a line's butterflies that a thread computes */
        static constexpr int RADIX = 1 << LOG_RADIX, BUTTERFLIES = POINTS / RADIX;
        static constexpr int ROOTS_OF_ONE = powers_of<RADIX>::ROOTS;
        static constexpr int ROOTS =
            /* number of roots of unity from which a thread makes the stage's twiddles */
            LOG_DONE ? BUTTERFLIES * ROOTS_OF_ONE : 0;
        static constexpr bool LAST = LEFT == LOG_RADIX;
    };
    template <int LOG_DONE>
    static constexpr int roots_from()
    {
        typedef stage<LOG_DONE> Stage;
        if constexpr (Stage::LAST)
            return Stage::ROOTS;
        else
            return Stage::ROOTS + roots_from<LOG_DONE + Stage::LOG_RADIX>();
    }
    /* number of roots of unity that a thread needs for all stages */
    static constexpr int ROOTS = roots_from<0>();

    /* Computes the roots of unity that this thread needs in all stages; called while loads or a barrier are
     * pending. */
    template <int LOG_DONE = 0>
    static __device__ __forceinline__ void make_roots(unsigned t, float2 *roots)
    {
        typedef stage<LOG_DONE> Stage;
        if constexpr (Stage::ROOTS > 0) {
            UNROLL(8)
            for (int i = 0; i < Stage::ROOTS; i++) {
                unsigned m = (unsigned)(i / Stage::ROOTS_OF_ONE), power = i % Stage::ROOTS_OF_ONE ? 16 : 1;
                roots[i] =
                    root<LOG_DONE + Stage::LOG_RADIX>(((t + m * STRIDE) & ((1u << LOG_DONE) - 1)) * power);
            }
        }
        if constexpr (!Stage::LAST)
            make_roots<LOG_DONE + Stage::LOG_RADIX>(t, roots + Stage::ROOTS);
    }

    /* Does all stages that follow sub-transforms of 2^LOG_DONE values. `roots` are the roots of unity for
     * these stages; TURN chooses the exchange buffer. */
    template <int LOG_DONE = 0, int TURN = 0>
    static __device__ __forceinline__ void stages(float2 (*v)[POINTS], unsigned t, unsigned g,
                                                  const float2 *roots)
    {
        typedef stage<LOG_DONE> Stage;
        constexpr int LOG_RADIX = Stage::LOG_RADIX, RADIX = Stage::RADIX, BUTTERFLIES = Stage::BUTTERFLIES;
        values<AT_ONCE> *shared = dynamic_shared<values<AT_ONCE>>() + AHEAD_BYTES / sizeof(values<AT_ONCE>) +
                                  TURN % BUFFERS * BUFFER;
        if (TURN && BUFFERS == 1)
            __syncthreads(); /* all threads wait here until all have read what the preceding stage stored */
        UNROLL(8)
        for (int m = 0; m < BUTTERFLIES; m++) {
            unsigned first = first_place<LOG_DONE>(t, m);
            float2 u[WIDE][RADIX];
            take<LOG_DONE, RADIX>(v, u, m, roots);
            UNROLL(2)
            for (int q = 0; q < WIDE; q++) {
                transform<RADIX>(u[q]);
                UNROLL(32)
                for (int r = 0; r < RADIX; r++)
                    v[q][m + r * BUTTERFLIES] = u[q][r];
            }
            if (!Stage::LAST)
                give<LOG_DONE>(shared, v, m, first, g);
        }
        if constexpr (!Stage::LAST) {
            __syncthreads();
            get(shared, v, t, g);
            UNROLL(2)
            for (int q = AT_ONCE; q < WIDE; q += AT_ONCE) {
                __syncthreads(); /* all threads wait here until all have read the lines that were exchanged
                                  * before these */
                UNROLL(8)
                for (int m = 0; m < BUTTERFLIES; m++)
                    give<LOG_DONE>(shared, v + q, m, first_place<LOG_DONE>(t, m), g);
                __syncthreads();
                get(shared, v + q, t, g);
            }
            stages<LOG_DONE + LOG_RADIX, TURN + 1>(v, t, g, roots + Stage::ROOTS);
        }
    }

    /* Returns the index in the line of the first result of butterfly m. */
    template <int LOG_DONE>
    static __device__ __forceinline__ unsigned first_place(unsigned t, int m)
    {
        unsigned j = t + (unsigned)(m * STRIDE), within = j & ((1u << LOG_DONE) - 1);
        return ((j >> LOG_DONE) << (LOG_DONE + stage<LOG_DONE>::LOG_RADIX)) + within;
    }

    /* Stores the results of a butterfly, for AT_ONCE lines, for the threads of the next stage. */
    template <int LOG_DONE>
    static __device__ __forceinline__ void give(values<AT_ONCE> *shared, float2 (*v)[POINTS], int m,
                                                unsigned first, unsigned g)
    {
        typedef stage<LOG_DONE> Stage;
        UNROLL(32)
        for (int r = 0; r < Stage::RADIX; r++) {
            values<AT_ONCE> x;
            UNROLL(2)
            for (int q = 0; q < AT_ONCE; q++)
                x.of[q] = v[q][m + r * Stage::BUTTERFLIES];
            shared[place((first + ((unsigned)r << LOG_DONE)) * GROUPS + g)] = x;
        }
    }

    /* Loads a thread's values for the next stage from shared memory. */
    static __device__ __forceinline__ void get(const values<AT_ONCE> *shared, float2 (*v)[POINTS], unsigned t,
                                               unsigned g)
    {
        UNROLL(32)
        for (int i = 0; i < POINTS; i++) {
            values<AT_ONCE> x = shared[place((t + (unsigned)(i * STRIDE)) * GROUPS + g)];
            UNROLL(2)
            for (int q = 0; q < AT_ONCE; q++)
                v[q][i] = x.of[q];
        }
    }

    /* Copies butterfly m's values from v to u, multiplied by the twiddles of the preceding sub-transforms. */
    template <int LOG_DONE, int RADIX>
    static __device__ __forceinline__ void take(float2 (*v)[POINTS], float2 (*u)[RADIX], int m,
                                                const float2 *roots)
    {
        UNROLL(2)
        for (int q = 0; q < WIDE; q++)
            UNROLL(32)
        for (int r = 0; r < RADIX; r++)
            u[q][r] = v[q][m + r * (POINTS / RADIX)];
        if constexpr (LOG_DONE > 0) {
            powers_of<RADIX> turn(roots + m * powers_of<RADIX>::ROOTS);
            UNROLL(32)
            for (int r = 1; r < RADIX; r++) {
                float2 w = turn[r];
                UNROLL(2)
                for (int q = 0; q < WIDE; q++)
                    u[q][r] = multiply(u[q][r], w);
            }
        }
    }
};

/* A thread's share of a tile: values at(0), at(1), ... of each of the WIDE lines from line g * WIDE on. */
template <class Lines>
struct thread_of_lines {
    unsigned g, t;

    __device__ explicit thread_of_lines(unsigned zero = 0)
        : g((threadIdx.x + zero) % Lines::GROUPS), t((threadIdx.x + zero) / Lines::GROUPS)
    {
    }

    /* Returns the index in the line of the thread's value i. */
    __device__ unsigned at(int i) const { return t + (unsigned)(i * Lines::STRIDE); }
};

#endif
