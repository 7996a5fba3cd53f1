/* Finds out for which value a lane polls: follows the polled value from its load to the comparison that
 * decides whether the loop goes on. */
#include "machine/ptx/arithmetic.h"
#include "machine/ptx/undefined.h"
#include "machine/ptx/warp.h"

#include <string.h>

#define MOST_FOLLOWED 256 /* largest number of instructions between the load and the comparison */
#define MOST_PLACES 16    /* largest number of registers and local variables that have the value at a time */

/* Where the polled value is. */
struct trail {
    const struct ptx_frame *frame; /* the call that the lane is in, at this point of its way */
    unsigned count;
    struct copy {
        bool is_private; /* is it in private memory at the offset `at`, and not in the register `at`? */
        uint64_t at;
    } copies[MOST_PLACES];
    bool is_returned; /* is it the result of a function that the lane has just left? */
};

static bool has(const struct trail *t, bool is_private, uint64_t at)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->copies[i].is_private == is_private && t->copies[i].at == at)
            return true;
    return false;
}

static void set(struct trail *t, bool is_private, uint64_t at, bool has_value)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->copies[i].is_private == is_private && t->copies[i].at == at)
            t->copies[i--] = t->copies[--t->count];
    if (has_value && t->count < MOST_PLACES)
        t->copies[t->count++] = (struct copy){is_private, at};
}

