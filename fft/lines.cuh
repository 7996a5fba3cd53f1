/*
 * Transforms of the lines of a matrix by one block: COLUMNS adjacent lines of LENGTH values each, POINTS values of WIDE
 * lines in the registers of each thread. Stockham's form: a stage of radix up to POINTS in registers, then an exchange
 * through shared memory, padded against bank conflicts; with two buffers in turn an exchange needs one __syncthreads.
 */
#ifndef FFT_LINES_CUH
#define FFT_LINES_CUH

#include "fft/complex.cuh"

/* WIDE adjacent lines' values lie together and move together: 8 or 16 bytes. */
template <int WIDE>
struct alignas(8 * WIDE) values {
    float2 of[WIDE];
};

template <int LOG_LENGTH, int LOG_POINTS, int LOG_COLUMNS, int LOG_WIDE>
struct lines {
    static constexpr int LENGTH = 1 << LOG_LENGTH, POINTS = 1 << LOG_POINTS, COLUMNS = 1 << LOG_COLUMNS,
                         WIDE = 1 << LOG_WIDE;
    static constexpr int GROUPS = COLUMNS / WIDE,
                         STRIDE = LENGTH / POINTS; /* thread (t, g): values t + i STRIDE */
    static constexpr unsigned THREADS = GROUPS * STRIDE;
    /* GROUPS vectors of padding behind each POINTS * GROUPS. */
    static constexpr int LOG_PADDED = LOG_POINTS + LOG_COLUMNS - LOG_WIDE;
    static constexpr unsigned BUFFER =
        LENGTH * GROUPS + (LENGTH * GROUPS >> LOG_PADDED) * GROUPS; /* vectors */
    static constexpr int STAGES = (LOG_LENGTH + LOG_POINTS - 1) / LOG_POINTS;
    static constexpr int BUFFERS = STAGES > 2 && 2 * BUFFER * sizeof(values<WIDE>) <= 160 * 1024 ? 2 : 1;
    static constexpr size_t SHARED_BYTES = BUFFERS * BUFFER * sizeof(values<WIDE>);

    static __device__ __forceinline__ unsigned place(unsigned at) { return at + (at >> LOG_PADDED) * GROUPS; }

    /* The stages from the one whose sub-transforms are of 2^LOG_DONE values; `turn` chooses the buffer. */
    template <int LOG_DONE, int TURN>
    static __device__ __forceinline__ void stages(float2 (*v)[POINTS], unsigned t, unsigned g)
    {
        constexpr int LEFT = LOG_LENGTH - LOG_DONE, STAGES_LEFT = (LEFT + LOG_POINTS - 1) / LOG_POINTS;
        constexpr int LOG_RADIX = (LEFT + STAGES_LEFT - 1) / STAGES_LEFT, RADIX = 1 << LOG_RADIX;
        constexpr bool LAST = LEFT == LOG_RADIX;
        values<WIDE> *shared = dynamic_shared<values<WIDE>>() + TURN % BUFFERS * BUFFER;
        if (TURN && BUFFERS == 1)
            __syncthreads(); /* all have read what the stage before left */
        UNROLL(8)
        for (int m = 0; m < POINTS / RADIX; m++) {
            unsigned j = t + (unsigned)(m * STRIDE), within = j & ((1u << LOG_DONE) - 1);
            float2 u[WIDE][RADIX];
            take<LOG_DONE, RADIX>(v, u, m, within);
            UNROLL(2)
            for (int q = 0; q < WIDE; q++)
                transform<RADIX>(u[q]);
            UNROLL(16)
            for (int r = 0; r < RADIX; r++) {
                values<WIDE> x;
                UNROLL(2)
                for (int q = 0; q < WIDE; q++)
                    x.of[q] = v[q][m + r * (POINTS / RADIX)] = u[q][r];
                unsigned to =
                    ((j >> LOG_DONE) << (LOG_DONE + LOG_RADIX)) + within + ((unsigned)r << LOG_DONE);
                if (!LAST)
                    shared[place(to * GROUPS + g)] = x;
            }
        }
        if constexpr (!LAST) {
            __syncthreads();
            UNROLL(16)
            for (int i = 0; i < POINTS; i++) {
                values<WIDE> x = shared[place((t + (unsigned)(i * STRIDE)) * GROUPS + g)];
                UNROLL(2)
                for (int q = 0; q < WIDE; q++)
                    v[q][i] = x.of[q];
            }
            stages<LOG_DONE + LOG_RADIX, TURN + 1>(v, t, g);
        }
    }

    /* A butterfly's values, turned by what the sub-transforms before ask for. */
    template <int LOG_DONE, int RADIX>
    static __device__ __forceinline__ void take(float2 (*v)[POINTS], float2 (*u)[RADIX], int m,
                                                unsigned within)
    {
        float2 turn[RADIX];
        if (LOG_DONE > 0)
            powers_of<RADIX>(root((float)within / (float)(RADIX << LOG_DONE)), turn);
        UNROLL(16)
        for (int r = 0; r < RADIX; r++)
            UNROLL(2)
        for (int q = 0; q < WIDE; q++) {
            float2 x = v[q][m + r * (POINTS / RADIX)];
            u[q][r] = LOG_DONE > 0 && r > 0 ? multiply(x, turn[r]) : x;
        }
    }
};

#endif
