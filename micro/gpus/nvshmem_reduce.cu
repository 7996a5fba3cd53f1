#include "micro/gpus/nvshmem_reduce.cuh"

#ifdef GPUSYNC_NVSHMEM

#include "base/memory.h"
#include "harness/check.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "micro/gpus/all_reduce_others.cuh"
#include "micro/gpus/peers.h"
#include "sync/counter.cuh"
#include "sync/grid_barrier.h"

#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdio.h>
#include <stdlib.h>

enum order { OPEN, RUN, COUNT_WRONG, CLOSE, FINISH };
struct message {
    enum order order;
    shmem_reduce_point point;
};
struct greeting {
    int device;
    unsigned rank, ranks;
    nvshmemx_uniqueid_t id;
};

/* The parameters of the kernel that executes the rounds */
struct shmem_rounds {
    unsigned me, elements, first_round, rounds;
    unsigned *numbers, *sums, *wrong; /* `numbers` and `sums` have two halves, which are used in turn */
};

/* The state of this process, which is one rank of NVSHMEM */
static struct {
    shmem_reduce_point point;
    shmem_rounds rounds;
    gpusync_grid_barrier grid;
    cudaGraphExec_t graph;
} rank_part;

static void need(bool good, const char *what)
{
    char reason[REASON_BYTES];
    snprintf(reason, sizeof reason, "%s failed", what);
    need_library("NVSHMEM", good, reason);
}

/* ---- The kernel ---- */

/*
 * Executes the rounds. One block makes the numbers and reduces them with the numbers of the other GPUs; the
 * grid barrier shows the sums to all blocks. No GPU is two rounds ahead, because the next round's reduction
 * needs the numbers of all GPUs, and a GPU contributes its numbers only after its grid barrier. So two halves
 * are enough. Several blocks, each with a team and a share, were tried: with NVSHMEM 3.4.5 some of these runs
 * did not end on two H100, and the cause is not known.
 */
template <unsigned GPUS>
static __global__ void rounds_by_nvshmem(shmem_rounds r, gpusync_grid_barrier memory)
{
    const unsigned n = r.elements;
    unsigned wrong = 0;
    Counter grid;
    grid.begin(memory);
    for (unsigned round = r.first_round; round != r.first_round + r.rounds; round++) {
        unsigned *numbers = r.numbers + (size_t)(round % 2) * n, *sums = r.sums + (size_t)(round % 2) * n;
        if (block_in_grid() == 0) {
            for (unsigned i = thread_in_block(); i < n; i += threads_in_block())
                numbers[i] = all_reduce_value(r.me, round, i);
            __syncthreads();
            nvshmemx_uint_sum_reduce_block(NVSHMEM_TEAM_WORLD, sums, numbers, n);
        }
        grid.sync();
        UNROLL(4)
        for (unsigned i = thread_in_block(); i < n; i += threads_in_block())
            wrong += sums[i] != all_reduce_sum<GPUS>(round, i);
    }
    grid.end();
    if (wrong)
        atomicAdd(r.wrong, wrong);
}

typedef void (*shmem_kernel)(shmem_rounds, gpusync_grid_barrier);

static shmem_kernel kernel_of(unsigned gpus)
{
    return gpus == 2   ? rounds_by_nvshmem<2>
           : gpus == 3 ? rounds_by_nvshmem<3>
           : gpus == 4 ? rounds_by_nvshmem<4>
                       : rounds_by_nvshmem<8>;
}

/* ---- What every rank executes ---- */

static void enter(const greeting &g)
{
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t id = g.id;
    CHECK(cudaSetDevice(g.device));
    need(nvshmemx_set_attr_uniqueid_args((int)g.rank, (int)g.ranks, &id, &attributes) == 0,
         "nvshmemx_set_attr_uniqueid_args");
    need(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) == 0, "nvshmemx_init_attr");
}

static unsigned *symmetric(size_t words)
{
    unsigned *memory = (unsigned *)nvshmem_malloc(words * sizeof(unsigned));
    need(memory != NULL, "nvshmem_malloc");
    return memory;
}

/* Fills in this rank's numbers of round 0, which a graph adds up in all rounds. */
static void fill_numbers(const shmem_rounds &r)
{
    size_t bytes = r.elements * sizeof(unsigned);
    unsigned *host = (unsigned *)allocate(bytes);
    all_reduce_first_numbers(r.me, r.elements, host);
    CHECK(cudaMemcpy(r.numbers, host, bytes, cudaMemcpyHostToDevice));
    free(host);
}

/* Captures a graph of all rounds. An all-reduce before the capture connects the ranks, which must not happen
 * during it. */
static void capture(const shmem_rounds &r)
{
    cudaGraph_t captured;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    nvshmemx_uint_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, r.sums, r.numbers, r.elements, stream);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (unsigned i = 0; i < r.rounds; i++)
        nvshmemx_uint_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, r.sums, r.numbers, r.elements, stream);
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&rank_part.graph, captured, 0));
    CHECK(cudaGraphDestroy(captured));
    CHECK(cudaStreamDestroy(stream));
}

static void open_rank(const shmem_reduce_point &p)
{
    shmem_rounds *r = &rank_part.rounds;
    rank_part.point = p;
    *r = {(unsigned)nvshmem_my_pe(), p.elements, 0, p.rounds, NULL, NULL, NULL};
    r->numbers = symmetric(2 * (size_t)p.elements);
    r->sums = symmetric(2 * (size_t)p.elements);
    allocate_on_device(r->wrong, sizeof(unsigned));
    CHECK(cudaMemset(r->wrong, 0, sizeof(unsigned)));
    fill_numbers(*r);
    CHECK(cudaMemset(r->sums, 0, 2 * (size_t)p.elements * sizeof(unsigned)));
    CHECK(gpusync_grid_barrier_create(&rank_part.grid, p.blocks));
    CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all(); /* after this barrier other ranks may write into this rank's memory */
    if (p.graph)
        capture(*r);
}