static const char *opcode_of(const struct trail *t, const struct ptx_code *code)
{
    return t->frame->routine->function->body->statements[code->statement].opcode;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Notes where the value is after this instruction, which only moves values. */
static void follow(struct trail *t, const struct ptx_code *code)
{
    const struct ptx_access *access = code->more;
    const char *opcode = opcode_of(t, code);
    if (code->hands == PTX_HANDS_OUT && access->is_of_frame) {
        set(t, true, code->number, has(t, false, access->item[0]));
    } else if (code->hands == PTX_HANDS_IN && access->is_of_frame) {
        set(t, false, access->item[0], t->is_returned || has(t, true, code->number));
        t->is_returned = false;
    } else if (code->hands == PTX_HANDS_REGISTERS) {
        bool moves = begins(opcode, "mov.") || begins(opcode, "cvt.");
        set(t, false, code->d, moves && has(t, false, code->a));
    }
}

/* Returns the value of an operand of this many bytes, with its sign if it is signed. */
static int64_t value_of(const struct ptx_lanes *lanes, ptx_operand operand, unsigned lane, size_t bytes,
                        bool is_signed)
{
    if (bytes == 8)
        return (int64_t)PTX_AT(const uint64_t, lanes, operand)[lane];
    uint32_t value = PTX_AT(const uint32_t, lanes, operand)[lane];
    return is_signed ? (int32_t)value : (int64_t)value;
}

/* Returns for what a lane waits that goes on as long as the outcome of `value` CHOICE `limit` stays as it
 * is. */
static struct ptx_awaited wait_of(const char *choice, int64_t value, int64_t limit)
{
    bool is_strict = strncmp(choice, "lt", 2) == 0 || strncmp(choice, "lo", 2) == 0 ||
                     strncmp(choice, "ge", 2) == 0 || strncmp(choice, "hs", 2) == 0;
    if (begins(choice, "eq") || begins(choice, "ne"))
        return (struct ptx_awaited){value == limit ? PTX_AWAITS_OTHER : PTX_AWAITS_EQUAL, limit};
    if (!strchr("lgh", *choice))
        return (struct ptx_awaited){PTX_AWAITS_UNKNOWN, 0};
    /* lt and ge part the values below the limit from the others, le and gt those above it */
    if (is_strict)
        return value < limit ? (struct ptx_awaited){PTX_AWAITS_AT_LEAST, limit}
                             : (struct ptx_awaited){PTX_AWAITS_AT_MOST, limit - 1};
    return value > limit ? (struct ptx_awaited){PTX_AWAITS_AT_MOST, limit}
                         : (struct ptx_awaited){PTX_AWAITS_AT_LEAST, limit + 1};
}

static const char *turned(const char *choice)
{
    static const char *const pairs[][2] = {{"lt", "gt"}, {"gt", "lt"}, {"le", "ge"}, {"ge", "le"},
                                           {"lo", "hi"}, {"hi", "lo"}, {"ls", "hs"}, {"hs", "ls"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (begins(choice, pairs[i][0]))
            return pairs[i][1];
    return choice;
}

/* Returns for what the lane waits at this setp, which compares the value. */
static struct ptx_awaited compared(const struct trail *t, const struct ptx_code *code,
                                   struct ptx_lanes *lanes, unsigned lane, uint64_t now)
{
    const char *opcode = opcode_of(t, code), *choice = opcode + strlen("setp."),
               *type = strrchr(opcode, '.') + 1;
    bool is_first = has(t, false, code->a), is_signed = *type == 's';
    size_t bytes = strcmp(type + 1, "64") == 0 ? 8 : 4;
    if (!strchr("sub", *type) || has(t, false, is_first ? code->b : code->a))
        return (struct ptx_awaited){PTX_AWAITS_UNKNOWN, 0};
    lanes->base[PTX_FRAME] = (unsigned char *)t->frame->registers;
    lanes->base[PTX_CONSTANT] = t->frame->routine->constants;
    int64_t limit = value_of(lanes, is_first ? code->b : code->a, lane, bytes, is_signed),
            value = is_signed && bytes == 4 ? (int32_t)now : (int64_t)now;
    return wait_of(is_first ? choice : turned(choice), value, limit);
}

struct ptx_awaited ptx_awaited(const struct warp *warp, unsigned lane, const void *load, uint64_t now)
{
    const struct ptx_code *code = load;
    struct ptx_lanes lanes = {
        .base = {[PTX_OF_WARP] = warp->ptx->special, [PTX_OF_BLOCK] = warp->block->special}};
    struct trail t = {0};
    for (unsigned f = 0; f < warp->ptx->count; f++)
        if (warp->ptx->fragments[f].mask >> lane & 1)
            t.frame = warp->ptx->fragments[f].frame;
    while (t.frame &&
           (code < t.frame->routine->code || code >= t.frame->routine->code + t.frame->routine->count))
        t.frame = t.frame->caller;
    if (!t.frame || ((uintptr_t)load & 1))
        return (struct ptx_awaited){PTX_AWAITS_UNKNOWN, 0};
    if (begins(opcode_of(&t, code), "mbarrier.")) {
        lanes.base[PTX_FRAME] = (unsigned char *)t.frame->registers;
        lanes.base[PTX_CONSTANT] = t.frame->routine->constants;
        uint64_t parity = code->c ? PTX_AT(const uint32_t, &lanes, code->b)[lane] & 1
                                  : PTX_AT(const uint64_t, &lanes, code->b)[lane] >> 63;
        return (struct ptx_awaited){PTX_AWAITS_PARITY, (int64_t)parity};
    }
    /* an arrival at a barrier of a cluster, for example, gives no value */
    if (!begins(opcode_of(&t, code), "ld.") && !begins(opcode_of(&t, code), "atom."))
        return (struct ptx_awaited){PTX_AWAITS_UNKNOWN, 0};
    set(&t, false, ((const struct ptx_access *)code->more)->item[0], true);
    code++;
    for (unsigned i = 0; i < MOST_FOLLOWED && (t.count || t.is_returned); i++) {
        const char *opcode = opcode_of(&t, code);
        if (code->run == ptx_run_block) {
            code++;
        } else if (begins(opcode, "setp.") && (has(&t, false, code->a) || has(&t, false, code->b))) {
            return compared(&t, code, &lanes, lane, now);
        } else if (begins(opcode, "bra")) {
            if (code->guarded)
                break;
            code = code->target;
        } else if (begins(opcode, "ret")) {
            if (!t.frame->caller)
                break;
            code = t.frame->back + 1;
            t = (struct trail){.frame = t.frame->caller, .is_returned = true};
        } else {
            follow(&t, code);
            code++;
        }
    }
    return (struct ptx_awaited){PTX_AWAITS_UNKNOWN, 0};
}
