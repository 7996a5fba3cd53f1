/* Makes instructions of the statements of a function. */
#ifndef MACHINE_PTX_DECODE_H
#define MACHINE_PTX_DECODE_H

#include "machine/ptx/graph.h"
#include "machine/ptx/program.h"

#define PTX_MOST_PARTS 16

struct ptx_decoder {
    struct ptx_routine *routine;
    struct ptx_body *body;
    struct ptx_graph graph;
    uint32_t *slots; /* offsets of the registers' slots */
    size_t constant_bytes;
    const struct ptx_statement *statement;
    const struct ptx_operation *operation; /* the statement's row; NULL for arithmetic */
    char opcode[128];
    const char *parts[PTX_MOST_PARTS]; /* the parts of the opcode between its dots; the first is its name */
    unsigned part_count;
};

/* Returns the row of an opcode, or NULL if it is none of these instructions. */
const struct ptx_operation *ptx_operation_named(const char *opcode);

/* Tables that end with a row without names. */
extern const struct ptx_operation ptx_memory_operations[], ptx_control_operations[], ptx_warp_operations[],
    ptx_copy_operations[], ptx_matrix_operations[], ptx_texture_operations[], ptx_lock_operations[];

/* Ends this process with a message: the statement is not supported, for this reason. */
void ptx_unsupported(const struct ptx_decoder *decoder, const char *why) __attribute__((noreturn));

/* Returns which of these words, counted from 0, is the first that the opcode has as a part after its name. If
 * it has none of them, returns their number. The words are separated by |. */
unsigned ptx_which(const struct ptx_decoder *decoder, const char *words);

/* Has the opcode one of these words after its name? */
bool ptx_has(const struct ptx_decoder *decoder, const char *words);

/* Returns the statement's argument with this number; refuses the statement if there is none. */
const struct ptx_argument *ptx_argument_of(const struct ptx_decoder *decoder, unsigned number);

/* Returns the items of a vector's group, or the argument itself, and sets their number. */
static inline const struct ptx_argument *ptx_items_of(const struct ptx_argument *argument, unsigned *count)
{
    bool is_group = argument->kind == PTX_IS_GROUP;
    *count = is_group ? argument->count : 1;
    return is_group ? argument->items : argument;
}

/* Return the operand for an argument of this class (struct ptx_form, code.h), or for the argument with this
 * number. A constant number becomes a constant operand. */
ptx_operand ptx_operand_of(struct ptx_decoder *decoder, const struct ptx_argument *argument, char class);
ptx_operand ptx_operand_at(struct ptx_decoder *decoder, unsigned number, char class);

/* Returns the class of a register, 'p', '4', '8' or 'Q', or `otherwise` if the argument is not a register. */
char ptx_class_of(const struct ptx_argument *argument, char otherwise);

/* Returns the constant operand with this value for each lane. */
ptx_operand ptx_constant(struct ptx_decoder *decoder, uint64_t value, char class);

/* Returns the instruction to which a label leads. */
const struct ptx_code *ptx_target(const struct ptx_decoder *decoder, const struct ptx_argument *label);

/* Returns a constant argument's value. */
uint64_t ptx_number_of(const struct ptx_decoder *decoder, const struct ptx_argument *argument);

/* alloca, stacksave and stackrestore (stack.c) */
ptx_handler ptx_run_allocation, ptx_run_stack_save, ptx_run_stack_restoration;
void ptx_decode_allocation(struct ptx_decoder *decoder, struct ptx_code *code);
void ptx_decode_stack(struct ptx_decoder *decoder, struct ptx_code *code);

/* Decodes an arithmetic instruction, such as a `mov` between registers. */
void ptx_decode_arithmetic(struct ptx_decoder *decoder, struct ptx_code *code);

/* Finds slots for the registers of a body. results[i] says how many of the first arguments of statement i are
 * results (0 or 1). Returns the offset of each register's slot, by the register's number; the caller frees
 * the array. Sets `ends` to the offsets at which the predicates, words, double words and quad words of a
 * frame end. */
uint32_t *ptx_slots_find(const struct ptx_graph *graph, const unsigned char *results, uint32_t ends[4]);

/* The operand of a special register, or PTX_NO_OPERAND if there is none with this name. Sets its class. */
ptx_operand ptx_special_operand(const char *name, char *class);

#endif
