#include "micro/gpus/ranks.h"
#include "base/failure.h"
#include "harness/check.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

static struct ranks here;
static bool open;
static MPI_Win mailbox;
static unsigned *mail;

/* Exit handler: ends all ranks with this status, unless ranks_close was called. After an error of MPI, MPI
 * itself ends them, with its own message. */
static void end_all(int status, void *unused)
{
    (void)unused;
    if (open)
        MPI_Abort(MPI_COMM_WORLD, status);
}

/* Determines this rank's number on its host, and how many hosts have a rank. */
static void count_hosts(void)
{
    MPI_Comm host;
    int first;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, here.rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &here.local);
    MPI_Comm_free(&host);
    first = here.local == 0;
    MPI_Allreduce(&first, &here.hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void ranks_open(int *argc, char ***argv)
{
    need_library("MPI", MPI_Init(argc, argv) == MPI_SUCCESS, "MPI_Init failed");
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &here.count);
    count_hosts();
    open = true;
    if (on_exit(end_all, NULL) != 0)
        fail(EXIT_CANNOT, "no exit handler");
}

void ranks_close(void)
{
    open = false;
    MPI_Finalize();
}

const struct ranks *ranks_here(void)
{
    return &here;
}

const char *ranks_library(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return version;
}

void ranks_broadcast(void *data, size_t bytes)
{
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void ranks_gather(const void *mine, size_t bytes, void *all)
{
    MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

void ranks_meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

void mailbox_open(size_t words)
{
    MPI_Win_allocate((MPI_Aint)(words * sizeof *mail), sizeof *mail, MPI_INFO_NULL, MPI_COMM_WORLD, &mail,
                     &mailbox);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, mailbox);
}

void mailbox_close(void)
{
    MPI_Win_unlock_all(mailbox);
    MPI_Win_free(&mailbox);
}

void mailbox_put(const unsigned *words, size_t first, size_t count, int to)
{
    MPI_Put(words, (int)count, MPI_UNSIGNED, to, (MPI_Aint)first, (int)count, MPI_UNSIGNED, mailbox);
    MPI_Win_flush(to, mailbox);
}

const unsigned *mailbox_words(void)
{
    MPI_Win_sync(mailbox);
    return mail;
}
