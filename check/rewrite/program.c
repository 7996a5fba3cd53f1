/* Rewrites a whole program: finds out what each token belongs to, and lets the other files rewrite it. */
#include "base/memory.h"
#include "check/rewrite/rewriting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding out which tokens are within functions ---- */

static bool opens_namespace(const struct token *tokens, size_t brace)
{
    for (size_t back = 1; back <= brace && back <= 8; back++) {
        const struct token *t = &tokens[brace - back];
        if (token_is(t, "namespace") || (t->kind == TOKEN_STRING && token_is(t, "\"C\"")))
            return true;
        if (t->kind != TOKEN_NAME && !token_is(t, ":"))
            return false;
    }
    return false;
}

static void mark_functions(struct rewriting *r)
{
    bool namespaces[256] = {false};
    unsigned depth = 0, functions = 0;
    r->in_function = allocate(r->count + 1);
    for (size_t i = 0; i < r->count; i++) {
        r->in_function[i] = functions > 0;
        if (token_is(&r->tokens[i], "{") && depth < 256) {
            namespaces[depth] = opens_namespace(r->tokens, i);
            functions += !namespaces[depth++];
        } else if (token_is(&r->tokens[i], "}") && depth > 0) {
            functions -= !namespaces[--depth];
        }
    }
}

/* ---- the rewriting of a whole program ---- */

/* Replaces __noinline__ in the program by __attribute__((noinline)), because the host's compiler knows the
 * name __noinline__ only within __attribute__((...)). System headers use it there. */
static void rewrite_noinline(struct rewriting *r, const struct token *token)
{
    copy_until(r, token->text);
    fputs("__attribute__((noinline))", stdout);
    r->copied += token->length;
}

/* Gives each call of __syncthreads() in the program a number, so that the machine can tell two calls in one
 * line from two copies that the compiler has made of one call. */
static void number_barrier(struct rewriting *r, size_t name)
{
    const struct token *t = &r->tokens[name];
    if (!r->for_rules || !r->in_function[name] || name + 2 >= r->count || !token_is(t + 1, "(") ||
        !token_is(t + 2, ")") || t[1].line != t->line)
        return;
    copy_until(r, t->text);
    printf("gpusync_syncthreads(%u", ++r->barrier_number);
    r->copied = t[1].text + t[1].length;
}

static void rewrite(struct rewriting *r, const char *source)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct token *t = &r->tokens[i];
        if (t->of_system)
            continue;
        if (is_triple(r, i, "<"))
            i = rewrite_launch(r, i);
        else if (token_is(t, "__cluster_dims__"))
            i = rewrite_cluster(r, i);
        else if (token_is(t, "__gpusync_shared__"))
            i = rewrite_shared(r, i);
        else if (token_is(t, "__syncthreads"))
            number_barrier(r, i);
        else if (token_is(t, "__noinline__") && !(i && token_is(&r->tokens[i - 1], "(")))
            rewrite_noinline(r, t);
        else if (token_is(t, "asm") || token_is(t, "__asm__") || token_is(t, "__asm"))
            i = rewrite_asm(r, i);
        else if (token_is(t, "func"))
            i = rewrite_node_kernel(r, i);
        else if (token_is(t, "cudaLaunchCooperativeKernel") || token_is(t, "cudaLaunchKernel"))
            i = rewrite_launch_call(r, i);
    }
    copy_until(r, source + strlen(source));
}

/* Sets the program to the tokens of the text, which it returns. */
static struct token *read_tokens(struct rewriting *r, const char *text)
{
    struct token *tokens = tokens_of(text, &r->count);
    r->tokens = tokens;
    r->copied = text;
    mark_functions(r);
    return tokens;
}

void rewrite_program(const char *preprocessed, bool for_rules)
{
    struct rewriting r = {.for_rules = for_rules};
    struct token *tokens = read_tokens(&r, preprocessed);
    char *source = replace_builtin_variables(&r, preprocessed);
    free(r.in_function);
    free(tokens);
    tokens = read_tokens(&r, source);
    rewrite(&r, source);
    free(r.in_function);
    free(r.clusters);
    free(tokens);
    free(source);
}
