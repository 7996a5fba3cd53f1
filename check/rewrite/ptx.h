/*
 * Inline PTX as C++ for the memory machine. Instructions of memory, atomics, fences, barriers, asynchronous
 * copies, clusters, votes and shuffles, and the arithmetic and branches between them (PTX ISA 9.0); what is
 * not known is refused by its name and line.
 */
#ifndef CHECK_PTX_H
#define CHECK_PTX_H

#include "check/rewrite/tokens.h"

#include <stdio.h>

/* Of an asm statement: outputs come first. */
struct asm_operand {
    const char *constraint; /* "r", "=l", "+f", ... */
    const char *expression; /* C++, of this length */
    size_t length;
};

/* Writes a statement without its semicolon. `number` is another for each asm. */
void ptx_translate(FILE *out, const struct token *at, const char *text, const struct asm_operand *operands,
                   size_t count, bool clobbers_memory, unsigned number);

#endif
