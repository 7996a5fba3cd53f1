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

static void translate_compare(const struct translation *t, struct instruction *i)
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

static void translate_move(const struct translation *t, struct instruction *i)
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

static void translate_convert(const struct translation *t, struct instruction *i)
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

static void translate_not(const struct translation *t, struct instruction *i)
{
    need(t, i, 2, 2);
    begin_result(t, i, type_of(i));
    fputc(strcmp(type_of(i), "pred") == 0 ? '!' : '~', t->out);
    print_typed(t, type_of(i), i->operands[1]);
    end_result(t);
}

bool translate_arithmetic(const struct translation *t, struct instruction *i)
{
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
    return false;
}
