/* Rewrites launches of kernels, and the cluster sizes in kernels' declarations. */
#include "base/memory.h"
#include "check/rewrite/rewriting.h"

#include <stdio.h>
#include <string.h>

bool is_triple(const struct rewriting *r, size_t token, const char *sign)
{
    const struct token *t = &r->tokens[token];
    return token + 2 < r->count && token_is(&t[0], sign) && token_is(&t[1], sign) && token_is(&t[2], sign) &&
           t[2].text == t[0].text + 2;
}

/* Returns the first token of the expression that names a kernel and ends before token `end`. Such an
 * expression is a::b<c, d> or (pointer), for example. */
static size_t begin_of_kernel(const struct rewriting *r, size_t end)
{
    if (end == 0)
        token_fail(&r->tokens[end],
                   "<<< begins no CUDA program: gpusync-check cannot tell which kernel is launched");
    size_t at = end - 1;
    if (token_is(&r->tokens[at], ">"))
        for (int depth = 0; at > 0; at--) {
            depth += token_is(&r->tokens[at], ">") ? 1 : token_is(&r->tokens[at], "<") ? -1 : 0;
            if (depth == 0) {
                at--;
                break;
            }
        }
    if (token_is(&r->tokens[at], ")")) {
        for (int depth = 0; at > 0; at--) {
            depth += token_is(&r->tokens[at], ")") ? 1 : token_is(&r->tokens[at], "(") ? -1 : 0;
            if (depth == 0)
                return at;
        }
    }
    if (r->tokens[at].kind != TOKEN_NAME)
        token_fail(&r->tokens[end], "gpusync-check cannot tell which kernel is launched here");
    while (at >= 2 && ((token_is(&r->tokens[at - 1], ":") && token_is(&r->tokens[at - 2], ":")) ||
                       token_is(&r->tokens[at - 1], "."))) {
        bool colons = token_is(&r->tokens[at - 1], ":");
        size_t before = at - (colons ? 3 : 2);
        if (colons && (at < 3 || r->tokens[before].kind != TOKEN_NAME))
            return at - 2; /* ::kernel */
        at = before;
    }
    return at;
}

/* Returns the token of the kernel's name: in a::b<c, d> it is b. */
static size_t name_of_kernel(const struct rewriting *r, size_t begin, size_t end)
{
    size_t name = begin;
    for (size_t i = begin; i < end && !token_is(&r->tokens[i], "<"); i++)
        if (r->tokens[i].kind == TOKEN_NAME)
            name = i;
    return name;
}

static size_t end_of_configuration(const struct rewriting *r, size_t begin)
{
    int depth = 0;
    for (size_t i = begin; i < r->count; i++) {
        const char *text = r->tokens[i].text;
        if (r->tokens[i].kind != TOKEN_SIGN)
            continue;
        if (depth == 0 && is_triple(r, i, ">"))
            return i;
        depth += strchr("([{", *text) ? 1 : strchr(")]}", *text) ? -1 : 0;
        if (*text == ';')
            break;
    }
    token_fail(&r->tokens[begin], "this launch has no >>>");
}

/* ---- __cluster_dims__(x, y, z), which stands before a kernel's name ---- */

size_t rewrite_cluster(struct rewriting *r, size_t at)
{
    size_t end = at + 1 < r->count ? token_closing(r->tokens, r->count, at + 1) : r->count;
    if (end == r->count)
        token_fail(&r->tokens[at], "gpusync-check cannot read these __cluster_dims__");
    r->clusters = with_room(r->clusters, sizeof *r->clusters, r->cluster_count, 1);
    r->clusters[r->cluster_count++] = at;
    copy_until(r, r->tokens[at].text);
    continue_after(r, end);
    return end;
}

/* Returns the name of the kernel that this __cluster_dims__ belongs to: the next name that is followed by a
 * bracket and is no attribute. */
