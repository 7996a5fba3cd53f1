/*
 * Shared memory with lock bits (machine/memory/lock_unit.h), which PTX does not have. An atomic on such
 * memory is a loop of LDSLK and STSUL (Li 2015, Listing 1). Kernels have them in opcodes of their own
 * (sync/tiny_lock.cuh, sync/convergence.cuh), each the text of a pragma in inline PTX, such as
 * .pragma "gpusync.ssy;";
 *
 *     gpusync.lock.load.u32 d|p, [a];   LDSLK: loads a word; p says whether the lane has taken its lock bit
 *     gpusync.store.unlock.u32 [a], b;  STSUL: stores a word and frees its lock bit
 *     gpusync.ssy;                      the lanes that are here together meet again at the next gpusync.sync
 *     gpusync.sync;
 *     gpusync.arithmetic n;             n instructions, each of which needs the result of the one before it
 */
#ifndef MACHINE_PTX_LOCK_H
#define MACHINE_PTX_LOCK_H

#include "machine/ptx/access.h"

/* Has the shared memory at this address lock bits? */
bool ptx_has_lock_bit(uint64_t address);

/* Requests LDSLK in place of an atomic whose requests are filled in. */
void ptx_lock_request(const struct ptx_lanes *lanes);

/* Called when LDSLK has taken effect. Lanes without their lock bit begin the atomic again, the others request
 * STSUL. Returns the value that the instruction's handler must return. */
const struct ptx_code *ptx_lock_take(const struct ptx_code *code, struct ptx_lanes *lanes);

/* Called when STSUL has taken effect. */
void ptx_lock_free(const struct ptx_lanes *lanes);

#endif
