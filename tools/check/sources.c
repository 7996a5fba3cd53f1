/* One file because functions, allocations and loops are found in the same text by the same few rules. */
#include "tools/check/sources.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list of the files ---- */

static struct source *sources;
static size_t count;
static const char *ptx; /* path of the file of PTX, or NULL */

static char *real_path(const char *path)
{
    char real[PATH_MAX];
    return realpath(path, real) ? copy_text(real) : NULL;
}

/* Takes away the backslashes that the preprocessor writes into a name: before a quote and a backslash, and
 * with n for a line feed. */
static char *without_backslashes(char *name)
{
    char *to = name;
    for (const char *from = name; *from; from++)
        *to++ = *from == '\\' && from[1] ? (*++from == 'n' ? '\n' : *from) : *from;
    *to = '\0';
    return name;
}

void sources_read(const char *list)
{
    struct lines lines = lines_open(list);
    while (lines_next(&lines)) {
        char *path = strchr(lines.text, '\t'), *name = NULL;
        if (!path)
            continue;
        if (*lines.text == 'l' && (name = strchr(path + 1, '\t')))
            *name++ = '\0';
        path = without_backslashes(path + 1);
        const char *last = strrchr(path, '/');
        sources = with_room(sources, sizeof *sources, count, 1);
        sources[count++] = (struct source){.origin = name ? SOURCE_LIBRARY : SOURCE_OWN,
                                           .path = copy_text(path),
                                           .shown = copy_text(name   ? name
                                                              : last ? last + 1
                                                                     : path),
                                           .real = real_path(path)};
        if (*lines.text == 'p')
            ptx = sources[count - 1].path;
    }
    lines_close(&lines);
}

const char *sources_ptx(void)
{
    return ptx;
}

size_t sources_count(void)
{
    return count;
}

struct source *sources_at(size_t number)
{
    return &sources[number];
}

struct source *source_find(const char *path)
{
    char *real = real_path(path);
    struct source *found = NULL;
    for (size_t i = 0; i < count && !found; i++)
        if (strcmp(sources[i].path, path) == 0 ||
            (real && sources[i].real && strcmp(sources[i].real, real) == 0))
            found = &sources[i];
    free(real);
    return found;
}

/* ---- the functions of a file ---- */

/* A reader of a file's text. It parses only as much of C++ as is needed to find functions and their
 * statements. */
