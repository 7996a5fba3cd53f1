/* Compares the reference of micro-megakernel's layers (micro/hops/layers.h) with sums in another order. Also
 * tests that the reference stays within its arrays. */
#include "base/memory.h"
#include "micro/hops/layers.h"
#include "tests/check.h"

#include <stdlib.h>

/* Returns the sum of a row in the last of `layers` layers. It recomputes each number of the layers before. */
static int sum_of(unsigned row, unsigned n, unsigned layers, unsigned seed)
{
    int sum = 0;
    for (unsigned at = n; at-- > 0;) {
        int x = layers == 1 ? layer_input(seed, at) : layer_wrap(sum_of(at, n, layers - 1, seed));
        sum += x * layer_weight(layer_weights(layers - 1, row, at / WEIGHTS_OF_GROUP), at);
    }
    return sum;
}

static void check_layers(unsigned n, unsigned layers, unsigned seed)
{
    int *sums = allocate(n * sizeof *sums), wrong = 0;
    layers_sequential(sums, n, layers, seed);
    for (unsigned row = 0; row < n; row++)
        wrong += sums[row] != sum_of(row, n, layers, seed);
    check(wrong == 0, "%u numbers go through %u layers (%d wrong)", n, layers, wrong);
    free(sums);
}

int main(void)
{
    check_layers(16, 1, 1);
    check_layers(16, 3, 2);
    check_layers(48, 2, 3);
    return checks_done();
}
