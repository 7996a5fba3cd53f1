#include "check/rewrite/ptx.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARTS 16
#define MOST_OPERANDS 16
#define MOST_NAMES 64

/* An instruction: atom.acq_rel.gpu.add.u32 %0, [%1], 1 */
struct instruction {
    char *parts[MOST_PARTS]; /* of the opcode, between its dots */
    size_t part_count;
    char *operands[MOST_OPERANDS];
    size_t operand_count;
    char opcode[128]; /* for messages */
};

struct translation {
    FILE *out;
    const struct token *at; /* for messages */
    unsigned number;
    char *names[MOST_NAMES]; /* declared by .reg */
    size_t name_count;
};

static void __attribute__((noreturn)) refuse(const struct translation *t, const char *what)
{
    token_fail(t->at, "gpusync-check does not know this PTX: %s", what);
}

/* ---- opcodes ---- */

static bool has(const struct instruction *i, const char *part)
{
    for (size_t p = 1; p < i->part_count; p++)
        if (strcmp(i->parts[p], part) == 0)
            return true;
    return false;
}

static bool is(const struct instruction *i, const char *name)
{
    return strcmp(i->parts[0], name) == 0;
}

static const char *type_of(const struct instruction *i)
{
    return i->parts[i->part_count - 1];
}

static unsigned bits_of(const struct translation *t, const char *type)
{
    unsigned bits = *type ? (unsigned)strtoul(type + 1, NULL, 10) : 0;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        refuse(t, type);
    return bits;
}

static const char *scope_of(const struct instruction *i, const char *otherwise)
{
    return has(i, "cta")       ? "SCOPE_BLOCK"
           : has(i, "cluster") ? "SCOPE_BLOCK" /* a launch without clusters: of one block */
           : has(i, "gpu")     ? "SCOPE_DEVICE"
           : has(i, "sys") || has(i, "volatile") || has(i, "mmio") ? "SCOPE_SYSTEM"
                                                                   : otherwise;
}

static const char *order_of(const struct instruction *i)
{
    return has(i, "acquire")   ? "ORDER_ACQUIRE"
           : has(i, "release") ? "ORDER_RELEASE"
           : has(i, "acq_rel") ? "ORDER_ACQUIRE_RELEASE"
           : has(i, "sc")      ? "ORDER_SEQUENTIAL"
                               : "ORDER_RELAXED";
}

static bool is_shared(const struct instruction *i)
{
    return has(i, "shared") || has(i, "shared::cta");
}

/* Every part of the opcode behind its name must be one of these; "" ends them. */
static void allow(const struct translation *t, const struct instruction *i, const char *const *parts)
{
    for (size_t p = 1; p < i->part_count; p++) {
        bool known = false;
        for (const char *const *one = parts; **one; one++)
            known = known || strcmp(i->parts[p], *one) == 0;
        if (!known)
            refuse(t, i->opcode);
    }
}

/* ---- operands ---- */

/* A name of C++ for a register or a label of the text. */
static void print_name(FILE *out, char kind, unsigned number, const char *name)
{
    fprintf(out, "ptx_%c%u_", kind, number);
    for (; *name; name++)
        fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

static bool is_declared(const struct translation *t, const char *name)
{
    for (size_t n = 0; n < t->name_count; n++)
        if (strcmp(t->names[n], name) == 0)
            return true;
    return false;
}

static const char *special_register(const char *name)
{
    static const char *const known[][2] = {{"%tid.x", "threadIdx.x"},
                                           {"%tid.y", "threadIdx.y"},
                                           {"%tid.z", "threadIdx.z"},
                                           {"%ntid.x", "blockDim.x"},
                                           {"%ntid.y", "blockDim.y"},
                                           {"%ntid.z", "blockDim.z"},
                                           {"%ctaid.x", "blockIdx.x"},
                                           {"%ctaid.y", "blockIdx.y"},
                                           {"%ctaid.z", "blockIdx.z"},
                                           {"%nctaid.x", "gridDim.x"},
                                           {"%nctaid.y", "gridDim.y"},
                                           {"%nctaid.z", "gridDim.z"},
                                           {"%laneid", "machine_lane()"},
                                           {"%clock", "machine_clock()"},
                                           {"%clock64", "machine_clock()"},
                                           {"%globaltimer", "machine_clock()"},
                                           {"%globaltimer_lo", "(uint32_t)machine_clock()"},
                                           {"%warpid", "(::gpusync_check::linear_thread() / 32)"},
                                           {"%lanemask_lt", "((1u << machine_lane()) - 1)"},
                                           {"%lanemask_le", "((2u << machine_lane()) - 1)"},
                                           {"%lanemask_eq", "(1u << machine_lane())"},
                                           {"%lanemask_gt", "~((2u << machine_lane()) - 1)"},
                                           {"%lanemask_ge", "~((1u << machine_lane()) - 1)"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k][0], name) == 0)
            return known[k][1];
    return NULL;
}

