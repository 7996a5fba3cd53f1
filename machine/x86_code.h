/* Reads x86-64 machine code as gcc writes it for a program without vector extensions beyond SSE. */
#ifndef MACHINE_X86_CODE_H
#define MACHINE_X86_CODE_H

#include <stdbool.h>
#include <stddef.h>

struct x86_instruction {
    size_t bytes;
    /* It computes, compares or branches on a condition: neither a move between registers and memory, which a GPU's
     * 255 registers spare, nor a call, a jump or padding. */
    bool computes;
    bool leaves;  /* a jump or return that is always taken */
    bool is_call; /* to bytes behind it plus `distance` */
    long distance;
};

struct x86_instruction x86_read(const unsigned char *at);

#endif
