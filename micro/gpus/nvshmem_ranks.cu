#include "micro/gpus/nvshmem_ranks.cuh"

#ifdef GPUSYNC_NVSHMEM

#include "harness/check.h"
#include "harness/launch.cuh"
#include "micro/gpus/ranks.h"
#include "sync/counter.cuh"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdio.h>
#include <stdlib.h>

static void need(int status, const char *what)
{
    char reason[REASON_BYTES];
    snprintf(reason, sizeof reason, "%s failed with %d", what, status);
    need_library("NVSHMEM", status == 0, reason);
}

bool shmem_ranks_are_there()
{
    return true;
}

void shmem_ranks_open()
{
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
    if (ranks_here()->rank == 0)
        need(nvshmemx_get_uniqueid(&id), "nvshmemx_get_uniqueid");
    ranks_broadcast(&id, sizeof id);
    need(nvshmemx_set_attr_uniqueid_args(ranks_here()->rank, ranks_here()->count, &id, &attributes),
         "nvshmemx_set_attr_uniqueid_args");
    need(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes), "nvshmemx_init_attr");
}

void shmem_ranks_close()
{
    nvshmem_finalize();
}

unsigned *shmem_ranks_memory(size_t words)
{
    void *memory = nvshmem_malloc(words * sizeof(unsigned));
    if (!memory)
        cannot_measure("NVSHMEM has no %zu bytes; NVSHMEM_SYMMETRIC_SIZE is the size of its heap",
                       words * sizeof(unsigned));
    return (unsigned *)memory;
}

void shmem_ranks_free(unsigned *memory)
{
    nvshmem_free(memory);
}

void shmem_ranks_put(const RankExchange &e, unsigned r, cudaStream_t stream)
{
    nvshmemx_putmem_nbi_on_stream(e.mail + e.half(r), e.board + e.half(r), e.words() * sizeof(unsigned),
                                  (int)e.next(), stream);
}

void shmem_ranks_meet(cudaStream_t stream)
{
    nvshmemx_barrier_all_on_stream(stream);
}

/* Executes all rounds. NVSHMEM's barrier orders only accesses of the block that calls it. So a grid barrier
 * before it hands the writes and puts of all blocks to that block, and a grid barrier after it hands the
 * arrived words to the other blocks. */
static __global__ void rounds_with_nvshmem(RankExchange e, gpusync_grid_barrier memory)
{
    Counter grid;
    grid.begin(memory);
    for (unsigned r = 0; r < e.rounds; r++) {
        size_t first = e.half(r) + block_in_grid() * e.workers;
        e.leave(r);
        e.come_late();
        if (e.checks) {
            __syncthreads();
            nvshmemx_uint_put_nbi_block(e.mail + first, e.board + first, e.workers, (int)e.next());
        }
        grid.sync();
        if (block_in_grid() == 0)
            nvshmemx_barrier_all_block();
        grid.sync();
        e.find(r);
    }
    grid.end();
}

/* Launches all rounds by NVSHMEM's own launch function, which NVSHMEM's barriers in a kernel need. */
void shmem_ranks_rounds(const RankExchange &exchange, gpusync_grid_barrier memory, cudaStream_t stream)
{
    RankExchange e = exchange;
    void *arguments[] = {&e, &memory};
    need(nvshmemx_collective_launch((const void *)rounds_with_nvshmem, dim3(e.blocks), dim3(e.workers),
                                    arguments, 0, stream),
         "nvshmemx_collective_launch");
}

int shmem_ranks_resident_blocks(unsigned threads)
{
    return resident_blocks_per_sm(rounds_with_nvshmem, threads, 0);
}

const char *shmem_ranks_transport(const unsigned *memory)
{
    static char text[128];
    int others = nvshmem_n_pes() - 1, reached = 0;
    for (int pe = 0; pe <= others; pe++)
        reached += pe != nvshmem_my_pe() && nvshmem_ptr(memory, pe);
    const char *carrier = getenv("NVSHMEM_REMOTE_TRANSPORT");
    snprintf(text, sizeof text, "loads and stores to %d of %d other ranks%s%s", reached, others,
             reached < others ? ", the rest by " : "",
             reached == others ? ""
             : carrier         ? carrier
                               : "NVSHMEM's usual remote transport");
    return text;
}

const char *shmem_ranks_version()
{
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION,
             NVSHMEM_VENDOR_PATCH_VERSION);
    return text;
}

#else

bool shmem_ranks_are_there()
{
    return false;
}
void shmem_ranks_open() {}
void shmem_ranks_close() {}
unsigned *shmem_ranks_memory(size_t)
{
    return NULL;
}
void shmem_ranks_free(unsigned *) {}
void shmem_ranks_put(const RankExchange &, unsigned, cudaStream_t) {}
void shmem_ranks_meet(cudaStream_t) {}
void shmem_ranks_rounds(const RankExchange &, gpusync_grid_barrier, cudaStream_t) {}
int shmem_ranks_resident_blocks(unsigned)
{
    return 0;
}
const char *shmem_ranks_transport(const unsigned *)
{
    return NULL;
}
const char *shmem_ranks_version()
{
    return NULL;
}

#endif
