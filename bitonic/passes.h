/* The plan of a bitonic sort with few barriers: which steps of the network a block can do without another's keys. */
#ifndef BITONIC_PASSES_H
#define BITONIC_PASSES_H

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_TILE_BITS 13
#define MOST_PASSES 64
#define LOW_BITS 3                /* of the index, always in a tile: whole sectors of 32 bytes move */
#define LOG_HELD 4                /* log2 of the keys in a thread's registers */
#define PACKS (1 << LOG_HELD) / 4 /* of four keys, that a thread moves */

/* Moves as 16 bytes. */
struct sort_words {
    unsigned of[4];
} __attribute__((aligned(16)));

/*
 * A tile is 2^R keys whose indices differ in R bits. A key's place in the tile has R local bits, each of
 * them one of those; the steps are on local bits R - 1 down to `lowest`, one each. The keys' run is descending
 * where bit `from` of the index is set; from the step on local bit `change` on (-1: never), where bit `to` is.
 *
 * Keys move in the order of their indices, by packs of four: thread t of T = 2^(R - LOG_HELD) moves the packs t, t + T, ...
 * An index is the exclusive or of what its tile, its thread and its pack contribute; a place in shared memory that of
 * what its thread, its pack and its number in the pack do.
 */
struct sort_pass {
    int lowest, change, from, to;
    struct sort_words index_of_pack, place_of_pack, place_of_key;
    struct sort_words tile_mask,
        tile_shift; /* bits of a tile's number, and by how much they move to be the index's */
};

/* What a thread contributes. */
struct sort_thread {
    unsigned index, place;
};

struct sort_plan {
    int log_n, passes;
    struct sort_pass pass[MOST_PASSES];
    struct sort_thread thread[MOST_PASSES][1 << (MOST_TILE_BITS - LOG_HELD)];
};

/* Where the key with these local bits lies, so that threads that differ in any bits find different banks; linear over
 * exclusive or. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline unsigned
    sort_place(unsigned key)
{
    unsigned high = key >> 5;
    return key ^ (high & 31) ^ ((high & 12) << 1);
}

/*
 * The steps of the merges of 2^(R+1) to 2^log_n keys (stage s has steps on index bits s - 1 down to 0), in as few passes
 * as follow from taking consecutive steps while their bits, and the low ones, are no more than R and none comes twice.
 * R is LOW_BITS + 1 to MOST_TILE_BITS, log_n at least R.
 */
void plan_passes(int log_n, int tile_bits, struct sort_plan *out);

#ifdef __cplusplus
}
#endif

#endif
