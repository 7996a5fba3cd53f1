/*
 * A PTX instruction split into its parts, and functions that write its operands as C++. check/rewrite/ptx.c
 * and the translators of check/rewrite/ptx_kinds.h use them. In the C++, every register is a number of 64
 * bits.
 */
#ifndef CHECK_PTX_TEXT_H
#define CHECK_PTX_TEXT_H

#include "check/rewrite/tokens.h"

#include <setjmp.h>
#include <stdio.h>

#define MOST_PARTS 16
#define MOST_OPERANDS 16
#define MOST_NAMES 256
#define REASON_BYTES 128

/* An instruction, such as atom.acq_rel.gpu.add.u32 %0, [%1], 1. */
struct instruction {
    char *parts[MOST_PARTS]; /* parts of the opcode, between its dots: atom, acq_rel, gpu, add, u32 */
    size_t part_count;
    char *operands[MOST_OPERANDS];
    size_t operand_count;
    char opcode[128]; /* the whole opcode, for messages */
};

/* The state of the translation of one asm statement. */
struct translation {
    FILE *out;
    const struct token *at; /* the token `asm` of the statement, for messages */
    unsigned number;        /* number of the asm statement, which makes the C++ names in it unique */
    /* whether "memory" is among the clobbers; if not, the compiler may move accesses across the asm */
    bool clobbers_memory;
    jmp_buf *refused;        /* where control continues after a refusal (longjmp) */
    char *reason;            /* text of the refusal, a buffer of REASON_BYTES */
    char *names[MOST_NAMES]; /* names of the registers that .reg declares */
    size_t name_count;
    char *plain; /* the text that is translated, without comments; NULL between two passes */
};

/* Ends the translation of this statement because of `what`, a part of the PTX that the translation does not
 * know. In the program's own code this ends the rewriting with a message. */
void __attribute__((noreturn)) refuse(const struct translation *t, const char *what);

/* ---- the opcode ---- */

/* is() returns whether the opcode's first part is `name`. has() returns whether any later part is `part`. */
bool is(const struct instruction *i, const char *name);
bool has(const struct instruction *i, const char *part);
/* Refuses an opcode if one of its parts after the first is not in the list `parts`, whose last element is
 * "". */
void allow(const struct translation *t, const struct instruction *i, const char *const *parts);
/* type_of() returns the instruction's type, the last part of its opcode; bits_of() returns the size of a
 * type in bits. */
const char *type_of(const struct instruction *i);
unsigned bits_of(const struct translation *t, const char *type);
/* These functions return the instruction's scope and its memory order as C++. scope_of() returns
 * `otherwise` if the opcode names no scope. */
const char *scope_of(const struct instruction *i, const char *otherwise);
const char *order_of(const struct instruction *i);
/* Returns whether the opcode names shared memory, whose addresses have 32 bits. */
bool is_shared(const struct instruction *i);

/* ---- operands ---- */

/* Refuses an instruction with fewer than `least` or more than `most` operands. */
void need(const struct translation *t, const struct instruction *i, size_t least, size_t most);
/* Returns whether this is the name of a register that .reg declares. */
bool is_declared(const struct translation *t, const char *name);
/* Writes the C++ name that asm statement `number` has for an operand (kind 'o'), a register ('r') or a
 * label ('l'). */
void print_name(FILE *out, char kind, unsigned number, const char *name);
/* Writes C++ for the 64 bits of an operand: a register, a number, an operand of the asm statement, or a
 * special register. */
void print_value(const struct translation *t, const char *operand);
/* Returns whether the operand is a constant such as 1.5. */
bool is_decimal_fraction(const char *operand);
/* Writes C++ that converts an operand to this PTX type: (int32_t)x, f32(x), ... */
void print_typed(const struct translation *t, const char *type, const char *operand);
/* print_address() writes C++ for an address such as [%1 + 4] as a number of 64 bits, print_place() as a
 * pointer. */
void print_address(const struct translation *t, const char *operand);
void print_place(const struct translation *t, const char *operand, bool shared);

/* Writes the beginning of C++ that assigns 64 bits to an operand; the caller writes the bits and `);`. */
void print_assign(const struct translation *t, const char *operand);
/* These functions write the beginning and the end of C++ that assigns a number of this PTX type to the
 * first operand. */
void begin_result(const struct translation *t, const struct instruction *i, const char *type);
void end_result(const struct translation *t);

/* Splits an operand such as {a, b} at its commas, and returns the number of parts, at most 4. An operand
 * without braces is one part. */
unsigned split_vector(char *operand, char **parts);

#endif
