#include "machine/ptx/undefined.h"
#include "base/memory.h"
#include "machine/engine/sample.h"

#include <string.h>

#define UNIT 64 /* bytes of registers for which there is one entry; each slot of a register is longer */

/* Entries for the words of private memory come after those for registers. */
static size_t entries_of_registers(const struct ptx_routine *routine)
{
    return (routine->frame_bytes - routine->words_at) / UNIT + 1;
}

void ptx_undefined_forget(struct ptx_frame *frame)
{
    const struct ptx_routine *routine = frame->routine;
    if (frame->undefined)
        memset(frame->undefined, 0,
               (entries_of_registers(routine) + routine->private_bytes / 4 + 4) * sizeof *frame->undefined);
}

static uint32_t *entries(struct ptx_frame *frame)
{
    const struct ptx_routine *routine = frame->routine;
    if (!frame->undefined)
        frame->undefined = allocate((entries_of_registers(routine) + routine->private_bytes / 4 + 4) *
                                    sizeof *frame->undefined);
    return frame->undefined;
}

/* Returns the entry of a register, or NULL if the operand is a predicate or no register. */
static uint32_t *entry_of(struct ptx_frame *frame, ptx_operand operand)
{
    if (operand == PTX_NO_OPERAND || (operand & 3) != PTX_FRAME || operand < frame->routine->words_at ||
        operand >= frame->routine->frame_bytes)
        return NULL;
    return &entries(frame)[(operand - frame->routine->words_at) / UNIT];
}

static uint32_t read(struct ptx_frame *frame, ptx_operand operand)
{
    const uint32_t *entry = entry_of(frame, operand);
    return entry ? *entry : 0;
}

static void write(struct ptx_frame *frame, ptx_operand operand, uint32_t mask, uint32_t undefined)
{
    uint32_t *entry = entry_of(frame, operand);
    if (entry)
        *entry = (*entry & ~mask) | (undefined & mask);
}

static uint32_t read_group(struct ptx_frame *frame, const struct ptx_access *group)
{
    uint32_t undefined = 0;
    for (unsigned i = 0; i < group->count; i++)
        undefined |= read(frame, group->item[i]);
    return undefined;
}

static void write_group(struct ptx_frame *frame, const struct ptx_access *group, uint32_t mask,
                        uint32_t undefined)
{
    for (unsigned i = 0; i < group->count; i++)
        write(frame, group->item[i], mask, undefined);
}

/* Returns the entry for the word of private memory. */
static uint32_t *private_entry(struct ptx_frame *frame, uint64_t offset)
{
    uint64_t word = offset / 4, words = frame->routine->private_bytes / 4;
    return &entries(frame)[entries_of_registers(frame->routine) + (word < words ? word : words)];
}

void ptx_undefined_copy(struct ptx_frame *to, uint32_t to_offset, struct ptx_frame *from,
                        uint32_t from_offset, uint32_t bytes, uint32_t mask)
{
    for (uint32_t at = 0; at < bytes; at += 4) {
        uint32_t *entry = private_entry(to, to_offset + at);
        *entry = (*entry & ~mask) | (*private_entry(from, from_offset + at) & mask);
    }
}

static uint32_t read_operands(const struct ptx_code *code, struct ptx_frame *frame)
{
    return read(frame, code->a) | read(frame, code->b) | read(frame, code->c) | read(frame, code->f);
}

void ptx_undefined_follow(const struct ptx_code *code, struct ptx_frame *frame, uint32_t mask)
{
    const struct ptx_access *group = code->more;
    uint32_t undefined = 0;
    switch ((enum ptx_handing)code->hands) {
    case PTX_HANDS_REGISTERS:
    case PTX_HANDS_PACKED:
        undefined = code->hands == PTX_HANDS_PACKED ? read_group(frame, group) : read_operands(code, frame);
        if (code->guarded) /* in lanes that do not pass the guard, the result keeps its value */
            undefined |= read(frame, code->d);
        write(frame, code->d, mask, undefined);
        write(frame, code->e, mask, undefined);
        break;
    case PTX_HANDS_UNPACKED:
        write_group(frame, group, mask, read(frame, code->a));
        break;
    case PTX_HANDS_OUT:
        for (uint64_t at = 0; at < group->bytes && group->is_of_frame; at += 4) {
            uint32_t *entry = private_entry(frame, code->number + at);
            *entry = (*entry & ~mask) | (read_group(frame, group) & mask);
        }
        break;
    case PTX_HANDS_IN:
        for (uint64_t at = 0; at < group->bytes && group->is_of_frame; at += 4)
            undefined |= *private_entry(frame, code->number + at);
        write_group(frame, group, mask, undefined);
        break;
    default:
        break;
    }
}

void ptx_undefined_finish(const struct ptx_code *code, struct ptx_frame *frame, uint32_t mask)
{
    if (code->hands == PTX_HANDS_LOADED || code->hands == PTX_HANDS_CHANGED)
        write_group(frame, code->more, mask, 0);
    else if (code->hands == PTX_HANDS_REGISTERS && !code->keeps_undefined)
        write(frame, code->d, mask, 0);
}

void ptx_undefined_result(const struct ptx_code *code, const struct ptx_lanes *lanes, uint32_t undefined)
{
    if (undefined && sample_has_ended_threads()) /* those threads might have defined the value */
        sample_end_block(lanes->warp->block);
    lanes->state->has_undefined = lanes->state->has_undefined || undefined;
    if (lanes->state->has_undefined)
        write(lanes->frame, code->d, lanes->mask, undefined);
}

bool ptx_has_undefined(const struct warp *warp)
{
    return warp->ptx->has_undefined;
}

bool ptx_passes_undefined(const struct warp *warp, unsigned lane)
{
    const struct ptx_warp *state = warp->ptx;
    for (unsigned f = 0; state->has_undefined && f < state->count; f++) {
        const struct ptx_fragment *fragment = &state->fragments[f];
        const struct ptx_code *code = fragment->at;
        if (!(fragment->mask >> lane & 1))
            continue;
        uint32_t undefined = read_operands(code, fragment->frame);
        if (code->hands == PTX_HANDS_STORED)
            undefined |= read_group(fragment->frame, code->more);
        if (code->hands == PTX_HANDS_CHANGED) {
            const struct ptx_access *access = code->more;
            undefined |= read(fragment->frame, access->other);
            for (unsigned i = 0; i < access->count; i++)
                undefined |= read(fragment->frame, access->value[i]);
        }
        return undefined >> lane & 1;
    }
    return false;
}
