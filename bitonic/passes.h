/* The plan of a bitonic sort with few barriers: which steps of the network a block can do without another
 * block's keys, and where the keys lie between passes. */
#ifndef BITONIC_PASSES_H
#define BITONIC_PASSES_H

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_TILE_BITS 12
#define MOST_PASSES 64
#define LOG_HELD 4 /* log2 of the keys in a thread's registers */
#define PHASES 3   /* of a pass: each on local bits that all threads have in registers */
#define IDLE_BITS 3
#define IDLE_FIRST 4 /* the local bits that an idle pass has no steps on: 4, 5 and 6 */
#define LOG_LINE 5   /* log2 of the keys that lie together in memory for the lanes of a warp */
#define TILE_TABLE 10

/*
 * A tile is 2^R keys whose indices differ in R bits. A key's place in the tile has R local bits, each of them
 * one of those index bits. The steps are on local bits R - 1 down to 0, one each, except for idle bits, for
 * which a pass has no step. Keys are complemented where their run is descending: from the step on local bit
 * `change` on (-1: never), these are the keys for which another bit of the index is set.
 *
 * The next step of the loop reads what a step stores. It lies in an order of its own, the index with its bits
 * permuted. From the lowest bit on: LOG_LINE bits that are a warp's lanes, in both steps as far as possible,
 * so that whole sectors of 32 bytes move; the LOG_HELD bits that are in registers when the next step begins;
 * the LOG_HELD bits that are in registers when this step ends. So a thread's keys lie at distances that the
 * compiler knows. After the last step the order is that of the index.
 */
struct sort_pass {
    int change, idle;
};

/* A thread's contribution to the places of its keys: in memory, and in shared memory in each phase. */
struct sort_thread {
    unsigned load, store, place[PHASES];
};

/* A tile's contribution to places in memory; flip: all ones if its keys are complemented after the change. */
struct sort_base {
    unsigned load, store, flip;
};

/* For step 0, by the bits of a number: the contribution of a thread's number to the index of its first key,
 * and of a register's number to the place where its key is stored. */
struct sort_runs {
    unsigned index[MOST_TILE_BITS - LOG_HELD], store[LOG_HELD];
};

/* All steps of the loop: step 0 sorts runs of 2^R keys, then come the passes. */
struct sort_plan {
    int log_n, tile_bits, passes;
    struct sort_runs runs;
    struct sort_pass pass[MOST_PASSES];
    struct sort_thread thread[MOST_PASSES][1 << (MOST_TILE_BITS - LOG_HELD)];
    struct sort_base low[MOST_PASSES][1 << TILE_TABLE],
        high[MOST_PASSES][1 << TILE_TABLE]; /* of a tile's number */
};

/* The place in shared memory of the key with these local bits: a sum over the bits. A bit moves the key by
 * 2^(bit mod 5) banks, so threads that differ in five bits, no two of them equal mod 5, access 32 banks. */
#ifdef __CUDACC__
__host__ __device__
#endif
#ifdef __cplusplus
    constexpr
#endif
    static inline unsigned
    sort_place(unsigned key)
{
    return key + (key >> 5) + (key >> 10);
}

/* In a phase, the local bits from this one to LOG_HELD - 1 above it are in registers. */
#define PHASE_LOW(tile_bits, phase) ((phase) < PHASES - 1 ? (tile_bits) - ((phase) + 1) * LOG_HELD : 0)

/*
 * Plans the steps of the merges of 2^(R+1) to 2^log_n keys (stage s has steps on index bits s - 1 down to 0),
 * R steps at a time, or R - 3 if the tiles of two passes would share less than a sector's keys. R is 11 or
 * 12; log_n is R, or at least 13.
 */
void plan_passes(int log_n, int tile_bits, struct sort_plan *out);

#ifdef __cplusplus
}
#endif

#endif
