/* Chooses what a sweep measures on the opened device: sizes, variants, numbers of threads and of blocks. */
#ifndef HARNESS_CHOOSE_H
#define HARNESS_CHOOSE_H

#include "harness/sweep.h"

/*
 * Fills in what the options leave open, lists the variants that the device cannot run in sweep->skipped, and
 * opens the first problem, since an input decides the size of its problem. Exits if the device cannot do what
 * the options ask for.
 */
void choose_sweep(struct sweep *sweep);

#endif
