/* Rewrites declarations of variables of shared memory. */
#include "check/rewrite/rewriting.h"

#include <stdio.h>
#include <string.h>

static bool is_of_declaration(const struct token *t)
{
    static const char *const words[] = {"extern", "static", "volatile", "const", "constexpr"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (token_is(t, words[w]))
            return true;
    return false;
}

/* Returns the first token of the type whose tokens end before token `at`. It finds types that stand before
 * __shared__. */
static size_t begin_of_type(const struct rewriting *r, size_t at)
{
    while (at > 0 && (r->tokens[at - 1].kind == TOKEN_NAME || strchr(":<>*,", *r->tokens[at - 1].text)))
        at--;
    return at;
}

/* Returns the first token of the declaration that contains __shared__: storage classes, qualifiers and
 * attributes may come before that word. */
static size_t begin_of_declaration(const struct rewriting *r, size_t at)
{
    while (at > 0) {
        const struct token *before = &r->tokens[at - 1];
        if (is_of_declaration(before)) {
            at--;
        } else if (token_is(before, ")")) {
            size_t open = at - 1;
            for (int depth = 0; open > 0; open--) {
                depth += token_is(&r->tokens[open], ")") ? 1 : token_is(&r->tokens[open], "(") ? -1 : 0;
                if (depth == 0)
                    break;
            }
            if (open == 0 || !(token_is(&r->tokens[open - 1], "__attribute__") ||
                               token_is(&r->tokens[open - 1], "alignas")))
                break;
            at = open - 1;
        } else {
            break;
        }
    }
    return begin_of_type(r, at);
}

/* Rewrites extern __shared__ T name[]. In a function it becomes a pointer to the dynamic shared memory;
 * outside of functions it becomes an object that converts to such a pointer. */
static size_t rewrite_dynamic(struct rewriting *r, size_t begin, size_t shared)
{
    const struct token *t = r->tokens;
    size_t name = shared, end;
    while (name + 1 < r->count && !token_is(&t[name + 1], "[") && !token_is(&t[name + 1], ";"))
        name = token_is(&t[name + 1], "(") ? token_closing(t, r->count, name + 1) : name + 1;
    for (end = name; end < r->count && !token_is(&t[end], ";");)
        end++;
    if (end == r->count || end != name + 3)
        token_fail(&t[shared], "gpusync-check reads `extern __shared__ T name[];` alone");
    char type[1024] = "";
    for (size_t i = begin; i < name; i++) {
        if (token_is(&t[i], "__attribute__") || token_is(&t[i], "alignas"))
            i = token_closing(t, r->count, i + 1);
        else if (i != shared && !token_is(&t[i], "extern") && !token_is(&t[i], "static"))
            snprintf(type + strlen(type), sizeof type - strlen(type), "%.*s ", (int)t[i].length, t[i].text);
    }
    copy_until(r, t[begin].text);
    printf(r->in_function[shared] ? "%s*%.*s = (%s*)machine_dynamic_shared();"
                                  : "static const ::gpusync_check::dynamic_array<%s> %.*s;",
           type, (int)t[name].length, t[name].text, type);
    continue_after(r, end);
    return end;
}

/* Finds the tokens that are names of variables in a declaration, from `at` to its semicolon: a and b in
 * "a[4], b". Returns how many there are. */
static size_t names_of(const struct rewriting *r, size_t at, size_t end, size_t *names, size_t most)
{
    size_t count = 0;
    for (size_t i = at; i < end; i++) {
        const struct token *t = &r->tokens[i], *next = &r->tokens[i + 1];
        bool ends = token_is(next, "[") || token_is(next, ",") || token_is(next, ";") || token_is(next, "=");
        if (token_is(t, "[") || token_is(t, "{") || token_is(t, "("))
            i = token_closing(r->tokens, end, i);
        else if (token_is(t, "<")) /* skips template arguments, whose commas do not separate variables */
            for (int depth = 0; i < end; i++) {
                depth += token_is(&r->tokens[i], "<") ? 1 : token_is(&r->tokens[i], ">") ? -1 : 0;
                if (depth == 0)
                    break;
            }
        else if (t->kind == TOKEN_NAME && ends && count < most)
            names[count++] = i;
    }
    return count;
}

#define MOST_NAMES 256

/*
 * Rewrites the declaration __shared__ T a[4], b; in a function. The variables become members of a struct. A
 * lambda reserves the struct's place in the section of shared variables and names the place in the symbol
 * table. It is a lambda because each instance of a template has a lambda of its own.
 */
static size_t rewrite_static(struct rewriting *r, size_t begin, size_t shared)
{
    const struct token *t = r->tokens;
    size_t end = shared, names[MOST_NAMES];
    while (end < r->count && !token_is(&t[end], ";"))
        end = strchr("({[", *t[end].text) ? token_closing(t, r->count, end) + 1 : end + 1;
    size_t count = end < r->count ? names_of(r, shared + 1, end, names, MOST_NAMES) : 0;
    if (!count)
        token_fail(&t[shared], "gpusync-check cannot read this declaration of shared memory");
    if (count == MOST_NAMES)
        token_fail(&t[shared], "gpusync-check reads at most 255 shared variables in one declaration");
    unsigned number = r->shared_number++;
    copy_until(r, t[begin].text);
    printf("struct gpusync_s%u { ", number);
    size_t first = shared + 1;
    if (token_is(&t[first], "alignas")) { /* alignas must come before the rest of a declaration */
        print_span(&t[first], &t[token_closing(t, r->count, first + 1)]);
        first = token_closing(t, r->count, first + 1) + 1;
    }
    for (size_t i = begin; i < shared; i++)
        if (!token_is(&t[i], "static"))
            printf(" %.*s", (int)t[i].length, t[i].text);
    fputc(' ', stdout);
    print_span(&t[first], &t[end]);
    /* the section of functions that only return a value, for machine/code/kernel_code.h */
    const char *section = r->for_rules ? ", section(\"machine_hooks_value\")" : "";
    printf(" }; auto &gpusync_r%u = *(gpusync_s%u *)[]() __attribute__((noinline, noclone, const%s)) -> void "
           "* { "
           "void *place; asm(\".pushsection machine_shared,\\\"aw\\\",@progbits\\n\\t.balign %%c2\\n"
           "gpusync.%.*s.%%=:\\n\\t.skip %%c1\\n\\t.popsection\\n\\tlea gpusync.%.*s.%%=(%%%%rip), %%0\" : "
           "\"=r\"(place) : \"i\"(sizeof(gpusync_s%u)), \"i\"(alignof(gpusync_s%u))); return place; }();",
           number, number, section, (int)t[names[0]].length, t[names[0]].text, (int)t[names[0]].length,
           t[names[0]].text, number, number);
    for (size_t n = 0; n < count; n++)
        printf(" auto &%.*s = gpusync_r%u.%.*s;", (int)t[names[n]].length, t[names[n]].text, number,
               (int)t[names[n]].length, t[names[n]].text);
    continue_after(r, end);
    return end;
}

size_t rewrite_shared(struct rewriting *r, size_t shared)
{
    size_t begin = begin_of_declaration(r, shared);
    bool is_extern = false, is_static = false;
    for (size_t i = begin; i < shared + 4 && i < r->count && !token_is(&r->tokens[i], ";"); i++) {
        is_extern = is_extern || token_is(&r->tokens[i], "extern");
        is_static = is_static || token_is(&r->tokens[i], "static");
    }
    if (is_extern)
        return rewrite_dynamic(r, begin, shared);
    if (r->in_function[shared])
        return rewrite_static(r, begin, shared);
    copy_until(r, r->tokens[shared].text);
    printf("%s__attribute__((section(\"machine_shared\"), unused))", is_static ? "" : "static ");
    r->copied += r->tokens[shared].length;
    return shared;
}
