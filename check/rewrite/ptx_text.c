#include "check/rewrite/ptx_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void __attribute__((noreturn)) refuse(const struct translation *t, const char *what)
{
    snprintf(t->reason, REASON_BYTES, "%s", what);
    longjmp(*t->refused, 1);
}

/* ---- opcodes ---- */

bool has(const struct instruction *i, const char *part)
{
    for (size_t p = 1; p < i->part_count; p++)
        if (strcmp(i->parts[p], part) == 0)
            return true;
    return false;
}

bool is(const struct instruction *i, const char *name)
{
    return strcmp(i->parts[0], name) == 0;
}

const char *type_of(const struct instruction *i)
{
    return i->parts[i->part_count - 1];
}

unsigned bits_of(const struct translation *t, const char *type)
{
    unsigned bits = *type ? (unsigned)strtoul(type + 1, NULL, 10) : 0;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        refuse(t, type);
    return bits;
}

const char *scope_of(const struct instruction *i, const char *otherwise)
{
    return has(i, "cta")                                           ? "SCOPE_BLOCK"
           : has(i, "cluster")                                     ? "::gpusync_check::cluster_scope()"
           : has(i, "gpu")                                         ? "SCOPE_DEVICE"
           : has(i, "sys") || has(i, "volatile") || has(i, "mmio") ? "SCOPE_SYSTEM"
                                                                   : otherwise;
}

const char *order_of(const struct instruction *i)
{
    return has(i, "acquire")   ? "ORDER_ACQUIRE"
           : has(i, "release") ? "ORDER_RELEASE"
           : has(i, "acq_rel") ? "ORDER_ACQUIRE_RELEASE"
           : has(i, "sc")      ? "ORDER_SEQUENTIAL"
                               : "ORDER_RELAXED";
}

bool is_shared(const struct instruction *i)
{
    return has(i, "shared") || has(i, "shared::cta") || has(i, "shared::cluster");
}

void allow(const struct translation *t, const struct instruction *i, const char *const *parts)
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

void print_name(FILE *out, char kind, unsigned number, const char *name)
{
    fprintf(out, "ptx_%c%u_", kind, number);
    for (; *name; name++)
        fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

bool is_declared(const struct translation *t, const char *name)
{
    for (size_t n = 0; n < t->name_count; n++)
        if (strcmp(t->names[n], name) == 0)
            return true;
    return false;
}

static const char *special_register(const char *name)
{
    static const char *const known[][2] = {
        {"%tid.x", "machine_thread_index().x"},
        {"%tid.y", "machine_thread_index().y"},
        {"%tid.z", "machine_thread_index().z"},
        {"%ntid.x", "machine_block_dim().x"},
        {"%ntid.y", "machine_block_dim().y"},
        {"%ntid.z", "machine_block_dim().z"},
        {"%ctaid.x", "machine_block_index().x"},
        {"%ctaid.y", "machine_block_index().y"},
        {"%ctaid.z", "machine_block_index().z"},
        {"%nctaid.x", "machine_grid_dim().x"},
        {"%nctaid.y", "machine_grid_dim().y"},
        {"%nctaid.z", "machine_grid_dim().z"},
        {"WARP_SZ", "32"},
        {"%laneid", "machine_lane()"},
        {"%cluster_ctarank", "machine_cluster_rank()"},
        {"%cluster_nctarank", "machine_cluster_blocks()"},
        {"%cluster_ctaid.x", "machine_cluster_rank()"},
        {"%cluster_nctaid.x", "machine_cluster_blocks()"},
        {"%clusterid.x", "(machine_block_index().x / machine_cluster_blocks())"},
        {"%nclusterid.x", "(machine_grid_dim().x / machine_cluster_blocks())"},
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

bool is_decimal_fraction(const char *operand)
{
    const char *digits = operand + (*operand == '-');
    return isdigit((unsigned char)*digits) && digits[strspn(digits, "0123456789")] == '.';
}

/* Returns whether the operand is a floating-point constant given by its bits, such as 0f3f800000. */
static bool is_of_bits(const char *operand)
{
    return operand[0] == '0' && operand[1] && strchr("fFdD", operand[1]);
}

void print_value(const struct translation *t, const char *operand)
{
    if (isdigit((unsigned char)*operand) || *operand == '-') {
        if (is_decimal_fraction(operand))
            refuse(t, operand);
        if (is_of_bits(operand))
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

void print_typed(const struct translation *t, const char *type, const char *operand)
{
    if (strcmp(type, "pred") == 0) {
        bool negated = *operand == '!';
        fprintf(t->out, "(%s", negated ? "!" : "");
        print_value(t, operand + negated);
        fputs(negated ? ")" : " != 0)", t->out);
        return;
    }
    unsigned bits = bits_of(t, type);
    if (*type == 'f' && is_decimal_fraction(operand)) {
        fprintf(t->out, "((%s)%s)", bits == 64 ? "double" : "float", operand);
        return;
    }
    if (*type == 'f' && is_of_bits(operand)) /* the constant's own type may have more bits or fewer */
        fprintf(t->out, "(%s)::gpusync_check::f%d(", bits == 64 ? "double" : "float",
                tolower((unsigned char)operand[1]) == 'd' ? 64 : 32);
    else if (*type == 'f')
        fprintf(t->out, "::gpusync_check::f%u(", bits);
    else
        fprintf(t->out, "(%sint%u_t)(", *type == 's' ? "" : "u", bits);
    print_value(t, operand);
    fputc(')', t->out);
}

void print_assign(const struct translation *t, const char *operand)
{
    if (strcmp(operand, "_") == 0) {
        fputs("(void)(", t->out);
        return;
    }
    print_value(t, operand);
    fputs(" = (", t->out);
}

void begin_result(const struct translation *t, const struct instruction *i, const char *type)
{
    print_assign(t, i->operands[0]);
    if (*type == 'f')
        fprintf(t->out, "::gpusync_check::of_f%u(", bits_of(t, type));
    else if (strcmp(type, "pred") == 0)
        fputs("(uint64_t)(", t->out);
    else
        fprintf(t->out, "(uint64_t)(uint%u_t)(", bits_of(t, type));
}

void end_result(const struct translation *t)
{
    fputs("));", t->out);
}

void need(const struct translation *t, const struct instruction *i, size_t least, size_t most)
{
    if (i->operand_count < least || i->operand_count > most)
        refuse(t, i->opcode);
}

void print_address(const struct translation *t, const char *operand)
{
    char inside[128], *offset;
    size_t length = strlen(operand);
    if (*operand != '[' || operand[length - 1] != ']' || length > sizeof inside)
        refuse(t, operand);
    snprintf(inside, sizeof inside, "%.*s", (int)(length - 2), operand + 1);
    /* an offset below the address is written [a+-4] in PTX, never [a-4] */
    offset = inside + strcspn(inside, "+-");
    bool moves = *offset == '+';
    if (*offset && !moves)
        refuse(t, operand);
    *offset = '\0';
    for (char *end = offset; end > inside && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    const char *base = inside + strspn(inside, " \t");
    fputs("(", t->out);
    print_value(t, base);
    if (moves) {
        const char *number = offset + 1 + strspn(offset + 1, " \t");
        fputs(" + ", t->out);
        print_value(t, number);
    }
    fputs(")", t->out);
}

void print_place(const struct translation *t, const char *operand, bool shared)
{
    fputs("::gpusync_check::place(", t->out);
    print_address(t, operand);
    fprintf(t->out, ", %d)", shared);
}

unsigned split_vector(char *operand, char **parts)
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
