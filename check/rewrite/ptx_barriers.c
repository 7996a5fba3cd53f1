/* Translates PTX's barriers of blocks, warps and clusters, and its mbarriers. */
#include "check/rewrite/ptx_kinds.h"

#include <string.h>

static void translate_cluster_barrier(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"cluster", "arrive",  "wait",    "release",
                                        "relaxed", "acquire", "aligned", ""};
    allow(t, i, parts);
    need(t, i, 0, 0);
    bool waits = has(i, "wait");
    fprintf(t->out, "machine_cluster_%s(%s);", waits ? "wait" : "arrive",
            has(i, "relaxed") ? "ORDER_RELAXED"
            : waits           ? "ORDER_ACQUIRE"
                              : "ORDER_RELEASE");
}

static void translate_barrier(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"cta", "sync", "arrive", "aligned", "warp", ""};
    if (has(i, "cluster")) {
        translate_cluster_barrier(t, i);
        return;
    }
    allow(t, i, parts);
    if (has(i, "warp")) {
        need(t, i, 1, 1);
        fputs("machine_syncwarp((uint32_t)", t->out);
        print_value(t, i->operands[0]);
        fputs(");", t->out);
        return;
    }
    need(t, i, has(i, "arrive") ? 2 : 1, 2);
    if (i->operand_count == 1 && strcmp(i->operands[0], "0") == 0) {
        fputs("machine_syncthreads();", t->out);
        return;
    }
    fputs("machine_named_barrier((int)", t->out);
    print_value(t, i->operands[0]);
    fputs(", (int)", t->out);
    if (i->operand_count == 2)
        print_value(t, i->operands[1]);
    else
        fputs("(machine_block_dim().x * machine_block_dim().y * machine_block_dim().z)", t->out);
    fprintf(t->out, ", %d);", !has(i, "arrive"));
}

/* ---- mbarriers ---- */

static const char *order_of_mbarrier(const struct instruction *i, const char *otherwise)
{
    return has(i, "relaxed") ? "ORDER_RELAXED" : otherwise;
}

/* Translates mbarrier.arrive. Its operands are the state, [mbarrier], and a count, which is 1 by default. */
static void translate_arrival(const struct translation *t, struct instruction *i)
{
    bool expects = has(i, "expect_tx"), drops = has(i, "arrive_drop");
    need(t, i, expects ? 3 : 2, 3);
    print_assign(t, i->operands[0]);
    fputs("::gpusync_check::mbarrier_change(", t->out);
    print_place(t, i->operands[1], is_shared(i));
    fputs(expects ? ", (int32_t)" : ", 0, (uint32_t)", t->out);
    if (i->operand_count == 3)
        print_value(t, i->operands[2]);
    else
        fputc('1', t->out);
    fprintf(t->out, "%s, %d, %s, %s));", expects ? ", 1" : "", drops, scope_of(i, "SCOPE_BLOCK"),
            order_of_mbarrier(i, "ORDER_RELEASE"));
}

/* Translates mbarrier.expect_tx and mbarrier.complete_tx. Their operands are [mbarrier] and the number of
 * bytes by which the transaction count grows or falls. */
static void translate_bytes(const struct translation *t, struct instruction *i)
{
    need(t, i, 2, 2);
    fputs("::gpusync_check::mbarrier_change(", t->out);
    print_place(t, i->operands[0], is_shared(i));
    fprintf(t->out, ", %s(int32_t)", has(i, "complete_tx") ? "-" : "");
    print_value(t, i->operands[1]);
    fprintf(t->out, ", 0, 0, %s, ORDER_RELAXED);", scope_of(i, "SCOPE_BLOCK"));
}

static void translate_wait(const struct translation *t, struct instruction *i)
{
    need(t, i, 3, 4);
    print_assign(t, i->operands[0]);
    fputs("(uint64_t)::gpusync_check::mbarrier_has_passed(", t->out);
    print_place(t, i->operands[1], is_shared(i));
    fputs(", (unsigned)(", t->out);
    print_value(t, i->operands[2]);
    fprintf(t->out, "%s), %s, %s));", has(i, "parity") ? "" : " >> 63", scope_of(i, "SCOPE_BLOCK"),
            order_of_mbarrier(i, "ORDER_ACQUIRE"));
}

static void translate_mbarrier(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {
        "init",    "inval",   "arrive",  "arrive_drop",   "expect_tx", "complete_tx",     "noComplete",
        "release", "acquire", "relaxed", "pending_count", "test_wait", "try_wait",        "parity",
        "cta",     "cluster", "shared",  "shared::cta",   "b64",       "shared::cluster", ""};
    allow(t, i, parts);
    if (has(i, "inval")) {
        fputc(';', t->out);
    } else if (has(i, "init")) {
        need(t, i, 2, 2);
        fputs("::gpusync_check::mbarrier_init(", t->out);
        print_place(t, i->operands[0], is_shared(i));
        fputs(", (unsigned)", t->out);
        print_value(t, i->operands[1]);
        fputs(");", t->out);
    } else if (has(i, "pending_count")) {
        need(t, i, 2, 2);
        print_assign(t, i->operands[0]);
        fputs("mbarrier_pending(", t->out);
        print_value(t, i->operands[1]);
        fputs("));", t->out);
    } else if (has(i, "test_wait") || has(i, "try_wait")) {
        translate_wait(t, i);
    } else if (has(i, "arrive") || has(i, "arrive_drop")) {
        translate_arrival(t, i);
    } else {
        translate_bytes(t, i);
    }
}

bool translate_barriers(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name;
        void (*translate)(const struct translation *, struct instruction *);
    } kinds[] = {
        {"bar", translate_barrier}, {"barrier", translate_barrier}, {"mbarrier", translate_mbarrier}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is(i, kinds[k].name)) {
            kinds[k].translate(t, i);
            return true;
        }
    return false;
}
