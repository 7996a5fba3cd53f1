/* The phases of sum/phases.h on the device: sections 3 to 5 of Nakano 2013. */
#ifndef SUM_PHASES_CUH
#define SUM_PHASES_CUH

#include "sum/phases.h"
#include "harness/warp.cuh"
#include "sync/convergence.cuh"

#define MOST_WIDTH 64
#define BATCH 8 /* number of loads that a thread has in flight at once */

/* The machines for which a kernel is compiled: GPUs and their presets, or the abstract machines of Nakano
 * 2013, on which the threads of a warp stay TOGETHER in the paper's own algorithms. A template parameter says
 * which, so that the code for presets, whose instructions count, has no branch for the others. */
enum sum_machine { LIKE_GPU, ABSTRACT, TOGETHER };

/* Says whether a thread selects a register by a computed number. Only the abstract machines can do that. They
 * also have warps of any width, which nvcc's kernels for them read from a special register. */
#define REGISTERS_BY_NUMBER (MACHINE != LIKE_GPU)
#define SUM_WIDTH (MACHINE == LIKE_GPU ? WARP_WIDTH : warpSize)
#define SUM_WARPS(number) ((number) / (unsigned)SUM_WIDTH)
#define OF_NO_SUM_WARP(number) ((number) % (unsigned)SUM_WIDTH)

/* A step of the plan, executed by all threads of the launch. */
template <class T, sum_machine MACHINE = LIKE_GPU>
struct SumStep {
    T *words;
    sum_plan plan;

    static __device__ __forceinline__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
    static __device__ __forceinline__ unsigned threads() { return gridDim.x * blockDim.x; }
    static __device__ __forceinline__ unsigned lane() { return OF_NO_SUM_WARP(threadIdx.x); }
    static __device__ __forceinline__ unsigned warp() { return SUM_WARPS(thread()); }
    static __device__ __forceinline__ unsigned warps() { return SUM_WARPS(threads()); }

    __device__ void operator()(int step) const
    {
        for (int p = plan.starts[step]; p < plan.starts[step + 1]; p++) {
            if (p > plan.starts[step])
                __syncwarp();
            do_phase(words, plan.phases[p]);
        }
    }

    /* Does a phase of the plan. It is not inlined, so that it is compiled only once for all kernels, because
     * its compilation is slow. The phase is passed by value; otherwise each thread would need the plan in
     * memory. */
    static __device__ __noinline__ void do_phase(T *words, phase p)
    {
        const T *from = words + p.from;
        T *to = words + p.to, *other = words + p.other;
        switch (p.kind) {
        case ADD_HALVES:
            return add_halves(from, to, p.count);
        case GROUP_SUMS:
            return group_sums(from, to, other, p.count);
        case COLUMN_SUMS:
            return column_sums(from, to, p.count, p.columns);
        case PAIR_SUMS:
            return pair_sums(from, to, p.count);
        case PAIR_SPREAD:
            return pair_spread(from, other, to, p.count);
        case GROUP_PREFIX:
            return group_prefix(from, p.other ? other : NULL, to, p.count);
        case TRANSPOSE:
            return transpose<false>(from, to, NULL, p.count, p.columns);
        case COLUMN_PREFIX:
            return column_prefix(to, other, p.count, p.columns);
        default:
            return transpose<true>(from, to, other, p.count, p.columns);
        }
    }

    /* Writes to `to` the sums of the first and the second half of `count` numbers. `to` may be equal to
     * `from`, because only the thread that writes item i reads it. */
    __device__ static void add_halves(const T *from, T *to, unsigned count)
    {
        unsigned half = (count + 1) / 2;
        for (unsigned i = thread(); i < half; i += threads())
            to[i] = i + half < count ? from[i] + from[i + half] : from[i];
    }

    /* Runs Summing Algorithm One-Warp of Nakano 2013 on each group of w numbers: log w halvings by half a
     * warp. While one lane writes the sum, the others must not run ahead into the next group. */
    __device__ static void group_sums(const T *from, T *scratch, T *sums, unsigned count)
    {
        unsigned width = (unsigned)SUM_WIDTH;
        for (unsigned group = warp(); group * width < count; group += warps()) {
            unsigned begin = group * width, left = count - begin < width ? count - begin : width;
            const T *read = from + begin;
            T *write = scratch + begin;
            while (left > 1) {
                unsigned half = (left + 1) / 2;
                if (lane() < half)
                    write[lane()] = lane() + half < left ? read[lane()] + read[lane() + half] : read[lane()];
                __syncwarp();
                read = write;
                left = half;
            }
            if (MACHINE == TOGETHER)
                convergence_set();
            if (lane() == 0)
                sums[group] = *read;
            if (MACHINE == TOGETHER)
                convergence_wait();
        }
    }

