/*
 * What the rest of the machine calls of machine/ptx/, which executes a kernel's PTX by warps: the warps of
 * a kernel that is PTX, the times of its instructions, and its source lines for reports. An instruction is
 * named by the place of its text in the program's file, which is the same in all runs, so that another
 * process can tell its line (tools/check/frames.c).
 */
#ifndef MACHINE_PTX_H
#define MACHINE_PTX_H

#include "machine/state.h"

struct ptx_function;
struct ptx_statement;

/* ---- warps ---- */

/* Gives a warp of a block that begins its state, and ends it. */
void ptx_warp_begin(struct warp *warp);
void ptx_warp_end(struct warp *warp);

/* Lets these lanes execute their requests and run on until each has made its next request or has exited. */
void ptx_warp_run(struct warp *warp, lane_set lanes);

/* Returns a hash of everything that decides what the lane does next, except memory: its calls and
 * registers. */
uint64_t ptx_state_of(const struct warp *warp, unsigned lane);

/* Returns the number of the place in the source of a __syncthreads(), or 0 if it is not known. */
unsigned ptx_barrier_place(const void *instruction);

/* Does the lane pass an undefined value to the instruction at which it is (machine/ptx/undefined.h)? */
bool ptx_passes_undefined(const struct warp *warp, unsigned lane);
/* Returns whether any lane of the warp has had such a value. */
bool ptx_has_undefined(const struct warp *warp);

/* Returns the size of a kernel's __shared__ variables, with which the shared memory of its blocks begins. */
size_t ptx_static_shared_bytes(const struct ptx_program *program);

/* ---- time ---- */

/* Computes the times of the program's instructions on the installed machine, unless they are known. */
void ptx_weigh(struct ptx_program *program);

/* ---- source lines ---- */

/* Has the file only functions that are each one instruction of PTX (sync/)? The line that calls one says
 * more. */
bool ptx_has_instructions(const char *path);

/* Names the file of PTX that the program is made of: its lines stand for those of instructions without .loc.
 * Without this call such an instruction has no line. */
void ptx_set_text_name(const char *path);

/* Writes "FILE:LINE" of an instruction, without folders. Returns false if the address is of no
 * instruction of PTX. */
bool ptx_line_of(const void *instruction, char *text, size_t size);

/* Returns the place of the instruction's text, or 0 if it is of none or its text is not in the program's
 * file. An odd address, of a fence around an access, has the place of the access. */
uint32_t ptx_place_of(const void *instruction);
bool ptx_is_place(uint32_t place);

/* Calls `see` with the lines of a place: the innermost inlined function first. */
void ptx_place_lines(uint32_t place, void (*see)(void *context, const char *path, unsigned line),
                     void *context);

/* Tells which instructions griddepcontrol.wait order nothing, because their asm statements lack "memory"
 * among their clobbers: the compiler may move accesses across them, which PTX does not show. `places` has
 * FILE:LINE, without folders, in each line. Must be called before the first launch. */
void ptx_set_unordered_waits(const char *places);

/* Returns a number for the place in the source of a statement: equal for all copies of an inlined
 * function, and not 0. Two equal statements of one line differ. */
uint32_t ptx_source_number(const struct ptx_function *function, const struct ptx_statement *statement);

/* Writes the names of the program's kernels that no launch has named, with commas between them; "" if there
 * is none. Files of which no kernel was launched do not count, nor do kernels of CUB and Thrust. */
void ptx_unlaunched(char *text, size_t size);

/* Returns a kernel's name as a launch in the program has it, without namespaces. */
const char *ptx_shown_name(struct ptx_function *kernel);

/* Write the name of the variable that has the address, or of the shared variable at this offset in a
 * block of the kernel that was read last, or of the array at this offset in the program's dynamic shared
 * memory: "counter", or "flags[3]" for an item of `bytes` bytes. Return false if there is none. */
bool ptx_variable_at(uintptr_t address, size_t bytes, char *text, size_t size);
bool ptx_shared_at(size_t offset, size_t bytes, char *text, size_t size);
bool ptx_dynamic_at(const struct ptx_program *program, size_t offset, size_t bytes, char *text, size_t size);

#endif
