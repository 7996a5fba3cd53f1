#include "micro/hops/layers.h"
#include "base/memory.h"

#include <stdlib.h>

static int row_sum(unsigned layer, unsigned row, const int *x, unsigned n)
{
    int sum = 0;
    for (unsigned group = 0; group < n / WEIGHTS_OF_GROUP; group++) {
        unsigned weights = layer_weights(layer, row, group);
        for (unsigned i = 0; i < WEIGHTS_OF_GROUP; i++)
            sum += layer_weight(weights, i) * x[group * WEIGHTS_OF_GROUP + i];
    }
    return sum;
}

void layers_sequential(int *sums, unsigned n, unsigned layers, unsigned seed)
{
    int *x = allocate(n * sizeof *x);
    for (unsigned i = 0; i < n; i++)
        x[i] = layer_input(seed, i);
    for (unsigned layer = 0; layer < layers; layer++) {
        for (unsigned row = 0; row < n; row++)
            sums[row] = row_sum(layer, row, x, n);
        for (unsigned i = 0; i < n; i++)
            x[i] = layer_wrap(sums[i]);
    }
    free(x);
}
