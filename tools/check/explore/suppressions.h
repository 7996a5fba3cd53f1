/*
 * Findings that the user does not want to be reported: a comment in a source file names them,
 *
 *     // gpusync-check: ignore race
 *
 * or a rule in a file, "kernel | file | line | kind" (docs/check.md).
 */
#ifndef CHECK_SUPPRESSIONS_H
#define CHECK_SUPPRESSIONS_H

#include "tools/check/frames.h"

/* The kinds of findings, in one sentence each. */
#define FINDING_KINDS 9
extern const struct finding_kind {
    const char *name, *says;
} finding_kinds[FINDING_KINDS];

struct suppression {
    char *kernel, *file, *kind;     /* patterns for the names, in the syntax of fnmatch() */
    unsigned first_line, last_line; /* the lines to which the suppression applies; 0 and 0 mean all lines */
    char *place;                    /* FILE:LINE of the suppression itself */
    bool is_comment;
    unsigned used; /* number of findings that it has suppressed */
};

/* Both functions exit with EXIT_BAD_INPUT if a suppression cannot be read. The first one reads the comments
 * of the user's files, and the second one a file of rules. */
void suppressions_read_comments(void);
void suppressions_read(const char *path);

/* Returns the suppression of a finding of this kind, or NULL if there is none, and counts it as used. A
 * suppression matches if it matches any of the lines of the user's files in these trails. `kernel` is the
 * kernel of a finding without a line in one, or "". */
struct suppression *suppression_of(const char *kind, const struct trail *const *trails, unsigned count,
                                   const char *kernel);

size_t suppressions_count(void);
const struct suppression *suppressions_at(size_t number);

#endif
