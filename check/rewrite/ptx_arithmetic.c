/* Translates PTX's arithmetic, comparisons, moves and conversions. */
#include "check/rewrite/ptx_kinds.h"

#include <string.h>

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

static void translate_multiply(const struct translation *t, struct instruction *i)
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

/* Instructions that CUDA or gpusync/ptx.h has as functions of the same operands. */
static bool translate_call(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name, *function;
        size_t operands;
    } known[] = {{"popc", "popc", 1},   {"clz", "clz", 1},   {"brev", "brev", 1}, {"bfe", "bfe", 3},
                 {"bfi", "bfi", 4},     {"prmt", "prmt", 3}, {"lop3", "lop3", 4}, {"shf", "shf", 3},
                 {"bfind", "bfind", 1}, {"bmsk", "bmsk", 2}};
    size_t k = 0;
    while (k < sizeof known / sizeof *known && !is(i, known[k].name))
        k++;
    if (k == sizeof known / sizeof *known)
        return false;
    bool shifts = is(i, "shf") || is(i, "bmsk");
    if (i->part_count != (is(i, "shf") ? 4u : shifts ? 3u : 2u))
        refuse(t, i->opcode);
    need(t, i, known[k].operands + 1, known[k].operands + 1);
    begin_result(t, i, type_of(i));
    fprintf(t->out, "::gpusync_check::%s", known[k].function);
    for (size_t part = 1; shifts && part + 1 < i->part_count; part++)
        fprintf(t->out, "_%s", i->parts[part]);
    fputc('(', t->out);
    for (size_t o = 1; o <= known[k].operands; o++) {
        fputs(o > 1 ? ", " : "", t->out);
        print_typed(t, type_of(i), i->operands[o]);
    }
    fputc(')', t->out);
    end_result(t);
    return true;
}

/* Returns C++'s sign of a comparison in PTX, or NULL. */
static const char *sign_of(const char *comparison)
{
    static const char *const known[][2] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                           {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                           {"hi", ">"},  {"hs", ">="}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(comparison, known[k][0]) == 0)
            return known[k][1];
    return NULL;
}

static void translate_compare(const struct translation *t, struct instruction *i)
{
    const char *sign = i->part_count == 3 ? sign_of(i->parts[1]) : NULL;
    if (!sign)
        refuse(t, i->opcode);
    need(t, i, 3, 3);
    begin_result(t, i, "pred");
    print_typed(t, type_of(i), i->operands[1]);
    fprintf(t->out, " %s ", sign);
    print_typed(t, type_of(i), i->operands[2]);
    end_result(t);
}

static void translate_select(const struct translation *t, struct instruction *i)
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

/* Translates mov.b32 {a, b}, c and mov.b32 c, {a, b}: the vector's first register has the lowest bits. */
static void translate_vector_move(const struct translation *t, struct instruction *i)
{
    bool unpacks = *i->operands[0] == '{';
    char *parts[4], *vector = i->operands[unpacks ? 0 : 1];
    unsigned count = split_vector(vector, parts), bits = bits_of(t, type_of(i)) / (count ? count : 1);
    if (count < 2 || *i->operands[unpacks ? 1 : 0] == '{')
        refuse(t, i->opcode);
    if (!unpacks)
        print_assign(t, i->operands[0]);
    for (unsigned p = 0; p < count; p++) {
        if (unpacks)
            print_assign(t, parts[p]);
        fprintf(t->out, unpacks ? "(" : "((uint64_t)(uint%u_t)", bits);
        print_value(t, unpacks ? i->operands[1] : parts[p]);
        if (unpacks)
            fprintf(t->out, " >> %u & %lluull)); ", p * bits, (1ull << bits) - 1);
        else
            fprintf(t->out, " << %u)%s", p * bits, p + 1 < count ? " | " : "");
    }
    if (!unpacks)
        fputs(");", t->out);
}

static void translate_move(const struct translation *t, struct instruction *i)
{
    need(t, i, 2, 2);
    if (strchr(i->operands[0], '{') || strchr(i->operands[1], '{')) {
        translate_vector_move(t, i);
        return;
    }
    const char *type = type_of(i);
    if (*type == 'f')
        type = strcmp(type, "f64") == 0 ? "b64" : "b32";
    begin_result(t, i, type);
    print_typed(t, type, i->operands[1]);
    end_result(t);
}

/* Returns how an instruction of these parts rounds to an integer, as C++. */
static const char *rounding_of(const struct instruction *i)
{
    return has(i, "rni")   ? "FE_TONEAREST"
           : has(i, "rmi") ? "FE_DOWNWARD"
           : has(i, "rpi") ? "FE_UPWARD"
                           : "FE_TOWARDZERO";
}

static void translate_convert(const struct translation *t, struct instruction *i)
{
    if (i->part_count < 3)
        refuse(t, i->opcode);
    const char *to = i->parts[i->part_count - 2], *from = type_of(i);
    need(t, i, 2, 2);
    begin_result(t, i, to);
    if (*to == 'f')
        fputs("(double)", t->out);
    else if (*from == 'f')
        fprintf(t->out, "::gpusync_check::to_integer<%sint%u_t>(", *to == 's' ? "" : "u", bits_of(t, to));
    else
        fprintf(t->out, *to == 's' ? "(int%u_t)" : "(uint%u_t)", bits_of(t, to));
    print_typed(t, from, i->operands[1]);
    if (*to != 'f' && *from == 'f')
        fprintf(t->out, ", %s)", rounding_of(i));
    end_result(t);
}