static void enqueue(cudaStream_t stream)
{
    const shmem_reduce_point &p = rank_part.point;
    if (p.graph) {
        CHECK(cudaGraphLaunch(rank_part.graph, stream));
        return;
    }
    launch_shape shape = {p.blocks, p.threads, 0, true, false};
    CHECK(launch(kernel_of(p.gpus), shape, stream, rank_part.rounds, rank_part.grid));
    rank_part.rounds.first_round += p.rounds;
}

static unsigned wrong_of_rank()
{
    const shmem_rounds &r = rank_part.rounds;
    unsigned wrong;
    if (!rank_part.point.graph) {
        CHECK(cudaMemcpy(&wrong, r.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
        return wrong;
    }
    unsigned *sums = (unsigned *)allocate(r.elements * sizeof(unsigned));
    CHECK(cudaMemcpy(sums, r.sums, r.elements * sizeof(unsigned), cudaMemcpyDeviceToHost));
    wrong = all_reduce_wrong_sums(rank_part.point.gpus, r.elements, sums);
    free(sums);
    return wrong;
}

static void close_rank()
{
    const shmem_rounds &r = rank_part.rounds;
    nvshmem_barrier_all();
    if (rank_part.graph)
        CHECK(cudaGraphExecDestroy(rank_part.graph));
    rank_part.graph = NULL;
    CHECK(gpusync_grid_barrier_destroy(&rank_part.grid));
    CHECK(cudaFree(r.wrong));
    nvshmem_free(r.sums);
    nvshmem_free(r.numbers);
}

/* ---- What the processes of the other GPUs execute ---- */

static void serve()
{
    greeting g;
    message m;
    unsigned answer = 0;
    if (!peers_are_told(&g, sizeof g))
        return;
    enter(g);
    while (peers_are_told(&m, sizeof m) && m.order != FINISH) {
        switch (m.order) {
        case OPEN:
            open_rank(m.point);
            continue;
        case RUN:
            enqueue(0);
            CHECK(cudaDeviceSynchronize());
            break;
        case COUNT_WRONG:
            answer = wrong_of_rank();
            break;
        default:
            close_rank();
            continue;
        }
        peers_answer(&answer, sizeof answer);
    }
    nvshmem_finalize();
}

void shmem_reduce_serve(int argc, char **argv)
{
    peers_serve(argc, argv, serve);
}

/* ---- What only the first process executes ---- */

static bool runs; /* true until the other processes have answered that their run has ended */

static void tell(enum order order)
{
    message m = {order, rank_part.point};
    peers_tell(&m, sizeof m);
}

/* Receives an answer from every peer, and returns the answers' sum. */
static unsigned hear()
{
    unsigned sum = 0, answer;
    for (unsigned peer = 0; peer + 1 < rank_part.point.gpus; peer++) {
        peers_hear(peer, &answer, sizeof answer);
        sum += answer;
    }
    return sum;
}

static void await_runs()
{
    if (runs)
        hear();
    runs = false;
}

static void tell_end(void *)
{
    message m = {FINISH, {}};
    peers_tell(&m, sizeof m);
}

/* Exit handler: finalizes all ranks together; otherwise NVSHMEM would wait for a rank that has ended. */
static void finish()
{
    char reason[REASON_BYTES];
    if (attempt(tell_end, NULL, reason))
        nvshmem_finalize();
}

static void start(const struct gpus *gpus)
{
    greeting g = {gpus->devices[0], 0, gpus->count, NVSHMEMX_UNIQUEID_INITIALIZER};
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
    setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0); /* all ranks are on this host */
    setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
    need(nvshmemx_get_uniqueid(&g.id) == 0, "nvshmemx_get_uniqueid");
    peers_start(gpus->count - 1);
    for (unsigned peer = 0; peer + 1 < gpus->count; peer++) {
        greeting other = g;
        other.rank = peer + 1;
        other.device = gpus->devices[peer + 1];
        peers_tell_one(peer, &other, sizeof other);
    }
    enter(g);
    if (atexit(finish) != 0)
        cannot_measure("no exit handler");
}

bool shmem_reduce_is_there()
{
    return true;
}

int shmem_reduce_resident_blocks(unsigned threads)
{
    return resident_blocks_per_sm(rounds_by_nvshmem<8>, threads, 0);
}

void shmem_reduce_open(const struct gpus *gpus, const shmem_reduce_point &point)
{
    if (!peers_are_there())
        start(gpus);
    rank_part.point = point;
    tell(OPEN);
    open_rank(point);
}

void shmem_reduce_run(cudaStream_t stream)
{
    await_runs();
    tell(RUN);
    runs = true;
    enqueue(stream);
}

unsigned shmem_reduce_wrong()
{
    await_runs();
    tell(COUNT_WRONG);
    return wrong_of_rank() + hear();
}

void shmem_reduce_close()
{
    await_runs();
    tell(CLOSE);
    close_rank();
}

#else

void shmem_reduce_serve(int, char **) {}
bool shmem_reduce_is_there()
{
    return false;
}
int shmem_reduce_resident_blocks(unsigned)
{
    return 0;
}
void shmem_reduce_open(const struct gpus *, const shmem_reduce_point &) {}
void shmem_reduce_run(cudaStream_t) {}
unsigned shmem_reduce_wrong()
{
    return 0;
}
void shmem_reduce_close() {}

#endif
