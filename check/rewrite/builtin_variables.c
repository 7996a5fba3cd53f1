/* Replaces CUDA's built-in variables (threadIdx and so on) by calls of the machine. They are no macros, so
 * that a program may give these names to functions, parameters, members and variables of its own. */
#include "base/memory.h"
#include "check/rewrite/rewriting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const builtins[][2] = {{"threadIdx", "machine_thread_index()"},
                                          {"blockIdx", "machine_block_index()"},
                                          {"blockDim", "machine_block_dim()"},
                                          {"gridDim", "machine_grid_dim()"},
                                          {"warpSize", "machine_warp_size()"}};
#define BUILTINS (sizeof builtins / sizeof *builtins)

static size_t builtin_of(const struct token *t)
{
    size_t b = 0;
    while (b < BUILTINS && !token_is(t, builtins[b][0]))
        b++;
    return b;
}

/* Returns whether the token before a name can end the type in a declaration of this name. */
static bool is_of_type(const struct token *t, size_t before)
{
    static const char *const words[] = {"return", "else",     "do",        "case", "goto", "throw", "sizeof",
                                        "delete", "co_yield", "co_return", "and",  "or",   "not",   "new"};
    if (t[before].kind != TOKEN_NAME)
        return before > 0 && (token_is(&t[before], "&") || token_is(&t[before], "*")) &&
               (token_is(&t[before - 1], "dim3") || token_is(&t[before - 1], "uint3") ||
                token_is(&t[before - 1], "int") || token_is(&t[before - 1], "unsigned") ||
                token_is(&t[before - 1], "auto"));
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (token_is(&t[before], words[w]))
            return false;
    return true;
}

/* Returns the token that closes the block around token `at`, or the number of tokens if it is in no block. */
static size_t end_of_block(const struct rewriting *r, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < r->count; i++) {
        depth += token_is(&r->tokens[i], "{") ? 1 : token_is(&r->tokens[i], "}") ? -1 : 0;
        if (depth < 0)
            return i;
    }
    return r->count;
}

/* Returns the last token of the scope of the name declared at token `at`: the end of its block, or of the
 * function or template whose parameter it is. */
static size_t end_of_meaning(const struct rewriting *r, size_t at)
{
    const struct token *t = r->tokens;
    int depth = 0;
    bool is_parameter = false;
    for (size_t i = at + 1; i < r->count && !r->in_function[at]; i++) {
        if (t[i].kind != TOKEN_SIGN)
            continue;
        is_parameter = is_parameter || (depth == 0 && strchr(")>", *t[i].text));
        depth += token_is(&t[i], "(") ? 1 : token_is(&t[i], ")") && depth ? -1 : 0;
        if (depth == 0 && strchr("{;", *t[i].text)) {
            if (!is_parameter)
                break;
            return *t[i].text == '{' ? token_closing(t, r->count, i) : i;
        }
    }
    return end_of_block(r, at);
}

/* Does the token belong to a name with . or -> or :: before it? A name with :: alone before it is global. */
static bool is_member(const struct token *t, size_t at)
{
    if (at < 2)
        return false;
    if (token_is(&t[at - 1], ":") && token_is(&t[at - 2], ":"))
        return at > 2 && (t[at - 3].kind == TOKEN_NAME || token_is(&t[at - 3], ">"));
    return token_is(&t[at - 1], ".") || (token_is(&t[at - 1], ">") && token_is(&t[at - 2], "-"));
}

/* Does the program declare the name at this token? A called name counts as a function of the program. A name
 * after a comma that gets a value or ends a statement counts as the last of several variables. */
static bool is_declared_here(const struct rewriting *r, size_t at)
{
    const struct token *t = r->tokens;
    if (at == 0 || at + 2 >= r->count)
        return false;
    bool after_comma = token_is(&t[at - 1], ",");
    bool gets_value = token_is(&t[at + 1], "=") && !token_is(&t[at + 2], "=");
    return token_is(&t[at + 1], "(") || (after_comma && (token_is(&t[at + 1], ";") || gets_value)) ||
           is_of_type(t, at - 1);
}

char *replace_builtin_variables(const struct rewriting *r, const char *source)
{
    size_t own_until[BUILTINS] = {0}, bytes = 0;
    const char *copied = source;
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);
    for (size_t i = 0; i < r->count; i++) {
        const struct token *t = &r->tokens[i];
        size_t b = t->kind == TOKEN_NAME && !t->of_system ? builtin_of(t) : BUILTINS;
        bool is_global = i > 1 && token_is(&t[-1], ":") && token_is(&t[-2], ":");
        if (b == BUILTINS || (i < own_until[b] && !is_global))
            continue;
        if (is_member(r->tokens, i))
            continue;
        if (!is_global && is_declared_here(r, i)) {
            own_until[b] = end_of_meaning(r, i);
            continue;
        }
        fwrite(copied, 1, (size_t)(t->text - copied), out);
        fputs(builtins[b][1], out);
        copied = t->text + t->length;
    }
    fputs(copied, out);
    if (fclose(out) != 0 || !text)
        abort();
    return text;
}
