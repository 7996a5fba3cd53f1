/* Finds the names that a person may have meant by an unknown one. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NEAREST_BYTES 192

/*
 * Writes "; did you mean A, B or C?" into `text`, with those of the `count` names that are most like `name`,
 * the most similar first, each after the text `prefix` ("--" for options). Writes "" if none is like it.
 * Returns `text`. Names are alike if few letters were added, left out, replaced or exchanged with the next
 * one (Damerau and Levenshtein's distance), or if one of them begins with the other.
 */
const char *did_you_mean(char text[NEAREST_BYTES], const char *prefix, const char *name,
                         const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif

#endif
