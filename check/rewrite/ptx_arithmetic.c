/* Translates PTX's arithmetic, comparisons, moves and conversions. */
#include "check/rewrite/ptx_kinds.h"

#include <string.h>

/* Returns how an instruction of these parts rounds, as C++. */
static const char *rounding_of(const struct instruction *i)
{
    return has(i, "rz") || has(i, "rzi")   ? "FE_TOWARDZERO"
           : has(i, "rm") || has(i, "rmi") ? "FE_DOWNWARD"
           : has(i, "rp") || has(i, "rpi") ? "FE_UPWARD"
                                           : "FE_TONEAREST";
}

static const char *c_type_of(const char *type)
{
    return strcmp(type, "f64") == 0 ? "double" : "float";
}

/* Writes an operand of floating point. */
static void print_float(const struct translation *t, const struct instruction *i, size_t operand)
{
    bool flushes = has(i, "ftz") && strcmp(type_of(i), "f32") == 0;
    fputs(flushes ? "::gpusync_check::flushed(" : "(", t->out);
    print_typed(t, type_of(i), i->operands[operand]);
    fputc(')', t->out);
}

/* Writes C++ that assigns the value of an expression in x, y and z to the first operand. x, y and z are the
 * other operands, and the value is rounded once. */
static void print_rounded(const struct translation *t, const struct instruction *i, const char *expression)
{
    const char *type = c_type_of(type_of(i));
    size_t count = i->operand_count - 1;
    bool flushes = has(i, "ftz") && strcmp(type_of(i), "f32") == 0;
    begin_result(t, i, type_of(i));
    fprintf(t->out,
            "%s%s::gpusync_check::rounded(%s, [](%s x, %s y%s%s) __attribute__((always_inline)) -> %s "
            "{ return %s; }",
            has(i, "sat") ? "(float)::gpusync_check::saturated(" : "(",
            flushes ? "::gpusync_check::flushed(" : "(", rounding_of(i), type, type, count > 2 ? ", " : "",
            count > 2 ? strcmp(type, "float") == 0 ? "float z" : "double z" : "", type, expression);
    for (size_t o = 1; o <= count; o++) {
        fputs(", ", t->out);
        print_float(t, i, o);
    }
    fputs(")))", t->out);
    end_result(t);
}

/* Translates add.sat and sub.sat of integers: they are computed with 64 bits, which cannot overflow. */
static void print_saturated(const struct translation *t, const struct instruction *i, const char *sign)
{
    if (strcmp(type_of(i), "s32") != 0 || !strchr("+-", *sign))
        refuse(t, i->opcode);
    begin_result(t, i, "s32");
    fputs("::gpusync_check::nearest_of<int32_t>((int64_t)", t->out);
    print_typed(t, "s32", i->operands[1]);
    fprintf(t->out, " %s (int64_t)", sign);
    print_typed(t, "s32", i->operands[2]);
    fputc(')', t->out);
    end_result(t);
}

static void print_extreme(const struct translation *t, const struct instruction *i)
{
    const char *type = type_of(i);
    begin_result(t, i, type);
    if (*type == 'f') {
        fputs("::gpusync_check::extreme(", t->out);
        print_float(t, i, 1);
        fputs(", ", t->out);
        print_float(t, i, 2);
        fprintf(t->out, ", (%s)%d, %d)", c_type_of(type), is(i, "min") ? 1 : -1, has(i, "NaN"));
    } else {
        print_typed(t, type, i->operands[1]);
        fputs(is(i, "min") ? " < " : " > ", t->out);
        print_typed(t, type, i->operands[2]);
        fputs(" ? ", t->out);
        print_typed(t, type, i->operands[1]);
        fputs(" : ", t->out);
        print_typed(t, type, i->operands[2]);
    }
    end_result(t);
}

static void print_shift(const struct translation *t, const struct instruction *i)
{
    begin_result(t, i, type_of(i));
    fprintf(t->out, "::gpusync_check::shift_%s(", is(i, "shl") ? "left" : "right");
    print_typed(t, type_of(i), i->operands[1]);
    fputs(", ", t->out);
    print_typed(t, "u32", i->operands[2]);
    fputc(')', t->out);
    end_result(t);
}

