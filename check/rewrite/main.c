/*
 * Makes C++ for the memory machine of a preprocessed CUDA program, from standard input to standard output: launches,
 * variables of shared memory, and inline PTX. The rest is left as it is, and every line keeps its number. What cannot be
 * read is an error that names its line; the exit status is then EXIT_BAD_INPUT.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "check/rewrite/ptx.h"
#include "check/rewrite/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rewriting {
    const struct token *tokens;
    size_t count;
    const char *copied; /* the source up to here has been written or replaced */
    unsigned asm_number, shared_number;
    size_t *clusters, cluster_count; /* of each __cluster_dims__: its token */
    bool *in_function;               /* is the token within a function's braces? */
};

static void copy_until(struct rewriting *r, const char *until)
{
    fwrite(r->copied, 1, (size_t)(until - r->copied), stdout);
    r->copied = until;
}

static void print_span(const struct token *first, const struct token *last)
{
    fwrite(first->text, 1, (size_t)(last->text + last->length - first->text), stdout);
}

/* The text goes on behind this token, on a line of its own that has the token's number. */
static void go_on_behind(struct rewriting *r, size_t token)
{
    const struct token *last = &r->tokens[token];
    r->copied = last->text + last->length;
    printf("\n# %u \"%.*s\"\n", last->line, (int)last->file_length, last->file);
}

/* ---- which braces are functions' ---- */

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

/* ---- launches ---- */

static bool is_triple(const struct rewriting *r, size_t i, const char *sign)
{
    return i + 2 < r->count && token_is(&r->tokens[i], sign) && token_is(&r->tokens[i + 1], sign) &&
           token_is(&r->tokens[i + 2], sign) && r->tokens[i + 2].text == r->tokens[i].text + 2;
}

/* Where the name of the kernel that ends before `end` begins: a::b<c, d>, or (pointer). */
static size_t begin_of_kernel(const struct rewriting *r, size_t end)
{
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

/* The last name before its template's arguments. */
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

static size_t note_cluster(struct rewriting *r, size_t at)
{
    size_t end = at + 1 < r->count ? token_closing(r->tokens, r->count, at + 1) : r->count;
    if (end == r->count)
        token_fail(&r->tokens[at], "gpusync-check cannot read these __cluster_dims__");
    r->clusters = with_room(r->clusters, sizeof *r->clusters, r->cluster_count, 1);
    r->clusters[r->cluster_count++] = at;
    copy_until(r, r->tokens[at].text);
    go_on_behind(r, end);
    return end;
}

/* The name that is declared behind this: the next one before a bracket that is no attribute's. */
static const struct token *declared_behind(const struct rewriting *r, size_t at)
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

/* Writes the number of blocks in a cluster of the kernel whose name is this token. */
static void print_cluster(const struct rewriting *r, const struct token *kernel)
{
    for (size_t c = 0; c < r->cluster_count; c++) {
        const struct token *name = declared_behind(r, r->clusters[c]);
        if (!name || name->length != kernel->length || strncmp(name->text, kernel->text, name->length) != 0)
            continue;
        size_t first = r->clusters[c] + 1;
        fputs("::gpusync_check::product", stdout);
        print_span(&r->tokens[first], &r->tokens[token_closing(r->tokens, r->count, first)]);
        return;
    }
    fputc('0', stdout);
}

/* k<<<c>>>(a) becomes launch("k", N, M, c)(a), where N is the size of its clusters and M makes what each thread calls (gpusync/runtime.h). Returns the last token
 * of it. */
static size_t rewrite_launch(struct rewriting *r, size_t open)
{
    const struct token *t = r->tokens;
    size_t kernel = begin_of_kernel(r, open), close = end_of_configuration(r, open + 3);
    size_t arguments = close + 3,
           end = arguments < r->count ? token_closing(t, r->count, arguments) : r->count;
    if (end == r->count || !token_is(&t[arguments], "("))
        token_fail(&t[open], "this launch has no arguments in brackets");
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
    go_on_behind(r, end);
    return end;
}

/* The kernel's type must not be cast away: cudaLaunchCooperativeKernel((void *)k, ...). */
static size_t keep_kernel_type(struct rewriting *r, size_t call)
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
    copy_until(r, t[call + 1].text + 1);
    go_on_behind(r, at);
    return at;
}

/* ---- shared memory ---- */

static bool is_of_declaration(const struct token *t)
{
    static const char *const words[] = {"extern", "static", "volatile", "const", "constexpr"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (token_is(t, words[w]))
            return true;
    return false;
}

/* The type may stand before __shared__, too: back to where the statement begins. */
static size_t begin_of_type(const struct rewriting *r, size_t at)
{
    while (at > 0 && (r->tokens[at - 1].kind == TOKEN_NAME || strchr(":<>*,", *r->tokens[at - 1].text)))
        at--;
    return at;
}

/* Where the declaration that has this token begins: before it are storage classes, qualifiers and attributes. */
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

/* extern __shared__ T name[]: a pointer to the dynamic shared memory, or outside of functions what converts to it. */
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
    go_on_behind(r, end);
    return end;
}

