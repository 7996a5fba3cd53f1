/*
 * A PTX instruction, taken apart, and functions that write its operands as C++, for check/rewrite/ptx.c and
 * the files of its kinds of instructions. In the C++, every register is a number of 64 bits.
 */
#ifndef CHECK_PTX_TEXT_H
#define CHECK_PTX_TEXT_H

#include "check/rewrite/tokens.h"

#include <stdio.h>

#define MOST_PARTS 16
#define MOST_OPERANDS 16
#define MOST_NAMES 64

/* An instruction, such as atom.acq_rel.gpu.add.u32 %0, [%1], 1. */
struct instruction {
    char *parts[MOST_PARTS]; /* parts of the opcode, which dots separate */
    size_t part_count;
    char *operands[MOST_OPERANDS];
    size_t operand_count;
    char opcode[128]; /* the whole opcode, for messages */
};

/* The asm statement that is being translated. */
struct translation {
    FILE *out;
    const struct token *at;  /* the token `asm` of the statement, for messages */
    unsigned number;         /* the asm statement's number, which makes its names unique */
    bool clobbers_memory;    /* whether "memory" is a clobber; if not, the compiler may move accesses */
    char *names[MOST_NAMES]; /* names of the registers that .reg declares */
    size_t name_count;
};

/* Ends the program with a message that names the part of PTX that is not known. */
void __attribute__((noreturn)) refuse(const struct translation *t, const char *what);

/* ---- the opcode ---- */

/* is() tells whether `name` is the opcode's first part; has(), whether `part` is one of its other parts. */
bool is(const struct instruction *i, const char *name);
bool has(const struct instruction *i, const char *part);
/* Refuses an opcode if one of its parts after the first is not in the list `parts`, which "" ends. */
void allow(const struct translation *t, const struct instruction *i, const char *const *parts);
/* type_of() returns the instruction's type, the last part of its opcode; bits_of() returns the size of a
 * type in bits. */
const char *type_of(const struct instruction *i);
unsigned bits_of(const struct translation *t, const char *type);
/* Return the instruction's scope and memory order as C++. scope_of() returns `otherwise` if the opcode names
 * no scope. */
const char *scope_of(const struct instruction *i, const char *otherwise);
const char *order_of(const struct instruction *i);
/* Does the opcode name shared memory, whose addresses have 32 bits? */
bool is_shared(const struct instruction *i);

/* ---- operands ---- */

/* Refuses an instruction with fewer than `least` or more than `most` operands. */
void need(const struct translation *t, const struct instruction *i, size_t least, size_t most);
/* Is this the name of a register that .reg declares? */
bool is_declared(const struct translation *t, const char *name);
/* Writes the C++ name of an operand (kind 'o'), a register ('r') or a label ('l') of asm `number`. */
void print_name(FILE *out, char kind, unsigned number, const char *name);
/* Writes an operand as bits: a register, a number, an operand of the asm, or a special register. */
void print_value(const struct translation *t, const char *operand);
/* Writes an operand as a number of the type: (int32_t)x, f32(x), ... */
void print_typed(const struct translation *t, const char *type, const char *operand);
/* print_address() writes an address such as [%1 + 4] as bits, and print_place() writes it as a pointer. */
void print_address(const struct translation *t, const char *operand);
void print_place(const struct translation *t, const char *operand, bool shared);

/* Writes the beginning of an assignment of bits to an operand; the caller ends it by `);`. */
void print_assign(const struct translation *t, const char *operand);
/* Write the beginning and the end of an assignment of a number of this type to the first operand. */
void begin_result(const struct translation *t, const struct instruction *i, const char *type);
void end_result(const struct translation *t);

#endif
