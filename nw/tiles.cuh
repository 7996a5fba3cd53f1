/*
 * Ways to fill a tile of Needleman-Wunsch's matrix whose north and west neighbours are done. Each way has
 *
 *     edge           cells of a side of the tile
 *     threads        threads of the block that fills it
 *     shared_bytes   bytes of shared memory that it needs
 *     fill(matrix, first_row, first_column)   called by all threads; the tile's first cell, counted from 1
 *
 * The tiles of Li 2015 are 32 x 32 words including the neighbours' last row and column, which leaves 31 x 31
 * cells to fill.
 */
#ifndef NW_TILES_CUH
#define NW_TILES_CUH

#include "harness/mbarrier.cuh"
#include "sync/packed_word.cuh"
#include "sync/spin_lock.cuh"
#include "sync/tiny_lock.cuh"

struct NwMatrix {
    const int *field; /* the scores p(i,j), m x n */
    int *s;           /* the matrix S, (m + 1) x (n + 1); its first row and column are given */
    int m, n, penalty;

    __device__ int *at(int i, int j) const { return s + (size_t)i * (size_t)(n + 1) + j; }
    __device__ int field_at(int i, int j) const { return field[(size_t)(i - 1) * (size_t)n + (j - 1)]; }

    /* Returns the value of a cell by Equation 1 of Li 2015. */
    __device__ int cell(int north, int west, int diagonal, int p) const
    {
        int gap = (north > west ? north : west) - penalty;
        return diagonal + p > gap ? diagonal + p : gap;
    }
};

/* number of words along a side of a tile of Li 2015, including the neighbours' last row and column */
#define WORDS 32

/* The data-parallel way to fill a tile (Li 2015, Figure 6; Rodinia): one warp fills anti-diagonal after
 * anti-diagonal. */
struct DataParallelTile {
    enum { edge = WORDS - 1, threads = 32, shared_bytes = 2 * WORDS * WORDS * sizeof(int) };

    static __device__ void fill(const NwMatrix &q, int row, int column)
    {
        int *s = dynamic_shared<int>(), *p = s + WORDS * WORDS, x = (int)threadIdx.x;
        int rows = q.m - row + 1 < edge ? q.m - row + 1 : edge;
        int columns = q.n - column + 1 < edge ? q.n - column + 1 : edge;
        for (int y = 0; y <= rows && x <= columns; y++) {
            if (x == 0 || y == 0)
                s[y * WORDS + x] = *q.at(row - 1 + y, column - 1 + x);
            else
                p[y * WORDS + x] = q.field_at(row - 1 + y, column - 1 + x);
        }
        __syncthreads();
        for (int diagonal = 2; diagonal <= rows + columns; diagonal++) {
            int y = diagonal - x, *cell = s + y * WORDS + x;
            if (x >= 1 && x <= columns && y >= 1 && y <= rows)
                *cell = q.cell(cell[-WORDS], cell[-1], cell[-WORDS - 1], p[y * WORDS + x]);
            __syncthreads();
        }
        for (int y = 1; y <= rows && x >= 1 && x <= columns; y++)
            *q.at(row - 1 + y, column - 1 + x) = s[y * WORDS + x];
        __syncthreads();
    }
};

/*
 * The dataflow way to fill a tile (Li 2015, Figures 7 and 8): one thread for each word, which computes as
 * soon as it has its north and west operands. A Token is a way for a thread to wait for another thread's
 * value; it has shared_bytes and
 *
 *     open()                  called by all threads, before a tile
 *     give(at, value)         publishes a word that is given from outside, before a __syncthreads
 *     hold(at)                announces that a word will come, also before that __syncthreads
 *     bool take(at, &value)   tries once to get a word's value
 *     int  read(at)           reads a word that was published before one that this thread took
 *     put(at, value)          publishes the word that this thread held
 *     close(at)               called by all threads for their word, after a __syncthreads
 */
template <class Token>
struct DataflowTile {
    enum { edge = WORDS - 1, threads = WORDS * WORDS, shared_bytes = Token::shared_bytes };

