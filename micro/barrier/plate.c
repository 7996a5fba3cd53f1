#include "micro/barrier/plate.h"
#include "base/random.h"

#include <string.h>

void plate_fill(float *plate, int side, unsigned long long seed)
{
    struct random random = {seed};
    for (int i = 0; i < side * side; i++)
        plate[i] = (float)(random_next(&random) >> 40) / (float)(1 << 24);
}

static void relax_row(const float *at, float *to, int side)
{
    for (int x = 1; x < side - 1; x++)
        to[x] = 0.25f * (at[x - 1] + at[x + 1] + at[x - side] + at[x + side]);
}

float *plate_iterate(float *plate, float *other, int side, int steps)
{
    memcpy(other, plate, (size_t)side * (size_t)side * sizeof *plate);
    for (int s = 0; s < steps; s++) {
        for (int y = 1; y < side - 1; y++)
            relax_row(plate + y * side, other + y * side, side);
        float *done = other;
        other = plate;
        plate = done;
    }
    return plate;
}
