/*
 * Our own kernel: 4, 8 or 32 lanes for each pair, and 1 to 25 consecutive rows for each lane. The paper's PH2
 * (pairhmm/shuffle.cuh) takes 18 to 24 instructions for a cell, because each of its rows has five constants
 * and three values, each lane has one to four rows, and each column takes three shuffles. This kernel takes
 * five instructions for a cell (one multiplication and four multiply-adds) and 17 for a column, which the
 * rows of a lane share: 5.7 for a cell with 25 rows, 6.4 with 8. A warp of PH2 rounds the length of a read up
 * to a multiple of 32 rows, and its last lane begins 31 columns after its first lane: so only three quarters
 * of the cells that it computes belong to the matrix. In this kernel 95 % do.
 *
 * Fewer operations. Scaled rows need three constants and two values. With u(i) = ins(i+1) / ins(1), and u(R)
 * = ins(R) / ins(1) in the last row R, let
 *
 *     M'(i,j) = u(i) M(i,j)      I'(i,j) = I(i,j) / ins(1)      D'(i,j) = u(i) / del(i) D(i,j)
 *
 * and let T(i,j) be the value that row i+1 takes from its diagonal. The recurrences of pairhmm/reference.h
 * become
 *
 *     M'(i,j)   = match(i, letter j) T(i-1,j-1)      match = prior mm(i) u(i) / u(i-1)
 *     T(i,j)    = M'(i,j) + a(i) I'(i,j) + b(i) D'(i,j)
 *     D'(i,j+1) = M'(i,j) + gcp(i) D'(i,j)
 *     I'(i+1,j) = M'(i,j) + gcp(i+1) I'(i,j)
 *
 * with a(i) = gm(i+1) ins(i+1) / mm(i+1) and b(i) = gm(i+1) del(i) / mm(i+1). In the last row a = ins and b =
 * 0 make T the sum of M and I, times u(R): the likelihood is the sum of T over this row.
 *
 * Fewer exceptions. The last row of the read is the last row of the last lane. Rows above the first row of
 * the read are padding, with match = a = 0 and b = gcp = 1; the last padding row has D of row 0, the others
 * have 0. A lane is one column later than the lane above it; until its first column comes, all its values
 * stay 0. So nothing in the loop depends on the row, the lane or the start, and only the sum depends on the
 * end of the haplotype.
 *
 * Fewer register reads. A multiprocessor's scheduler reads two registers in a cycle, so a multiply-add, which
 * reads three registers, takes one and a half cycles (micro-throughput, fp32-distinct): a row takes 14 reads
 * for its five instructions, unless two consecutive operations have the same operand, which then is read only
 * once. So T is summed in an order in which two consecutive operations have D' and M', and rows share their
 * gcp where they can: HaplotypeCaller gives all letters the same, and the gcp of the launch is in a uniform
 * register. Only the first rows of a lane, which include all padding, have a gcp of their own. Reads whose
 * letters have different gap continuations are computed by the classes (32 lanes, or few rows for each lane)
 * in which every row has a gcp of its own.
 *
 * Emissions. The factors of four rows for a letter are a float4 in shared memory, at an address that one
 * instruction computes from the letter. Each lane has a table of its own: there are no barriers and no bank
 * conflicts.
 *
 * Order. pairhmm/blocked.c gives each warp pairs of one class, and neighbouring warps pairs of the same
 * class, because the loops of all classes together are many times larger than the instruction cache of a
 * multiprocessor.
 */
#ifndef PAIRHMM_BLOCKED_CUH
#define PAIRHMM_BLOCKED_CUH

#include "pairhmm/arrivals.cuh"
#include "pairhmm/blocked.h"
#include "pairhmm/recurrence.cuh"

#define ENTRY_BYTES 16
struct BlockedInput {
    /* the data of the launch; `q.phred` points to the ratio 1 in the table of blocked_ratio_table(), so that
     * negative indices are valid, too */
    PairhmmInput<float> q;
    const blocked_warp *warps;
    unsigned warp_count, entries; /* `entries` is the number of float4s of each lane's table */
    float gcp;                    /* the gap continuation probability of all rows that have no separate one */
    Arrivals arrivals;
};

/* Returns a value that is equal in all lanes of a warp. The warp reduction shows this to the compiler, which
 * then keeps the value in a uniform register, without checks for divergence and register moves. */
static __device__ __forceinline__ unsigned uniform(unsigned value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, value);
#else
    return value;
#endif
}

static __device__ __forceinline__ float component(const float4 &v, int which)
{
    return which == 0 ? v.x : which == 1 ? v.y : which == 2 ? v.z : v.w;
}

