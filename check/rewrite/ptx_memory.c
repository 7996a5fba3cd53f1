/* Translates PTX's loads, stores, atomics, fences and conversions of addresses. */
#include "check/rewrite/ptx_kinds.h"

#include <string.h>

static unsigned vector_of(const struct instruction *i)
{
    return has(i, "v2") ? 2 : has(i, "v4") ? 4 : 1;
}

static const char *const access_parts[] = {"weak",
                                           "relaxed",
                                           "acquire",
                                           "release",
                                           "volatile",
                                           "mmio",
                                           "cta",
                                           "cluster",
                                           "gpu",
                                           "sys",
                                           "const",
                                           "global",
                                           "shared",
                                           "shared::cta",
                                           "ca",
                                           "cg",
                                           "cs",
                                           "lu",
                                           "cv",
                                           "wb",
                                           "wt",
                                           "nc",
                                           "v2",
                                           "v4",
                                           "L1::evict_last",
                                           "L1::no_allocate",
                                           "L1::evict_first",
                                           "L1::evict_unchanged",
                                           "L2::128B",
                                           "L2::64B",
                                           "L2::256B",
                                           "L2::cache_hint",
                                           "b8",
                                           "u8",
                                           "s8",
                                           "b16",
                                           "u16",
                                           "s16",
                                           "b32",
                                           "u32",
                                           "s32",
                                           "f32",
                                           "b64",
                                           "u64",
                                           "s64",
                                           "f64",
                                           ""};

static void translate_access(const struct translation *t, struct instruction *i)
{
    bool load = is(i, "ld");
    unsigned count = vector_of(i), bits = bits_of(t, type_of(i));
    char *parts[4];
    allow(t, i, access_parts);
    need(t, i, 2, 3);
    bool strong =
        has(i, "relaxed") || has(i, "acquire") || has(i, "release") || has(i, "volatile") || has(i, "mmio");
    const char *scope = strong ? scope_of(i, NULL) : "SCOPE_THREAD";
    if (!scope) /* only atom and red have a default scope */
        refuse(t, i->opcode);
    char *values = i->operands[load ? 0 : 1];
    if (split_vector(values, parts) != count)
        refuse(t, i->opcode);
    fprintf(t->out, "{ uint64_t words[%u]", count);
    if (!load) {
        fputs(" = {", t->out);
        for (unsigned v = 0; v < count; v++) {
            print_value(t, parts[v]);
            fputs(", ", t->out);
        }
        fputs("}", t->out);
    }
    fprintf(t->out, "; ::gpusync_check::ptx_%s<%u, %u>(words, ", load ? "load" : "store", bits / 8, count);
    print_address(t, i->operands[load ? 1 : 0]);
    fprintf(t->out, ", %d, %s, %s);", is_shared(i), scope, order_of(i));
    for (unsigned v = 0; load && v < count; v++) {
        fputc(' ', t->out);
        print_assign(t, parts[v]);
        if (*type_of(i) == 's')
            fprintf(t->out, "(uint64_t)(int64_t)(int%u_t)", bits);
        fprintf(t->out, "words[%u]);", v);
    }
    fputs(" }", t->out);
}

static const char *const atomic_parts[] = {
    "relaxed", "acquire", "release",     "acq_rel", "cta",  "cluster", "gpu", "sys",
    "global",  "shared",  "shared::cta", "add",     "exch", "cas",     "and", "or",
    "xor",     "min",     "max",         "inc",     "dec",  "b32",     "u32", "s32",
    "f32",     "b64",     "u64",         "s64",     "f64",  "b16",     ""};