struct reader {
    struct source *source;
    const char *at;
    unsigned line;
    /* the text since the last semicolon or brace outside of round brackets; a function's head ends at its
     * opening brace */
    char head[2048];
    size_t head_bytes;
    unsigned round; /* number of open round brackets */
    unsigned depth; /* number of open { */
    unsigned body;  /* the value of `depth` inside the present function, or 0 outside of functions */
    struct source_function function;
    /* for each open #if, the value of `depth` at the #if; each branch (#else, #elif) begins with this
     * depth */
    unsigned branches[64], branch_count;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_line(struct reader *r)
{
    while (*r->at && (*r->at != '\n' || r->at[-1] == '\\'))
        r->line += *r->at++ == '\n';
}

static void read_directive(struct reader *r)
{
    const char *word = r->at + 1 + strspn(r->at + 1, " \t");
    unsigned *count_of = &r->branch_count;
    if (strncmp(word, "if", 2) == 0 && *count_of < 64)
        r->branches[(*count_of)++] = r->depth;
    else if (strncmp(word, "el", 2) == 0 && *count_of)
        r->depth = r->branches[*count_of - 1];
    else if (strncmp(word, "endif", 5) == 0 && *count_of)
        (*count_of)--;
    skip_line(r);
}

static void skip_comment(struct reader *r)
{
    const char *end = strstr(r->at + 2, "*/");
    end = end ? end + 2 : r->at + strlen(r->at);
    for (; r->at < end; r->at++)
        r->line += *r->at == '\n';
}

static void skip_quoted(struct reader *r)
{
    char quote = *r->at++;
    for (; *r->at && *r->at != quote && *r->at != '\n'; r->at++)
        if (*r->at == '\\' && r->at[1])
            r->line += *++r->at == '\n';
    r->at += *r->at == quote;
}

static void add_to_head(struct reader *r, char c)
{
    bool is_blank = isspace((unsigned char)c);
    if (is_blank && (r->head_bytes == 0 || r->head[r->head_bytes - 1] == ' '))
        return;
    if (r->head_bytes + 1 < sizeof r->head)
        r->head[r->head_bytes++] = is_blank ? ' ' : c;
    r->head[r->head_bytes] = '\0';
}

static void end_head(struct reader *r)
{
    r->head_bytes = 0;
    r->head[0] = '\0';
}

static bool is_among(const char *word, size_t length, const char *const words[])
{
    for (; *words; words++)
        if (strlen(*words) == length && strncmp(word, *words, length) == 0)
            return true;
    return false;
}

/* Stores in `name` the name of the function that has this head: the word before the parameters. Returns false
 * if the head belongs to a class, a namespace, an array or the like. */
static bool read_name(const char *head, char *name, size_t size)
{
    static const char *const no_functions[] = {"__attribute__",
                                               "__launch_bounds__",
                                               "__cluster_dims__",
                                               "__align__",
                                               "alignas",
                                               "decltype",
                                               "requires",
                                               "noexcept",
                                               "explicit",
                                               "if",
                                               "while",
                                               "for",
                                               "switch",
                                               "catch",
                                               NULL};
    size_t length = strlen(head), angle = 0;
    while (length && head[length - 1] == ' ')
        length--;
    if (!length || head[length - 1] == '=')
        return false;
    for (size_t i = 0; i < length; i++) {
        angle += head[i] == '<' ? 1 : 0;
        angle -= head[i] == '>' && angle ? 1 : 0;
        if (head[i] != '(')
            continue;
        size_t end = i, depth = 0;
        while (end && head[end - 1] == ' ')
            end--;
        size_t begin = end;
        while (begin && is_word(head[begin - 1]))
            begin--;
        const char *sign = strstr(head, "operator");
        if (!angle && sign && sign < head + i && begin == end) {
            snprintf(name, size, "operator%.*s", (int)(head + end - sign) - 8, sign + 8);
            return true;
        }
        if (!angle && end > begin && !is_among(head + begin, end - begin, no_functions)) {
            snprintf(name, size, "%.*s", (int)(end - begin), head + begin);
            return true;
        }
        for (; i < length; i++) { /* skips what is in the brackets */
            depth += head[i] == '(' ? 1 : 0;
            depth -= head[i] == ')' ? 1 : 0;
            if (!depth)
                break;
        }
    }
    return false;
}

/* Is the text between two semicolons a statement? Declarations without an initializer and the return of a
 * variable do not count. */
static bool is_statement(const char *text)
{
    text += strspn(text, " ");
    return *text && strncmp(text, "using ", 6) != 0 &&
           (strpbrk(text, "(=") || strstr(text, "++") || strstr(text, "--"));
}

static void open_bracket(struct reader *r)
{
    r->depth++;
    if (!r->body && read_name(r->head, r->function.name, sizeof r->function.name)) {
        r->body = r->depth;
        r->function.first = r->line;
        r->function.is_kernel = strstr(r->head, "__global__") != NULL;
        r->function.statements = 0;
    }
}

static void close_bracket(struct reader *r)
{
    struct source *s = r->source;
    if (r->body && r->depth == r->body) {
        r->function.last = r->line;
        s->functions = with_room(s->functions, sizeof *s->functions, s->function_count, 1);
        s->functions[s->function_count++] = r->function;
        r->body = 0;
    }
    r->depth -= r->depth > 0;
}

static void read_sign(struct reader *r)
{
    char c = *r->at;
    bool is_in_body = r->body != 0;
    r->round += c == '(';
    r->round -= c == ')' && r->round;
    r->line += c == '\n';
    r->at++;
    if (r->round || !strchr(";{}", c)) {
        add_to_head(r, c);
        return;
    }
    if (c == '{') {
        const char *next = r->at + strspn(r->at, " \t\n");
        r->function.statements += is_in_body && *next == '}' && strchr(r->head, ')') != NULL;
        open_bracket(r);
    } else if (c == '}') {
        close_bracket(r);
    } else if (is_in_body) {
        r->function.statements += is_statement(r->head);
    }
    end_head(r);
}

static void read_functions(struct source *source)
{
    struct reader r = {.source = source, .at = source->text, .line = 1};
    bool is_first = true; /* is the next character the first one of its line? */
    while (*r.at) {
        if (r.at[0] == '/' && r.at[1] == '/') {
            skip_line(&r);
        } else if (r.at[0] == '/' && r.at[1] == '*') {
            skip_comment(&r);
        } else if (*r.at == '#' && is_first) {
            read_directive(&r);
        } else if (*r.at == '"' || (*r.at == '\'' && (r.at == source->text || !is_word(r.at[-1])))) {
            skip_quoted(&r);
        } else {
            is_first = *r.at == '\n' || (is_first && isspace((unsigned char)*r.at));
            read_sign(&r);
        }
    }
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), of_end = strlen(end);
    return length >= of_end && strcmp(path + length - of_end, end) == 0;
}