/* Loads WORDS words from an address that need not be aligned; the loads themselves are aligned. */
template <int WORDS>
static __device__ __forceinline__ void load_bytes(const void *from, unsigned words[WORDS])
{
    size_t at = (size_t)from;
    const unsigned *aligned = (const unsigned *)(at & ~(size_t)3);
    unsigned low = aligned[0], shift = 8 * (unsigned)(at & 3);
    UNROLL(8)
    for (int w = 0; w < WORDS; w++) {
        unsigned high = aligned[w + 1];
        words[w] = __funnelshift_r(low, high, shift);
        low = high;
    }
}

static __device__ __forceinline__ unsigned byte_of(const unsigned *words, int n)
{
    return words[n / 4] >> 8 * (n % 4) & 255;
}

/* A letter of the read with the probabilities that follow from its qualities. */
struct BlockedLetter {
    unsigned base;
    int insertion;
    float error, ins, del, gcp, mm;

    __device__ __forceinline__ void set(const unsigned *words, int first, const float *phred)
    {
        base = byte_of(words, first);
        insertion = (int)byte_of(words, first + 2);
        error = phred[byte_of(words, first + 1)];
        ins = phred[insertion];
        del = phred[byte_of(words, first + 3)];
        gcp = phred[byte_of(words, first + 4)];
        mm = 1 - (ins + del);
    }
};

/* The constants of four consecutive rows. */
struct BlockedRows {
    float match[4], mismatch[4], a[4], b[4], gcp[4];
    /* gm / mm of the read's first row, if the last padding row is one of the four rows, else 0 */
    float start;

    /* Sets the constants of four rows, from row i of the read on; rows before the read's first are padding,
     * rows after its last are unused. */
    __device__ __forceinline__ void set(const read_letter *read, int length, int i, const float *phred)
    {
        /* the bytes of four letters and the next one; outside the read these are its neighbours in the pool,
         * or the pool's margin */
        unsigned words[7];
        load_bytes<7>(read + (i < -4 ? -4 : i), words);
        BlockedLetter letter, next;
        letter.set(words, 0, phred);
        start = 0;
        UNROLL(4)
        for (int r = 0; r < 4; r++, letter = next) {
            bool last = i + r == length - 1, real = i + r >= 0;
            next.set(words, 5 * (r + 1), phred);
            /* the last row R has no next row: u(R) / u(R-1) = 1, and a = ins */
            float open = last ? 1 : __fdividef(1 - next.gcp, next.mm);
            float factor = letter.mm * phred[last ? 0 : next.insertion - letter.insertion];
            match[r] = real ? (1 - letter.error) * factor : 0;
            mismatch[r] = real ? letter.error * (1.0f / 3) * factor : 0;
            if (letter.base == 'N')
                mismatch[r] = match[r];
            a[r] = real ? open * (last ? letter.ins : next.ins) : 0;
            b[r] = real ? (last ? 0 : open * letter.del) : 1;
            gcp[r] = real ? letter.gcp : 1;
            if (i + r == -1)
                start = open;
        }
    }
};

/* The rows that a lane fills, and their values in the current column. */
template <int LANES, int ROWS>
struct BlockedStrip {
    static const unsigned all = 0xffffffffu;
    static const int groups = (ROWS + 3) / 4;
    /* number of a lane's rows that have a separate gcp */
    static const int own = BLOCKED_KEEPS_ALL(LANES, ROWS) ? ROWS : LANES;

    unsigned at; /* offset in bytes of this lane's table in the block's shared memory */
    float a[ROWS], b[ROWS], gcp[own], t[ROWS], d[ROWS];
    /* the factors of I' at the borders of the lane's rows: `gcp_in` where the I' of the lane above enters the
     * second row, `gcp_out` where this lane's I' leaves its last row */
    float gcp_in, gcp_out;
    float t_in, t_next, i_in, sum;

    /* Returns the table's entry with the factors of four rows of this lane for a letter, 0 to 4 for A, C, T,
     * G, N. The entries of a warp's lanes lie side by side. */
    __device__ __forceinline__ float4 *entry(int group, int letter) const
    {
        return dynamic_shared<float4>() + at / ENTRY_BYTES + 32 * (BLOCKED_LETTERS * group + letter);
    }

