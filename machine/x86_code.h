/* Reads x86-64 machine code as gcc writes it for a program without vector extensions beyond SSE. */
#ifndef MACHINE_X86_CODE_H
#define MACHINE_X86_CODE_H

#include <stdbool.h>
#include <stddef.h>

#define X86_MEMORY 16 /* in place of one of the 16 vector registers */

struct x86_instruction {
    size_t bytes;
    /* It computes, compares or branches on a condition: neither a move between registers and memory, which a GPU's
     * 255 registers spare, nor a call, a jump, padding or an address at a constant distance, which a GPU's loads and
     * stores compute themselves. */
    bool computes;
    /* What it makes of vector registers: the product of `to` and `from`, or their sum or difference, or a copy of `from`,
     * or anything else; in `to`. */
    enum { X86_NO_VECTOR, X86_PRODUCT, X86_SUM, X86_COPY, X86_OTHER_VECTOR } vector;
    unsigned to, from;
    bool leaves;  /* a jump or return that is always taken */
    bool is_call; /* to bytes behind it plus `distance` */
    long distance;
};

struct x86_instruction x86_read(const unsigned char *at);

#endif