static void translate_two(const struct translation *t, const struct instruction *i, const char *sign)
{
    static const char *const of_integers[] = {"sat", "b16", "u16", "s16", "b32",  "u32",
                                              "s32", "b64", "u64", "s64", "pred", ""};
    static const char *const of_floats[] = {"rn",     "rz",   "rm",  "rp",  "ftz", "sat",
                                            "approx", "full", "NaN", "f32", "f64", ""};
    const char *type = type_of(i);
    char expression[8];
    need(t, i, 3, 3);
    allow(t, i, *type == 'f' ? of_floats : of_integers);
    if (has(i, "NaN") != 0 && *sign != 'm')
        refuse(t, i->opcode);
    if (*sign == 'm') {
        print_extreme(t, i);
    } else if (*sign == '<' || *sign == '>') {
        print_shift(t, i);
    } else if (*type == 'f') {
        snprintf(expression, sizeof expression, "x %s y", sign);
        print_rounded(t, i, expression);
    } else if (has(i, "sat")) {
        print_saturated(t, i, sign);
    } else {
        begin_result(t, i, type);
        print_typed(t, type, i->operands[1]);
        fprintf(t->out, " %s ", sign);
        print_typed(t, type, i->operands[2]);
        end_result(t);
    }
}

/* Translates mul, mad and fma. The product of integers has twice as many bits as its factors. */
static void translate_multiply(const struct translation *t, struct instruction *i)
{
    static const char *const of_integers[] = {"lo",  "hi",  "wide", "u16", "s16",
                                              "u32", "s32", "u64",  "s64", ""};
    static const char *const of_floats[] = {"rn", "rz", "rm", "rp", "ftz", "sat", "f32", "f64", ""};
    bool adds = !is(i, "mul"), wide = has(i, "wide"), high = has(i, "hi");
    const char *type = type_of(i), *result = type;
    allow(t, i, *type == 'f' ? of_floats : of_integers);
    need(t, i, adds ? 4 : 3, adds ? 4 : 3);
    if (*type == 'f') {
        print_rounded(t, i, adds ? "::gpusync_check::fused(x, y, z)" : "x * y");
        return;
    }
    if (wide)
        result = *type == 's' ? "s64" : "u64";
    begin_result(t, i, result);
    fputs(high   ? "::gpusync_check::high_product("
          : wide ? (*type == 's' ? "(int64_t)" : "(uint64_t)")
                 : "",
          t->out);
    print_typed(t, type, i->operands[1]);
    fputs(high ? ", " : " * ", t->out);
    print_typed(t, type, i->operands[2]);
    fputs(high ? ")" : "", t->out);
    if (adds) {
        fputs(" + ", t->out);
        print_typed(t, result, i->operands[3]);
    }
    end_result(t);
}

/* Translates instructions for which CUDA or gpusync/ptx.h has a function with the same operands. */
static bool translate_call(const struct translation *t, struct instruction *i)
{
    static const struct {
        const char *name, *function;
        size_t operands;
    } known[] = {{"popc", "popc", 1},   {"clz", "clz", 1},   {"brev", "brev", 1}, {"bfe", "bfe", 3},
                 {"bfi", "bfi", 4},     {"prmt", "prmt", 3}, {"lop3", "lop3", 4}, {"shf", "shf", 3},
                 {"bfind", "bfind", 1}, {"bmsk", "bmsk", 2}, {"sad", "sad", 3}};
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

/* Returns the C++ operator for a comparison in PTX, or NULL if PTX has no such comparison. */
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

/* Returns a comparison of floats x and y as C++, or NULL. If an operand is NaN, the comparisons whose names
 * end in u are true and the others are false; C++'s != is true. */
static const char *comparison_of(const char *name)
{
    static const char *const known[][2] = {{"eq", "x == y"},
                                           {"ne", "x < y || x > y"},
                                           {"lt", "x < y"},
                                           {"le", "x <= y"},
                                           {"gt", "x > y"},
                                           {"ge", "x >= y"},
                                           {"neu", "x != y"},
                                           {"equ", "!(x < y || x > y)"},
                                           {"ltu", "!(x >= y)"},
                                           {"leu", "!(x > y)"},
                                           {"gtu", "!(x <= y)"},
                                           {"geu", "!(x < y)"},
                                           {"num", "x == x && y == y"},
                                           {"nan", "x != x || y != y"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k][0]) == 0)
            return known[k][1];
    return NULL;
}

static void translate_compare(const struct translation *t, struct instruction *i)
{
    bool of_floats = *type_of(i) == 'f';
    const char *sign = i->part_count != 3u + has(i, "ftz") ? NULL
                       : of_floats                         ? comparison_of(i->parts[1])
                                                           : sign_of(i->parts[1]);
    if (!sign)
        refuse(t, i->opcode);
    need(t, i, 3, 3);
    begin_result(t, i, "pred");
    if (of_floats) {
        fprintf(t->out, "[](auto x, auto y) __attribute__((always_inline)) { return %s; }(", sign);
        print_float(t, i, 1);
        fputs(", ", t->out);
        print_float(t, i, 2);
        fputc(')', t->out);
    } else {
        print_typed(t, type_of(i), i->operands[1]);
        fprintf(t->out, " %s ", sign);
        print_typed(t, type_of(i), i->operands[2]);
    }
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
    if (*type == 'f' && !is_decimal_fraction(i->operands[1]))
        type = strcmp(type, "f64") == 0 ? "b64" : "b32";
    begin_result(t, i, type);
    print_typed(t, type, i->operands[1]);
    end_result(t);
}

