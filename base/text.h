/* Reads lines and numbers from text, which no other file of the suite does: a text that is not exactly what
 * is expected is refused. Finds the names that a person may have meant by an unknown one. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text file that is read line by line. It may be compressed by gzip. */
struct lines {
    const char *path;
    size_t number; /* number of the last line that was read, counted from 1 */
    /* the line that was read last, without its line feed and without a carriage return before that */
    char *text;
    size_t length, capacity; /* number of bytes in `text`, and number of bytes allocated for it */
    void *file;
};

/* Opens a text file. Exits with EXIT_BAD_INPUT if it cannot be read. */
struct lines lines_open(const char *path);

/* Reads the next line. Returns false at the end of the file. Exits with EXIT_BAD_INPUT if the line has a zero
 * byte, or the read fails (for example in a gzip file that is cut off). */
bool lines_next(struct lines *lines);
void lines_close(struct lines *lines);

/* Parses the text as a whole number from `low` to `high`. Returns false if the text is anything else; no
 * blank may stand before or after the number. */
bool parse_whole(const char *text, long long low, long long high, long long *out);

/* Parses the whole text as a number, infinity or NaN. Returns false if the text is not a number, or if the
 * number is beyond the range of the type. */
bool parse_double(const char *text, double *out);
bool parse_float(const char *text, float *out);

/* Compares two texts, as qsort needs it for an array of pointers to texts. */
int compare_texts(const void *a, const void *b);

/* ---- unknown names ---- */

#define NEAREST_BYTES 192

/*
 * Writes "; did you mean A, B or C?" into `text`, with the names, of the `count` names, that are most similar
 * to `name`. The most similar one comes first; `prefix` precedes each name ("--" for options). Writes "" if
 * none is like it. Returns `text`. Names are alike if few letters were added, left out, replaced or exchanged
 * with the next one (Damerau and Levenshtein's distance), or if one of them begins with the other.
 */
const char *did_you_mean(char text[NEAREST_BYTES], const char *prefix, const char *name,
                         const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif

#endif
