/*
 * Follows undefined values: results of a shuffle that reads a lane which takes no part in it. This costs
 * nothing while a warp has no such value. After that, each instruction passes the mark from its operands to
 * its results, so that the rules (machine/engine/warp_rules.c) know whether a lane stores an undefined value.
 * Values are followed through registers, private memory and calls, but neither through predicates nor through
 * memory that threads share.
 */
#ifndef MACHINE_PTX_UNDEFINED_H
#define MACHINE_PTX_UNDEFINED_H

#include "machine/ptx/frame.h"

/* Between which places an instruction moves values (struct ptx_code). An undefined value stays undefined,
 * unless it comes from shared memory. A group is a list of registers. */
enum ptx_handing {
    PTX_HANDS_REGISTERS, /* from a, b, c and f to d and e */
    PTX_HANDS_OUT,       /* from a group to private memory */
    PTX_HANDS_IN,        /* from private memory to a group */
    PTX_HANDS_PACKED,    /* from a group to d */
    PTX_HANDS_UNPACKED,  /* from a to a group */
    PTX_HANDS_LOADED,    /* from shared memory to a group */
    PTX_HANDS_STORED,    /* from a group to shared memory */
    PTX_HANDS_CHANGED    /* an atomic: from a group to memory, and from memory to a group */
};

/* ptx_undefined_follow() is called after an instruction, with the lanes and frame that it had before;
 * ptx_undefined_finish() is called when its request has taken effect. */
void ptx_undefined_follow(const struct ptx_code *code, struct ptx_frame *frame, uint32_t mask);
void ptx_undefined_finish(const struct ptx_code *code, struct ptx_frame *frame, uint32_t mask);

/* Notes that the result of a shuffle is undefined in these lanes of the mask, and defined in the others. */
void ptx_undefined_result(const struct ptx_code *code, const struct ptx_lanes *lanes, uint32_t undefined);

/* Forgets the values of a frame that is to be used again. */
void ptx_undefined_forget(struct ptx_frame *frame);

/* Copies the marks when a call copies values between the private memories of two frames. */
void ptx_undefined_copy(struct ptx_frame *to, uint32_t to_offset, struct ptx_frame *from,
                        uint32_t from_offset, uint32_t bytes, uint32_t mask);

#endif
