/* Builds CIGAR strings from the alignment's end to its start, which is the order in which a trace-back finds
 * the operations. */
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

/* A CIGAR as a list of runs of equal operations, from the end of the alignment to its start. An empty CIGAR
 * is {NULL, 0}. */
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
