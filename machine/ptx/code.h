/*
 * PTX instructions as the machine executes them: an instruction is a function that works on all lanes of a
 * warp that are at it. A register of PTX is a slot of 32 values, one for each lane, in the frame of its
 * function (machine/ptx/frame.h). Registers of 8, 16 and 32 bits are slots of uint32_t, and a narrow value is
 * extended with zeros. Registers of 64 bits are slots of uint64_t, and registers of 128 bits are two such
 * slots, the low half first. A predicate is one uint32_t with a bit for each lane.
 */
#ifndef MACHINE_PTX_CODE_H
#define MACHINE_PTX_CODE_H

#include "machine/state.h"

#include <stdbool.h>
#include <stdint.h>

#define PTX_LANES 32
#define PTX_ALL_LANES UINT32_MAX

/* Where the operand of an instruction is: one of the bases below in the lowest two bits, and the slot's
 * offset in bytes from this base, a multiple of 4, in the others. */
typedef uint32_t ptx_operand;
enum ptx_base {
    PTX_FRAME,    /* registers of the function that runs */
    PTX_CONSTANT, /* constants of the function, with an equal value for each lane */
    PTX_OF_WARP,  /* special registers that differ between lanes or warps */
    PTX_OF_BLOCK, /* special registers that are equal in all threads of a block */
    PTX_BASES
};

/* What lanes have executed since their last request. */
struct ptx_passed {
    uint64_t needs;              /* requests that decided which blocks they executed */
    struct work work;            /* the work of these blocks */
    const struct ptx_code *last; /* the last request or the beginning of the last block */
};

/* The lanes that run, as an instruction sees them. */
struct ptx_lanes {
    unsigned char *base[PTX_BASES];
    uint32_t mask; /* the lanes, a bit each */
    /* May an instruction write the registers of the lanes that are not in `mask`, too? If so, it can work on
     * all lanes at once. */
    bool is_whole;
    struct warp *warp;
    struct ptx_warp *state;
    struct ptx_frame *frame;
    /* the lowest instruction at which another fragment waits in the same frame */
    const struct ptx_code *until;
    unsigned stage;            /* see struct ptx_fragment (machine/ptx/frame.h) */
    int stop;                  /* enum ptx_stop */
    const struct ptx_code *at; /* if `stop` is PTX_MOVES: the instruction at which the lanes go on */
    struct ptx_passed passed;
    unsigned turns; /* number of branches to earlier code since the last request */
};

struct ptx_code;
#define PTX_MARK 0x8e3f61c5u
/* Executes the instruction for these lanes. Returns the instruction with which they go on, or NULL if they
 * stop here. */
typedef const struct ptx_code *ptx_handler(const struct ptx_code *code, struct ptx_lanes *lanes);

struct ptx_access; /* machine/ptx/frame.h */

struct ptx_code {
    const struct site *site; /* machine/code/instructions.h */
    uint32_t mark;           /* PTX_MARK, by which an instruction of PTX is known */
    uint32_t place;          /* the place of its text in the program's file (machine/ptx/lines.c), or 0 */
    ptx_handler *run;
    /* for an instruction that makes a request: called when the request takes effect, with the arguments of
     * `run` */
    ptx_handler *finish;
    ptx_handler
        *guarded;     /* for an instruction with a guard (@%p): what `run` calls for the lanes that pass it */
    ptx_operand d, e; /* the results; `e` is the second result, if the instruction has one */
    ptx_operand a, b, c, f; /* the operands that the instruction reads, in PTX's order */
    /* a constant operand that is not in a slot, such as the bits of a fused or boolean operation; the meaning
     * depends on the instruction */
    uint64_t number;
    const struct ptx_code *target; /* for a branch: the instruction to which it leads */
    const void *more;              /* what else the instruction needs; the type depends on the instruction */
    ptx_operand guard;
    bool guard_is_not; /* does the instruction run if the guard is false? */
    /* Can the instruction stop its lanes, or branch? Then lanes whose guard is false are separated from
     * them. */
    bool parts;
    uint8_t hands;        /* enum ptx_handing (machine/ptx/undefined.h): how undefined values pass through */
    bool keeps_undefined; /* does `finish` itself note that the result is undefined? */
    uint32_t statement;   /* number of the instruction's statement in its body */
};

/* One form of an instruction: an opcode with all its modifiers. */
struct ptx_form {
    const char *name;
    ptx_handler *run;
    /* One character for each operand in PTX's order: '4' is a slot of uint32_t, '2' and '1' are such
     * slots with 16 and 8 bits in use, '8' is a slot of uint64_t, 'Q' a slot of 128 bits, 'p' a
     * predicate, '#' a constant, which becomes `number`, and '*' any further operands, which do not matter.
     * The results come first, before a colon. '4|p:' stands for a result with an optional second one after
     * a vertical bar. */
    const char *operands;
    uint64_t number;              /* the value of `number`, unless an operand is '#' */
    const struct ptx_name *parts; /* the parts of the name (arithmetic.h), which become `more` */
};

/* A row for instructions that are not arithmetic: those with one of these names, which are the first part of
 * the opcode, with one of the parts `with`, and without any of the parts `without`. NULL means that the other
 * parts do not matter. Words are separated by |. The first row that fits an opcode counts. */
struct ptx_decoder; /* machine/ptx/decode.h */
struct ptx_operation {
    const char *names, *with, *without;
    const char *refusal; /* why the machine does not have these instructions; NULL if it has them */
    /* as in struct ptx_form: these are decoded first; NULL if `decode` reads the operands */
    const char *operands;
    ptx_handler *run, *finish;
    void (*decode)(struct ptx_decoder *decoder, struct ptx_code *code); /* NULL if there is no more to do */
    uint8_t hands;                                                      /* as in struct ptx_code */
    bool writes;         /* is its first argument what it writes? */
    bool parts;          /* can it branch or move lanes? An instruction with `finish` can stop them. */
    bool branches, ends; /* does it branch to labels, and does it end a basic block? */
    bool calls, is_barrier;
    bool is_free; /* does a GPU need no instruction for it? */
};

/* Returns the form of an arithmetic, logic or conversion instruction with this name, such as "add.s32";
 * NULL if there is none. */
const struct ptx_form *ptx_arithmetic(const char *name);

/* A pointer to the slot of an operand. */
#define PTX_AT(type, lanes, operand)                                                                         \
    ((type *)(void *)((lanes)->base[(operand)&3] + ((operand) & ~UINT32_C(3))))

/* Does `statement` for each lane, whose number is `l`. */
#define PTX_FOR_LANES(lanes, l, statement)                                                                   \
    do {                                                                                                     \
        if ((lanes)->is_whole) {                                                                             \
            _Pragma("GCC ivdep") for (unsigned l = 0; l < PTX_LANES; l++) statement                          \
        } else {                                                                                             \
            for (uint32_t left_ = (lanes)->mask; left_; left_ &= left_ - 1) {                                \
                unsigned l = (unsigned)__builtin_ctz(left_);                                                 \
                statement                                                                                    \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

/* Sets the lanes' bits of a predicate. */
static inline void ptx_set_predicate(uint32_t *predicate, const struct ptx_lanes *lanes, uint32_t bits)
{
    *predicate = (*predicate & ~lanes->mask) | (bits & lanes->mask);
}

#endif