const char *operation_of(const struct translation *t, const struct instruction *i)
{
    char type = *type_of(i);
    if (has(i, "add"))
        return type == 'f' ? "OPERATION_ADD_FLOAT" : "OPERATION_ADD";
    if (type == 'f')
        refuse(t, i->opcode);
    if (has(i, "min"))
        return type == 's' ? "OPERATION_MIN_SIGNED" : "OPERATION_MIN";
    if (has(i, "max"))
        return type == 's' ? "OPERATION_MAX_SIGNED" : "OPERATION_MAX";
    static const char *const known[][2] = {{"exch", "OPERATION_EXCHANGE"}, {"cas", "OPERATION_COMPARE_SWAP"},
                                           {"and", "OPERATION_AND"},       {"or", "OPERATION_OR"},
                                           {"xor", "OPERATION_XOR"},       {"inc", "OPERATION_INCREMENT"},
                                           {"dec", "OPERATION_DECREMENT"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (has(i, known[k][0]))
            return known[k][1];
    refuse(t, i->opcode);
}

/* Translates atom.add and red.add of one 16-bit number or a pair. A GPU adds each number of a pair by itself;
 * here the pair is added in one step, which PTX allows. */
static bool translate_atomic_of_halves(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"relaxed", "acquire", "release", "acq_rel", "cta", "cluster",
                                        "gpu",     "sys",     "global",  "shared",  "add", "noftz",
                                        "f16",     "f16x2",   "bf16",    "bf16x2",  ""};
    const char *type = type_of(i);
    bool red = is(i, "red"), is_bf16 = strncmp(type, "bf16", 4) == 0, is_pair = strstr(type, "16x2") != NULL;
    size_t first = red ? 0 : 1;
    if (!is_bf16 && strncmp(type, "f16", 3) != 0)
        return false;
    allow(t, i, parts);
    need(t, i, first + 2, first + 2);
    if (red)
        fputs("(void)(", t->out);
    else
        print_assign(t, i->operands[0]);
    fprintf(t->out, "::gpusync_check::add_halves<%s, %d>(", is_bf16 ? "::gpusync_check::bf16" : "_Float16",
            is_pair ? 2 : 1);
    print_address(t, i->operands[first]);
    fprintf(t->out, ", %d, ", is_shared(i));
    print_value(t, i->operands[first + 1]);
    fprintf(t->out, ", %s, %s));", scope_of(i, "SCOPE_DEVICE"), order_of(i));
    return true;
}

static void translate_atomic(const struct translation *t, struct instruction *i)
{
    bool red = is(i, "red"), swaps = has(i, "cas");
    size_t first = red ? 0 : 1;
    if (translate_atomic_of_halves(t, i))
        return;
    allow(t, i, atomic_parts);
    need(t, i, first + 2 + swaps, first + 2 + swaps);
    if (red)
        fputs("(void)(", t->out);
    else
        print_assign(t, i->operands[0]);
    fprintf(t->out, "::gpusync_check::ptx_atomic(%s, %u, ", operation_of(t, i), bits_of(t, type_of(i)) / 8);
    print_address(t, i->operands[first]);
    fprintf(t->out, ", %d, ", is_shared(i));
    print_value(t, i->operands[first + 1 + swaps]);
    fputs(", ", t->out);
    print_value(t, i->operands[first + 1]);
    fprintf(t->out, ", %s, %s));", scope_of(i, "SCOPE_DEVICE"), order_of(i));
}

static void translate_proxy_fence(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"proxy", "async", "global", "shared::cta", "shared::cluster", ""};
    allow(t, i, parts);
    fprintf(t->out, "machine_proxy_fence(%s);",
            has(i, "global") ? "PROXY_GLOBAL"
            : is_shared(i)   ? "PROXY_SHARED"
                             : "PROXY_SHARED | PROXY_GLOBAL");
}

static void translate_fence(const struct translation *t, struct instruction *i)
{
    if (has(i, "mbarrier_init")) {
        fputs("machine_proxy_fence(PROXY_OWN_WRITES);", t->out);
        return;
    }
    if (has(i, "proxy")) {
        translate_proxy_fence(t, i);
        return;
    }
    static const char *const parts[] = {"sc",      "acq_rel", "acquire", "release", "cta",
                                        "cluster", "gpu",     "sys",     ""};
    allow(t, i, parts);
    const char *order =
        has(i, "acquire") || has(i, "release") || has(i, "sc") ? order_of(i) : "ORDER_ACQUIRE_RELEASE";
    if (!scope_of(i, NULL))
        refuse(t, i->opcode);
    fprintf(t->out, "machine_fence(%s, %s);", scope_of(i, NULL), order);
}

static void translate_membar(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"cta", "gl", "sys", ""};
    allow(t, i, parts);
    fprintf(t->out, "machine_fence(%s, ORDER_SEQUENTIAL);",
            has(i, "cta")  ? "SCOPE_BLOCK"
            : has(i, "gl") ? "SCOPE_DEVICE"
                           : "SCOPE_SYSTEM");
}

/* Translates cvta. An address of shared memory is an offset; in all other state spaces, an address is
 * equal to the generic one. */
static void translate_address(const struct translation *t, struct instruction *i)
{
    need(t, i, 2, 2);
    print_assign(t, i->operands[0]);
    if (is_shared(i))
        fprintf(t->out,
                has(i, "to") ? "machine_shared_offset((void *)" : "(uint64_t)machine_shared_address(");
    else
        fputs("(", t->out);
    print_value(t, i->operands[1]);
    fputs("));", t->out);
}

bool translate_memory(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name;
        void (*translate)(const struct translation *, struct instruction *);
    } kinds[] = {{"ld", translate_access},   {"st", translate_access},   {"atom", translate_atomic},
                 {"red", translate_atomic},  {"fence", translate_fence}, {"membar", translate_membar},
                 {"cvta", translate_address}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is(i, kinds[k].name)) {
            kinds[k].translate(t, i);
            return true;
        }
    return false;
}
