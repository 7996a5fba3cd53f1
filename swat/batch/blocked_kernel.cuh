/*
 * Our own kernel: half a warp for each task, with up to 32 consecutive rows for each lane; or a whole warp,
 * if tasks are few or longer (swat/batch/plan.c). The paper's SW1 and SW2 (swat/batch/batch_kernels.cuh) take
 * 34 instructions for a cell, more in tiles at an edge, and fill 32 rows at a time, each with a start and an
 * end. This kernel takes nine instructions, in one pass over the columns.
 *
 * Scores without extensions. Let e = extend and H'(i,j) = H(i,j) - (i + j) e, and define E' and F' in the
 * same way for the gaps along the row and down the column. Then it costs nothing to make a gap longer:
 *
 *     E'(i,j) = max(H'(i,j-1) + open - e, E'(i,j-1))
 *     F'(i,j) = max(H'(i-1,j) + open - e, F'(i-1,j))
 *     H'(i,j) = max(H'(i-1,j-1) + score(i,j) - 2 e, E'(i,j), F'(i,j))
 *
 * Scores carry their origin through the maxima. The lowest bits of each score are a tag
 * (swat/batch/blocked_tags.cuh), which says from which direction the score came, and where a gap began. So
 * each of the three lines above leaves what the trace-back needs, without an additional instruction. Only the
 * tags are stored, eight in a word.
 *
 * Between steps a lane keeps what the next column needs of H', not H' itself: otherwise the compiler would
 * have two H' of a row at a time, and move each of them.
 *
 * No edges. The last row of the matrix is the last row of the last lane. Rows above its first row are
 * padding, with the values of row 0. A lane is one column later than the lane above it, and does nothing
 * before its first column and after its last.
 *
 * Scores of rows and letters are pairs of 16-bit numbers in shared memory, which need half of the room of
 * 32-bit numbers. The instruction dp2a, the sum of two products, picks one number of a pair and adds it; it
 * runs in an execution unit that is less busy than the others.
 *
 * At the end all lanes search the last row, which is stored, and each lane searches its cells of the last
 * column. They then trace back, 32 cells of the diagonal at a time: a load takes as long as many steps of the
 * trace-back, and most cells on the path are not gaps. Warps take tasks until none is left, the largest
 * first; each warp has memory for its back-traces, so that more tasks need no more memory.
 */
#ifndef SWAT_BATCH_BLOCKED_KERNEL_CUH
#define SWAT_BATCH_BLOCKED_KERNEL_CUH

#include "harness/warp.cuh"
#include "swat/batch/blocked_fill.cuh"
#include "swat/batch/blocked_trace.cuh"

struct BlockedInput {
    const unsigned char *letters;
    const sw_task *tasks;
    uint32_t *back; /* the memory for back-traces: `back_words` words for each warp of the launch */
    size_t back_words;
    blocked_ends *ends;
    sw_found *found;
    unsigned *next; /* how many times warps have drawn tasks in this launch; 0 before the launch */
    unsigned *pool_used, *pool;
    /* number of the launch's first task, number of its tasks, of tasks that have a whole warp, and of pairs
     * of tasks that share a warp */
    unsigned first, count, wide, pairs;
    unsigned shared_bytes;
    int kinds; /* number of kinds of letters that the tasks need (blocked_letters()) */
};

/* Copies the elements of the warp's alignments to the pool, which all warps share. */
template <int LANES>
static __device__ void keep_elements(const BlockedInput &q, const BlockedTask<LANES> &w, sw_found *found)
{
    unsigned at = 0;
    if (w.lane == 0)
        at = atomicAdd(q.pool_used, found->element_count);
    found->element_at = __shfl_sync(ALL_LANES, at, 0, LANES);
    for (unsigned e = (unsigned)w.lane; e < found->element_count; e += LANES)
        q.pool[found->element_at + e] = w.ends->elements[e];
}

/* Returns a shape in which each of the warp's tasks fits. */
template <int LANES>
static __device__ blocked_shape shape_of_warp(const sw_task &task)
{
    int rows = task.reference_length, columns = task.alternate_length;
    for (int distance = LANES; distance < WARP_LANES; distance *= 2) {
        int other_rows = __shfl_xor_sync(ALL_LANES, rows, distance),
            other_columns = __shfl_xor_sync(ALL_LANES, columns, distance);
        rows = other_rows > rows ? other_rows : rows;
        columns = other_columns > columns ? other_columns : columns;
    }
    return {LANES, blocked_rows_a_lane(rows, LANES), columns};
}

/* Aligns those tasks of the warp that have LANES lanes each: the launch's tasks from number `index` on. */
template <int LANES>
static __device__ void align_tasks(const BlockedInput &q, unsigned index)
{
    const unsigned in_warp = threadIdx.x % WARP_LANES, in_block = threadIdx.x / WARP_LANES,
                   warp = blockIdx.x * BLOCKED_WARPS + in_block, part = in_warp / LANES,
                   number = q.first + index + part;
    const sw_task task = q.tasks[number];
    const blocked_shape shape = shape_of_warp<LANES>(task);
    unsigned char *shared = dynamic_shared<unsigned char>() + (size_t)in_block * q.shared_bytes +
                            part * blocked_shared_bytes(shape, q.kinds);
    BlockedTask<LANES> w = {task,
                            BlockedScores(task),
                            shape,
                            q.letters + task.reference_at,
                            q.letters + task.alternate_at,
                            shared + blocked_code_bytes(shape),
                            shared,
                            q.back + (size_t)warp * q.back_words + part * blocked_back_words(shape),
                            q.ends + warp * BLOCKED_MOST_TASKS + part,
                            (int)(in_warp % LANES),
                            shape.rows_a_lane * LANES - task.reference_length};
    w.make_table(q.kinds);
    w.make_codes();
    __syncwarp();
    const unsigned long long best_of_column = dispatch_fill < LANES,
                             LANES == WARP_LANES ? BLOCKED_MOST_ROWS_OF_WARP : BLOCKED_MOST_ROWS_A_LANE > (w);
    __syncwarp();
    sw_found found;
    find_start(w, best_of_column, &found);
    BlockedTracer<LANES>(w).walk(&found);
    __syncwarp();
    keep_elements(q, w, &found);
    if (w.lane == 0)
        q.found[number] = found;
    __syncwarp();
}

static __global__ void __launch_bounds__(BLOCKED_THREADS, BLOCKED_BLOCKS_PER_SM) sw_blocked(BlockedInput q)
{
    for (;;) {
        unsigned n = 0;
        if (threadIdx.x % WARP_LANES == 0)
            n = atomicAdd(q.next, 1u);
        n = __shfl_sync(ALL_LANES, n, 0);
        const bool paired = n >= q.wide && n < q.wide + q.pairs;
        const unsigned pairs_before = n < q.wide ? 0
                                      : paired   ? n - q.wide
                                                 : q.pairs,
                       task = n + pairs_before * (BLOCKED_MOST_TASKS - 1);
        if (task >= q.count)
            return;
        if (paired)
            align_tasks<WARP_LANES / BLOCKED_MOST_TASKS>(q, task);
        else
            align_tasks<WARP_LANES>(q, task);
    }
}

#endif