    /* Sets the constants of the lane's rows, the first of which is row `top` of the read. The constants pass
     * through the memory of the lane's table, so that the code for four rows exists only once. */
    __device__ __forceinline__ void begin(const PairhmmInput<float> &q, const pairhmm_pair &pair, int top,
                                          bool first)
    {
        const read_letter *read = q.reads + pair.read_at;
        float start = 0;
        UNROLL(1)
        for (int g = 0; g < groups; g++) {
            BlockedRows rows;
            rows.set(read, pair.read_length, top + 4 * g, q.phred);
            start += rows.start;
            *entry(g, 0) = make_float4(rows.match[0], rows.match[1], rows.match[2], rows.match[3]);
            *entry(g, 1) =
                make_float4(rows.mismatch[0], rows.mismatch[1], rows.mismatch[2], rows.mismatch[3]);
            *entry(g, 2) = make_float4(rows.a[0], rows.a[1], rows.a[2], rows.a[3]);
            *entry(g, 3) = make_float4(rows.b[0], rows.b[1], rows.b[2], rows.b[3]);
            *entry(g, 4) = make_float4(rows.gcp[0], rows.gcp[1], rows.gcp[2], rows.gcp[3]);
        }
        start *= Precision<float>::scale() / (float)pair.haplotype_length;
        take_constants(top, start);
        make_table(read, pair.read_length, top);
        gcp_out = __shfl_down_sync(all, gcp[0], 1, LANES);
        /* in the pair's first lane the shuffle returns the lane's own I', which this 0 removes */
        gcp_in = first ? 0 : ROWS > 1 ? gcp[ROWS > 1] : gcp_out;
        /* if `top` is 0, the lane above has the last padding row as its last row */
        float above = __shfl_up_sync(all, start, 1, LANES);
        t_next = !first && top == 0 ? above : 0;
        t_in = i_in = sum = 0;
    }

    __device__ __forceinline__ void take_constants(int top, float start)
    {
        float4 a4 = {}, b4 = {}, gcp4 = {};
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % 4 == 0)
                a4 = *entry(r / 4, 2), b4 = *entry(r / 4, 3), gcp4 = *entry(r / 4, 4);
            a[r] = component(a4, r % 4);
            b[r] = component(b4, r % 4);
            if (r < own)
                gcp[r < own ? r : 0] = component(gcp4, r % 4);
            t[r] = d[r] = top + r == -1 ? start : 0;
        }
    }

    __device__ __forceinline__ void make_table(const read_letter *read, int length, int top)
    {
        UNROLL(1)
        for (int g = 0; g < groups; g++) {
            float4 match = *entry(g, 0), mismatch = *entry(g, 1);
            unsigned char base[4];
            UNROLL(4)
            for (int r = 0; r < 4; r++) {
                int i = top + 4 * g + r;
                base[r] = read[i < 0 ? 0 : i < length ? i : length - 1].base;
            }
            UNROLL(5)
            for (int k = 0; k < BLOCKED_LETTERS; k++) {
                unsigned char letter = (unsigned char)(0x4e47544341ull >> 8 * k); /* A, C, T, G, N */
                *entry(g, k) = make_float4(k == 4 || base[0] == letter ? match.x : mismatch.x,
                                           k == 4 || base[1] == letter ? match.y : mismatch.y,
                                           k == 4 || base[2] == letter ? match.z : mismatch.z,
                                           k == 4 || base[3] == letter ? match.w : mismatch.w);
            }
        }
    }

    /* Returns the gcp of the lane's row r, where row ROWS means the next lane's first row. `usual` is the
     * launch's gcp, for rows without a separate one. */
    __device__ __forceinline__ float gcp_of(int r, float usual) const
    {
        return r < own ? gcp[r < own ? r : 0] : own < ROWS ? usual : gcp_out;
    }

    /* Fills the next column of the lane's rows; `offset` is the offset in shared memory, in bytes, of the
     * entries for the column's letter. */
    __device__ __forceinline__ void step(unsigned offset, float usual)
    {
        const char *entries = dynamic_shared<char>() + offset;
        float4 factors = *(const float4 *)entries;
        float i = i_in, m = factors.x * t_in;
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % 4 == 3 && r + 1 < ROWS)
                factors = *(const float4 *)(entries + (r / 4 + 1) * BLOCKED_LETTERS * 32 * ENTRY_BYTES);
            float m_next = r + 1 < ROWS ? component(factors, (r + 1) % 4) * t[r] : 0;
            t[r] = fmaf(a[r], i, fmaf(b[r], d[r], m));
            d[r] = fmaf(gcp_of(r, usual), d[r], m);
            i = fmaf(r == 0 ? gcp_in : gcp_of(r + 1, usual), i, m);
            m = m_next;
        }
        t_in = t_next;
        t_next = __shfl_up_sync(all, t[ROWS - 1], 1, LANES);
        i_in = __shfl_up_sync(all, i, 1, LANES);
    }
};

/* Converts each of the four ASCII letters in a word to 4 times its code, which is 0 to 4 for A, C, T, G, N;
 * any other byte becomes at most 16. */
