/*
 * The processes of one program that mpirun started, one for each GPU: MPI calls them ranks. The first rank
 * reads the command line, measures, and writes; the others execute its orders.
 */
#ifndef MICRO_RANKS_H
#define MICRO_RANKS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ranks {
    int rank, count;
    int local, hosts; /* which of those on its host this is; how many hosts */
};

/* MPI_Init. From here on, a process that ends before ranks_close ends the others too, with its exit status. */
void ranks_open(int *argc, char ***argv);
const struct ranks *ranks_here(void);
/* MPI_Finalize, of all ranks. */
void ranks_close(void);

/* The name of the MPI library, in its own words. */
const char *ranks_library(void);

/* Copies the first rank's data to all ranks. */
void ranks_broadcast(void *data, size_t bytes);
/* Collects the `mine` of every rank in `all`, by rank. */
void ranks_gather(const void *mine, size_t bytes, void *all);
/* MPI_Barrier: when it returns, all ranks have called it. */
void ranks_meet(void);

/*
 * Host memory that other ranks write without this rank's help (MPI_Put): only ranks_meet tells that the words
 * are there. mailbox_put returns when the words have arrived; mailbox_words, after ranks_meet, shows the
 * words that have arrived.
 */
void mailbox_open(size_t words);
void mailbox_close(void);
void mailbox_put(const unsigned *words, size_t first, size_t count, int to);
const unsigned *mailbox_words(void);

#ifdef __cplusplus
}
#endif

#endif
