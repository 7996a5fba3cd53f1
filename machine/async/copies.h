/*
 * Asynchronous copies under way (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"): each is issued
 * by a thread, reads a while later, and writes a while after that; then it tells an mbarrier, or its group is complete.
 * Several are in no order. A kernel's calls are in machine/cuda/kernel_calls.h.
 */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/state.h"

extern uint64_t copies_next_at; /* when the next of them reads or writes; NEVER: none is under way */

/* Does what is to be done then. */
void copies_step(void);

/* What the block's threads have issued, or will be told of, is complete: the block ends. */
void copies_finish(const struct block *block);

#endif
