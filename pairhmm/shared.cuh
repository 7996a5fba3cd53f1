/*
 * PH1 of Wang, Xie and Cong 2017 (section IV-C, Listing 2a): a block of 128 threads for each pair, one row
 * for each thread, anti-diagonal after anti-diagonal through three line buffers of each matrix in shared
 * memory, with a __syncthreads after each. Kernels are specialised by the length of the buffers. A read with
 * more letters than rows takes several strips, whose last rows go through global memory.
 */
#ifndef PAIRHMM_SHARED_CUH
#define PAIRHMM_SHARED_CUH

#include "pairhmm/recurrence.cuh"

#define SHARED_THREADS 128

/* The line buffers of one strip. Line k % 3 holds the anti-diagonal that step k fills: entry t + 1 is the
 * cell of thread t, and entry 0 is the cell above the cell that thread 0 fills next. */
template <class T, int ROWS>
struct LineBuffers {
    T m[3][ROWS + 1], i[3][ROWS + 1], d[3][ROWS + 1];

    __device__ __forceinline__ void store(int line, int at, const Cell<T> &cell)
    {
        m[line][at] = cell.m;
        i[line][at] = cell.i;
        d[line][at] = cell.d;
    }
    __device__ __forceinline__ Cell<T> load(int line, int at) const
    {
        return {m[line][at], i[line][at], d[line][at]};
    }
};

/* Fills the rows of a strip, the first of which is row `top`; in step k thread t fills column k - t + 1.
 * Returns the sum of this thread's row. */
template <class T, int ROWS, bool LONG>
static __device__ T fill_rows(const PairhmmInput<T> &q, const pairhmm_pair &pair,
                              LineBuffers<T, ROWS> *buffers, int top)
{
    const unsigned char *haplotype = q.haplotypes + pair.haplotype_at;
    int t = (int)threadIdx.x, columns = pair.haplotype_length, rows = pair.read_length - top;
    bool first = top == 0, last = rows <= ROWS;
    rows = last ? rows : ROWS;
    Cell<T> row_0 = {0, 0, Precision<T>::scale() / (T)columns};
    Row<T> row;
    if (t < rows)
        row.set(q.reads[pair.read_at + (unsigned)(top + t)], q.phred);
    for (int line = 0; line < 3 && t <= ROWS; line++)
        buffers->store(line, t, t == 0 && first ? row_0 : Cell<T>{0, 0, 0});
    if (SHARED_THREADS == ROWS && t == 0)
        for (int line = 0; line < 3; line++)
            buffers->store(line, ROWS, {0, 0, 0});
    if (LONG && !first && t == 0)
        /* stores the cell above thread 0 for step 0, as a step -1 would have done */
        buffers->store(2, 0, q.border()[1]);
    __syncthreads();
    T sum = 0;
    int now = 0, before = 2, before_that = 1;
    for (int k = 0; k < columns + rows - 1; k++) {
        int j = k - t + 1;
        if (t < rows && j >= 1 && j <= columns) {
            Cell<T> up = {buffers->m[before][t], buffers->i[before][t], 0};
            Cell<T> left = {buffers->m[before][t + 1], 0, buffers->d[before][t + 1]};
            Cell<T> cell = row.fill(haplotype[j - 1], up, left, buffers->load(before_that, t));
            buffers->store(now, t + 1, cell);
            sum += cell.m + cell.i;
            if (LONG && !last && t == ROWS - 1)
                q.border()[j] = cell;
        }
        if (LONG && !first && t == 0 && k + 2 <= columns)
            buffers->store(now, 0, q.border()[k + 2]);
        int oldest = before_that;
        before_that = before;
        before = now;
        now = oldest;
        __syncthreads();
    }
    return sum;
}

template <class T, int ROWS, bool LONG>
static __global__ void __launch_bounds__(SHARED_THREADS) pairhmm_shared(PairhmmInput<T> q)
{
    LineBuffers<T, ROWS> *buffers = dynamic_shared<LineBuffers<T, ROWS>>();
    unsigned count = LONG ? q.how_many() : q.count;
    for (unsigned n = blockIdx.x; n < count; n += gridDim.x) {
        pairhmm_pair pair = q.pairs[q.pair_at(n)];
        T sum = 0;
        for (int top = 0; top < pair.read_length; top += ROWS)
            sum = fill_rows<T, ROWS, LONG>(q, pair, buffers, top);
        if ((int)threadIdx.x == (pair.read_length - 1) % ROWS)
            q.finish(q.pair_at(n), sum);
    }
}

#endif