    /* Sums each column of a matrix. The loop keeps BATCH loads in flight; the code arranges this explicitly,
     * because the compiler does not. */
    __device__ static void column_sums(const T *from, T *to, unsigned count, unsigned columns)
    {
        for (unsigned i = thread(); i < columns; i += threads()) {
            T sum = 0, v[BATCH];
            unsigned at = i;
            for (; at + (BATCH - 1) * columns < count; at += BATCH * columns) {
                UNROLL(BATCH)
                for (unsigned k = 0; k < BATCH; k++)
                    v[k] = from[at + k * columns];
                UNROLL(BATCH)
                for (unsigned k = 0; k < BATCH; k++)
                    sum += v[k];
            }
            for (; at < count; at += columns)
                sum += from[at];
            to[i] = sum;
        }
    }

    __device__ static void pair_sums(const T *from, T *to, unsigned count)
    {
        for (unsigned i = thread(); i < (count + 1) / 2; i += threads())
            to[i] = 2 * i + 1 < count ? from[2 * i] + from[2 * i + 1] : from[2 * i];
    }

    __device__ static void pair_spread(const T *from, const T *parents, T *to, unsigned count)
    {
        for (unsigned i = thread(); i < (count + 1) / 2; i += threads()) {
            T parent = parents[i];
            if (i == 0)
                to[0] = from[0];
            if (2 * i + 1 < count)
                to[2 * i + 1] = parent;
            if (2 * i + 2 < count)
                to[2 * i + 2] = from[2 * i + 2] + parent;
        }
    }

    /* Runs Prefix-summing Algorithm One-Warp of Nakano 2013 on each group of w numbers, in place: sums of
     * intervals on the way up, prefix sums on the way down. */
    __device__ static void group_prefix(const T *from, const T *carries, T *to, unsigned count)
    {
        unsigned width = (unsigned)SUM_WIDTH;
        for (unsigned group = warp(); group * width < count; group += warps()) {
            unsigned at = group * width + lane(), left = count - group * width;
            left = left < width ? left : width;
            if (lane() < left)
                to[at] = from[at] + (lane() == 0 && carries && group ? carries[group - 1] : 0);
            __syncwarp();
            prefix_in_place(to + group * width, left);
        }
    }

    __device__ static void prefix_in_place(T *a, unsigned left)
    {
        unsigned span = 1;
        for (; span < left; span *= 2) {
            unsigned at = (lane() + 1) * 2 * span - 1;
            if (at < left)
                a[at] += a[at - span];
            __syncwarp();
        }
        for (span /= 2; span; span /= 2) {
            unsigned at = (lane() + 1) * 2 * span + span - 1;
            if (at < left)
                a[at] += a[at - span];
            __syncwarp();
        }
    }

    __device__ static void column_prefix(T *matrix, T *sums, unsigned count, unsigned columns)
    {
        unsigned rows = (count + columns - 1) / columns;
        for (unsigned i = thread(); i < columns; i += threads()) {
            T sum = 0, v[BATCH], *at = matrix + i;
            unsigned t = 0;
            for (; t + BATCH <= rows; t += BATCH, at += BATCH * columns) {
                UNROLL(BATCH)
                for (unsigned k = 0; k < BATCH; k++)
                    v[k] = at[k * columns];
                UNROLL(BATCH)
                for (unsigned k = 0; k < BATCH; k++)
                    at[k * columns] = sum += v[k];
            }
            for (; t < rows; t++, at += columns)
                *at = sum += *at;
            sums[i] = sum;
        }
    }

    /*
     * Transposes a matrix: copies from an array of `count` numbers in rows of `length` to an array with
     * `columns` columns, one for each of these rows. With BACK it copies from columns to rows and adds
     * `carries[i - 1]` to row i. A warp takes a square of both arrays, and reads and writes rows of w words,
     * so that each request touches one or two address groups; in between, the square is transposed in
     * registers.
     */
    template <bool BACK>
    __device__ static void transpose(const T *from, T *to, const T *carries, unsigned count, unsigned columns)
    {
        unsigned width = (unsigned)SUM_WIDTH, length = (count + columns - 1) / columns;
        unsigned across = SUM_WARPS(length + width - 1), squares = across * SUM_WARPS(columns + width - 1);
        for (unsigned square = warp(); square < squares; square += warps()) {
            unsigned row = square / across * width, column = square % across * width;
            square_of<BACK> q = {from, to, carries, row, column, count, columns, length};
            if (length * length <= 4 * width)
                q.copy();
            else if (REGISTERS_BY_NUMBER)
                q.turn_by_diagonals();
            else
                q.turn_by_shuffles();
        }
    }

