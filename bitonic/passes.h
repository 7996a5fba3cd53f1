/* The plan of a bitonic sort with few barriers: which steps of the network a block can do without another's keys. */
#ifndef BITONIC_PASSES_H
#define BITONIC_PASSES_H

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_TILE_BITS 12
#define MOST_PASSES 64
#define LOW_BITS 3 /* of the index, always in a tile: whole sectors of 32 bytes move */

/*
 * A tile is 2^R keys whose indices differ in R bits. Of its keys, local bit p of the place in the tile is bit
 * local_bit[p] of the index. The steps are on local bits R - 1 down to `lowest`, one each. The keys' run is descending
 * where bit `from` of the index is set; from the step on local bit `change` on (-1: never), where bit `to` is.
 */
struct sort_pass {
    signed char lowest, change;
    unsigned char from, to;
    unsigned char local_bit[MOST_TILE_BITS];
    unsigned char ascending[MOST_TILE_BITS]; /* local bits in the order of the index bits that they are */
    unsigned in_tile;                        /* index bits: 1 where they differ within a tile */
};

struct sort_plan {
    int log_n, passes;
    struct sort_pass pass[MOST_PASSES];
};

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
