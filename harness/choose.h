/* Chooses what a sweep measures on the opened device: sizes, variants, numbers of threads and of blocks. */
#ifndef HARNESS_CHOOSE_H
#define HARNESS_CHOOSE_H

#include "harness/sweep.h"

/* Fills in what the options leave open, and lists in sweep->skipped the variants that the device cannot run.
 * Also opens the first problem, because its input, if it has one, decides its size. Exits if the device
 * cannot do what the options ask for. */
void choose_sweep(struct sweep *sweep);

/* Writes what the variant needs of a device, such as "compute capability 7.0", "CUDA graphs" or "-". Returns
 * `text`. */
const char *variant_needs(const struct variant *variant, char *text, size_t bytes);

#endif
