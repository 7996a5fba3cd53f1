/* Rewrites asm statements, which contain inline PTX, as C++. */
#include "base/memory.h"
#include "check/rewrite/ptx.h"
#include "check/rewrite/rewriting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends to `text` what stands between the brackets of a raw string literal, R"...(text)...". Appends
 * nothing if the literal has no bracket. */
static void append_raw_literal(char *text, size_t bytes, const struct token *literal)
{
    size_t length = strlen(text);
    const char *open = memchr(literal->text, '(', literal->length);
    const char *end = literal->text + literal->length;
    while (end > literal->text && *end != ')')
        end--;
    if (!open)
        return;
    for (const char *at = open + 1; at < end && length + 1 < bytes; at++)
        text[length++] = *at;
    text[length] = '\0';
}

/* Appends to `text` the characters that a string literal stands for. */
static void append_literal(char *text, size_t bytes, const struct token *literal)
{
    size_t length = strlen(text);
    if (*literal->text == 'R') {
        append_raw_literal(text, bytes, literal);
        return;
    }
    for (size_t i = 1; i + 1 < literal->length && length + 1 < bytes; i++) {
        char c = literal->text[i];
        if (c == '\\' && i + 2 < literal->length) {
            c = literal->text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        text[length++] = c;
    }
    text[length] = '\0';
}

#define MOST_ASM_OPERANDS 32
#define ASM_BYTES 16384

/* Reads a list of operands from token `at` on, up to a colon or to token `end`. Returns the token at which
 * the list ends. */
static size_t read_operands(const struct rewriting *r, size_t at, size_t end, struct asm_operand *operands,
                            size_t *count)
{
    const struct token *t = r->tokens;
    while (at < end && !token_is(&t[at], ":")) {
        if (t[at].kind == TOKEN_STRING && at + 1 < end && token_is(&t[at + 1], "(") &&
            *count < MOST_ASM_OPERANDS) {
            size_t close = token_closing(t, end, at + 1);
            struct asm_operand *o = &operands[(*count)++];
            char *constraint = allocate(t[at].length + 1);
            append_literal(constraint, t[at].length + 1, &t[at]);
            *o = (struct asm_operand){constraint, t[at + 2].text,
                                      (size_t)(t[close - 1].text + t[close - 1].length - t[at + 2].text)};
            at = close + 1;
        } else if (token_is(&t[at], ",") || t[at].kind == TOKEN_STRING) {
            at++;
        } else {
            token_fail(&t[at], "gpusync-check cannot read this operand of asm");
        }
    }
    return at;
}

size_t rewrite_asm(struct rewriting *r, size_t begin)
{
    const struct token *t = r->tokens;
    size_t open = begin + 1;
    while (open < r->count && (token_is(&t[open], "volatile") || token_is(&t[open], "__volatile__")))
        open++;
    if (open >= r->count || !token_is(&t[open], "(") || !r->in_function[begin])
        return begin;
    size_t end = token_closing(t, r->count, open), at = open + 1, count = 0;
    struct asm_operand operands[MOST_ASM_OPERANDS];
    char *text = allocate(ASM_BYTES);
    for (; at < end && t[at].kind == TOKEN_STRING; at++)
        append_literal(text, ASM_BYTES, &t[at]);
    if (strlen(text) == ASM_BYTES - 1)
        token_fail(&t[begin], "this asm is too long");
    for (int list = 0; list < 2 && at < end; list++)
        at = read_operands(r, at + 1, end, operands, &count);
    bool clobbers_memory = false;
    for (; at < end; at++)
        clobbers_memory = clobbers_memory || token_is(&t[at], "\"memory\"");
    /* an asm statement without text is a barrier for the compiler and stays as it is */
    size_t last = begin;
    if (text[strspn(text, " \t\n")] != '\0') {
        last = end;
        copy_until(r, t[begin].text);
        ptx_translate(stdout, &t[begin], text, operands, count, clobbers_memory, r->asm_number++);
        continue_after(r, end);
    }
    for (size_t o = 0; o < count; o++)
        free((void *)(size_t)operands[o].constraint);
    free(text);
    return last;
}
