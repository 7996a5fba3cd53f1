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
    int local, hosts; /* this rank's number among the ranks of its host, and the number of hosts */
};

/* Calls MPI_Init. Afterwards a process that ends before ranks_close ends the others, too, with its exit
 * status. */
void ranks_open(int *argc, char ***argv);
const struct ranks *ranks_here(void);
/* Calls MPI_Finalize; all ranks do. */
void ranks_close(void);

/* Returns the name of the MPI library, in its own words. */
const char *ranks_library(void);

/* Copies the first rank's data to all ranks. */
void ranks_broadcast(void *data, size_t bytes);
/* Collects `mine` of every rank in the array `all`, in the order of the ranks. */
void ranks_gather(const void *mine, size_t bytes, void *all);
/* Calls MPI_Barrier: when it returns, all ranks have called it. */
void ranks_meet(void);

/*
 * Host memory that other ranks write without this rank's help (MPI_Put). Only ranks_meet says that the words
 * have arrived. mailbox_put returns when its words have arrived; mailbox_words, called after ranks_meet,
 * returns the words that have arrived.
 */
void mailbox_open(size_t words);
void mailbox_close(void);
void mailbox_put(const unsigned *words, size_t first, size_t count, int to);
const unsigned *mailbox_words(void);

#ifdef __cplusplus
}
#endif

#endif
