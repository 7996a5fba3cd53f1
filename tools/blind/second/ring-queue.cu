/* Producers and consumers share a bounded queue with a sequence number in each slot. Prints ns per item; the
 * number in each printed name is the number of blocks, half of which produce. */
#include "../blind.h"
#define PLACES 64
__global__ void move(unsigned *places, unsigned *heads, unsigned *out, int each)
{
    bool produces = blockIdx.x % 2 == 0;
    unsigned sum = 0;
    for (int i = 0; i < each; i++) {
        unsigned ticket = atomicAdd(&heads[produces ? 0 : 32], 1), turn = ticket / PLACES;
        unsigned *place = &places[ticket % PLACES * 32];
        while (*(volatile unsigned *)place != 2 * turn + !produces) {
        }
        __threadfence();
        if (produces)
            *(volatile unsigned *)&place[1] = ticket;
        else
            sum += *(volatile unsigned *)&place[1];
        __threadfence();
        *(volatile unsigned *)place = 2 * turn + 1 + !produces;
    }
    out[blockIdx.x] = sum;
}
int main()
{
    unsigned *places = words(PLACES * 32), *heads = words(64), *out = words(132);
    for (int blocks : {2, 16, 132})
        measure("ring-queue", blocks, blocks / 2 * 16.0,
                [=] { move<<<blocks, 1>>>(places, heads, out, 16); });
}
