#include "micro/gpus/nccl_rank.h"

#ifdef GPUSYNC_NCCL

#include "base/text.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/memory.h"
#include "micro/gpus/ranks.h"

#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ncclComm_t all;
static char log_path[] = "/tmp/gpusync-nccl-XXXXXX";
static char transport[256] = "nothing: there is one rank";

static void need(ncclResult_t result)
{
    need_library("NCCL", result == ncclSuccess, ncclGetErrorString(result));
}

bool nccl_rank_is_there(void)
{
    return true;
}

/* Lets NCCL write a log, the only place where NCCL reports how it connects ranks. A log that the user has set
 * remains. Returns whether this function began a log. */
static bool begin_log(void)
{
    if (getenv("NCCL_DEBUG")) {
        snprintf(transport, sizeof transport, "see the log that NCCL_DEBUG asked for");
        return false;
    }
    int file = ranks_here()->rank == 0 ? mkstemp(log_path) : -1;
    if (file < 0)
        return false;
    close(file);
    setenv("NCCL_DEBUG", "INFO", 1);
    setenv("NCCL_DEBUG_SUBSYS", "INIT,P2P,SHM,NET", 1);
    setenv("NCCL_DEBUG_FILE", log_path, 1);
    return true;
}

/* Adds the transport that a line of NCCL's log names to the list, unless the list has it. It is the last word
 * of the line, for example of "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM". */
static void add_transport(const char *line)
{
    const char *channel = strstr(line, "Channel "), *via = channel ? strstr(channel, " via ") : NULL;
    if (!via)
        return;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(via + 5, " "), via + 5);
    if (strncmp(transport, "nothing", 7) == 0)
        snprintf(transport, sizeof transport, "%s", name);
    else if (!strstr(transport, name) && strlen(transport) + strlen(name) + 3 < sizeof transport)
        strcat(strcat(transport, ", "), name);
}

static void read_log(void)
{
    struct lines lines = lines_open(log_path);
    while (lines_next(&lines))
        add_transport(lines.text);
    lines_close(&lines);
    unlink(log_path);
}

/* Connects the ranks by a first all-reduce and a first message, which must not happen while a graph is
 * captured. */
static void connect_all(void)
{
    float *number = device_memory(sizeof *number);
    unsigned *words = device_memory(2 * sizeof *words);
    nccl_rank_add(number, harness_stream());
    nccl_rank_pass(words, words + 1, 1, harness_stream());
    CHECK(cudaStreamSynchronize(harness_stream()));
    CHECK(cudaFree(number));
    CHECK(cudaFree(words));
}

void nccl_rank_open(void)
{
    ncclUniqueId id;
    const struct ranks *ranks = ranks_here();
    bool logs = begin_log();
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    if (ranks->rank == 0)
        need(ncclGetUniqueId(&id));
    ranks_broadcast(&id, sizeof id);
    need(ncclCommInitRank(&all, ranks->count, id, ranks->rank));
    connect_all();
    if (logs)
        read_log();
}

void nccl_rank_close(void)
{
    need(ncclCommDestroy(all));
}

void nccl_rank_add(float *number, cudaStream_t stream)
{
    need(ncclAllReduce(number, number, 1, ncclFloat, ncclSum, all, stream));
}

void nccl_rank_pass(const unsigned *words, unsigned *from_previous, size_t count, cudaStream_t stream)
{
    int me = ranks_here()->rank, ranks = ranks_here()->count;
    need(ncclGroupStart());
    need(ncclSend(words, count, ncclUint32, (me + 1) % ranks, all, stream));
    need(ncclRecv(from_previous, count, ncclUint32, (me + ranks - 1) % ranks, all, stream));
    need(ncclGroupEnd());
}

const char *nccl_rank_transport(void)
{
    return transport;
}

const char *nccl_rank_version(void)
{
    static char text[32];
    int version;
    need(ncclGetVersion(&version));
    snprintf(text, sizeof text, "%d.%d.%d", version / 10000, version % 10000 / 100, version % 100);
    return text;
}

#else

bool nccl_rank_is_there(void)
{
    return false;
}
void nccl_rank_open(void) {}
void nccl_rank_close(void) {}
void nccl_rank_add(float *number, cudaStream_t stream)
{
    (void)number, (void)stream;
}
void nccl_rank_pass(const unsigned *words, unsigned *from_previous, size_t count, cudaStream_t stream)
{
    (void)words, (void)from_previous, (void)count, (void)stream;
}
const char *nccl_rank_transport(void)
{
    return NULL;
}
const char *nccl_rank_version(void)
{
    return NULL;
}

#endif
