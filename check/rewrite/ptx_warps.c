/* Translates PTX's votes, shuffles, and the election of a lane. */
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
    if (strchr(i->operands[0], '|'))
        refuse(t, "shfl with a predicate");
    print_assign(t, i->operands[0]);
    fputs("machine_shuffle((uint32_t)", t->out);
    print_value(t, i->operands[4]);
    fputs(", ", t->out);
    print_value(t, i->operands[1]);
    fprintf(t->out, ", %s, (int)", mode);
    print_value(t, i->operands[2]);
    /* writes the shuffle's width, which follows from the segment mask in the last operand */
    fputs(", 32 - (int)(", t->out);
    print_value(t, i->operands[3]);
    fputs(" >> 8 & 31)));", t->out);
}

bool translate_warps(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name;
        void (*translate)(const struct translation *, struct instruction *);
    } kinds[] = {{"vote", translate_vote}, {"shfl", translate_shuffle}, {"elect", translate_elect}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is(i, kinds[k].name)) {
            kinds[k].translate(t, i);
            return true;
        }
    return false;
}
