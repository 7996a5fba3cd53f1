/*
 * Translates inline PTX into C++ for the memory machine: loads, stores, atomics, fences, barriers,
 * asynchronous copies, clusters, votes and shuffles, and the arithmetic and branches between them (PTX ISA
 * 9.0). Any other instruction is refused with its name and line. In a header that is not the program's own,
 * it is refused only if the program uses the function that contains it.
 */
#ifndef CHECK_PTX_H
#define CHECK_PTX_H

#include "check/rewrite/tokens.h"

#include <stdio.h>

/* An operand of an asm statement, such as "r"(x + 1). */
struct asm_operand {
    const char *constraint; /* "r", "=l", "+f", ... */
    const char *expression; /* the operand's C++ expression, which does not end with a zero byte */
    size_t length;          /* length of the C++ expression */
};

/* Writes the asm statement at token `at`, whose PTX is `text`, as one C++ statement without its semicolon.
 * Among the operands, outputs come first. `number` is different for each asm statement. */
void ptx_translate(FILE *out, const struct token *at, const char *text, const struct asm_operand *operands,
                   size_t count, bool clobbers_memory, unsigned number);

#endif
