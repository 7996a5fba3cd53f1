/*
 * PH2 of Wang, Xie and Cong 2017 (section IV-C, Figure 8): one warp for each pair, CELLS consecutive rows for
 * each lane, all values in registers; the top row of a lane gets its operands from the lane above by
 * shuffles.
 *
 * A read of at most 32 CELLS letters occupies the bottom of the warp's rows, so that its last row is the last
 * row of the last lane; the rows above it are transparent. A longer read takes several strips of rows, whose
 * last rows go through global memory.
 */
#ifndef PAIRHMM_SHUFFLE_CUH
#define PAIRHMM_SHUFFLE_CUH

#include "pairhmm/recurrence.cuh"

template <class T, int CELLS>
struct ShuffleStrip {
    static const unsigned lanes = 0xffffffffu;
    static const int rows_per_strip = 32 * CELLS;

    Row<T> rows[CELLS];
    Cell<T> cells[CELLS]; /* the cells that the lane filled last, all in one column */
    Cell<T> diagonal;     /* the cell north-west of the next cell of the lane's top row */

    static __device__ __forceinline__ Cell<T> from_above(const Cell<T> &cell)
    {
        return {__shfl_up_sync(lanes, cell.m, 1), __shfl_up_sync(lanes, cell.i, 1),
                __shfl_up_sync(lanes, cell.d, 1)};
    }

    /* Sets the lane's rows to rows top..top + CELLS - 1 of the read, counted from 0; rows before 0 are
     * transparent. */
    __device__ void begin(const PairhmmInput<T> &q, const pairhmm_pair &pair, int top, const Cell<T> &row_0)
    {
        UNROLL(8)
        for (int c = 0; c < CELLS; c++) {
            bool inside = top + c >= 0;
            if (inside)
                rows[c].set(q.reads[pair.read_at + (unsigned)(top + c)], q.phred);
            else
                rows[c].set_transparent();
            cells[c] = inside ? Cell<T>{0, 0, 0} : row_0;
        }
        diagonal = top <= 0 ? row_0 : Cell<T>{0, 0, 0};
    }

    /* Fills the lane's rows of the next column; `up` is the cell above the lane's top row in this column. */
    __device__ __forceinline__ void step(unsigned char letter, Cell<T> up)
    {
        Cell<T> north_west = diagonal;
        diagonal = up;
        UNROLL(8)
        for (int c = 0; c < CELLS; c++) {
            Cell<T> west = cells[c];
            up = cells[c] = rows[c].fill(letter, up, west, north_west);
            north_west = west;
        }
    }
};

/* Fills the columns of one strip; in step k lane l fills column k - l + 1. Returns the sum of the strip's
 * last row, in the last lane. */
template <class T, int CELLS, bool LONG>
static __device__ T fill_strip(const PairhmmInput<T> &q, const pairhmm_pair &pair, int top, bool first,
                               bool last)
{
    const unsigned char *haplotype = q.haplotypes + pair.haplotype_at;
    int lane = (int)threadIdx.x, columns = pair.haplotype_length;
    Cell<T> row_0 = {0, 0, Precision<T>::scale() / (T)columns};
    ShuffleStrip<T, CELLS> strip;
    strip.begin(q, pair, top + lane * CELLS, row_0);
    T sum = 0;
    for (int k = 0; k < columns + 31; k++) {
        int j = k - lane + 1;
        Cell<T> up = strip.from_above(strip.cells[CELLS - 1]);
        if (lane == 0)
            up = LONG && !first ? q.border()[j <= columns ? j : columns] : row_0;
        if (k >= 31 || j >= 1)
            strip.step(haplotype[j <= columns ? j - 1 : columns - 1], up);
        if (k >= 31)
            sum += strip.cells[CELLS - 1].m + strip.cells[CELLS - 1].i;
        if (LONG && !last && k >= 31 && lane == 31)
            q.border()[j] = strip.cells[CELLS - 1];
    }
    return sum;
}

template <class T, int CELLS, bool LONG>
static __global__ void __launch_bounds__(32) pairhmm_shuffle(PairhmmInput<T> q)
{
    const int per_strip = ShuffleStrip<T, CELLS>::rows_per_strip;
    unsigned count = LONG ? q.how_many() : q.count;
    for (unsigned n = blockIdx.x; n < count; n += gridDim.x) {
        pairhmm_pair pair = q.pairs[q.pair_at(n)];
        int strips = LONG ? (pair.read_length + per_strip - 1) / per_strip : 1;
        int top = pair.read_length - strips * per_strip;
        T sum = 0;
        for (int s = 0; s < strips; s++, top += per_strip) {
            sum = fill_strip<T, CELLS, LONG>(q, pair, top, s == 0, s == strips - 1);
            __syncwarp(); /* the border that the last lane wrote is visible to the next strip */
        }
        if (threadIdx.x == 31)
            q.finish(q.pair_at(n), sum);
    }
}

#endif