/* A register, a number, or another operand's place; as bits. */
static void print_value(const struct translation *t, const char *operand)
{
    if (isdigit((unsigned char)*operand) || *operand == '-') {
        if (strncmp(operand, "0f", 2) == 0 || strncmp(operand, "0F", 2) == 0 ||
            strncmp(operand, "0d", 2) == 0)
            fprintf(t->out, "(uint64_t)0x%sull", operand + 2);
        else
            fprintf(t->out, "(uint64_t)(int64_t)%.*s", (int)strcspn(operand, "uU"), operand);
    } else if (*operand == '%' && isdigit((unsigned char)operand[1])) {
        fprintf(t->out, "ptx_o%u_%s", t->number, operand + 1);
    } else if (is_declared(t, operand)) {
        print_name(t->out, 'r', t->number, operand);
    } else if (special_register(operand)) {
        fprintf(t->out, "(uint64_t)%s", special_register(operand));
    } else {
        refuse(t, operand);
    }
}

/* As a number of the type: (int32_t)x, f32(x), ... */
static void print_typed(const struct translation *t, const char *type, const char *operand)
{
    if (strcmp(type, "pred") == 0) {
        bool negated = *operand == '!';
        fprintf(t->out, "(%s", negated ? "!" : "");
        print_value(t, operand + negated);
        fputs(negated ? ")" : " != 0)", t->out);
        return;
    }
    unsigned bits = bits_of(t, type);
    if (*type == 'f')
        fprintf(t->out, "::gpusync_check::f%u(", bits);
    else
        fprintf(t->out, "(%sint%u_t)(", *type == 's' ? "" : "u", bits);
    print_value(t, operand);
    fputc(')', t->out);
}

static void print_assign(const struct translation *t, const char *operand)
{
    if (strcmp(operand, "_") == 0) {
        fputs("(void)(", t->out);
        return;
    }
    print_value(t, operand);
    fputs(" = (", t->out);
}

/* Begins and ends an assignment of a number of the type to the first operand. */
static void begin_result(const struct translation *t, const struct instruction *i, const char *type)
{
    print_assign(t, i->operands[0]);
    if (*type == 'f')
        fprintf(t->out, "::gpusync_check::of_f%u(", bits_of(t, type));
    else if (strcmp(type, "pred") == 0)
        fputs("(uint64_t)(", t->out);
    else
        fprintf(t->out, "(uint64_t)(uint%u_t)(", bits_of(t, type));
}

static void end_result(const struct translation *t)
{
    fputs("));", t->out);
}

static void need(const struct translation *t, const struct instruction *i, size_t least, size_t most)
{
    if (i->operand_count < least || i->operand_count > most)
        refuse(t, i->opcode);
}

