/* Accesses to memory: what ld, st, atom and red have in common. */
#ifndef MACHINE_PTX_ACCESS_H
#define MACHINE_PTX_ACCESS_H

#include "machine/ptx/arithmetic.h"
#include "machine/ptx/decode.h"
#include "machine/ptx/warp.h"
#include "machine/weak/memory_model.h"

/* What an atomic or a reduction does with memory. */
struct ptx_reduction {
    const char *why_not; /* why the machine does not have the operation on this type; NULL if it has it */
    enum machine_operation operation;
    ptx_combine *combine; /* the operation on f16 or bf16, or on two of them; NULL for other types */
};
/* Return the reduction that the opcode names. The second one refuses the statement if there is none. */
struct ptx_reduction ptx_reduction_on(const struct ptx_decoder *decoder, enum ptx_type type);
struct ptx_reduction ptx_reduction_of(const struct ptx_decoder *decoder);

/* Returns the address that lane l accesses, as the host sees it. */
uint64_t ptx_address(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l);

/* Decodes an address argument. Sets `a` and `number` of the instruction, and the members of `access` that
 * describe the address. */
void ptx_decode_address(struct ptx_decoder *decoder, struct ptx_code *code, struct ptx_access *access,
                        const struct ptx_argument *argument);

/* Returns the state space that the opcode names. */
enum ptx_space ptx_space_of(const struct ptx_decoder *decoder);

/* Fill in the lanes' requests for an access, whose addresses are in warp->addresses. */
void ptx_request_access(const struct ptx_code *code, const struct ptx_lanes *lanes);
void ptx_request_atomic(const struct ptx_code *code, struct ptx_lanes *lanes);

/* Makes the access of lane l, whose request has taken effect: copies the request's bytes to `value` if the
 * access is a load, or else from it. */
void ptx_move(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l, uint64_t address,
              void *value);

/* Returns the order and scope that the opcode names. */
struct strength ptx_strength_of(const struct ptx_decoder *decoder, bool *is_plain);

/* Reads and writes a value of a lane in a slot of this class. */
uint64_t ptx_lane_value(const struct ptx_lanes *lanes, ptx_operand operand, char class, unsigned l);
void ptx_set_lane_value(const struct ptx_lanes *lanes, ptx_operand operand, char class, unsigned l,
                        uint64_t value);

/* Copy a value of a lane from and to a slot of 128 bits. */
static inline void ptx_get_wide(const struct ptx_lanes *lanes, ptx_operand operand, unsigned l,
                                uint64_t to[2])
{
    to[0] = PTX_AT(const uint64_t, lanes, operand)[l];
    to[1] = PTX_AT(const uint64_t, lanes, operand)[PTX_LANES + l];
}
static inline void ptx_set_wide(const struct ptx_lanes *lanes, ptx_operand operand, unsigned l,
                                const uint64_t from[2])
{
    if (operand == PTX_NO_OPERAND)
        return;
    PTX_AT(uint64_t, lanes, operand)[l] = from[0];
    PTX_AT(uint64_t, lanes, operand)[PTX_LANES + l] = from[1];
}

/* Decodes what all accesses have, from the opcode. */
struct ptx_access *ptx_begin_access(struct ptx_decoder *decoder, struct ptx_code *code,
                                    enum request_kind kind);

/* These functions request a load, a store or an atomic, or make the access after its request has taken
 * effect. */
ptx_handler ptx_run_load, ptx_run_store, ptx_run_atomic, ptx_finish_load, ptx_finish_store, ptx_finish_atomic;

/* Sets the items of an access, whose width is set, to the registers of its argument. */
void ptx_decode_items(struct ptx_decoder *decoder, struct ptx_access *access,
                      const struct ptx_argument *argument);

/* Decodes st.async and red.async (copies.c). */
void ptx_decode_store_async(struct ptx_decoder *decoder, struct ptx_code *code);
ptx_handler ptx_finish_issue;

/* Makes lane l the running lane. */
static inline void ptx_becomes_running(const struct ptx_lanes *lanes, unsigned l)
{
    running.warp = lanes->warp;
    running.lane = l;
}

/* Returns the type of the opcode, such as PTX_u32: its last part that is a type. */
enum ptx_type ptx_type_of(const struct ptx_decoder *decoder);

#endif
