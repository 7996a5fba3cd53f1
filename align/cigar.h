/* CIGAR strings, built in the order of trace-backs: from the alignment's end to its start. */
#ifndef ALIGN_CIGAR_H
#define ALIGN_CIGAR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cigar_run {
    char letter; /* the run's operation: M, I, D or S */
    size_t length;
};

/* The runs of a CIGAR's equal operations, from the end of the alignment to its start; an empty CIGAR is
 * {NULL, 0}. */
struct cigar {
    struct cigar_run *runs;
    size_t count;
};

/* Puts `length` operations `letter` before the first run of the CIGAR; if the first run has this letter, it
 * becomes longer. */
void cigar_prepend(struct cigar *cigar, char letter, size_t length);

/* Returns the CIGAR as text, from the alignment's start to its end ("*" if it has no operations), and frees
 * the runs. The caller frees the text. */
char *cigar_finish(struct cigar *cigar);

#ifdef __cplusplus
}
#endif

#endif