    /* A square of w x w words that a warp copies from one array to the other; words outside both arrays are
     * skipped. */
    template <bool BACK>
    struct square_of {
        const T *from;
        T *to;
        const T *carries;
        unsigned row, column, count, columns, length;

        __device__ bool inside(unsigned i, unsigned t) const
        {
            return i < columns && t < length && i * length + t < count;
        }
        __device__ T read(unsigned i, unsigned t) const
        {
            return inside(i, t) ? from[BACK ? t * columns + i : i * length + t] : 0;
        }
        /* Writes word t of row i. If rows are copied to columns, the matrix of columns is filled completely:
         * zeros follow the last number. */
        __device__ void write(unsigned i, unsigned t, T value) const
        {
            if (BACK && inside(i, t))
                to[i * length + t] = i ? value + carries[i - 1] : value;
            if (!BACK && i < columns && t < length)
                to[t * columns + i] = value;
        }

        /* Copies the square without a transposition in registers. This is for rows so short that a warp's w
         * rows lie in hardly more than a few address groups. */
        __device__ void copy() const
        {
            for (unsigned t = 0; t < length; t++)
                write(row + lane(), t, read(row + lane(), t));
        }

        /*
         * Transposes by diagonals: register k of lane l has word (l - k) mod w of line k, so line k is one
         * request. Word j of each line is in a different lane: in register (l - j) mod w of lane l. No
         * shuffles are needed, but the number of the register is computed, which on a GPU would force the
         * registers into memory.
         */
        __device__ void turn_by_diagonals() const
        {
            unsigned width = (unsigned)SUM_WIDTH;
            bool whole = inside(row + width - 1, column + width - 1);
            T v[MOST_WIDTH];
            for (unsigned k = 0; k < width; k++) {
                unsigned other = (lane() + width - k) % width;
                if (!whole)
                    /* lanes that have no word in the arrays wait here for the other lanes, so that they do
                     * not execute the next line's request too early */
                    convergence_set();
                v[k] = BACK ? read(row + other, column + k) : read(row + k, column + other);
                if (!whole)
                    convergence_wait();
            }
            for (unsigned k = 0; k < width; k++) {
                unsigned other = (lane() + width - k) % width;
                if (!whole)
                    convergence_set();
                if (BACK)
                    write(row + k, column + other, v[other]);
                else
                    write(row + other, column + k, v[other]);
                if (!whole)
                    convergence_wait();
            }
        }

        /* Transposes the square by log w rounds of shuffles: register k of lane l becomes register l of lane
         * k. */
        __device__ void turn_by_shuffles() const
        {
            T v[MOST_WIDTH];
            UNROLL(32)
            for (unsigned k = 0; k < (unsigned)SUM_WIDTH; k++)
                v[k] = BACK ? read(row + lane(), column + k) : read(row + k, column + lane());
            turn(v);
            UNROLL(32)
            for (unsigned k = 0; k < (unsigned)SUM_WIDTH; k++)
                if (BACK)
                    write(row + k, column + lane(), v[k]);
                else
                    write(row + lane(), column + k, v[k]);
        }
    };

    /* Transposes v over the warp: register k of lane l becomes register l of lane k. */
    __device__ static void turn(T *v)
    {
        UNROLL(5)
        for (unsigned h = (unsigned)SUM_WIDTH / 2; h; h /= 2) {
            bool upper = lane() & h;
            UNROLL(32)
            for (unsigned k = 0; k < (unsigned)SUM_WIDTH; k++) {
                if (k & h)
                    continue;
                T mine = upper ? v[k] : v[k + h];
                T theirs = __shfl_xor_sync(ALL_LANES, mine, (int)h);
                v[k] = upper ? theirs : v[k];
                v[k + h] = upper ? v[k + h] : theirs;
            }
        }
    }
};

/* Runs all steps of a plan in one block. Barrier number `left_out` is omitted, to show that it is needed; if
 * `left_out` is -1, none is omitted. */
template <class T, sum_machine MACHINE>
static __global__ void __launch_bounds__(1024) sum_in_one_block(SumStep<T, MACHINE> step, int left_out)
{
    for (int s = 0; s < step.plan.steps; s++) {
        step(s);
        if (s != left_out)
            __syncthreads();
    }
}

#endif
