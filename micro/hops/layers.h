/*
 * The layers of micro-megakernel: y = W x. The results of a layer are wrapped into a range in which every sum
 * is exact in single precision, so that the order of the additions does not matter, and a single wrong number
 * is noticed.
 */
#ifndef MICRO_LAYERS_H
#define MICRO_LAYERS_H

#ifdef __CUDACC__
#define LAYERS_EVERYWHERE static inline __host__ __device__
#else
#define LAYERS_EVERYWHERE static inline
#endif

/* The largest number of results of a layer. With weights of -1, 0 and 1 no sum exceeds 2^24. */
#define MOST_NUMBERS 8192

/* layer_weights() returns the weights of a row in the columns 16 * `group` to 16 * `group` + 15, in one word
 * with two bits for each. It computes them from the position alone. */
#define WEIGHTS_OF_GROUP 16
LAYERS_EVERYWHERE unsigned layer_weights(unsigned layer, unsigned row, unsigned group)
{
    unsigned mixed = (layer * 0x9e3779b1u) ^ (row * 0x85ebca77u) ^ (group * 0xc2b2ae3du);
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    mixed = (mixed ^ mixed >> 12) * 0x297a2d39u;
    return mixed ^ mixed >> 15;
}

/* Returns the weight of a column, given the word of layer_weights() that has it: 0, 1, -1 or 0, if its bits
 * are 0, 1, 2 or 3. */
LAYERS_EVERYWHERE int layer_weight(unsigned weights, unsigned column)
{
    unsigned bits = weights >> 2 * (column % WEIGHTS_OF_GROUP);
    return (int)(bits & ~(bits >> 1) & 1) - (int)(bits >> 1 & ~bits & 1);
}

/* Returns a number of the first layer's input. */
LAYERS_EVERYWHERE int layer_input(unsigned seed, unsigned at)
{
    return (int)((seed * 0x9e3779b1u + at * 0x85ebca77u) >> 21) - 1024;
}

/* Wraps a sum into the range from -1024 to 1023. */
LAYERS_EVERYWHERE int layer_wrap(int sum)
{
    return ((sum + 1024) & 2047) - 1024;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Computes on the host the sums of the last layer. Each layer has n results; n is a multiple of 16. */
void layers_sequential(int *sums, unsigned n, unsigned layers, unsigned seed);

#ifdef __cplusplus
}
#endif

#endif