/* [%1 + 4] as bits */
static void print_address(const struct translation *t, const char *operand)
{
    char inside[128], *offset;
    size_t length = strlen(operand);
    if (*operand != '[' || operand[length - 1] != ']' || length > sizeof inside)
        refuse(t, operand);
    snprintf(inside, sizeof inside, "%.*s", (int)(length - 2), operand + 1);
    offset = inside + strcspn(inside, "+-");
    char sign = *offset;
    *offset = '\0';
    for (char *end = offset; end > inside && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    const char *base = inside + strspn(inside, " \t");
    fputs("(", t->out);
    print_value(t, base);
    if (sign) {
        const char *number = offset + 1 + strspn(offset + 1, " \t");
        fprintf(t->out, " %c ", sign);
        print_value(t, number);
    }
    fputs(")", t->out);
}

/* ---- memory ---- */

static unsigned vector_of(const struct instruction *i)
{
    return has(i, "v2") ? 2 : has(i, "v4") ? 4 : 1;
}

/* The operands in {a, b}, or the one; returns how many. */
static unsigned split_vector(char *operand, char **parts)
{
    unsigned count = 0;
    if (*operand != '{') {
        parts[0] = operand;
        return 1;
    }
    for (char *part = strtok(operand, "{}, \t"); part && count < 4; part = strtok(NULL, "{}, \t"))
        parts[count++] = part;
    return count;
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
    const char *scope = strong ? scope_of(i, "SCOPE_SYSTEM") : "SCOPE_THREAD";
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

static const char *operation_of(const struct translation *t, const struct instruction *i)
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

static void translate_atomic(const struct translation *t, struct instruction *i)
{
    bool red = is(i, "red"), swaps = has(i, "cas");
    size_t first = red ? 0 : 1;
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

static void translate_fence(const struct translation *t, const struct instruction *i)
{
    if (has(i,
            "mbarrier_init")) { /* for other blocks of a cluster and the asynchronous proxy, which are not here */
        fputs(";", t->out);
        return;
    }
    static const char *const parts[] = {"sc",      "acq_rel", "acquire", "release", "cta",
                                        "cluster", "gpu",     "sys",     ""};
    allow(t, i, parts);
    const char *order =
        has(i, "acquire") || has(i, "release") || has(i, "sc") ? order_of(i) : "ORDER_ACQUIRE_RELEASE";
    fprintf(t->out, "machine_fence(%s, %s);", scope_of(i, "SCOPE_SYSTEM"), order);
}

static void translate_membar(const struct translation *t, const struct instruction *i)
{
    static const char *const parts[] = {"cta", "gl", "sys", ""};
    allow(t, i, parts);
    fprintf(t->out, "machine_fence(%s, ORDER_SEQUENTIAL);",
            has(i, "cta")  ? "SCOPE_BLOCK"
            : has(i, "gl") ? "SCOPE_DEVICE"
                           : "SCOPE_SYSTEM");
}

/* ---- barriers ---- */

static void translate_barrier(const struct translation *t, const struct instruction *i)
{
    static const char *const parts[] = {"cta", "sync", "arrive", "aligned", "warp", ""};
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
        fputs("(blockDim.x * blockDim.y * blockDim.z)", t->out);
    fprintf(t->out, ", %d);", !has(i, "arrive"));
}

static void translate_mbarrier(const struct translation *t, const struct instruction *i)
{
    static const char *const parts[] = {"init",    "inval",   "arrive",      "test_wait", "try_wait",
                                        "parity",  "release", "acquire",     "relaxed",   "cta",
                                        "cluster", "shared",  "shared::cta", "b64",       ""};
    allow(t, i, parts);
    bool shared = is_shared(i), waits = has(i, "test_wait") || has(i, "try_wait");
    const char *scope = scope_of(i, "SCOPE_BLOCK");
    size_t at = has(i, "arrive") || waits ? 1 : 0;
    need(t, i, at + 1, at + 3);
    if (has(i, "inval")) {
        fputs(";", t->out);
        return;
    }
    if (at)
        print_assign(t, i->operands[0]);
    else
        fputs("(", t->out);
    fprintf(t->out, "::gpusync_check::mbarrier_%s(::gpusync_check::place(",
            has(i, "init") ? "init"
            : waits        ? "has_passed"
                           : "arrive");
    print_address(t, i->operands[at]);
    fprintf(t->out, ", %d), (unsigned)", shared);
    if (i->operand_count > at + 1) {
        fputs("(", t->out);
        print_value(t, i->operands[at + 1]);
        fputs(waits && !has(i, "parity") ? " >> 63)" : ")", t->out);
    } else {
        fputs("1", t->out);
    }
    if (!has(i, "init"))
        fprintf(t->out, ", %s, %s", scope,
                has(i, "relaxed") ? "ORDER_RELAXED"
                : waits           ? "ORDER_ACQUIRE"
                                  : "ORDER_RELEASE");
    fputs("));", t->out);
}

/* ---- warps ---- */

static void translate_vote(const struct translation *t, const struct instruction *i)
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

/* The elected lane, and whether it is this one: the lowest of the mask. */
static void translate_elect(const struct translation *t, const struct instruction *i)
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

static void translate_shuffle(const struct translation *t, const struct instruction *i)
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
    fputs(", 32 - (int)(", t->out); /* its width, of the mask of segments in c */
    print_value(t, i->operands[3]);
    fputs(" >> 8 & 31)));", t->out);
}

/* ---- arithmetic ---- */

static void translate_two(const struct translation *t, const struct instruction *i, const char *sign)
{
    const char *type = type_of(i);
    need(t, i, 3, 3);
    begin_result(t, i, type);
    if (strcmp(sign, "min") == 0 || strcmp(sign, "max") == 0) {
        print_typed(t, type, i->operands[1]);
        fputs(*sign == 'm' && sign[1] == 'i' ? " < " : " > ", t->out);
        print_typed(t, type, i->operands[2]);
        fputs(" ? ", t->out);
        print_typed(t, type, i->operands[1]);
        fputs(" : ", t->out);
    } else {
        print_typed(t, type, i->operands[1]);
        fprintf(t->out, " %s ", sign);
    }
    print_typed(t, *sign == '<' || *sign == '>' ? "u32" : type, i->operands[2]);
    end_result(t);
}

static void translate_multiply(const struct translation *t, const struct instruction *i)
{
    static const char *const parts[] = {"lo",  "wide", "rn",  "u16", "s16", "u32",
                                        "s32", "u64",  "s64", "f32", "f64", ""};
    bool adds = !is(i, "mul"), wide = has(i, "wide");
    const char *type = type_of(i), *result = type;
    allow(t, i, parts);
    need(t, i, adds ? 4 : 3, adds ? 4 : 3);
    if (wide)
        result = *type == 's' ? "s64" : "u64";
    begin_result(t, i, result);
    fputs(wide ? (*type == 's' ? "(int64_t)" : "(uint64_t)") : "", t->out);
    print_typed(t, type, i->operands[1]);
    fputs(" * ", t->out);
    print_typed(t, type, i->operands[2]);
    if (adds) {
        fputs(" + ", t->out);
        print_typed(t, result, i->operands[3]);
    }
    end_result(t);
}

static void translate_compare(const struct translation *t, const struct instruction *i)
{
    static const char *const known[][2] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                           {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                           {"hi", ">"},  {"hs", ">="}};
    const char *sign = NULL;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (i->part_count == 3 && strcmp(i->parts[1], known[k][0]) == 0)
            sign = known[k][1];
    if (!sign)
        refuse(t, i->opcode);
    need(t, i, 3, 3);
    begin_result(t, i, "pred");
    print_typed(t, type_of(i), i->operands[1]);
    fprintf(t->out, " %s ", sign);
    print_typed(t, type_of(i), i->operands[2]);
    end_result(t);
}

static void translate_select(const struct translation *t, const struct instruction *i)
{
    need(t, i, 4, 4);
    begin_result(t, i, type_of(i));
    print_typed(t, "pred", i->operands[3]);
    fputs(" ? ", t->out);
    print_typed(t, type_of(i), i->operands[1]);
    fputs(" : ", t->out);
    print_typed(t, type_of(i), i->operands[2]);
    end_result(t);
}

static void translate_move(const struct translation *t, const struct instruction *i)
{
    need(t, i, 2, 2);
    if (strchr(i->operands[0], '{') || strchr(i->operands[1], '{'))
        refuse(t, "mov of a vector");
    const char *type = type_of(i);
    if (*type == 'f')
        type = strcmp(type, "f64") == 0 ? "b64" : "b32";
    begin_result(t, i, type);
    print_typed(t, type, i->operands[1]);
    end_result(t);
}

static void translate_convert(const struct translation *t, const struct instruction *i)
{
    const char *to = i->parts[i->part_count - 2], *from = type_of(i);
    need(t, i, 2, 2);
    begin_result(t, i, to);
    fprintf(t->out,
            *to == 's'   ? "(int%u_t)"
            : *to == 'f' ? "(%.0u"
                         : "(uint%u_t)",
            *to == 'f' ? 0 : bits_of(t, to));
    if (*to == 'f')
        fputs("double)", t->out);
    print_typed(t, from, i->operands[1]);
    end_result(t);
}

/* cvta.to.shared.u64 and its reverse; other spaces have the generic addresses. */
static void translate_address(const struct translation *t, const struct instruction *i)
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

/* ---- instructions ---- */

static void translate_instruction(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name, *sign;
    } two[] = {{"add", "+"},  {"sub", "-"},   {"and", "&"},   {"or", "|"},  {"xor", "^"}, {"shl", "<<"},
               {"shr", ">>"}, {"min", "min"}, {"max", "max"}, {"div", "/"}, {"rem", "%"}};
    static const struct {
        const char *name;
        void (*translate)(const struct translation *, const struct instruction *);
    } others[] = {
        {"fence", translate_fence},     {"membar", translate_membar},     {"bar", translate_barrier},
        {"barrier", translate_barrier}, {"mbarrier", translate_mbarrier}, {"vote", translate_vote},
        {"shfl", translate_shuffle},    {"elect", translate_elect},       {"mul", translate_multiply},
        {"mad", translate_multiply},    {"fma", translate_multiply},      {"setp", translate_compare},
        {"selp", translate_select},     {"mov", translate_move},          {"cvt", translate_convert},
        {"cvta", translate_address}};
    if (is(i, "ld") || is(i, "st")) {
        translate_access(t, i);
        return;
    }
    if (is(i, "atom") || is(i, "red")) {
        translate_atomic(t, i);
        return;
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (is(i, others[k].name)) {
            others[k].translate(t, i);
            return;
        }
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        if (is(i, two[k].name)) {
            translate_two(t, i, two[k].sign);
            return;
        }
    if (is(i, "not") && i->operand_count == 2) {
        begin_result(t, i, type_of(i));
        fputc(strcmp(type_of(i), "pred") == 0 ? '!' : '~', t->out);
        print_typed(t, type_of(i), i->operands[1]);
        end_result(t);
    } else if (is(i, "bra") && i->operand_count == 1) {
        fputs("goto ", t->out);
        print_name(t->out, 'l', t->number, i->operands[0]);
        fputc(';', t->out);
    } else if (is(i, "nanosleep") || is(i, "prefetch") || is(i, "prefetchu")) {
        fputs("machine_clock();", t->out);
    } else if (is(i, "activemask") && i->operand_count == 1) {
        print_assign(t, i->operands[0]);
        fputs("__activemask());", t->out);
    } else if (is(i, "trap")) {
        fputs("__trap();", t->out);
    } else {
        refuse(t, i->opcode);
    }
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t\n\r");
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

/* Commas within brackets belong to an operand. */
static void split_operands(struct instruction *i, char *text)
{
    int depth = 0;
    char *begin = text;
    for (char *at = text;; at++) {
        depth += *at && strchr("[{", *at) ? 1 : *at && strchr("]}", *at) ? -1 : 0;
        if (*at && (*at != ',' || depth))
            continue;
        bool last = !*at;
        *at = '\0';
        begin = trimmed(begin);
        if (*begin && i->operand_count < MOST_OPERANDS)
            i->operands[i->operand_count++] = begin;
        if (last)
            return;
        begin = at + 1;
    }
}

static void split_opcode(struct instruction *i, char *opcode)
{
    snprintf(i->opcode, sizeof i->opcode, "%s", opcode);
    for (char *part = strtok(opcode, "."); part && i->part_count < MOST_PARTS; part = strtok(NULL, "."))
        i->parts[i->part_count++] = part;
}

/* .reg .pred p, q; or %r<4>, which is %r0 to %r3 */
static void declare(struct translation *t, char *text)
{
    char *names = text + strcspn(text, " \t"); /* behind ".reg" */
    names += strspn(names, " \t");
    names += strcspn(names, " \t"); /* behind the type */
    for (char *name = strtok(names, ", \t\n"); name; name = strtok(NULL, ", \t\n")) {
        char one[64];
        unsigned range = 1;
        size_t open = strcspn(name, "<");
        if (name[open])
            range = (unsigned)strtoul(name + open + 1, NULL, 10);
        for (unsigned n = 0; n < range; n++) {
            snprintf(one, sizeof one, name[open] ? "%.*s%u" : "%.*s", (int)open, name, n);
            if (t->name_count < MOST_NAMES && !is_declared(t, one))
                t->names[t->name_count++] = copy_text(one);
        }
    }
}

/* One statement; `declares`: registers alone, else all but those. */
static void translate_statement(struct translation *t, char *text, bool declares)
{
    text = trimmed(text);
    for (;;) { /* labels, of which one may stand before an instruction */
        size_t name = strcspn(text, ": \t\n,[(");
        if (text[name] != ':' || text[name + 1] == ':' || !name)
            break;
        text[name] = '\0';
        if (!declares) {
            print_name(t->out, 'l', t->number, text);
            fputs(": ; ", t->out);
        }
        text = trimmed(text + name + 1);
    }
    if (strncmp(text, ".reg", 4) == 0) {
        if (declares)
            declare(t, text);
        return;
    }
    if (!*text || declares)
        return;
    bool conditional = *text == '@', negated = conditional && text[1] == '!';
    if (conditional) {
        char *predicate = text + 1 + negated;
        text = predicate + strcspn(predicate, " \t\n");
        if (*text)
            *text++ = '\0';
        text = trimmed(text);
        fprintf(t->out, "if (%s", negated ? "!" : "");
        print_value(t, predicate);
        fputs(") { ", t->out);
    }
    struct instruction i = {.part_count = 0};
    char *operands = text + strcspn(text, " \t\n");
    if (*operands)
        *operands++ = '\0';
    split_opcode(&i, text);
    split_operands(&i, operands);
    if (i.part_count)
        translate_instruction(t, &i);
    fputs(conditional ? " } " : " ", t->out);
}

/* Comments go, and braces, which only bound the life of names; "%%" is a register's "%". */
static char *plain_text(const char *text)
{
    char *plain = allocate(strlen(text) + 1), *to = plain;
    for (; *text; text++) {
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
            text -= !*text;
        } else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 1 : text + strlen(text) - 1;
        } else if (text[0] == '%' && text[1] == '%') {
            continue;
        } else {
            *to++ = *text;
        }
    }
    return plain;
}

/* Is this brace one of a vector's, behind a comma or the opcode, and not a scope's? */
static bool is_of_vector(const char *begin, const char *brace)
{
    const char *before = brace;
    while (before > begin && isspace((unsigned char)before[-1]))
        before--;
    return before > begin && !strchr(";{}", before[-1]);
}

static void drop_scopes(char *text)
{
    bool in_vector = false;
    for (char *at = text; *at; at++)
        if (*at == '{') {
            in_vector = is_of_vector(text, at);
            *at = in_vector ? '{' : ';';
        } else if (*at == '}') {
            *at = in_vector ? '}' : ';';
            in_vector = false;
        }
}

static void translate_all(struct translation *t, const char *text, bool declares)
{
    char *copy = plain_text(text);
    drop_scopes(copy);
    for (char *begin = copy, *end; begin; begin = end) {
        end = strchr(begin, ';');
        if (end)
            *end++ = '\0';
        translate_statement(t, begin, declares);
    }
    free(copy);
}

void ptx_translate(FILE *out, const struct token *at, const char *text, const struct asm_operand *operands,
                   size_t count, unsigned number)
{
    struct translation t = {.out = out, .at = at, .number = number};
    fputs("do { ", out);
    for (size_t o = 0; o < count; o++) {
        fprintf(out, "uint64_t ptx_o%u_%zu", number, o);
        if (*operands[o].constraint == '=')
            fputs(" = 0; ", out);
        else
            fprintf(out, " = ::gpusync_check::in(%.*s); ", (int)operands[o].length, operands[o].expression);
    }
    translate_all(&t, text, true);
    for (size_t n = 0; n < t.name_count; n++) {
        fputs("uint64_t ", out);
        print_name(out, 'r', number, t.names[n]);
        fputs(" = 0; ", out);
    }
    translate_all(&t, text, false);
    for (size_t o = 0; o < count; o++)
        if (strchr("=+", *operands[o].constraint))
            fprintf(out, "::gpusync_check::out(%.*s, ptx_o%u_%zu); ", (int)operands[o].length,
                    operands[o].expression, number, o);
    fputs("} while (0)", out);
    for (size_t n = 0; n < t.name_count; n++)
        free(t.names[n]);
}
