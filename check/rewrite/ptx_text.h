/*
 * A PTX instruction, taken apart, and what writes its operands as C++ (check/rewrite/ptx.c and the files of
 * its kinds of instructions). Every register is a number of 64 bits.
 */
#ifndef CHECK_PTX_TEXT_H
#define CHECK_PTX_TEXT_H

#include "check/rewrite/tokens.h"

#include <stdio.h>

#define MOST_PARTS 16
#define MOST_OPERANDS 16
#define MOST_NAMES 64

/* An instruction: atom.acq_rel.gpu.add.u32 %0, [%1], 1 */
struct instruction {
    char *parts[MOST_PARTS]; /* of the opcode, between its dots */
    size_t part_count;
    char *operands[MOST_OPERANDS];
    size_t operand_count;
    char opcode[128]; /* for messages */
};

struct translation {
    FILE *out;
    const struct token *at; /* for messages */
    unsigned number;
    bool clobbers_memory;    /* the asm says so: else the compiler may move accesses across it */
    char *names[MOST_NAMES]; /* declared by .reg */
    size_t name_count;
};

void __attribute__((noreturn)) refuse(const struct translation *t, const char *what);

/* ---- the opcode ---- */

bool is(const struct instruction *i, const char *name);
bool has(const struct instruction *i, const char *part);
/* Every part of the opcode behind its name must be one of these; "" ends them. */
void allow(const struct translation *t, const struct instruction *i, const char *const *parts);
const char *type_of(const struct instruction *i); /* its last part */
unsigned bits_of(const struct translation *t, const char *type);
const char *scope_of(const struct instruction *i, const char *otherwise);
const char *order_of(const struct instruction *i);
bool is_shared(const struct instruction *i); /* addresses of 32 bits */

/* ---- operands ---- */

void need(const struct translation *t, const struct instruction *i, size_t least, size_t most);
bool is_declared(const struct translation *t, const char *name);
/* A name of C++ for a register or a label of the text. */
void print_name(FILE *out, char kind, unsigned number, const char *name);
/* A register, a number, or another operand's place; as bits. */
void print_value(const struct translation *t, const char *operand);
/* As a number of the type: (int32_t)x, f32(x), ... */
void print_typed(const struct translation *t, const char *type, const char *operand);
/* [%1 + 4] as bits; and as a pointer */
void print_address(const struct translation *t, const char *operand);
void print_place(const struct translation *t, const char *operand, bool shared);

/* Begins an assignment of bits; or begins and ends one of a number of the type to the first operand. */
void print_assign(const struct translation *t, const char *operand);
void begin_result(const struct translation *t, const struct instruction *i, const char *type);
void end_result(const struct translation *t);

#endif