    static __device__ void fill(const NwMatrix &q, int row, int column)
    {
        int x = (int)threadIdx.x % WORDS, y = (int)threadIdx.x / WORDS, at = (int)threadIdx.x;
        int i = row - 1 + y, j = column - 1 + x;
        bool inside = i <= q.m && j <= q.n, computes = inside && x && y;
        Token token;
        token.open();
        if (computes)
            token.hold(at);
        else
            token.give(at, inside ? *q.at(i, j) : 0);
        int p = computes ? q.field_at(i, j) : 0;
        __syncthreads();
        if (computes)
            *q.at(i, j) = fire(q, token, at, p);
        __syncthreads();
        token.close(at);
    }

    /* Waits for the operands of a word, computes the word, publishes it and returns it (Listings 14 and 15 of
     * Li 2015). Each thread leaves the loop by itself, so that threads of a warp may wait for each other. */
    static __device__ int fire(const NwMatrix &q, Token &token, int at, int p)
    {
        int north = 0, west = 0, value = 0;
        bool has_north = false, has_west = false;
        convergence_set();
        for (bool finished = false; !finished;) {
            convergence_set();
            if (!has_north)
                has_north = token.take(at - WORDS, &north);
            if (!has_west)
                has_west = token.take(at - 1, &west);
            if (has_north && has_west) {
                finished = true;
                value = q.cell(north, west, token.read(at - WORDS - 1), p);
                token.put(at, value);
            }
            convergence_wait();
        }
        convergence_wait();
        return value;
    }
};

/* A token with one mutex for each word (Listing 14 of Li 2015); a thread that takes the token puts it back
 * for the other consumers. */
struct AtomToken {
    enum { shared_bytes = 2 * WORDS * WORDS * sizeof(int) };
    volatile int *s;
    unsigned *mutex;

    __device__ void open()
    {
        s = dynamic_shared<int>();
        mutex = (unsigned *)(dynamic_shared<int>() + WORDS * WORDS);
    }
    __device__ void give(int at, int value)
    {
        s[at] = value;
        mutex[at] = 0;
    }
    __device__ void hold(int at) { mutex[at] = 1; }
    __device__ bool take(int at, int *value)
    {
        if (atomicExch(&mutex[at], 1u) != 0)
            return false;
        __threadfence_block();
        *value = s[at];
        spin_unlock(&mutex[at]);
        return true;
    }
    __device__ int read(int at) { return s[at]; }
    __device__ void put(int at, int value)
    {
        s[at] = value;
        spin_unlock(&mutex[at]);
    }
    __device__ void close(int) {}
};

/* A token that packs a word's value and its epoch into 64 bits. */
struct PackedToken {
    enum { shared_bytes = WORDS * WORDS * sizeof(packed_word) };
    packed_word *words;

    __device__ void open() { words = dynamic_shared<packed_word>(); }
    __device__ void give(int at, int value) { packed_word_publish(&words[at], (unsigned)value, 1); }
    __device__ void hold(int at) { packed_word_publish(&words[at], 0, 0); }
    __device__ bool take(int at, int *value) { return packed_word_test(&words[at], 1, (unsigned *)value); }
    __device__ int read(int at) { return (int)packed_word_await(&words[at], 1); }
    __device__ void put(int at, int value) { packed_word_publish(&words[at], (unsigned)value, 1); }
    __device__ void close(int) {}
};

/* A token with one mbarrier for each word, which expects one arrival. The mbarrier of a word that is given
 * from outside is complete from the beginning. */
struct MbarrierToken {
    enum { shared_bytes = WORDS * WORDS * (sizeof(int) + sizeof(mbarrier)) };
    volatile int *s;
    mbarrier *barriers;

