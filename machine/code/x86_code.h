/* Reads an x86-64 instruction of this program's own code, as gcc generates it without vector extensions
 * beyond SSE. */
#ifndef MACHINE_X86_CODE_H
#define MACHINE_X86_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of registers, which are also bits in sets of registers: 16 general registers, 16 vector
 * registers, the condition flags. */
#define X86_GENERAL 0
#define X86_VECTOR 16
#define X86_FLAGS 32
#define X86_REGISTERS 33
#define X86_BIT(place) (UINT64_C(1) << (place))

/* Numbers of general registers that the calling convention names (System V ABI, AMD64, section 3.2). */
enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI, X86_R8, X86_R9 };

/* An access of an instruction to memory. If on_stack, its address is relative to the stack pointer. */
struct x86_access {
    bool there, on_stack, is_indexed;
    int32_t offset; /* offset of the access from the stack pointer */
    unsigned bytes;
    /* address of the access if it is relative to the instruction pointer; otherwise NULL */
    const unsigned char *fixed;
};

struct x86_instruction {
    unsigned bytes; /* length of the instruction; 0 if there is no valid instruction */
    /*
     * Would a GPU execute an instruction for this x86-64 instruction? True if it computes, compares or
     * branches on a condition. False for a move between registers and memory (a GPU's 255 registers avoid
     * them), a call, a jump, padding, or an address at a constant distance (a GPU's loads and stores compute
     * such addresses themselves).
     */
    bool computes;
    bool leaves;   /* is the instruction an unconditional jump or a return? */
    bool branches; /* is the instruction a conditional jump? */
    bool calls;
    bool compares; /* does the instruction compare two registers, and write only the flags? */
    /* does the instruction select one of two registers by the flags (a conditional move)? */
    bool selects;
    /*
     * How the result depends on the order of the operands. X86_ORDERED: the result grows or falls as an
     * operand does, as for a move, a sum, a difference or a branch on "less than". X86_TRUTH: the result is 0
     * or 1, and a comparison of this kind decides which. X86_TEST and X86_TEST_BYTE compare a register with
     * 0. X86_ON_ZERO branches if a comparison found equality.
     */
    enum { X86_NO_ORDER, X86_ORDERED, X86_TRUTH, X86_TEST, X86_TEST_BYTE, X86_ON_ZERO } order;
    bool divides;                /* does the instruction divide integers? */
    bool sets_one;               /* does the instruction move the constant 1 to a register? */
    const unsigned char *target; /* target of a jump, branch or call; NULL if it is computed at run time */
    /* registers and flags that the instruction reads and writes, a bit each; registers that form an
     * address are left out */
    uint64_t reads, writes;
    struct x86_access load, store;
    /* What the instruction writes to the vector register `to`: the product of `to` and `from`, their sum
     * or difference, a copy of `from`, or anything else. `to` and `from` are numbers of registers;
     * X86_REGISTERS stands for memory. */
    enum { X86_NO_VECTOR, X86_PRODUCT, X86_SUM, X86_COPY, X86_OTHER_VECTOR } vector;
    unsigned to, from;
};

struct x86_instruction x86_read(const unsigned char *at);

#endif
