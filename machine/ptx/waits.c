/* What the skipping of waits for the clock (machine/engine/clock_waits.h) must know of a warp's PTX. */
#include "base/memory.h"
#include "machine/ptx.h"
#include "machine/ptx/warp.h"

#include <string.h>

/* ---- values that grow with the time ---- */

static bool is_one_of(const char *opcode, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(opcode, *names) == 0)
            return true;
    return false;
}

static bool reads_nanoseconds(const struct ptx_statement *statement)
{
    for (unsigned a = 0; a < statement->argument_count; a++)
        if (statement->arguments[a].kind == PTX_IS_SPECIAL &&
            strncmp(statement->arguments[a].name, "%globaltimer", 12) == 0)
            return true;
    return false;
}

/*
 * Does the statement's result grow by a constant, or is it a comparison that does not change back once it has
 * changed from true to false, or from false to true, if what it reads grows by constants? A comparison on
 * equality can change back, and so can two comparisons that are combined.
 */
static bool is_ordered(const struct ptx_statement *statement)
{
    static const char *const linear[] = {"mov.u32",
                                         "mov.s32",
                                         "mov.b32",
                                         "mov.u64",
                                         "mov.s64",
                                         "mov.b64",
                                         "add.u32",
                                         "add.s32",
                                         "add.u64",
                                         "add.s64",
                                         "sub.u32",
                                         "sub.s32",
                                         "sub.u64",
                                         "sub.s64",
                                         "cvt.u32.u64",
                                         "cvt.u64.u32",
                                         "cvta.to.global.u64",
                                         "ld.param.u32",
                                         "ld.param.s32",
                                         "ld.param.b32",
                                         "ld.param.u64",
                                         "ld.param.s64",
                                         "ld.param.b64",
                                         NULL};
    static const char *const comparisons[] = {
        "setp.lt.u32", "setp.le.u32", "setp.gt.u32", "setp.ge.u32", "setp.lt.s32", "setp.le.s32",
        "setp.gt.s32", "setp.ge.s32", "setp.lt.u64", "setp.le.u64", "setp.gt.u64", "setp.ge.u64",
        "setp.lt.s64", "setp.le.s64", "setp.gt.s64", "setp.ge.s64", NULL};
    if (strcmp(statement->opcode, "bra") == 0 || strcmp(statement->opcode, "bra.uni") == 0)
        return true;
    if (statement->guard || reads_nanoseconds(statement))
        return false;
    return is_one_of(statement->opcode, linear) || is_one_of(statement->opcode, comparisons);
}

bool ptx_is_ordered(const void *block)
{
    const struct ptx_routine *routine = ptx_routine_at(block);
    const struct ptx_body *body = routine->function->body;
    const struct ptx_code *end = routine->code + routine->count;
    for (const struct ptx_code *code = (const struct ptx_code *)block + 1;
         code < end && code->run != ptx_run_block; code++)
        if (!is_ordered(&body->statements[code->statement]))
            return false;
    return true;
}

/* ---- the state of a warp ---- */

/* Returns the frame that all lanes are in, or NULL if some are in a call. */
static struct ptx_frame *only_frame(const struct ptx_warp *state)
{
    struct ptx_frame *frame = state->count ? state->fragments[0].frame : NULL;
    for (unsigned f = 0; f < state->count; f++)
        if (state->fragments[f].frame != frame || frame->caller)
            return NULL;
    return frame;
}

unsigned char *ptx_registers(const struct warp *warp)
{
    return warp->ptx->fragments[0].frame->registers;
}

bool ptx_keep(struct ptx_kept *kept, const struct warp *warp)
{
    const struct ptx_frame *frame = only_frame(warp->ptx);
    if (warp->ptx->has_undefined || (warp->ptx->count && !frame))
        return false;
    if (!kept->state)
        kept->state = allocate(sizeof *kept->state);
    *kept->state = *warp->ptx;
    kept->bytes = frame ? frame->routine->frame_bytes : 0;
    if (kept->bytes > kept->room)
        kept->registers = reallocate(kept->registers, kept->room = 2 * kept->bytes);
    if (frame)
        memcpy(kept->registers, frame->registers, kept->bytes);
    return true;
}

void ptx_restore(const struct ptx_kept *kept, struct warp *warp, bool with_registers)
{
    *warp->ptx = *kept->state;
    if (with_registers && kept->bytes)
        memcpy(ptx_registers(warp), kept->registers, kept->bytes);
}

bool ptx_is_where(const struct ptx_kept *kept, const struct warp *warp)
{
    if (warp->ptx->count != kept->state->count)
        return false;
    for (unsigned f = 0; f < warp->ptx->count; f++) {
        const struct ptx_fragment *now = &warp->ptx->fragments[f], *then = &kept->state->fragments[f];
        if (now->mask != then->mask || now->stage != then->stage || now->at != then->at ||
            now->frame != then->frame)
            return false;
    }
    return true;
}
