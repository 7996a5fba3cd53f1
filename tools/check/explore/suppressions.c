#include "tools/check/explore/suppressions.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct finding_kind finding_kinds[FINDING_KINDS] = {
    {"race", "Two threads access one place, at least one writes, and nothing orders the accesses."},
    {"note", "A bulk copy overwrites what was read, and no proxy fence is between the two."},
    {"rule", "Threads break a rule of warps or blocks."},
    {"unwritten", "A kernel reads memory that nobody has written."},
    {"outside", "An access is outside of the memory that it may use."},
    {"hang", "Threads wait for each other."},
    {"crash", "A signal ended the program."},
    {"wrong", "The program returned something other than 0."},
    {"launch", "A launch failed, and the program did not check for it."},
};
#define KINDS_IN_WORDS "race, note, rule, unwritten, outside, hang, crash, wrong or launch"

static struct suppression *all;
static size_t count;

static bool is_kind(const char *text)
{
    for (size_t i = 0; i < FINDING_KINDS; i++)
        if (strcmp(finding_kinds[i].name, text) == 0)
            return true;
    return false;
}

static void add(struct suppression suppression, const char *path, unsigned line)
{
    char place[PATH_MAX + 16];
    snprintf(place, sizeof place, "%s:%u", path, line);
    suppression.place = copy_text(place);
    all = with_room(all, sizeof *all, count, 1);
    all[count++] = suppression;
}

/* ---- comments ---- */

#define MARKER "gpusync-check: ignore"

/* Does the line have only blanks before this comment? */
static bool is_alone(const char *line, const char *comment)
{
    return line + strspn(line, " \t") == comment;
}

static const char *comment_of(const char *line, const char *marker)
{
    for (const char *at = line; at < marker; at++)
        if (at[0] == '/' && (at[1] == '/' || at[1] == '*'))
            return at;
    return NULL;
}

/* Reads the kinds after "ignore": one or several, with commas between them; a colon and a reason may
 * follow. */
static void read_kinds(const struct source *source, unsigned line, unsigned holds_for, const char *at)
{
    for (;;) {
        char kind[32];
        at += strspn(at, " \t");
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        snprintf(kind, sizeof kind, "%.*s", (int)(length < 31 ? length : 31), at);
        if (!is_kind(kind))
            fail(EXIT_BAD_INPUT, "%s:%u: " MARKER " needs " KINDS_IN_WORDS ", not '%s'", source->path, line,
                 kind);
        add((struct suppression){.kernel = copy_text("*"),
                                 .file = copy_text(source->path),
                                 .kind = copy_text(kind),
                                 .first_line = holds_for,
                                 .last_line = holds_for,
                                 .is_comment = true},
            source->path, line);
        at += length;
        at += strspn(at, " \t");
        if (*at != ',')
            break;
        at++;
    }
    if (*at && *at != ':' && *at != '\r' && strncmp(at, "*/", 2) != 0)
        fail(EXIT_BAD_INPUT,
             "%s:%u: " MARKER ": a colon must stand before the reason, and commas between kinds",
             source->path, line);
}

void suppressions_read_comments(void)
{
    for (size_t i = 0; i < sources_count(); i++) {
        struct source *source = sources_at(i);
        if (source->origin != SOURCE_OWN)
            continue;
        source_text(source, 1); /* reads the file, so that its number of lines is known */
        for (unsigned line = 1; line <= source->line_count; line++) {
            const char *text = source_text(source, line), *marker = strstr(text, MARKER);
            const char *comment = marker ? comment_of(text, marker) : NULL;
            if (comment)
                read_kinds(source, line, is_alone(text, comment) ? line + 1 : line,
                           marker + sizeof MARKER - 1);
        }
    }
}

/* ---- a file of rules ---- */

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Divides a row into its four cells. Returns false if the row does not have four cells, or if one of them is
 * empty. */
static bool divide(char *row, char *cells[4])
{
    unsigned number = 0;
    for (char *cell; (cell = strsep(&row, "|")); number++)
        if (number == 4 || !*(cells[number] = trimmed(cell)))
            return false;
    return number == 4;
}

/* Reads "*", a line, or two lines with "-" between them. */
static bool read_range(const char *text, unsigned *first, unsigned *last)
{
    char number[16];
    long long from, to;
    const char *dash = strchr(text, '-');
    *first = *last = 0;
    if (strcmp(text, "*") == 0)
        return true;
    snprintf(number, sizeof number, "%.*s", (int)(dash ? dash - text : 15), text);
    if (!parse_whole(number, 1, INT_MAX, &from) || !parse_whole(dash ? dash + 1 : text, from, INT_MAX, &to))
        return false;
    *first = (unsigned)from;
    *last = (unsigned)to;
    return true;
}

void suppressions_read(const char *path)
{
    struct lines lines = lines_open(path);
    while (lines_next(&lines)) {
        char *row = trimmed(lines.text), *cells[4];
        unsigned first, last, number = (unsigned)lines.number;
        if (!*row || *row == '#')
            continue;
        if (!divide(row, cells))
            fail(EXIT_BAD_INPUT, "%s:%u: a rule is 'kernel | file | line | kind', where * stands for any",
                 path, number);
        if (!read_range(cells[2], &first, &last))
            fail(EXIT_BAD_INPUT, "%s:%u: '%s' is neither a line, nor two lines as 3-5, nor *", path, number,
                 cells[2]);
        if (strcmp(cells[3], "*") != 0 && !is_kind(cells[3]))
            fail(EXIT_BAD_INPUT, "%s:%u: a rule needs " KINDS_IN_WORDS ", or *, not '%s'", path, number,
                 cells[3]);
        add((struct suppression){.kernel = copy_text(cells[0]),
                                 .file = copy_text(cells[1]),
                                 .kind = copy_text(cells[3]),
                                 .first_line = first,
                                 .last_line = last},
            path, number);
    }
    lines_close(&lines);
}

/* ---- which finding is suppressed ---- */

static bool fits(const char *pattern, const char *text)
{
    return fnmatch(pattern, text, 0) == 0;
}

static bool fits_file(const struct suppression *s, const struct source *source)
{
    char within[PATH_MAX];
    if (s->is_comment)
        return strcmp(s->file, source->path) == 0;
    snprintf(within, sizeof within, "*/%s", s->file);
    return fits(s->file, source->shown) || fits(s->file, source->path) || fits(within, source->path);
}

static bool fits_trail(const struct suppression *s, const struct trail *trail)
{
    if (!fits(s->kernel, trail->kernel))
        return false;
    for (unsigned i = 0; i < trail->count; i++) {
        const struct frame *frame = &trail->frames[i];
        if (frame->source->origin == SOURCE_OWN && fits_file(s, frame->source) &&
            (!s->first_line || (s->first_line <= frame->line && frame->line <= s->last_line)))
            return true;
    }
    return false;
}

struct suppression *suppression_of(const char *kind, const struct trail *const *trails, unsigned trail_count,
                                   const char *kernel)
{
    for (size_t i = 0; i < count; i++) {
        struct suppression *s = &all[i];
        bool is_for_all = !s->first_line && strcmp(s->file, "*") == 0 && fits(s->kernel, kernel);
        bool found = fits(s->kind, kind) && is_for_all;
        for (unsigned t = 0; t < trail_count && fits(s->kind, kind) && !found; t++)
            found = fits_trail(s, trails[t]);
        if (!found)
            continue;
        s->used++;
        return s;
    }
    return NULL;
}

size_t suppressions_count(void)
{
    return count;
}

const struct suppression *suppressions_at(size_t number)
{
    return &all[number];
}