/* Functions of one number, by the C library's names. The fast approximations of a GPU are exact here. */
static bool translate_function(const struct translation *t, struct instruction *i)
{
    static const char *const known[][2] = {
        {"sqrt", "sqrt"}, {"rsqrt", "1 / sqrt"}, {"rcp", "1 / "}, {"sin", "sin"}, {"cos", "cos"},
        {"tanh", "tanh"}, {"ex2", "exp2"},       {"lg2", "log2"}, {"neg", "-"},   {"abs", "fabs"}};
    size_t k = 0;
    while (k < sizeof known / sizeof *known && !is(i, known[k][0]))
        k++;
    if (k == sizeof known / sizeof *known)
        return false;
    need(t, i, 2, 2);
    if (*type_of(i) != 'f' && !(*type_of(i) == 's' && (is(i, "neg") || is(i, "abs"))))
        refuse(t, i->opcode);
    begin_result(t, i, type_of(i));
    fprintf(t->out, "%s(", *type_of(i) == 's' && is(i, "abs") ? "llabs" : known[k][1]);
    fputs(*type_of(i) == 'f' ? "(double)" : "(long long)", t->out);
    print_typed(t, type_of(i), i->operands[1]);
    fputc(')', t->out);
    end_result(t);
    return true;
}

static void translate_not(const struct translation *t, struct instruction *i)
{
    need(t, i, 2, 2);
    begin_result(t, i, type_of(i));
    fputc(strcmp(type_of(i), "pred") == 0 ? '!' : '~', t->out);
    print_typed(t, type_of(i), i->operands[1]);
    end_result(t);
}

/* Translates set.eq.f16x2.f16x2 and its like, which give the numbers 1 and 0. */
static void print_compared_halves(const struct translation *t, struct instruction *i, bool is_bf16,
                                  bool is_pair)
{
    need(t, i, 3, 3);
    print_assign(t, i->operands[0]);
    fprintf(t->out,
            "::gpusync_check::halves<%s, %d>([](double x, double y, double) { return x %s y ? 1. : 0.; }, ",
            is_bf16 ? "::gpusync_check::bf16" : "_Float16", is_pair ? 2 : 1, sign_of(i->parts[1]));
    print_value(t, i->operands[1]);
    fputs(", ", t->out);
    print_value(t, i->operands[2]);
    fputs(", 0));", t->out);
}

/* Arithmetic on one 16-bit number or a pair of them (f16, bf16, f16x2, bf16x2), which is computed in
 * double. */
static bool translate_halves(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"rn",     "ftz", "noftz", "sat",  "relu",   "NaN",
                                        "approx", "f16", "f16x2", "bf16", "bf16x2", ""};
    static const struct {
        const char *name, *expression;
        size_t operands;
    } known[] = {{"add", "x + y", 2},        {"sub", "x - y", 2},      {"mul", "x * y", 2},
                 {"fma", "fma(x, y, z)", 3}, {"min", "fmin(x, y)", 2}, {"max", "fmax(x, y)", 2},
                 {"neg", "-x", 1},           {"abs", "fabs(x)", 1},    {"ex2", "exp2(x)", 1},
                 {"tanh", "tanh(x)", 1}};
    const char *type = type_of(i);
    bool is_bf16 = strncmp(type, "bf16", 4) == 0, is_pair = strstr(type, "16x2") != NULL;
    size_t k = 0;
    if (!is_bf16 && strncmp(type, "f16", 3) != 0)
        return false;
    while (k < sizeof known / sizeof *known && !is(i, known[k].name))
        k++;
    if (is(i, "set") && i->part_count == 4 && sign_of(i->parts[1]) && strcmp(i->parts[2], type) == 0) {
        print_compared_halves(t, i, is_bf16, is_pair);
        return true;
    }
    if (k == sizeof known / sizeof *known)
        return false;
    allow(t, i, parts);
    need(t, i, known[k].operands + 1, known[k].operands + 1);
    print_assign(t, i->operands[0]);
    fprintf(t->out, "::gpusync_check::halves<%s, %d>([](double x, double y, double z) { return %s%s%s; }",
            is_bf16 ? "::gpusync_check::bf16" : "_Float16", is_pair ? 2 : 1,
            has(i, "sat")    ? "::gpusync_check::saturated("
            : has(i, "relu") ? "fmax(0., "
                             : "(",
            known[k].expression, ")");
    for (size_t o = 1; o <= 3; o++) {
        fputs(", ", t->out);
        if (o <= known[k].operands)
            print_value(t, i->operands[o]);
        else
            fputc('0', t->out);
    }
    fputs("));", t->out);
    return true;
}

bool translate_arithmetic(const struct translation *t, struct instruction *i)
{
    if (translate_halves(t, i) || translate_call(t, i))
        return true;
    static const struct {
        const char *name, *sign;
    } two[] = {{"add", "+"},  {"sub", "-"},   {"and", "&"},   {"or", "|"},  {"xor", "^"}, {"shl", "<<"},
               {"shr", ">>"}, {"min", "min"}, {"max", "max"}, {"div", "/"}, {"rem", "%"}};
    static const struct {
        const char *name;
        void (*translate)(const struct translation *, struct instruction *);
    } others[] = {{"mul", translate_multiply}, {"mad", translate_multiply}, {"fma", translate_multiply},
                  {"setp", translate_compare}, {"selp", translate_select},  {"mov", translate_move},
                  {"cvt", translate_convert},  {"not", translate_not}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (is(i, others[k].name)) {
            others[k].translate(t, i);
            return true;
        }
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        if (is(i, two[k].name)) {
            translate_two(t, i, two[k].sign);
            return true;
        }
    return translate_function(t, i);
}