/* Translates cvt to a floating-point type. */
static void convert_to_float(const struct translation *t, const struct instruction *i, const char *to,
                             const char *from)
{
    bool to_half = strcmp(to, "f16") == 0, rounds_only = strcmp(to, from) == 0;
    if ((to_half && (*from != 'f' || has(i, "rm") || has(i, "rp"))) || (has(i, "ftz") && to_half))
        refuse(t, i->opcode);
    if (to_half) {
        print_assign(t, i->operands[0]);
        fputs("::gpusync_check::half_of((float)", t->out);
    } else {
        begin_result(t, i, to);
        fputs(has(i, "sat") ? "::gpusync_check::saturated(" : "(", t->out);
        if (rounds_only && (has(i, "rni") || has(i, "rzi") || has(i, "rmi") || has(i, "rpi")))
            fputs("::gpusync_check::whole(", t->out);
        else
            fprintf(t->out, "::gpusync_check::real_of<%s>(", c_type_of(to));
    }
    bool flushes = has(i, "ftz") && strcmp(from, "f32") == 0;
    fputs(flushes ? "::gpusync_check::flushed(" : "(", t->out);
    print_typed(t, from, i->operands[1]);
    fprintf(t->out, "), %s)", rounding_of(i));
    if (to_half) {
        fputs(");", t->out);
        return;
    }
    fputc(')', t->out);
    end_result(t);
}

/* Translates cvt of two floats to a pair of 16-bit numbers. The first float becomes the upper half. */
static void convert_to_pair(const struct translation *t, const struct instruction *i, const char *to)
{
    static const char *const parts[] = {"rn", "f16x2", "bf16x2", "f32", ""};
    allow(t, i, parts);
    need(t, i, 3, 3);
    print_assign(t, i->operands[0]);
    fprintf(t->out, "::gpusync_check::pair_of<%s>(", *to == 'b' ? "::gpusync_check::bf16" : "_Float16");
    print_typed(t, "f32", i->operands[1]);
    fputs(", ", t->out);
    print_typed(t, "f32", i->operands[2]);
    fputs("));", t->out);
}

static void translate_convert(const struct translation *t, struct instruction *i)
{
    static const char *const parts[] = {"rn",  "rz",  "rm",  "rp",  "rni", "rzi", "rmi", "rpi",
                                        "sat", "ftz", "u8",  "s8",  "u16", "s16", "u32", "s32",
                                        "u64", "s64", "f16", "f32", "f64", ""};
    if (i->part_count < 3)
        refuse(t, i->opcode);
    const char *to = i->parts[i->part_count - 2], *from = type_of(i);
    if (strcmp(to, "f16x2") == 0 || strcmp(to, "bf16x2") == 0) {
        convert_to_pair(t, i, to);
        return;
    }
    allow(t, i, parts);
    need(t, i, 2, 2);
    if (*to == 'f') {
        convert_to_float(t, i, to, from);
        return;
    }
    /* in a register that is wider than the type, the upper bits repeat the sign */
    print_assign(t, i->operands[0]);
    fprintf(t->out, *to == 's' ? "(uint64_t)(int64_t)" : "(uint64_t)");
    bool rounds = *from == 'f';
    if (rounds || has(i, "sat"))
        fprintf(t->out, "::gpusync_check::%s<%sint%u_t>(", rounds ? "integer_of" : "nearest_of",
                *to == 's' ? "" : "u", bits_of(t, to));
    else
        fprintf(t->out, "(%sint%u_t)(", *to == 's' ? "" : "u", bits_of(t, to));
    print_typed(t, from, i->operands[1]);
    if (rounds)
        fprintf(t->out, ", %s", rounding_of(i));
    fputs("));", t->out);
}

/* Translates functions of one number into the C library's. A GPU's fast approximations become exact here. */
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
    static const char *const parts[] = {"rn", "approx", "ftz", "f32", "f64", "s16", "s32", "s64", ""};
    allow(t, i, parts);
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

/* Translates instructions such as set.eq.f16x2.f16x2, whose results are the numbers 1 and 0. */
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

/* Translates arithmetic on one 16-bit number or a pair of them (f16, bf16, f16x2, bf16x2). It is computed in
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
