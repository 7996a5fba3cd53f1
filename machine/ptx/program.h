/*
 * A kernel that is ready to run: its instructions, and the instructions of the functions that it calls. A
 * function's instructions are made when it is first called. Each kernel has copies of its own, because the
 * offsets of shared variables depend on the kernel.
 */
#ifndef MACHINE_PTX_PROGRAM_H
#define MACHINE_PTX_PROGRAM_H

#include "machine/ptx/body.h"
#include "machine/ptx/code.h"
#include "machine/runtime_api.h"

struct ptx_routine {
    struct ptx_function *function;
    struct ptx_program *program;
    struct ptx_code *code; /* an instruction for each basic block's beginning and for each statement */
    size_t count;
    struct site *sites; /* the site of each instruction */
    struct ptx_counts *counts;
    unsigned char *constants;
    uint32_t frame_bytes; /* size of the registers of a frame */
    /* places in a frame: words begin at the first, then double words, then quadruple words */
    uint32_t words_at, double_words_at;
    uint32_t private_bytes;  /* size of a thread's local variables and parameters */
    struct ptx_frame *ended; /* frames that can be used again */
};

#define PTX_NO_OPERAND UINT32_MAX

struct ptx_program {
    struct ptx_function *kernel;
    size_t static_shared_bytes; /* dynamic shared memory comes after these */
    /* the shared memory reserved for cooperative groups: its offset (%reserved_smem_offset_1), and its size,
     * 0 if the module does not use it */
    uint32_t reserved_at, reserved_bytes;
    uint32_t dynamic_align;
    /* the name of the dynamic shared memory; NULL if it has none, "" if it has several */
    const char *dynamic_name;
    struct ptx_routine **routines; /* the kernel's own first */
    size_t routine_count;
    const struct ptx_variable **shared; /* the shared variables of the program so far, each with its offset */
    uint32_t *shared_offsets;
    size_t shared_count;
    /* the machine for which ptx_weigh() has computed times, and the number of routines that have such
     * times */
    struct machine_description *weighed;
    size_t weighed_count;
    /* Does it have convergence points (lock.h)? They are requests only if warps run in lockstep, so such a
     * program can only be used on machines with the same kind of warps. */
    bool has_points, is_lockstep;
};

/* Returns the program of a kernel; it is made at the first call for this kind of machine. Ends this process
 * with a message that names the user's line if an instruction is not supported. */
struct ptx_program *ptx_program_of(struct ptx_function *kernel);

/* Returns the instructions of a function in a program. */
struct ptx_routine *ptx_routine_of(struct ptx_program *program, struct ptx_function *function);

/* Returns the routine to which the instruction at `address` belongs, or NULL if there is no instruction. The
 * address may be within the instruction. */
const struct ptx_routine *ptx_routine_at(const void *address);

/* Returns the number of programs of this process, and one of them. */
size_t ptx_program_count(void);
const struct ptx_program *ptx_program_at(size_t number);

/* Returns the place of a statement's text, or 0 if the module's text is not in the program's file. */
uint32_t ptx_place_of_statement(const struct ptx_module *module, const struct ptx_statement *statement);

#endif