    __device__ void open()
    {
        barriers = dynamic_shared<mbarrier>();
        s = (int *)(barriers + WORDS * WORDS);
    }
    __device__ void give(int at, int value)
    {
        s[at] = value;
        mbarrier_init(&barriers[at], 1);
        mbarrier_arrive(&barriers[at]);
    }
    __device__ void hold(int at) { mbarrier_init(&barriers[at], 1); }
    __device__ bool take(int at, int *value)
    {
        if (!mbarrier_try_wait(&barriers[at], 0))
            return false;
        *value = s[at];
        return true;
    }
    __device__ int read(int at) { return s[at]; }
    __device__ void put(int at, int value)
    {
        s[at] = value;
        mbarrier_arrive(&barriers[at]);
    }
    __device__ void close(int at) { mbarrier_invalidate(&barriers[at]); }
};

#ifdef GPUSYNC_MACHINE

/* A token that is the lock bit of the word itself (Listing 15 of Li 2015). A tile uses all 1,024 lock bits of
 * shared memory. */
struct TinyToken {
    enum { shared_bytes = WORDS * WORDS * sizeof(int) };
    unsigned *s;

    __device__ void open() { s = dynamic_shared<unsigned>(); }
    __device__ void give(int at, int value) { s[at] = (unsigned)value; }
    __device__ void hold(int at) { tiny_lock(&s[at]); }
    __device__ bool take(int at, int *value)
    {
        int acquired;
        unsigned word = machine_lock_load(&s[at], &acquired);
        if (acquired)
            tiny_unlock(&s[at], word);
        *value = (int)word;
        return acquired;
    }
    __device__ int read(int at) { return (int)s[at]; }
    __device__ void put(int at, int value) { tiny_unlock(&s[at], (unsigned)value); }
    __device__ void close(int) {}
};

#endif

/* The scores p(i,j) of 32 rows in this lane's column j, in registers, so that all loads are in flight at
 * once. For places outside the matrix it has the scores of the matrix's last row or column. */
struct FieldColumn {
    int p[32];

    __device__ void load(const NwMatrix &q, int row, int j)
    {
        UNROLL(32)
        for (int y = 0; y < 32; y++)
            p[y] = q.field_at(row + y < q.m ? row + y : q.m, j < q.n ? j : q.n);
    }
    __device__ void store(int *to, int pitch) const
    {
        UNROLL(32)
        for (int y = 0; y < 32; y++)
            to[y * pitch] = p[y];
    }
};

/*
 * The way to fill a tile by shuffles: one warp, with one lane for each column. A lane's north operand is its
 * own last value, and its west operand comes from the lane before by a shuffle, one step later. Shared memory
 * holds each lane's column of the field and then of the result, because registers cannot be indexed. Lanes
 * are one row apart, and a pitch of 32 words keeps them in different banks.
 */
struct ShuffleTile {
    enum { edge = 32, threads = 32, shared_bytes = edge * edge * sizeof(int) };

    static __device__ void fill(const NwMatrix &q, int row, int column)
    {
        int *turn = dynamic_shared<int>(), lane = (int)threadIdx.x, j = column + lane;
        int rows = q.m - row + 1 < edge ? q.m - row + 1 : edge;
        bool inside = j <= q.n;
        FieldColumn field;
        field.load(q, row, j);
        /* value of the cell west of the tile in row `lane` */
        int border = lane < rows ? *q.at(row + lane, column - 1) : 0;
        int value = inside ? *q.at(row - 1, j) : 0, diagonal = *q.at(row - 1, inside ? j - 1 : q.n);
        field.store(turn + lane, edge);
        __syncwarp();
        UNROLL(8)
        for (int step = 0; step < 2 * edge - 1; step++) {
            int west = (int)__shfl_up_sync(0xffffffffu, (unsigned)value, 1);
            int first = (int)__shfl_sync(0xffffffffu, (unsigned)border, step % edge);
            int y = step - lane, *cell = turn + (y & (edge - 1)) * edge + lane;
            west = lane == 0 ? first : west;
            int next = q.cell(value, west, diagonal, *cell);
            if (y >= 0 && y < edge)
                *cell = value = next;
            diagonal = y >= 0 ? west : diagonal;
        }
        __syncwarp();
        for (int y = 0; y < rows && inside; y++)
            *q.at(row + y, j) = turn[y * edge + lane];
        __syncwarp();
    }
};

#endif
