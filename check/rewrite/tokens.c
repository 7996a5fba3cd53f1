#include "check/rewrite/tokens.h"
#include "base/failure.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at, *line_begin;
    unsigned line;
    const char *file;
    size_t file_length;
    bool of_system, of_library;
};

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Returns whether the file is in a folder of the compiler's own headers. CUDA's libraries are marked as
 * system headers, too, but they contain kernels. */
static bool is_of_the_compiler(const struct reader *r)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        if (strncmp(r->file, folders[f], strlen(folders[f])) == 0)
            return true;
    return false;
}

static const char *end_of_quoted(const char *quote)
{
    const char *at = quote + 1;
    for (; *at && *at != *quote && *at != '\n'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at == *quote ? at + 1 : NULL;
}

/* Reads a line mark of the preprocessor: # LINE "FILE" FLAGS, where flag 3 means a system header. FILE has a
 * backslash before each quote and backslash, and keeps it, because continue_after() prints FILE again. */
static void read_line_mark(struct reader *r)
{
    const char *end = strchr(r->at, '\n');
    end = end ? end : r->at + strlen(r->at);
    const char *number = r->at + 1 + strspn(r->at + 1, " ");
    if (isdigit((unsigned char)*number)) {
        const char *open = memchr(number, '"', (size_t)(end - number));
        const char *close = open ? end_of_quoted(open) : NULL;
        /* the line feed at the end of the line mark will add 1 */
        r->line = (unsigned)strtoul(number, NULL, 10) - 1;
        if (close) {
            r->file = open + 1;
            r->file_length = (size_t)(close - open - 2);
            r->of_library = false;
            for (const char *flag = close; flag < end; flag++)
                r->of_library = r->of_library || *flag == '3';
            r->of_system = r->of_library && is_of_the_compiler(r);
        }
    }
    r->at = end;
}

static void skip_space(struct reader *r)
{
    for (;;) {
        if (*r->at == '#' && r->at == r->line_begin) {
            read_line_mark(r);
        } else if (*r->at == '\n') {
            r->line++;
            r->line_begin = ++r->at;
        } else if (*r->at && isspace((unsigned char)*r->at)) {
            r->at++;
        } else {
            return;
        }
    }
}

static const char *end_of_raw_string(const char *quote)
{
    char closing[24];
    const char *open = strchr(quote, '(');
    if (!open || open - quote > 17)
        return NULL;
    snprintf(closing, sizeof closing, ")%.*s\"", (int)(open - quote - 1), quote + 1);
    const char *end = strstr(open, closing);
    return end ? end + strlen(closing) : NULL;
}

/* Finds the end of the token that begins at `at`, and its kind. */
static const char *end_of(const char *at, enum token_kind *kind)
{
    const char *end = at, *after = NULL;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        *kind = TOKEN_NUMBER;
        for (end++; is_name_character(*end) || *end == '.' || (*end == '\'' && is_name_character(end[1])) ||
                    ((*end == '+' || *end == '-') && strchr("eEpP", end[-1]));)
            end++;
        return end;
    }
    *kind = TOKEN_NAME;
    while (is_name_character(*end))
        end++;
    if (*end == '"' && end - at <= 3) {
        *kind = TOKEN_STRING;
        after = end > at && end[-1] == 'R' ? end_of_raw_string(end) : end_of_quoted(end);
    } else if (*end == '\'' && end - at <= 2) {
        *kind = TOKEN_STRING;
        after = end_of_quoted(end);
    }
    if (after)
        return after;
    if (end > at)
        return end;
    *kind = TOKEN_SIGN;
    return at + 1;
}

struct token *tokens_of(const char *source, size_t *count)
{
    struct reader r = {.at = source, .line_begin = source, .line = 1, .file = ""};
    struct token *tokens = NULL;
    *count = 0;
    for (skip_space(&r); *r.at; skip_space(&r)) {
        struct token token = {.text = r.at,
                              .line = r.line,
                              .file = r.file,
                              .file_length = r.file_length,
                              .of_system = r.of_system,
                              .of_library = r.of_library};
        const char *end = end_of(r.at, &token.kind);
        token.length = (size_t)(end - r.at);
        for (; r.at < end; r.at++)
            r.line += *r.at == '\n'; /* counts the lines that a raw string literal spans */
        tokens = with_room(tokens, sizeof *tokens, *count, 1);
        tokens[(*count)++] = token;
    }
    /* The list ends with an empty token, so that code can look one token ahead. */
    tokens = with_room(tokens, sizeof *tokens, *count, 1);
    tokens[*count] = (struct token){
        .text = r.at, .kind = TOKEN_SIGN, .line = r.line, .file = r.file, .file_length = r.file_length};
    return tokens;
}

bool token_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && strncmp(token->text, text, token->length) == 0;
}

size_t token_closing(const struct token *tokens, size_t count, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < count; i++) {
        if (tokens[i].kind != TOKEN_SIGN)
            continue;
        depth += strchr("([{", *tokens[i].text) ? 1 : strchr(")]}", *tokens[i].text) ? -1 : 0;
        if (depth == 0)
            return i;
    }
    return count;
}

void token_fail(const struct token *token, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%.*s:%u: %s\n", (int)token->file_length, token->file, token->line, message);
    exit(EXIT_BAD_INPUT);
}
