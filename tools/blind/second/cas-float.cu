/* Blocks add floats to words by compare-and-swap; the words are 128 bytes apart. Prints ns per addition of a
 * block; the number in each printed name is the number of words. */
#include "../blind.h"
__global__ void add(unsigned *sums, int words_used, int rounds)
{
    unsigned *sum = &sums[blockIdx.x % words_used * 32];
    for (int r = 0; r < rounds; r++) {
        unsigned seen = *(volatile unsigned *)sum, before;
        do {
            before = seen;
            seen = atomicCAS(sum, before, __float_as_uint(__uint_as_float(before) + 1.0f));
        } while (seen != before);
    }
}
int main()
{
    unsigned *sums = words(132 * 32);
    for (int used : {1, 12, 132})
        measure("cas-float", used, 10, [=] { add<<<132, 1>>>(sums, used, 10); });
}
