/* The plan of a bitonic sort with few barriers: it says which steps of the network a block can do without
 * keys of other blocks, and where the keys lie between passes. */
#ifndef BITONIC_PASSES_H
#define BITONIC_PASSES_H

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_TILE_BITS 12
#define MOST_PASSES 64
#define LOG_HELD 4 /* log2 of the number of keys in a thread's registers */
/* number of phases of a pass; a phase does the steps on the local bits that threads then have in registers */
#define PHASES 3
#define IDLE_BITS 3
#define IDLE_FIRST 4 /* number of the lowest of the IDLE_BITS local bits on which an idle pass has no step */
#define LOG_LINE 5   /* log2 of the number of adjacent keys in memory that the lanes of a warp access */
#define TILE_TABLE 10

/*
 * A pass of the plan.
 *
 * A tile is 2^R keys whose indices differ in R bits. A key's place in the tile has R local bits, each of them
 * one of those index bits. The pass has one step on each local bit, from R - 1 down to 0, except for idle
 * bits. Keys are complemented where their run is descending: from the step on local bit `change` on, these
 * are the keys for which another bit of the index is set; -1 means that this bit never changes in the pass.
 *
 * Between two steps of the loop the keys lie in memory in an order that serves both steps: a key's place is
 * its index with the bits permuted. The lowest LOG_LINE bits of the place select a lane of a warp, if
 * possible both in the step that stores and in the step that loads, so that whole sectors of 32 bytes move.
 * The next LOG_HELD bits select a register of the thread that loads, and the LOG_HELD bits after these a
 * register of the thread that stores. So a thread's keys lie at distances that the compiler knows. After the
 * last step the order is the order of the index.
 */
struct sort_pass {
    int change, idle;
};

/* The contributions of a thread's number to the places of the thread's keys: to the places in memory when it
 * loads and when it stores the keys, and to the places in shared memory in each phase. */
struct sort_thread {
    unsigned load, store, place[PHASES];
};

/* The contribution of a tile's number to the places of the tile's keys in memory. `flip` is all ones if the
 * tile's keys are complemented after the change, else 0. */
struct sort_base {
    unsigned load, store, flip;
};

/* The places of keys in step 0. If bit b of a thread's number is set, index[b] is added to the index of the
 * thread's first key. If bit b of a register's number is set, store[b] is added to the place to which the
 * register's key is stored. */
struct sort_runs {
    unsigned index[MOST_TILE_BITS - LOG_HELD], store[LOG_HELD];
};

/* The plan of the whole sort: step 0 sorts runs of 2^R keys, and each further step does a pass. */
struct sort_plan {
    int log_n, tile_bits, passes;
    struct sort_runs runs;
    struct sort_pass pass[MOST_PASSES];
    struct sort_thread thread[MOST_PASSES][1 << (MOST_TILE_BITS - LOG_HELD)];
    struct sort_base low[MOST_PASSES][1 << TILE_TABLE], high[MOST_PASSES][1 << TILE_TABLE];
};

/* Returns the place in shared memory of the key with these local bits, which is a sum over the bits. A bit
 * moves the key by 2^(bit mod 5) banks, so threads that differ in five bits, no two of them equal mod 5,
 * access 32 banks. */
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

/* The number of the lowest of the LOG_HELD local bits that threads have in registers in phase `phase`. */
#define PHASE_LOW(tile_bits, phase) ((phase) < PHASES - 1 ? (tile_bits) - ((phase) + 1) * LOG_HELD : 0)

/*
 * Plans the merges of 2^(R+1) to 2^log_n keys, where R = tile_bits (stage s has steps on index bits s - 1
 * down to 0). A pass has R steps, or R - 3 if the tiles of two passes would otherwise share fewer keys than a
 * sector has. R is 11 or 12; log_n is R, or at least 13.
 */
void plan_passes(int log_n, int tile_bits, struct sort_plan *out);

#ifdef __cplusplus
}
#endif

#endif
