/* CIGAR strings, as trace-backs find them: from the alignment's end to its start. */
#ifndef ALIGN_CIGAR_H
#define ALIGN_CIGAR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cigar_run {
    char letter; /* M, I, D, S */
    size_t length;
};

/* Runs of equal operations, the last of the alignment first; {NULL, 0} to begin with. */
struct cigar {
    struct cigar_run *runs;
    size_t count;
};

/* The `length` operations before those that are there; joins a run of the same letter. */
void cigar_prepend(struct cigar *cigar, char letter, size_t length);

/* The text from the alignment's start, "*" if there is nothing; to be freed. Frees the runs. */
char *cigar_finish(struct cigar *cigar);

#ifdef __cplusplus
}
#endif

#endif
