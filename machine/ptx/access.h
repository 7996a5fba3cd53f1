/* Accesses to memory: what ld, st, atom and red have in common. */
#ifndef MACHINE_PTX_ACCESS_H
#define MACHINE_PTX_ACCESS_H

#include "machine/ptx/decode.h"
#include "machine/ptx/warp.h"
#include "machine/weak/memory_model.h"

#define PTX_MOST_ITEMS 8 /* of a vector */

struct ptx_access {
    enum request_kind kind;
    enum ptx_space space;
    unsigned width, count, bytes; /* size of an item, number of items, size of the access in bytes */
    /* of a load: the first byte that is no padding, and the number of bytes of padding before and after
     * the others */
    unsigned first_used, unused;
    bool is_signed;               /* is a loaded item extended with its sign? */
    char class[PTX_MOST_ITEMS];   /* of the items' registers */
    ptx_operand item[PTX_MOST_ITEMS]; /* PTX_NO_OPERAND for a value that is not used */
    struct strength strength;
    bool plain; /* neither volatile nor with an order or scope */
    bool is_volatile;
    bool address_is_wide;
    bool is_of_frame; /* is the address a place in the private memory of the frame? */
    enum machine_operation operation;
    unsigned way;      /* enum atomic_way */
    bool of_mbarrier;
    /* of an atomic that changes an mbarrier: returns the word after the change; NULL for other atomics */
    uint64_t (*after)(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l, uint64_t old);
    ptx_operand value, other; /* of an atomic: the operand, and the value to swap in */
};

/* Returns the address that lane l accesses, as the host sees it. */
uint64_t ptx_address(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l);

/* Sets the operand `a` and `number` of an instruction to its address argument, and what `access` says of the
 * address. The access's space is set. */
void ptx_decode_address(struct ptx_decoder *decoder, struct ptx_code *code, struct ptx_access *access,
                        const struct ptx_argument *argument);

/* Returns the order and scope that the opcode names. */
struct strength ptx_strength_of(const struct ptx_decoder *decoder, bool *is_plain);

/* Reads and writes a value of a lane in a slot of this class. */
uint64_t ptx_lane_value(const struct ptx_lanes *lanes, ptx_operand operand, char class, unsigned l);
void ptx_set_lane_value(const struct ptx_lanes *lanes, ptx_operand operand, char class, unsigned l, uint64_t value);

/* Decodes what all accesses have, from the opcode. */
struct ptx_access *ptx_begin_access(struct ptx_decoder *decoder, struct ptx_code *code, enum request_kind kind);

/* Request a load, a store or an atomic, and do an atomic whose request has taken effect. */
ptx_handler ptx_run_load, ptx_run_store, ptx_run_atomic, ptx_finish_atomic;

/* Decodes st.async (copies.c). Returns false if the statement is another store. */
bool ptx_decode_async_store(struct ptx_decoder *decoder, struct ptx_code *code);

/* Tells the machine that lane l does what comes next. */
static inline void ptx_becomes_running(const struct ptx_lanes *lanes, unsigned l)
{
    running.warp = lanes->warp;
    running.lane = l;
}

/* Returns the type of the opcode, such as "u32": its last part that is one. */
const char *ptx_type_of(const struct ptx_decoder *decoder);
unsigned ptx_bits_of_type(const char *type);

#endif