/* Reads the file, unless it has been read. A file that cannot be read has no lines. */
static void read_source(struct source *s)
{
    if (s->lines)
        return;
    s->text = s->real ? file_text(s->real) : NULL;
    /* a compiler of another language (Triton) has written the PTX of a file that is not C++ */
    if (s->text && !ends_with(s->path, ".ptx") && !ends_with(s->path, ".py"))
        read_functions(s);
    s->lines = with_room(NULL, sizeof *s->lines, 0, 1);
    for (char *at = s->text; at && *at;) {
        char *end = strchr(at, '\n');
        s->lines = with_room(s->lines, sizeof *s->lines, s->line_count, 1);
        s->lines[s->line_count++] = at;
        if (end)
            *end = '\0';
        at = end ? end + 1 : NULL;
    }
}

const char *source_text(struct source *source, unsigned line)
{
    read_source(source);
    return line && line <= source->line_count ? source->lines[line - 1] : "";
}

const struct source_function *source_function_at(struct source *source, unsigned line)
{
    read_source(source);
    for (size_t i = 0; i < source->function_count; i++)
        if (source->functions[i].first <= line && line <= source->functions[i].last)
            return &source->functions[i];
    return NULL;
}

/* ---- names of arrays ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\n");
}

/* Returns the bracket that closes the one at which the text begins, or the end of the text. */
static const char *closing(const char *at, char open, char close)
{
    for (int depth = 0; *at; at++) {
        depth += (*at == open) - (*at == close);
        if (!depth)
            break;
    }
    return at;
}

/* Returns the text after the casts and brackets at its beginning. */
static const char *skip_casts(const char *at)
{
    for (;;) {
        at = skip_blanks(at);
        size_t word = 0;
        while (is_word(at[word]))
            word++;
        if (word > 5 && strncmp(at + word - 5, "_cast", 5) == 0 && at[word] == '<') {
            at = closing(at + word, '<', '>');
        } else if (*at == '(') {
            const char *end = closing(at, '(', ')'), *last = end - 1;
            while (isspace((unsigned char)*last))
                last--;
            at = *end && *last == '*' ? end : at;
        } else {
            return at;
        }
        at += *at != '\0';
    }
}

/* Reads the name in "&name", with members and items, if it is all of the call's first argument. Returns its
 * length, or 0. */
