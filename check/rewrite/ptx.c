#include "check/rewrite/ptx.h"
#include "base/memory.h"
#include "check/rewrite/ptx_kinds.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- instructions ---- */

static void translate_instruction(const struct translation *t, struct instruction *i)
{
    if (translate_copies(t, i) || translate_memory(t, i) || translate_barriers(t, i) ||
        translate_warps(t, i) || translate_arithmetic(t, i))
        return;
    if (is(i, "bra") && i->operand_count == 1) {
        fputs("goto ", t->out);
        print_name(t->out, 'l', t->number, i->operands[0]);
        fputc(';', t->out);
    } else if (is(i, "nanosleep") && i->operand_count == 1) {
        fputs("machine_sleep((unsigned)", t->out);
        print_value(t, i->operands[0]);
        fputs(");", t->out);
    } else if (is(i, "prefetch") || is(i, "prefetchu")) {
        fputs("machine_pause();", t->out);
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

/* Splits the text into operands at commas; a comma within brackets is part of an operand. */
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

/* Declares the registers of `.reg .pred p, q` or `.reg .u32 %r<4>`, which is %r0 to %r3. */
static void declare(struct translation *t, char *text)
{
    bool has_type = text[4] == '.';            /* true for ".reg.b32 f", where no blank separates the type */
    char *names = text + strcspn(text, " \t"); /* skips ".reg" */
    names += strspn(names, " \t");
    if (!has_type)
        names += strcspn(names, " \t"); /* skips the type, after which the names of registers begin */
    for (char *name = strtok(names, ", \t\n"); name; name = strtok(NULL, ", \t\n")) {
        char one[64];
        unsigned range = 1;
        size_t open = strcspn(name, "<");
        if (name[open])
            range = (unsigned)strtoul(name + open + 1, NULL, 10);
        for (unsigned n = 0; n < range; n++) {
            snprintf(one, sizeof one, name[open] ? "%.*s%u" : "%.*s", (int)open, name, n);
            if (is_declared(t, one))
                continue;
            if (t->name_count == MOST_NAMES)
                refuse(t, ".reg of so many registers");
            t->names[t->name_count++] = copy_text(one);
        }
    }
}

/* Translates one statement. It is called twice for each statement: first with `declares`, to declare
 * registers only, and then without it, to translate everything else. */
static void translate_statement(struct translation *t, char *text, bool declares)
{
    text = trimmed(text);
    for (;;) { /* translates the labels before the instruction, if any */
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

/* Returns a copy of the text without comments, and with "%", which begins a register's name, in place of
 * "%%". */
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

/* Returns whether the brace opens a vector: it comes after a comma or an opcode. Any other brace opens a
 * scope. */
static bool is_of_vector(const char *begin, const char *brace)
{
    const char *before = brace;
    while (before > begin && isspace((unsigned char)before[-1]))
        before--;
    return before > begin && !strchr(";{}", before[-1]);
}

/* Replaces the braces of scopes by semicolons: a scope only limits where a name is valid. */
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
    t->plain = plain_text(text);
    drop_scopes(t->plain);
    for (char *begin = t->plain, *end; begin; begin = end) {
        end = strchr(begin, ';');
        if (end)
            *end++ = '\0';
        translate_statement(t, begin, declares);
    }
    free(t->plain);
    t->plain = NULL;
}

static void translate_statements(struct translation *t, const char *text, const struct asm_operand *operands,
                                 size_t count)
{
    FILE *out = t->out;
    fputs("do { ", out);
    for (size_t o = 0; o < count; o++) {
        fprintf(out, "uint64_t ptx_o%u_%zu", t->number, o);
        if (*operands[o].constraint == '=')
            fputs(" = 0; ", out);
        else
            fprintf(out, " = ::gpusync_check::in(%.*s); ", (int)operands[o].length, operands[o].expression);
    }
    translate_all(t, text, true);
    for (size_t n = 0; n < t->name_count; n++) {
        fputs("uint64_t ", out);
        print_name(out, 'r', t->number, t->names[n]);
        fputs(" = 0; ", out);
    }
    translate_all(t, text, false);
    for (size_t o = 0; o < count; o++)
        if (strchr("=+", *operands[o].constraint))
            fprintf(out, "::gpusync_check::out(%.*s, ptx_o%u_%zu); ", (int)operands[o].length,
                    operands[o].expression, t->number, o);
    fputs("} while (0)", out);
}

/* Writes a call that the compiler refuses if the code that contains it is used. */
static void print_refused(FILE *out, unsigned number, const char *reason)
{
    fprintf(
        out,
        "do { extern void gpusync_refused_%u() __attribute__((error(\"gpusync-check does not know this PTX: "
        "%s\"))); gpusync_refused_%u(); } while (0)",
        number, reason, number);
}

void ptx_translate(FILE *out, const struct token *at, const char *text, const struct asm_operand *operands,
                   size_t count, bool clobbers_memory, unsigned number)
{
    char *translated = NULL, reason[REASON_BYTES] = "";
    size_t bytes = 0;
    jmp_buf refused = {0};
    struct translation t = {.out = open_memstream(&translated, &bytes),
                            .at = at,
                            .number = number,
                            .clobbers_memory = clobbers_memory,
                            .refused = &refused,
                            .reason = reason};
    if (!t.out)
        abort();
    if (setjmp(refused) == 0)
        translate_statements(&t, text, operands, count);
    if (fclose(t.out) != 0)
        abort();
    free(t.plain); /* is not NULL after a refusal */
    for (size_t n = 0; n < t.name_count; n++)
        free(t.names[n]);
    if (*reason && !at->of_library) {
        free(translated);
        token_fail(at, "gpusync-check does not know this PTX: %s", reason);
    }
    for (char *c = reason; *c; c++)
        *c = strchr("\"\\\n\t", *c) ? ' ' : *c;
    if (*reason)
        print_refused(out, number, reason);
    else
        fputs(translated, out);
    free(translated);
}
