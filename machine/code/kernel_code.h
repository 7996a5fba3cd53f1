/*
 * The compiled code of a kernel: the instructions of its function and of all functions that it calls, up to
 * the machine's own functions (hooks.c), which are classified by what they do for the caller.
 */
#ifndef MACHINE_KERNEL_CODE_H
#define MACHINE_KERNEL_CODE_H

#include "machine/code/x86_code.h"

#include <stddef.h>

/* Each kind of function that kernels call has a section of its own, so that a function's address tells its
 * kind. */
/* marks a function that a kernel calls before it loads from the function's argument, an address */
#define HOOK_OF_LOADS __attribute__((section("machine_hooks_load")))
/* marks a function that a kernel calls before it stores to the function's argument, an address */
#define HOOK_OF_STORES __attribute__((section("machine_hooks_store")))
/* marks a function that makes a memory request and returns the request's result */
#define HOOK_REQUEST __attribute__((section("machine_hooks_request")))
/* marks a function that returns a value without making a memory request */
#define HOOK_VALUE __attribute__((section("machine_hooks_value")))
/* marks a function without arguments whose value is the same whenever a lane calls it */
#define HOOK_PLACE __attribute__((section("machine_hooks_place")))
/* marks the function that a kernel calls at the beginning of each basic block */
#define HOOK_OF_BLOCKS __attribute__((section("machine_hooks_block")))
/* marks a function that tells the machine something, makes no memory request and returns nothing */
#define HOOK_NOTE __attribute__((section("machine_hooks_note")))

enum callee {
    NO_CALL,
    CALLS_BLOCK_HOOK,
    CALLS_LOAD,
    CALLS_STORE,
    CALLS_REQUEST,
    CALLS_VALUE,
    CALLS_PLACE,
    CALLS_NOTE,
    CALLS_OTHER
};

static inline bool makes_request(enum callee callee)
{
    return callee == CALLS_LOAD || callee == CALLS_STORE || callee == CALLS_REQUEST;
}

static inline bool returns_value(enum callee callee)
{
    return callee == CALLS_VALUE || callee == CALLS_PLACE;
}

struct kernel_instruction {
    struct x86_instruction read;
    const unsigned char *at;
    enum callee callee;
    bool is_leader;    /* may a jump or branch lead to this instruction? */
    bool is_bound;     /* does the instruction need the result of a request (dependence.h)? */
    bool is_invariant; /* is the instruction a division that nvcc moves out of its loop (invariants.h)? */
    bool in_long_run;  /* is the instruction in a run of more than SHORT_RUN instructions (runs.h)? */
};

/* Would a GPU execute an instruction for this x86-64 instruction? */
static inline bool is_counted(const struct kernel_instruction *instruction)
{
    return instruction->read.computes || returns_value(instruction->callee) ||
           makes_request(instruction->callee);
}

/* A function: its instructions have the numbers first to end - 1. */
struct kernel_function {
    size_t first, end;
};

/* Reads the function that begins at this address, and the functions that it calls, unless they have been read
 * before. Calls `done` with each new function. */
void kernel_code_read(const unsigned char *function, void (*done)(const struct kernel_function *));

/* The first byte of the program and the end of its code; the linker defines the symbols. */
extern const unsigned char __executable_start[], etext[];

/* For each byte of the program: the number, counted from 1, of the instruction that begins at this byte, or 0
 * if no instruction that has been read begins there. The array is NULL if nothing has been read. */
extern uint32_t *kernel_number_at;

/* kernel_instruction() returns the instruction with this number; kernel_instruction_at() returns the
 * number of the instruction at an address. */
#define NO_INSTRUCTION SIZE_MAX /* the number at an address where no instruction was read */
struct kernel_instruction *kernel_instruction(size_t number);
static inline size_t kernel_instruction_at(const unsigned char *at)
{
    size_t offset = (uintptr_t)at - (uintptr_t)__executable_start;
    bool is_code = kernel_number_at && offset < (uintptr_t)etext - (uintptr_t)__executable_start;
    return is_code ? (size_t)kernel_number_at[offset] - 1 : NO_INSTRUCTION;
}

#endif
