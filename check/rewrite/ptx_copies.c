/* Translates PTX's asynchronous copies, addresses within a cluster, and dependent launches. */
#include "check/rewrite/ptx_kinds.h"

#include <stdlib.h>
#include <string.h>

/* ---- cp.async, which copies 4, 8 or 16 bytes ---- */

static void translate_small(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"async",  "ca",      "cg",       "shared",   "shared::cta",
                                        "global", "L2::64B", "L2::128B", "L2::256B", "L2::cache_hint",
                                        ""};
    allow(t, i, parts);
    need(t, i, 3, 4);
    fputs("machine_copy_small(", t->out);
    print_place(t, i->operands[0], true);
    fputs(", ", t->out);
    print_place(t, i->operands[1], false);
    fputs(", (unsigned)", t->out);
    print_value(t, i->operands[2]);
    fputs(", (unsigned)", t->out);
    print_value(t, i->operands[i->operand_count == 4 && !has(i, "L2::cache_hint") ? 3 : 2]);
    fputs(");", t->out);
}

static void translate_group(const struct translation *t, struct instruction *i)
{
    bool bulk = has(i, "bulk");
    if (has(i, "commit_group")) {
        fprintf(t->out, "machine_copies_commit(%d);", bulk);
        return;
    }
    fprintf(t->out, "machine_copies_wait(%d, (unsigned)", bulk);
    if (has(i, "wait_all")) {
        need(t, i, 0, 0);
        fputc('0', t->out);
    } else {
        need(t, i, 1, 1);
        print_value(t, i->operands[0]);
    }
    fprintf(t->out, ", %d);", has(i, "read"));
}

static void translate_arrival_of_copies(const struct translation *t, struct instruction *i)
{
    need(t, i, 1, 1);
    fputs("machine_copies_arrive(", t->out);
    print_place(t, i->operands[0], is_shared(i));
    fprintf(t->out, ", %d);", has(i, "noinc"));
}

/* ---- bulk copies ---- */

/* Returns whether the destination of a copy (if `nth` is 0) or its source (if `nth` is 1) is in shared
 * memory. The opcode names the destination's state space first. */
static bool nth_is_shared(const struct instruction *i, unsigned nth)
{
    for (size_t p = 1; p < i->part_count; p++) {
        bool shared = strncmp(i->parts[p], "shared", 6) == 0;
        if ((shared || strcmp(i->parts[p], "global") == 0) && nth-- == 0)
            return shared;
    }
    return false;
}

/* Translates cp.async.bulk and cp.reduce.async.bulk. The operands are [to], [from], the number of bytes,
 * [mbarrier] if the copy signals one, and a mask of blocks if the copy is a multicast. */
static void translate_bulk(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"async",
                                        "reduce",
                                        "bulk",
                                        "shared::cluster",
                                        "shared::cta",
                                        "global",
                                        "mbarrier::complete_tx::bytes",
                                        "bulk_group",
                                        "multicast::cluster",
                                        "L2::cache_hint",
                                        "add",
                                        "min",
                                        "max",
                                        "and",
                                        "or",
                                        "xor",
                                        "u32",
                                        "s32",
                                        "u64",
                                        "s64",
                                        "b32",
                                        "b64",
                                        "f32",
                                        "f64",
                                        ""};
    allow(t, i, parts);
    bool tells = has(i, "mbarrier::complete_tx::bytes"), spreads = has(i, "multicast::cluster"),
         reduces = has(i, "reduce");
    need(t, i, 3 + (size_t)tells + spreads, 3 + (size_t)tells + spreads + has(i, "L2::cache_hint"));
    fprintf(t->out, "::gpusync_check::bulk_copy([=](void *to, void *mbarrier) { machine_%s_bulk(",
            reduces ? "reduce" : "copy");
    if (reduces)
        fprintf(t->out, "%s, ", operation_of(t, i));
    fputs("to, ", t->out);
    print_place(t, i->operands[1], nth_is_shared(i, 1));
    fputs(", (unsigned)", t->out);
    print_value(t, i->operands[2]);
    if (reduces)
        fprintf(t->out, ", %u", bits_of(t, type_of(i)) / 8);
    fputs(", mbarrier); }, ", t->out);
    print_place(t, i->operands[0], nth_is_shared(i, 0));
    fputs(", ", t->out);
    if (tells)
        print_place(t, i->operands[3], true);
    else
        fputs("nullptr", t->out);
    fputs(", ", t->out);
    if (spreads) {
        fputs("(int)(uint16_t)", t->out);
        print_value(t, i->operands[4]);
    } else {
        fputs("0", t->out);
    }
    fputs(");", t->out);
}

static void translate_copy(const struct translation *t, struct instruction *i)
{
    if (has(i, "tensor") || has(i, "im2col"))
        refuse(t, i->opcode);
    if (has(i, "commit_group") || has(i, "wait_group") || has(i, "wait_all"))
        translate_group(t, i);
    else if (has(i, "mbarrier"))
        translate_arrival_of_copies(t, i);
    else if (has(i, "prefetch"))
        fputs("machine_pause();", t->out);
    else if (has(i, "bulk"))
        translate_bulk(t, i);
    else
        translate_small(t, i);
}

/* ---- st.async ---- */

/* Translates st.async, whose operands are [to], a value or {values}, and [mbarrier]. */
static void translate_store_async(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"async",
                                        "weak",
                                        "shared::cluster",
                                        "mbarrier::complete_tx::bytes",
                                        "v2",
                                        "v4",
                                        "b32",
                                        "u32",
                                        "s32",
                                        "f32",
                                        "b64",
                                        "u64",
                                        "s64",
                                        "f64",
                                        ""};
    allow(t, i, parts);
    need(t, i, 3, 3);
    char *values = i->operands[1] + (*i->operands[1] == '{');
    fprintf(t->out, "::gpusync_check::store_async<uint%u_t>(", bits_of(t, type_of(i)));
    print_place(t, i->operands[0], true);
    fputs(", ", t->out);
    print_place(t, i->operands[2], true);
    for (char *value = strtok(values, "{}, \t"); value; value = strtok(NULL, "{}, \t")) {
        fputs(", ", t->out);
        print_value(t, value);
    }
    fputs(");", t->out);
}

/* ---- addresses within a cluster, and dependent launches ---- */

static void translate_mapa(const struct translation *t, struct instruction *i)
{
    need(t, i, 3, 3);
    print_assign(t, i->operands[0]);
    fputs(is_shared(i) ? "machine_cluster_offset((uint32_t)" : "(uint64_t)machine_cluster_address((void *)",
          t->out);
    print_value(t, i->operands[1]);
    fputs(", (unsigned)", t->out);
    print_value(t, i->operands[2]);
    fputs("));", t->out);
}

/* Translates griddepcontrol. A griddepcontrol.wait without "memory" among its clobbers orders nothing,
 * since the compiler may move accesses across it. */
static void translate_dependence(const struct translation *t, struct instruction *i)
{
    if (i->part_count != 2 || !(has(i, "wait") || has(i, "launch_dependents")))
        refuse(t, i->opcode);
    fputs(has(i, "wait") && t->clobbers_memory ? "machine_await_kernel_before();" : "machine_pause();",
          t->out);
}

bool translate_copies(const struct translation *t, struct instruction *i)
{
    if (is(i, "cp"))
        translate_copy(t, i);
    else if (is(i, "st") && has(i, "async"))
        translate_store_async(t, i);
    else if (is(i, "mapa"))
        translate_mapa(t, i);
    else if (is(i, "griddepcontrol"))
        translate_dependence(t, i);
    else
        return false;
    return true;
}
