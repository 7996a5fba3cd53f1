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

/*
 * A tile is 2^R keys whose indices differ in R bits. Of its keys, local bit p of the place in the tile is bit
 * local_bit[p] of the index. The steps are on local bits R - 1 down to `lowest`, one each. The keys' run is descending
 * where bit `from` of the index is set; from the step on local bit `change` on (-1: never), where bit `to` is.
 *
 * The keys of a tile move in the order of their indices. Bit i of a key's number in that order is bit index_bit[i] of
 * its index, and contributes place_bit[i], by exclusive or, to its place in shared memory. Thread t moves the packs
 * t, t + T, ... of four keys each, T = 2^(R - LOG_HELD): what pack number q T contributes to both, and key number i.
 */
struct sort_pass {
    signed char lowest, change;
    unsigned char from, to;
    unsigned char local_bit[MOST_TILE_BITS], index_bit[MOST_TILE_BITS];
    unsigned short place_bit[MOST_TILE_BITS];
    unsigned in_tile; /* index bits: 1 where they differ within a tile */
    unsigned index_of_pack[PACKS], place_of_pack[PACKS], place_of_key[4];
};

struct sort_plan {
    int log_n, passes;
    struct sort_pass pass[MOST_PASSES];
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
