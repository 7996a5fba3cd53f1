/* The word of a cluster's barrier, by which weak memory knows of the barrier, and addresses in other
 * blocks' shared memory. */
#ifndef MACHINE_CLUSTER_CALLS_H
#define MACHINE_CLUSTER_CALLS_H

#include "machine/state.h"
#include "machine/weak/memory_model.h"

/* Returns the barrier's word for a phase. Phases use two words in turn, because a thread that still waits
 * for one phase must not learn of arrivals at the next one. */
uint32_t *cluster_word(const struct cluster *cluster, unsigned phase);

/* On weak memory, orders the cluster's threads by an atomic of the running lane on the barrier's word: an
 * arrival publishes the thread's knowledge, and a wait acquires the knowledge of the threads that have
 * arrived. */
void cluster_synchronize(uint32_t *word, enum machine_order order, bool arrives, const void *instruction);

/* Returns the address of the corresponding place in the shared memory of the block of the running lane's
 * cluster that has this rank. */
uintptr_t cluster_address(uintptr_t address, unsigned rank);

#endif