/* The variables that the declaration's declarators name, from `at` to the semicolon: `a` and `b` of "a[4], b". */
static size_t names_of(const struct rewriting *r, size_t at, size_t end, size_t *names, size_t most)
{
    size_t count = 0;
    for (size_t i = at; i < end; i++) {
        const struct token *t = &r->tokens[i], *next = &r->tokens[i + 1];
        bool ends = token_is(next, "[") || token_is(next, ",") || token_is(next, ";") || token_is(next, "=");
        if (token_is(t, "[") || token_is(t, "{") || token_is(t, "("))
            i = token_closing(r->tokens, end, i);
        else if (token_is(t, "<")) /* of a template's arguments */
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

#define MOST_NAMES 16

/*
 * __shared__ T a[4], b; in a function: members of a struct that has a place of its own in the section of such variables,
 * reserved by a function that is there once for each instance of a template, and named in the table of symbols.
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
    unsigned number = r->shared_number++;
    copy_until(r, t[begin].text);
    printf("struct gpusync_s%u { ", number);
    size_t first = shared + 1;
    if (token_is(&t[first], "alignas")) { /* stands before all others */
        print_span(&t[first], &t[token_closing(t, r->count, first + 1)]);
        first = token_closing(t, r->count, first + 1) + 1;
    }
    for (size_t i = begin; i < shared; i++)
        if (!token_is(&t[i], "static"))
            printf(" %.*s", (int)t[i].length, t[i].text);
    fputc(' ', stdout);
    print_span(&t[first], &t[end]);
    printf(
        " }; auto &gpusync_r%u = *(gpusync_s%u *)[]() __attribute__((noinline, noclone, const)) -> void * { "
        "void *place; asm(\".pushsection machine_shared,\\\"aw\\\",@progbits\\n\\t.balign %%c2\\n"
        "gpusync.%.*s.%%=:\\n\\t.skip %%c1\\n\\t.popsection\\n\\tlea gpusync.%.*s.%%=(%%%%rip), %%0\" : "
        "\"=r\"(place) : \"i\"(sizeof(gpusync_s%u)), \"i\"(alignof(gpusync_s%u))); return place; }();",
        number, number, (int)t[names[0]].length, t[names[0]].text, (int)t[names[0]].length, t[names[0]].text,
        number, number);
    for (size_t n = 0; n < count; n++)
        printf(" auto &%.*s = gpusync_r%u.%.*s;", (int)t[names[n]].length, t[names[n]].text, number,
               (int)t[names[n]].length, t[names[n]].text);
    go_on_behind(r, end);
    return end;
}

static size_t rewrite_shared(struct rewriting *r, size_t shared)
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

/* ---- inline PTX ---- */

/* Appends what a string literal says. */
static void append_literal(char *text, size_t bytes, const struct token *literal)
{
    size_t length = strlen(text);
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

/* Those of the list that begins at `at`, up to a colon or `end`. Returns where it ends. */
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

static size_t rewrite_asm(struct rewriting *r, size_t begin)
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
    if (text[strspn(text, " \t\n")] == '\0') { /* a compiler's barrier */
        free(text);
        return begin;
    }
    copy_until(r, t[begin].text);
    ptx_translate(stdout, &t[begin], text, operands, count, clobbers_memory, r->asm_number++);
    go_on_behind(r, end);
    for (size_t o = 0; o < count; o++)
        free((void *)(size_t)operands[o].constraint);
    free(text);
    return end;
}

/* ---- all ---- */

/* Where it stands alone; headers of the system have it within an attribute. */
static void rewrite_noinline(struct rewriting *r, const struct token *token)
{
    copy_until(r, token->text);
    fputs("__attribute__((noinline))", stdout);
    r->copied += token->length;
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
            i = note_cluster(r, i);
        else if (token_is(t, "__gpusync_shared__"))
            i = rewrite_shared(r, i);
        else if (token_is(t, "__noinline__") && !(i && token_is(&r->tokens[i - 1], "(")))
            rewrite_noinline(r, t);
        else if (token_is(t, "asm") || token_is(t, "__asm__") || token_is(t, "__asm"))
            i = rewrite_asm(r, i);
        else if (token_is(t, "cudaLaunchCooperativeKernel") || token_is(t, "cudaLaunchKernel"))
            i = keep_kernel_type(r, i);
    }
    copy_until(r, source + strlen(source));
}

static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t length = 0, got;
    do {
        text = with_room(text, 1, length, 65537);
        got = fread(text + length, 1, 65536, file);
        length += got;
    } while (got);
    text[length] = '\0';
    return text;
}

int main(void)
{
    set_program_name("gpusync-check");
    char *source = read_all(stdin);
    struct rewriting r = {.copied = source};
    struct token *tokens = tokens_of(source, &r.count);
    r.tokens = tokens;
    mark_functions(&r);
    rewrite(&r, source);
    finish_output();
    free(r.in_function);
    free(r.clusters);
    free(tokens);
    free(source);
    return EXIT_VERIFIED;
}
