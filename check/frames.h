/*
 * From a mark in a report (machine_mark_lines()) to the lines of the source: the calls that led to an
 * instruction, as the compiler's debug information says, and the line among them that the report names.
 */
#ifndef CHECK_FRAMES_H
#define CHECK_FRAMES_H

#include "check/sources.h"

/* A line of the source in which an instruction is, or a call that led to it. */
struct frame {
    struct source *source; /* never hidden, except in a trail without other frames */
    unsigned line;
    const struct source_function *function; /* NULL if it is not known */
};

#define MOST_FRAMES 32

/* The frames that led to an instruction, the innermost first. */
struct trail {
    unsigned count;
    struct frame frames[MOST_FRAMES];
    /* The frame that reports name: the innermost in the user's own files whose function is no wrapper; if all
     * are wrappers, the outermost of these; without a frame in the user's files the innermost. */
    unsigned named;
    /* the function that the host launched, or "" if it is not known or if the instruction is the host's */
    const char *kernel;
};

/* Reads the mark that `text` begins with, and stores where it ends. The trail lives until the program ends.
 * */
const struct trail *frames_of(const char *text, const char **end);

/* Returns the frame that reports name, or NULL if the trail is NULL or has none. */
const struct frame *frames_named(const struct trail *trail);

/* Returns whether both trails name the same line. */
bool frames_are_same_line(const struct trail *a, const struct trail *b);

/* Writes the line that reports name, "FILE:LINE". */
void frames_line(const struct trail *trail, char *text, size_t size);

/* Writes how control came from this line to the instruction and to this line: ", in wait() at :5, called at
 * :41", or "" if there is nothing to say. */
void frames_way(const struct trail *trail, char *text, size_t size);

/* Returns a copy of the text in which lines stand for its marks; the caller frees it. Stores the trails of
 * the first `most` marks in `trails` and their number in `count`; both may be NULL. */
char *frames_expand(const char *text, const struct trail **trails, unsigned most, unsigned *count);

#endif
