/* Translates PTX's votes, shuffles, reductions, matches, and the election of a lane. */
#include "check/rewrite/ptx_kinds.h"

#include <string.h>

static void translate_vote(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"sync", "all", "any", "ballot", "pred", "b32", ""};
    allow(t, i, parts);
    need(t, i, 3, 3);
    print_assign(t, i->operands[0]);
    fprintf(t->out, "(uint64_t)(uint32_t)__%s_sync((uint32_t)",
            has(i, "all")   ? "all"
            : has(i, "any") ? "any"
                            : "ballot");
    print_value(t, i->operands[2]);
    fputs(", ", t->out);
    print_typed(t, "pred", i->operands[1]);
    fputs("));", t->out);
}

/* Translates elect.sync, which has two results: the number of the elected lane, here the lowest lane of the
 * mask, and whether the calling lane is the elected one. */
static void translate_elect(const struct translation *t, struct instruction *i)
{
    need(t, i, 2, 2);
    char *bar = strchr(i->operands[0], '|');
    if (!bar)
        refuse(t, i->opcode);
    *bar = '\0';
    fputs("machine_syncwarp((uint32_t)", t->out);
    print_value(t, i->operands[1]);
    fputs("); ", t->out);
    print_assign(t, i->operands[0]);
    fputs("(uint64_t)(__ffs((int)", t->out);
    print_value(t, i->operands[1]);
    fputs(") - 1)); ", t->out);
    print_assign(t, bar + 1);
    fputs("(uint64_t)(machine_lane() == __ffs((int)", t->out);
    print_value(t, i->operands[1]);
    fputs(") - 1));", t->out);
}

static void translate_shuffle(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"sync", "up", "down", "bfly", "idx", "b32", ""};
    const char *mode = has(i, "up")     ? "SHUFFLE_UP"
                       : has(i, "down") ? "SHUFFLE_DOWN"
                       : has(i, "bfly") ? "SHUFFLE_XOR"
                                        : "SHUFFLE_INDEX";
    allow(t, i, parts);
    need(t, i, 5, 5);
    char *bar = strchr(i->operands[0], '|');
    if (bar)
        *bar = '\0';
    fputs("{ bool in_range = false; ", t->out);
    print_assign(t, i->operands[0]);
    fprintf(t->out, "::gpusync_check::ptx_shuffle(%s", mode);
    for (size_t o = 1; o < 5; o++) {
        fputs(", (uint32_t)", t->out);
        print_value(t, i->operands[o]);
    }
    fputs(", in_range)); ", t->out);
    if (bar) {
        print_assign(t, bar + 1);
        fputs("in_range); ", t->out);
    }
    fputc('}', t->out);
}

/* Translates redux.sync and match.any.sync, which CUDA has as functions. */
static void translate_redux(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"sync", "add", "min", "max", "and", "or",
                                        "xor",  "u32", "s32", "b32", ""};
    allow(t, i, parts);
    need(t, i, 3, 3);
    if (i->part_count != 4)
        refuse(t, i->opcode);
    print_assign(t, i->operands[0]);
    fprintf(t->out, "(uint64_t)(uint32_t)__reduce_%s_sync((uint32_t)", i->parts[2]);
    print_value(t, i->operands[2]);
    fputs(", ", t->out);
    print_typed(t, *type_of(i) == 's' ? "s32" : "u32", i->operands[1]);
    fputs("));", t->out);
}

static void translate_match(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"any", "sync", "b32", "b64", ""};
    allow(t, i, parts);
    need(t, i, 3, 3);
    print_assign(t, i->operands[0]);
    fputs("__match_any_sync((uint32_t)", t->out);
    print_value(t, i->operands[2]);
    fputs(", ", t->out);
    print_typed(t, type_of(i), i->operands[1]);
    fputs("));", t->out);
}

bool translate_warps(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name;
        void (*translate)(const struct translation *, struct instruction *);
    } kinds[] = {{"vote", translate_vote},
                 {"shfl", translate_shuffle},
                 {"elect", translate_elect},
                 {"redux", translate_redux},
                 {"match", translate_match}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is(i, kinds[k].name)) {
            kinds[k].translate(t, i);
            return true;
        }
    return false;
}