static const struct token *kernel_of_cluster(const struct rewriting *r, size_t at)
{
    for (size_t i = token_closing(r->tokens, r->count, at + 1); i + 1 < r->count; i++) {
        const struct token *t = &r->tokens[i];
        if (token_is(t, "__attribute__") || token_is(t, "__launch_bounds__") || token_is(t, "alignas"))
            i = token_closing(r->tokens, r->count, i + 1);
        else if (t->kind == TOKEN_NAME && token_is(&r->tokens[i + 1], "("))
            return t;
    }
    return NULL;
}

/* Writes the number of blocks in a cluster of this kernel; 0 means that it has no __cluster_dims__. */
static void print_cluster(const struct rewriting *r, const struct token *kernel)
{
    for (size_t c = 0; c < r->cluster_count; c++) {
        const struct token *name = kernel_of_cluster(r, r->clusters[c]);
        if (!name || name->length != kernel->length || strncmp(name->text, kernel->text, name->length) != 0)
            continue;
        size_t first = r->clusters[c] + 1;
        fputs("::gpusync_check::product", stdout);
        print_span(&r->tokens[first], &r->tokens[token_closing(r->tokens, r->count, first)]);
        return;
    }
    fputc('0', stdout);
}

size_t rewrite_launch(struct rewriting *r, size_t open)
{
    const struct token *t = r->tokens;
    size_t kernel = begin_of_kernel(r, open), close = end_of_configuration(r, open + 3);
    size_t arguments = close + 3,
           end = arguments < r->count ? token_closing(t, r->count, arguments) : r->count;
    if (end == r->count || !token_is(&t[arguments], "("))
        token_fail(&t[open], "this launch has no arguments in brackets");
    if (close == open + 3)
        token_fail(&t[open], "this launch has no number of blocks and of threads between <<< and >>>");
    copy_until(r, t[kernel].text);
    fputs("::gpusync_check::launch(\"", stdout);
    for (size_t i = kernel; i < open; i++)
        printf("%.*s", (int)t[i].length, t[i].kind == TOKEN_STRING ? "" : t[i].text);
    fputs("\", ", stdout);
    print_cluster(r, &t[name_of_kernel(r, kernel, open)]);
    fputs(", [=](auto &&...gpusync_a) { if constexpr (requires { ::gpusync_check::typed(", stdout);
    print_span(&t[kernel], &t[open - 1]);
    fputs(", gpusync_a...); }) return ::gpusync_check::typed(", stdout);
    print_span(&t[kernel], &t[open - 1]);
    fputs(", gpusync_a...); else return ::gpusync_check::deduced([=](auto... gpusync_b) { ", stdout);
    print_span(&t[kernel], &t[open - 1]);
    fputs("(gpusync_b...); }, gpusync_a...); }, ", stdout);
    print_span(&t[open + 3], &t[close - 1]);
    fputs(")", stdout);
    print_span(&t[arguments], &t[end]);
    continue_after(r, end);
    return end;
}

size_t rewrite_launch_call(struct rewriting *r, size_t call)
{
    const struct token *t = r->tokens;
    size_t at = call + 2;
    if (at + 4 >= r->count || !token_is(&t[call + 1], "("))
        return call;
    if (token_is(&t[at], "reinterpret_cast"))
        while (at < r->count && !token_is(&t[at], ">"))
            at++;
    else if (token_is(&t[at], "("))
        at = token_closing(t, r->count, at);
    else
        return call;
    if (at >= r->count)
        return call;
    copy_until(r, t[call + 1].text + 1);
    continue_after(r, at);
    return at;
}

size_t rewrite_node_kernel(struct rewriting *r, size_t func)
{
    const struct token *t = &r->tokens[func];
    bool is_member = func && (token_is(t - 1, ".") || token_is(t - 1, ">"));
    if (!is_member || func + 5 >= r->count || !token_is(t + 1, "=") || !token_is(t + 2, "(") ||
        !token_is(t + 3, "void") || !token_is(t + 4, "*") || !token_is(t + 5, ")"))
        return func;
    copy_until(r, t[1].text + 1);
    continue_after(r, func + 5);
    return func + 5;
}
