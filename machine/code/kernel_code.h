/*
 * The compiled code of a kernel: the instructions of its function and of all functions that it calls, up to
 * the machine's own functions (hooks.c), which are classified by what they do for the caller.
 */
#ifndef MACHINE_KERNEL_CODE_H
#define MACHINE_KERNEL_CODE_H

#include "machine/code/x86_code.h"

#include <stddef.h>

/* Sections of the functions that kernels call, so that a function's address tells its kind. */
#define HOOK_OF_LOADS __attribute__((section("machine_hooks_load")))   /* announces a load: (address) */
#define HOOK_OF_STORES __attribute__((section("machine_hooks_store"))) /* announces a store: (address) */
/* Makes a request, returns its result */
#define HOOK_REQUEST __attribute__((section("machine_hooks_request")))
/* Makes no request, returns a value */
#define HOOK_VALUE __attribute__((section("machine_hooks_value")))
/* Is called where a basic block begins */
#define HOOK_OF_BLOCKS __attribute__((section("machine_hooks_block")))
#define HOOK_NOTE __attribute__((section("machine_hooks_note"))) /* only tells the machine something */

enum callee {
    NO_CALL,
    CALLS_BLOCK_HOOK,
    CALLS_LOAD,
    CALLS_STORE,
    CALLS_REQUEST,
    CALLS_VALUE,
    CALLS_NOTE,
    CALLS_OTHER
};

static inline bool makes_request(enum callee callee)
{
    return callee == CALLS_LOAD || callee == CALLS_STORE || callee == CALLS_REQUEST;
}

struct kernel_instruction {
    struct x86_instruction read;
    const unsigned char *at;
    enum callee callee;
    bool is_leader;   /* does control come here from elsewhere, too? */
    bool is_bound;    /* does it need the result of a request (dependence.h)? */
    bool in_long_run; /* is it in a long run (runs.h)? */
};

/* Does a GPU execute an instruction for this one, too? */
static inline bool is_counted(const struct kernel_instruction *instruction)
{
    return instruction->read.computes || instruction->callee == CALLS_VALUE ||
           makes_request(instruction->callee);
}

/* One function: the instructions [first, end) of the program. */
struct kernel_function {
    size_t first, end;
};

/* Reads the function that begins at this address, and the functions that it calls, unless they have been read
 * before. Calls `done` with each new function. */
void kernel_code_read(const unsigned char *function, void (*done)(const struct kernel_function *));

/* The first byte of the program and the end of its code; the linker defines the symbols. */
extern const unsigned char __executable_start[], etext[];

/* For each byte of the program: the number, counted from 1, of the instruction that begins there; 0 if
 * none was read there. NULL if nothing has been read. */
extern uint32_t *kernel_number_at;

/* The instruction with this number, and the number of the instruction at a place in the code. */
#define NO_INSTRUCTION SIZE_MAX /* none was read there */
struct kernel_instruction *kernel_instruction(size_t number);
static inline size_t kernel_instruction_at(const unsigned char *at)
{
    size_t offset = (uintptr_t)at - (uintptr_t)__executable_start;
    bool is_code = kernel_number_at && offset < (uintptr_t)etext - (uintptr_t)__executable_start;
    return is_code ? (size_t)kernel_number_at[offset] - 1 : NO_INSTRUCTION;
}

#endif
