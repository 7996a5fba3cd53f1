#include "base/text.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct lines lines_open(const char *path)
{
    file_check_input(path);
    struct lines lines = {.path = path, .file = gzopen(path, "rb")};
    if (!lines.file)
        fail(EXIT_BAD_INPUT, "%s cannot be read: %s", path, strerror(errno));
    return lines;
}

/* Reads the next part of a line, up to its line feed or the buffer's end, and appends it to l->text. Returns
 * false at the end of the file. */
static bool read_part(struct lines *l)
{
    if (l->capacity - l->length < 2) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->text = reallocate(l->text, l->capacity);
    }
    size_t room = l->capacity - l->length;
    /* gzgets puts a zero byte after the bytes that it reads. If these contain another zero byte, it comes
     * from the file, which is an error. The buffer is filled with ones first, so that both are found. */
    memset(l->text + l->length, 1, room);
    if (!gzgets(l->file, l->text + l->length, room > 1 << 30 ? 1 << 30 : (int)room)) {
        int error = Z_OK;
        gzerror(l->file, &error);
        if (error != Z_OK && error != Z_STREAM_END)
            fail(EXIT_BAD_INPUT, "%s:%zu: the file is damaged or cut off", l->path, l->number + 1);
        return false;
    }
    const char *feed = memchr(l->text + l->length, '\n', room), *zero = memrchr(l->text + l->length, 0, room);
    size_t end = (size_t)((feed && feed < zero ? feed + 1 : zero) - l->text);
    if (memchr(l->text + l->length, 0, end - l->length))
        fail(EXIT_BAD_INPUT, "%s:%zu: a zero byte in the line", l->path, l->number + 1);
    l->length = end;
    return true;
}

bool lines_next(struct lines *l)
{
    bool any = false;
    l->length = 0;
    while (read_part(l)) {
        any = true;
        if (l->text[l->length - 1] == '\n')
            break;
    }
    if (!any)
        return false;
    l->number++;
    if (l->length && l->text[l->length - 1] == '\n')
        l->length--;
    if (l->length && l->text[l->length - 1] == '\r')
        l->length--;
    l->text[l->length] = '\0';
    return true;
}

void lines_close(struct lines *l)
{
    gzclose(l->file);
    free(l->text);
}

bool parse_whole(const char *text, long long low, long long high, long long *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return !errno && end != text && !*end && !isspace((unsigned char)*text) && *out >= low && *out <= high;
}

/* Returns whether a number from strtod, or from a similar function, was too large for its type. A number that
 * is too small for its type counts as zero and passes. */
static bool is_beyond(double value)
{
    return errno == ERANGE && fabs(value) > 1;
}

bool parse_double(const char *text, double *out)
{
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && !*end && !isspace((unsigned char)*text) && !is_beyond(*out);
}

bool parse_float(const char *text, float *out)
{
    char *end;
    errno = 0;
    *out = strtof(text, &end);
    return end != text && !*end && !isspace((unsigned char)*text) && !is_beyond((double)*out);
}

int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#define LONGEST 48 /* number of letters that are compared; further letters are ignored */
#define MOST_NEAREST 3

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns the number of edits that turn `a` into `b`: a letter is added, left out, replaced or exchanged with
 * the next one. */
static int distance(const char *a, const char *b)
{
    int of[LONGEST + 1][LONGEST + 1];
    int m = (int)strnlen(a, LONGEST), n = (int)strnlen(b, LONGEST);
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (!i || !j) {
                of[i][j] = i + j;
                continue;
            }
            of[i][j] =
                least(least(of[i - 1][j], of[i][j - 1]) + 1, of[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                of[i][j] = least(of[i][j], of[i - 2][j - 2] + 1);
        }
    return of[m][n];
}

/* Returns how unlike two names are: 0 for equal ones, or -1 if they are too different to be confused. */
static int unlikeness(const char *name, const char *other)
{
    size_t length = strlen(name), shorter = strlen(other) < length ? strlen(other) : length;
    int letters = distance(name, other);
    if (letters <= 1 + (int)length / 5 && letters < (int)length)
        return letters;
    return shorter > 2 && strncmp(name, other, shorter) == 0 ? (int)length : -1;
}

static bool is_among(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const char *did_you_mean(char text[NEAREST_BYTES], const char *prefix, const char *name,
                         const char *const *names, size_t count)
{
    const char *nearest[MOST_NEAREST];
    int found = 0;
    for (int unlike = 0; unlike <= LONGEST && found < MOST_NEAREST; unlike++)
        for (size_t i = 0; i < count && found < MOST_NEAREST; i++)
            if (unlikeness(name, names[i]) == unlike && !is_among(nearest, found, names[i]))
                nearest[found++] = names[i];
    *text = '\0';
    for (int i = 0; i < found; i++) {
        size_t used = strlen(text);
        snprintf(text + used, NEAREST_BYTES - used, "%s%s%s%s",
                 !i              ? "; did you mean "
                 : i + 1 < found ? ", "
                                 : " or ",
                 prefix, nearest[i], i + 1 == found ? "?" : "");
    }
    return text;
}
