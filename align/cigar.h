/* CIGAR strings, built in the order of trace-backs: from the alignment's end to its start. */
#ifndef ALIGN_CIGAR_H
#define ALIGN_CIGAR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cigar_run {
    char letter; /* the operation: M, I, D or S */
    size_t length;
};

/* Runs of equal operations, from the end of the alignment to its start; an empty CIGAR is {NULL, 0}. */
struct cigar {
    struct cigar_run *runs;
    size_t count;
};

/* Puts `length` operations before the present ones; joins them with a first run of the same letter. */
void cigar_prepend(struct cigar *cigar, char letter, size_t length);

/* Returns the text from the start of the alignment ("*" if there are no operations), which the caller frees.
 * Frees the runs. */
char *cigar_finish(struct cigar *cigar);

#ifdef __cplusplus
}
#endif

#endif
