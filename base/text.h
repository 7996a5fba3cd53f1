/* The suite's only reader of lines and its only reader of numbers: they read a text exactly, or refuse it. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text file, plain or compressed by gzip, line by line. */
struct lines {
    const char *path;
    size_t number; /* of the last line, counted from 1 */
    char *text;    /* the last line, without its end (line feed, with a carriage return before it or not) */
    size_t length, capacity;
    void *file;
};

/* Exits with EXIT_BAD_INPUT if the file cannot be read. */
struct lines lines_open(const char *path);

/* Reads the next line; false at the end. Exits with EXIT_BAD_INPUT for a line with a zero byte, or if a read
 * fails (a gzip file that is cut off). */
bool lines_next(struct lines *lines);
void lines_close(struct lines *lines);

/* Parses the whole text as a number within the limits; nothing may stand before or after the number. */
bool parse_whole(const char *text, long long low, long long high, long long *out);

/* Parses the whole text as a finite or infinite number or NaN; false if it is beyond the type's range. */
bool parse_double(const char *text, double *out);
bool parse_float(const char *text, float *out);

/* For qsort of texts. */
int compare_texts(const void *a, const void *b);

#ifdef __cplusplus
}
#endif

#endif
