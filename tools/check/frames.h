/*
 * Finds the source lines for a mark in a report (machine_mark_lines()): the calls that led to an instruction,
 * according to the compiler's debug information, and the line among them that the report names.
 */
#ifndef CHECK_FRAMES_H
#define CHECK_FRAMES_H

#include "tools/check/sources.h"

/* A line of the source in which an instruction is, or a call that led to it. */
struct frame {
    struct source *source; /* the file; it is hidden only in a trail that has no other frames */
    unsigned line;
    const struct source_function *function; /* the function that has the line; NULL if it is not known */
};

#define MOST_FRAMES 32

/* The frames that led to an instruction, the innermost first. */
struct trail {
    unsigned count;
    struct frame frames[MOST_FRAMES];
    /* Index of the frame that reports name: the innermost frame in the user's own files whose function is no
     * wrapper. If all of these are wrappers, it is the outermost one; if no frame is in the user's files, the
     * innermost frame. */
    unsigned named;
    /* the function that the host launched, or "" if it is not known or if the instruction is the host's */
    const char *kernel;
};

/* Reads the mark at the beginning of `text`, and stores in *end where the mark ends. The trail lives until
 * the program ends. */
const struct trail *frames_of(const char *text, const char **end);

/* Returns the frame that reports name, or NULL if the trail is NULL or has none. */
const struct frame *frames_named(const struct trail *trail);

/* Returns whether both trails name the same line. */
bool frames_are_same_line(const struct trail *a, const struct trail *b);

/* Writes "FILE:LINE" for the line that reports name. */
void frames_line(const struct trail *trail, char *text, size_t size);

/* Returns a copy of the text with source lines in place of marks; the caller frees it. Stores the trails of
 * the first `most` marks in `trails` and their number in `count`; both may be NULL. */
char *frames_expand(const char *text, const struct trail **trails, unsigned most, unsigned *count);

#endif
