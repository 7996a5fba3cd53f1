#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
