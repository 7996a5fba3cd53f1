/*
 * The interface of machine/ptx/, which executes a kernel's PTX by warps: the warps of a kernel, the times of
 * its instructions, and source lines for reports. An instruction is identified by the place of its text in
 * the program's file. This place is the same in all runs, so another process can find its line
 * (tools/check/frames.c).
 */
#ifndef MACHINE_PTX_H
#define MACHINE_PTX_H

#include "machine/state.h"

struct ptx_function;
struct ptx_statement;

/* ---- warps ---- */

/* Create the state of a warp when its block begins, and free it when the warp ends. */
void ptx_warp_begin(struct warp *warp);
void ptx_warp_end(struct warp *warp);

/* Lets these lanes execute their requests and run on until each has made its next request or has exited. */
void ptx_warp_run(struct warp *warp, lane_set lanes);

/* Returns a hash of everything that decides what the lane does next, except memory: its calls and
 * registers. */
uint64_t ptx_state_of(const struct warp *warp, unsigned lane);

/* Returns the number of the place in the source of a __syncthreads(), or 0 if it is not known. */
unsigned ptx_barrier_place(const void *instruction);

/* The value for which a lane waits that polls a word, as the comparison of the polled value says. */
struct ptx_awaited {
    enum {
        PTX_AWAITS_UNKNOWN, /* no comparison was found, or not of the value itself */
        PTX_AWAITS_EQUAL,
        PTX_AWAITS_OTHER, /* a value other than this one */
        PTX_AWAITS_AT_LEAST,
        PTX_AWAITS_AT_MOST,
        PTX_AWAITS_PARITY /* the end of the phase of an mbarrier with this parity */
    } what;
    int64_t value;
};
/* `load` is the instruction with which the lane last polled, and `now` is the value of the word. Of an
 * instruction that is no load or atomic, nothing is known. */
struct ptx_awaited ptx_awaited(const struct warp *warp, unsigned lane, const void *load, uint64_t now);

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

/* Does the file consist of functions that wrap one PTX instruction each (sync/)? Reports then name the line
 * of the call. */
bool ptx_has_instructions(const char *path);

/* Makes the program's PTX and, if `cubin` is not NULL, the machine code of its kernels a fat binary at
 * `image`, which cudaLibraryLoadData() takes. Places are told from it, so that `image` is at most 1 GB after
 * the program's first byte, and the call comes before a fork. Returns the text in it, or NULL if `room` bytes
 * are too few. */
const char *ptx_set_image(void *image, size_t room, FILE *ptx, FILE *cubin);
/* Names the file of PTX that the program is made of. An instruction without .loc then has its line in this
 * file. Without this call such an instruction has no line. */
void ptx_set_text_name(const char *path);

/* Writes "FILE:LINE" of an instruction, without folders. Returns false if no instruction of PTX has the
 * address. */
bool ptx_line_of(const void *instruction, char *text, size_t size);

/* Returns the place of the instruction's text. Returns 0 if no instruction has the address, or if the text is
 * not in the program's file. An odd address stands for a fence around an access, and has the access's
 * place. */
uint32_t ptx_place_of(const void *instruction);
bool ptx_is_place(uint32_t place);

/* Calls `see` with the lines of a place: the innermost inlined function first. */
void ptx_place_lines(uint32_t place, void (*see)(void *context, const char *path, unsigned line),
                     void *context);

/* Declares instructions griddepcontrol.wait that order nothing, because their asm statements lack the clobber
 * "memory": the compiler may move accesses across them, which the PTX does not show. `places` has FILE:LINE,
 * without folders, in each line. Must be called before the first launch. */
void ptx_set_unordered_waits(const char *places);

/* Returns a number, not 0, for the place of a statement in the source. All copies of an inlined function have
 * the same number; two equal statements of one line have different numbers. */
uint32_t ptx_source_number(const struct ptx_function *function, const struct ptx_statement *statement);

/* Writes the names of the program's kernels that were never launched, separated by commas; "" if there is
 * none. Files without any launched kernel are left out, and so are kernels of CUB and Thrust. Returns whether
 * the program has kernels at all. */
bool ptx_unlaunched(char *text, size_t size);

/* Returns a kernel's name as a launch in the program has it, without namespaces. */
const char *ptx_shown_name(struct ptx_function *kernel);

/* These functions write the name of a variable: "counter", or "flags[3]" for an item of `bytes` bytes.
 * ptx_variable_at() finds the variable that has the address. ptx_shared_at() finds the shared variable at
 * this offset in a block of the kernel that was read last. ptx_dynamic_at() finds the array at this offset in
 * the program's dynamic shared memory. They return false if there is none. */
bool ptx_variable_at(uintptr_t address, size_t bytes, char *text, size_t size);
bool ptx_shared_at(size_t offset, size_t bytes, char *text, size_t size);
bool ptx_dynamic_at(const struct ptx_program *program, size_t offset, size_t bytes, char *text, size_t size);

#endif
