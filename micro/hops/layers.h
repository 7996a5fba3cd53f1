/*
 * The layers of micro-megakernel: y = W x, and what a layer leaves is wrapped into a range in which every sum is exact
 * in single precision, so that it does not matter who adds what first, and one wrong number is seen.
 */
#ifndef MICRO_LAYERS_H
#define MICRO_LAYERS_H

#ifdef __CUDACC__
#define LAYERS_EVERYWHERE static inline __host__ __device__
#else
#define LAYERS_EVERYWHERE static inline
#endif

/* Numbers of a layer at most: with weights of -1, 0 and 1 no sum is beyond 2^24. */
#define MOST_NUMBERS 8192

/* The weights of 16 columns from 16 * `group` on, two bits each, which their place decides. */
#define WEIGHTS_OF_GROUP 16
LAYERS_EVERYWHERE unsigned layer_weights(unsigned layer, unsigned row, unsigned group)
{
    unsigned mixed = (layer * 0x9e3779b1u) ^ (row * 0x85ebca77u) ^ (group * 0xc2b2ae3du);
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    mixed = (mixed ^ mixed >> 12) * 0x297a2d39u;
    return mixed ^ mixed >> 15;
}

/* One of them: 0, 1, -1 or 0. */
LAYERS_EVERYWHERE int layer_weight(unsigned weights, unsigned column)
{
    unsigned bits = weights >> 2 * (column % WEIGHTS_OF_GROUP);
    return (int)(bits & ~(bits >> 1) & 1) - (int)(bits >> 1 & ~bits & 1);
}

/* What goes into the first layer. */
LAYERS_EVERYWHERE int layer_input(unsigned seed, unsigned at)
{
    return (int)((seed * 0x9e3779b1u + at * 0x85ebca77u) >> 21) - 1024;
}

/* From -1024 to 1023. */
LAYERS_EVERYWHERE int layer_wrap(int sum)
{
    return ((sum + 1024) & 2047) - 1024;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The sums that the last of the layers leaves, of n numbers each, a multiple of 16. */
void layers_sequential(int *sums, unsigned n, unsigned layers, unsigned seed);

#ifdef __cplusplus
}
#endif

#endif