static __device__ __forceinline__ unsigned letter_codes(unsigned letters)
{
    unsigned codes = letters << 1 & 0x1c1c1c1c;
    return codes - (codes >> 4 & 0x01010101) * 12;
}

/* Fills all columns of the pair's matrices; this lane begins `lag` columns late. */
template <int LANES, int ROWS>
static __device__ __forceinline__ void fill_columns(BlockedStrip<LANES, ROWS> &strip,
                                                    const unsigned char *haplotype, int columns, int lag,
                                                    unsigned turns, float usual)
{
    size_t at = (size_t)haplotype - (size_t)lag;
    const unsigned *words = (const unsigned *)(at & ~(size_t)3);
    unsigned shift = 8 * (unsigned)(at & 3);
    int left = columns + lag; /* number of steps until the lane has filled its last column */
    unsigned last_word = ((unsigned)(at & 3) + (unsigned)left - 1) / 4;
    unsigned low = words[0], high = words[last_word < 1 ? last_word : 1];
    UNROLL(1)
    for (unsigned turn = 0; turn < turns; turn++, left -= 4) {
        unsigned codes = letter_codes(__funnelshift_r(low, high, shift));
        low = high;
        high = words[turn + 2 < last_word ? turn + 2 : last_word];
        UNROLL(4)
        for (int c = 0; c < 4; c++) {
            strip.step(__dp4a(codes, 8u * ENTRY_BYTES << 8 * c, strip.at), usual);
            if (left > c)
                strip.sum += strip.t[ROWS - 1];
        }
    }
}

template <int LANES, int ROWS>
static __device__ __forceinline__ void blocked_pairs(const BlockedInput &in, const blocked_warp &warp,
                                                     unsigned table)
{
    const PairhmmInput<float> &q = in.q;
    unsigned lane = threadIdx.x % 32, number = lane / LANES;
    int k = (int)(lane % LANES);
    /* lanes without a pair compute the warp's first pair, too, and do not store its result */
    bool used = number < warp.count;
    unsigned at = warp.first + (used ? number : 0);
    pairhmm_pair pair = q.pairs[at];
    int padding = LANES * ROWS - pair.read_length, lag = k - (padding - 1) / ROWS;
    BlockedStrip<LANES, ROWS> strip;
    strip.at = table + ENTRY_BYTES * lane;
    strip.begin(q, pair, k * ROWS - padding, k == 0);
    fill_columns(strip, q.haplotypes + pair.haplotype_at, pair.haplotype_length, lag < 0 ? 0 : lag,
                 uniform(warp.turns), in.gcp);
    if (!used || k != LANES - 1)
        return;
    const read_letter *read = q.reads + pair.read_at;
    float sum = strip.sum * q.phred[read[0].insertion - read[pair.read_length - 1].insertion];
    /* an overflowed sum counts as 0, which is too low, so that the pair is computed again */
    q.finish(at, sum < 0x1p127f ? sum : 0);
}

/* Calls the blocked_pairs() that is compiled for the class's number of rows for each lane. */
template <int LANES, int ROWS, int MOST>
static __device__ __forceinline__ void dispatch(const BlockedInput &in, const blocked_warp &warp,
                                                unsigned rows, unsigned table)
{
    if (rows == ROWS)
        blocked_pairs<LANES, ROWS>(in, warp, table);
    else if constexpr (ROWS < MOST)
        dispatch<LANES, ROWS + 1, MOST>(in, warp, rows, table);
}

static __global__ void __launch_bounds__(32 * BLOCKED_WARPS, BLOCKED_BLOCKS_PER_SM)
    pairhmm_blocked(BlockedInput in)
{
    trigger_next_kernel();
    unsigned in_block = uniform(threadIdx.x / 32), number = blockIdx.x * BLOCKED_WARPS + in_block;
    if (in_block == 0)
        in.arrivals.copy();
    if (number >= in.warp_count)
        return;
    in.arrivals.wait(number);
    blocked_warp warp = in.warps[number];
    unsigned rows = uniform(warp.class_.rows), lanes = uniform(warp.class_.lanes),
             table = in_block * in.entries * 32 * ENTRY_BYTES;
    if (lanes == 4)
        dispatch<4, BLOCKED_LEAST_4, BLOCKED_MOST_4>(in, warp, rows, table);
    else if (lanes == 8)
        dispatch<8, BLOCKED_LEAST_8, BLOCKED_MOST_8>(in, warp, rows, table);
    else
        dispatch<32, BLOCKED_LEAST_32, BLOCKED_MOST_32>(in, warp, rows, table);
}

#endif
