/*
 * The data of a warp that executes PTX: its calls with their registers, its fragments (warp.h), and what an
 * instruction that accesses memory keeps (access.h).
 */
#ifndef MACHINE_PTX_FRAME_H
#define MACHINE_PTX_FRAME_H

#include "machine/memory/operations.h"
#include "machine/ptx.h"
#include "machine/ptx/program.h"
#include "machine/weak/memory_model.h"

/* The registers of a call of a function. */
struct ptx_frame {
    struct ptx_frame *caller;    /* NULL for the kernel's own */
    const struct ptx_code *back; /* the call */
    struct ptx_routine *routine;
    uint32_t lanes;                /* lanes that are in the call */
    uint32_t depth;                /* number of frames below this one */
    unsigned char *private_memory; /* local variables and parameters, one lane after another */
    uint32_t *undefined;           /* see machine/ptx/undefined.c; NULL if no value has been undefined */
    struct ptx_frame *next;        /* the next frame in the list of the routine's ended frames */
    /* the tops of the lanes' stacks before the first alloca of this call, if it has made one (stack.c) */
    uint32_t *tops;
    bool has_tops;
    unsigned char registers[] __attribute__((aligned(64)));
};

struct ptx_fragment {
    uint32_t mask;
    /* 0 if the fragment is at an instruction that it has not begun; otherwise the number of requests that the
     * lanes have made for it, the last of which they are waiting for */
    unsigned stage;
    const struct ptx_code *at;
    struct ptx_frame *frame;
    struct ptx_passed passed;
    bool runs; /* may the lanes run now? */
};

struct ptx_warp {
    unsigned count;     /* number of fragments */
    bool has_undefined; /* has a register had an undefined value (machine/ptx/undefined.h)? */
    struct ptx_program *program;
    struct ptx_warp *next;   /* the next one in the list of states of warps that have ended */
    void *special;           /* values of the special registers that differ between warps (special.c) */
    struct ptx_stack *stack; /* NULL if no lane has used alloca (stack.c) */
    uintptr_t addresses[PTX_LANES]; /* the addresses of the lanes' requests */
    struct ptx_fragment fragments[PTX_LANES];
};

/* Returns the private memory of a lane in the frame. */
static inline unsigned char *ptx_private(const struct ptx_frame *frame, unsigned lane)
{
    return frame->private_memory + (size_t)lane * frame->routine->private_bytes;
}

/* ---- accesses ---- */

#define PTX_MOST_ITEMS 8 /* largest number of items of a vector */

/* Returns the new value of a word in memory after an atomic operation with `value`. */
typedef uint64_t ptx_combine(uint64_t old, uint64_t value);
struct ptx_access {
    enum request_kind kind;
    enum ptx_space space;
    unsigned width, count, bytes; /* size of an item, number of items, size of the access in bytes */
    /* for a load: the first byte that is not padding, and the number of bytes of padding before and after the
     * data */
    unsigned first_used, unused;
    bool is_signed;                   /* is a loaded item extended with its sign? */
    char class[PTX_MOST_ITEMS];       /* classes of the items' registers */
    ptx_operand item[PTX_MOST_ITEMS]; /* PTX_NO_OPERAND for a value that is not used */
    struct strength strength;
    bool plain; /* is the access neither volatile nor with an order or scope? */
    bool is_volatile;
    bool past_l1; /* is the access a load whose cache operator keeps it out of L1 (.cg, .cv)? */
    bool address_is_wide;
    bool is_of_frame; /* is the address a place in the private memory of the frame? */
    enum machine_operation operation;
    unsigned way; /* enum atomic_way */
    bool of_mbarrier;
    /* returns the word of an mbarrier after the atomic has changed it; NULL for atomics on other words */
    uint64_t (*after)(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l, uint64_t old);
    ptx_combine *combine; /* the operation of an atomic on f16 or bf16; NULL for other types */
    /* for an atomic, the operand of each item, and the value to swap in */
    ptx_operand value[PTX_MOST_ITEMS], other;
};

#endif
