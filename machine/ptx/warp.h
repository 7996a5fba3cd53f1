/*
 * The state of a warp that executes PTX. Lanes that are at one instruction of one call of a function are a
 * fragment. A fragment runs until all of its lanes have made a request of the machine or have exited. Where a
 * branch parts the lanes, the fragment becomes two; two fragments become one again where they come to the
 * same instruction. Of several fragments, the one deepest in calls runs first, and among equals the one at
 * the earliest instruction, so that it can catch up with the others.
 */
#ifndef MACHINE_PTX_WARP_H
#define MACHINE_PTX_WARP_H

#include "machine/ptx/frame.h"

/* The warp whose instructions run now, or NULL. */
extern struct warp *ptx_running_warp;

/* ---- called by instructions ---- */

/* The values of lanes->stop after an instruction has returned NULL. */
enum ptx_stop {
    PTX_STOPS, /* the lanes have made a request; `stage` counts it */
    PTX_EXITS, /* the lanes have exited, and are no longer in `mask` */
    PTX_MOVES  /* the lanes go on at `at` in `frame`, which another fragment may reach first */
};

/* Makes a fragment of these lanes, which go on at this instruction. They are no longer among `lanes`. */
void ptx_part(struct ptx_lanes *lanes, uint32_t mask, const struct ptx_code *at);

/* Stop the lanes at this instruction: they have filled in a request. `code->finish` is called when it takes
 * effect. Return the value that the instruction's handler must return. */
const struct ptx_code *ptx_stop(struct ptx_lanes *lanes, const struct ptx_code *code);
const struct ptx_code *ptx_exit(struct ptx_lanes *lanes);
const struct ptx_code *ptx_call(struct ptx_lanes *lanes, const struct ptx_code *code,
                                struct ptx_routine *routine);
const struct ptx_code *ptx_return(struct ptx_lanes *lanes);

/* Fills in a request without an address of all lanes that run. */
void ptx_request(struct ptx_lanes *lanes, const struct ptx_code *code, enum request_kind kind);

/* Requests the fence that gives an access its order, before or after the access. The fence's address in the
 * code is one byte before or after the instruction's address. */
void ptx_request_fence(const struct ptx_code *code, struct ptx_lanes *lanes, enum request_kind kind,
                       int side);

/* Makes a request that takes as long as a read of the clock. */
ptx_handler ptx_request_clock;

/* Goes on at the next instruction. Handles instructions without an effect, and requests that have taken
 * effect. */
ptx_handler ptx_nothing;

/* Begins an instruction again. Handles requests that only let diverged lanes meet again (matrix.c). */
ptx_handler ptx_finish_meeting;

/* Begins a basic block: notes the block's work, and that the lanes have reached a join. */
ptx_handler ptx_run_block;

/* ---- private memory ---- */

/* Is the address in the private memory of a thread, or in a kernel's parameters? Accesses to these are not
 * requests. */
bool ptx_is_private(const struct ptx_lanes *lanes, uint64_t address);
/* Can an address from `low` to `high` be private? If none is, the answer can still be true. */
bool ptx_may_be_private(const struct ptx_lanes *lanes, uint64_t low, uint64_t high);

/* Returns new private memory, which is never given back. */
unsigned char *ptx_take_private(size_t bytes);

/* Reports an access of lane l to private memory outside of the thread's variables, and an atomic one. */
void ptx_check_private(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                       uint64_t address);

/* Free the memory that the lanes have allocated on the stack: at the end of a call, and at the end of the
 * warp. */
void ptx_stack_return(struct ptx_warp *state, const struct ptx_frame *frame, uint32_t mask);
void ptx_stack_end(struct ptx_warp *state);

/* ---- printf, assert, malloc and free, which CUDA's device code calls and the driver has (builtin.c) ---- */

#define PTX_BUILTIN_ARGUMENTS 6

/* Executes the function for the running lane, and returns its result. */
typedef uint64_t ptx_builtin(const uint64_t arguments[PTX_BUILTIN_ARGUMENTS], const struct ptx_code *code);

/* Returns the function with this name, or NULL if there is none. */
ptx_builtin *ptx_builtin_named(const char *name);

/* Ends the run with a report about the running lane; the text follows "block 0 thread 0 at LINE". In the
 * checker, the run ends by the signal `number`, as if the host had executed such code. */
void ptx_fault(const char *what, int number, const struct ptx_code *code);

/* ---- special registers ---- */

/* Allocate and free the values of a warp's special registers. */
void ptx_special_begin(struct warp *warp);
void ptx_special_end(struct warp *warp);

#endif
