/* Private memory whose size a thread decides when it runs (PTX ISA, "Stack Manipulation Instructions"). A
 * lane's stack begins to exist with the first alloca of its warp. What a function has allocated ends when it
 * returns. */
#include "base/failure.h"
#include "base/memory.h"
#include "machine/ptx/access.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_OF_LANE 65536

struct ptx_stack {
    unsigned char *memory;
    uint32_t tops[PTX_LANES]; /* number of bytes in use in each lane */
    struct ptx_stack *next;   /* in the list of stacks that no warp uses */
};
static struct ptx_stack *unused;

static struct ptx_stack *stack_of(struct ptx_warp *state)
{
    if (state->stack)
        return state->stack;
    struct ptx_stack *stack = unused;
    if (stack) {
        unused = stack->next;
    } else {
        stack = allocate(sizeof *stack);
        stack->memory = ptx_take_private((size_t)BYTES_OF_LANE * PTX_LANES);
    }
    memset(stack->tops, 0, sizeof stack->tops);
    return state->stack = stack;
}

void ptx_stack_end(struct ptx_warp *state)
{
    if (!state->stack)
        return;
    state->stack->next = unused;
    unused = state->stack;
    state->stack = NULL;
}

void ptx_stack_return(struct ptx_warp *state, const struct ptx_frame *frame, uint32_t mask)
{
    FOR_EACH_LANE(l, mask) state->stack->tops[l] = frame->tops[l];
}

static unsigned char *memory_of(const struct ptx_stack *stack, unsigned l)
{
    return stack->memory + (size_t)l * BYTES_OF_LANE;
}

/* alloca d, bytes {, alignment}: the alignment is `number` */
static const struct ptx_code *run_allocation(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct ptx_stack *stack = stack_of(lanes->state);
    struct ptx_frame *frame = lanes->frame;
    if (!frame->tops)
        frame->tops = allocate(sizeof stack->tops);
    if (!frame->has_tops)
        memcpy(frame->tops, stack->tops, sizeof stack->tops);
    frame->has_tops = true;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t bytes = ptx_lane_value(lanes, code->a, '8', l), align = code->number;
        uint64_t at = (stack->tops[l] + align - 1) / align * align;
        if (bytes > BYTES_OF_LANE || at + bytes > BYTES_OF_LANE)
            fail(EXIT_CANNOT, "%s: the arrays of alloca have more than %d bytes in a thread",
                 lanes->state->program->kernel->name, BYTES_OF_LANE);
        stack->tops[l] = (uint32_t)(at + bytes);
        ptx_set_lane_value(lanes, code->d, '8', l, (uintptr_t)memory_of(stack, l) + at);
    }
    return code + 1;
}

static const struct ptx_code *run_save(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_stack *stack = stack_of(lanes->state);
    FOR_EACH_LANE(l, lanes->mask)
    ptx_set_lane_value(lanes, code->d, '8', l, (uintptr_t)memory_of(stack, l) + stack->tops[l]);
    return code + 1;
}

static const struct ptx_code *run_restoration(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct ptx_stack *stack = stack_of(lanes->state);
    FOR_EACH_LANE(l, lanes->mask)
    stack->tops[l] = (uint32_t)(ptx_lane_value(lanes, code->a, '8', l) - (uintptr_t)memory_of(stack, l));
    return code + 1;
}

void ptx_decode_stack(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const char *name = decoder->parts[0];
    bool is_restoration = strcmp(name, "stackrestore") == 0, allocates = strcmp(name, "alloca") == 0;
    if (ptx_has(decoder, "u32"))
        ptx_unsupported(decoder, "addresses have 64 bits");
    code->run = allocates ? run_allocation : is_restoration ? run_restoration : run_save;
    code->d = is_restoration ? PTX_NO_OPERAND : ptx_operand_of(decoder, ptx_argument_of(decoder, 0), '8');
    if (allocates || is_restoration)
        code->a = ptx_operand_of(decoder, ptx_argument_of(decoder, allocates), '8');
    code->number = 16;
    if (allocates && decoder->statement->argument_count > 2)
        code->number = ptx_number_of(decoder, ptx_argument_of(decoder, 2));
}
