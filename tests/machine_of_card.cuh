/* The machine on which tests of times measure. */
#ifndef TESTS_MACHINE_OF_CARD_CUH
#define TESTS_MACHINE_OF_CARD_CUH

#include "machine/machine.h"

/* Returns a machine with one multiprocessor that works as a card of compute capability 9.0 does: stores do
 * not wait, lanes may diverge, and up to four loads are under way. A global access takes `global_latency`
 * time units. */
static inline machine_description machine_of_card(int global_latency)
{
    machine_description d = machine_pure_umm(32, global_latency);
    d.compute_capability = 90; /* determines the size of the machine's L1 cache */
    d.max_threads_per_sm = 2048;
    d.max_blocks_per_sm = 8;
    d.issue_per_1000_units = 4000;
    d.loads_under_way = 4;
    d.posted_stores = true;
    d.lockstep = false;
    d.charges_memory_only = false;
    return d;
}

#endif