static size_t read_address(const char **at)
{
    *at = skip_casts(*at);
    if (**at != '&')
        return 0;
    const char *begin = *at = skip_casts(*at + 1), *end = begin;
    for (;;) {
        if (is_word(*end))
            end++;
        else if (*end == '[' && *closing(end, '[', ']'))
            end = closing(end, '[', ']') + 1;
        else if (strncmp(end, "->", 2) == 0 || strncmp(end, "::", 2) == 0)
            end += 2;
        else if (*end == '.')
            end++;
        else
            break;
    }
    const char *next = end + strspn(end, " \t\n)");
    bool is_whole = *next == ',' || next > end;
    return is_whole && is_word(*begin) ? (size_t)(end - begin) : 0;
}

/* Does a line of the function return the variable? */
static bool is_returned(struct source *source, const struct source_function *function, const char *name)
{
    for (unsigned line = function->first; line <= function->last; line++) {
        const char *at = strstr(source_text(source, line), "return ");
        at = at ? skip_casts(at + strlen("return ")) : "";
        if (strncmp(at, name, strlen(name)) == 0 && !is_word(at[strlen(name)]))
            return true;
    }
    return false;
}

#define LINES_OF_CALL 3 /* a call's first argument is in one of so many lines */

bool source_allocated(struct source *source, unsigned line, char *name, size_t size)
{
    const struct source_function *function = source_function_at(source, line);
    char text[1024];
    size_t length = 0, first = 0;
    for (unsigned i = 0; i < LINES_OF_CALL; i++) {
        const char *added = source_text(source, line + i), *comment = strstr(added, "//");
        int bytes = (int)(comment ? (size_t)(comment - added) : strlen(added));
        length += (size_t)snprintf(text + length, sizeof text - length, "%.*s\n", bytes, added);
        if (length >= sizeof text)
            return false;
        first = i ? first : length;
    }
    *name = '\0';
    for (const char *at = text; (at = strstr(at, "lloc")) && at < text + first;) {
        while (is_word(*at))
            at++;
        if (*at == '<')
            at = closing(at, '<', '>');
        at += *at == '>';
        if (*at != '(')
            continue;
        at++;
        int found = (int)read_address(&at);
        if (!found || (*name && (strncmp(name, at, (size_t)found) != 0 || name[found])) || found >= (int)size)
            return false;
        snprintf(name, size, "%.*s", found, at);
    }
    return *name && !(function && is_returned(source, function, name));
}

/* ---- loops ---- */

/* Adds the number of brackets that a line opens minus the number that it closes; *lowest is the lowest value
 * that the sum has within the line. */
static void count_brackets(const char *text, int *depth, int *lowest)
{
    const char *comment = strstr(text, "//");
    for (; *text && text != comment; text++) {
        *depth += *text == '{' ? 1 : *text == '}' ? -1 : 0;
        *lowest = *depth < *lowest ? *depth : *lowest;
    }
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* Returns the first line after `line` in which a bracket closes that is open at its end, or 0. */
static unsigned closes_after(struct source *source, unsigned line, unsigned last)
{
    for (int depth = 0, lowest = 0; line < last; line++) {
        count_brackets(source_text(source, line + 1), &depth, &lowest);
        if (lowest < 0)
            return line + 1;
    }
    return 0;
}

struct source_loop source_loop_of(struct source *source, unsigned first, unsigned second)
{
    const struct source_function *function = source_function_at(source, first);
    int depth = 0, outside = 0;
    for (unsigned line = first; function && line-- > function->first;) {
        int opened = 0, lowest = 0;
        const char *text = source_text(source, line);
        count_brackets(text, &opened, &lowest);
        depth -= opened;
        if (depth >= outside)
            continue;
        outside = depth; /* the line opens a bracket that is open at `first` */
        unsigned head = text[strspn(text, " \t{")] ? line : line - 1,
                 last = closes_after(source, line, function->last);
        const char *loop = source_text(source, head);
        if (last >= second && (has_word(loop, "for") || has_word(loop, "while") || has_word(loop, "do")))
            return (struct source_loop){head, last};
    }
    return (struct source_loop){0, 0};
}

bool source_is_wrapper(const struct source_function *function)
{
    return function && !function->is_kernel && function->statements <= 1;
}
