/*
 * What does it cost a block to wait for another block's data, as the tiles of a megakernel do? Block 0, the
 * hub, sends --size bytes to each other block. The others answer with --size bytes in all, each with its
 * share. So a round is a hop out, from the hub to all others, and a hop in, from all of them. With two
 * blocks, the two hops are alike. The receiver compares all data with the expected values.
 *
 *     build/gpu/micro-dependency --variant fence-add,acquire-each,sentinel
 *     build/gpu/micro-dependency --blocks 2,3,5,9,17,33,65,129 --variant fence-add,in-apart,token
 *     build/gpu/micro-dependency --size 128,1024,8192,65536 --variant fence-add,packed-16,tma
 */
#include "base/failure.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "micro/hops/hops_sm90.cuh"
#include "micro/hops/waiting_power.cuh"

#define VECTOR_BYTES 16
/* the largest number of bytes that a vector (16 bytes of data) occupies in memory under any variant */
#define MOST_BYTES_OF_VECTOR 48

#define STANDARD_ROUNDS MACHINE_OR_GPU("5", "500")
#define STANDARD_POWER MACHINE_OR_GPU("no", "yes")
/* number of runs that are checked; on the machine, every run is the same */
#define CHECKED_RUNS MACHINE_OR_GPU(1, 20)

template <class Hop>
__global__ void exchange(Mail m)
{
    Hop hop;
    Findings found = {};
    hop.begin(m);
    for (unsigned round = 1; round <= m.rounds; round++) {
        if (is_hub())
            hop.send(m, round);
        hop.receive(m, round, found);
        if (!is_hub())
            hop.send(m, round);
    }
    hop.end(m);
    found.report(m);
}

/*
 * Hops from one block to all others, without hops back: in each hop one block sends to all others, and the
 * blocks take turns. The data of each block have a separate place. A block overwrites its data only after all
 * others have sent theirs, and so have read it.
 */
__global__ void pass_token(Mail m)
{
    Findings found = {};
    for (unsigned hop = 1; hop <= 2 * m.rounds; hop++) {
        unsigned sender = hop % blocks_in_grid();
        Letter letter = {m.out + sender * m.vectors, 0, m.vectors};
        if (block_in_grid() == sender) {
            write_letter<PLAIN>(letter, hop);
            __syncthreads();
            if (is_block_leader())
                FenceAdd<WITHIN_GPU>::signal(m.sent, hop);
        } else {
            block_waits<PollRelaxed<WITHIN_GPU>, ONE_LANE>(m.sent, hop);
            read_letter<PLAIN>(letter, hop, found);
        }
    }
    found.report(m);
}

/* The parts of programmatic dependent launch that a kernel uses. Each hop is a launch of one block. */
enum dependence { NOTHING = 0, TRIGGERS = 1, WAITS = 2 };

template <int does>
__global__ void hop_by_launch(Mail m, unsigned hop)
{
    Letter theirs = {hop & 1 ? m.out : m.in, 0, m.vectors}, mine = {hop & 1 ? m.in : m.out, 0, m.vectors};
    Findings found = {};
    if (does & TRIGGERS)
        trigger_next_kernel();
    if (does & WAITS)
        wait_for_kernel_before();
    if (hop > 0)
        read_letter<PLAIN>(theirs, hop - 1, found);
    write_letter<PLAIN>(mine, hop);
    found.report(m);
}

/* ---- The variants ---- */

#define FIELDS(...) __VA_ARGS__
#define NEEDS_SLEEP "__nanosleep: a GPU"
#define NEEDS_VECTORS "CUDA 12.3 and accesses of 16 bytes: a GPU"
#define NEEDS_EARLY_LAUNCHES "kernels that begin before others end: a GPU"

enum hop_id {
#define HOP(ID, ...) HOP_##ID,
#include "micro/hops/hops.def"
#undef HOP
    TOKEN,
    LAUNCH,
    LAUNCH_GRAPH,
    LAUNCH_PDL,
    LAUNCH_PDL_WAITS,
    LAUNCH_PDL_NOTHING,
    LAUNCH_PDL_TRIGGERS,
    HOPS
};

static struct variant hops[HOPS] = {
#define HOP(ID, fields, ...) {.id = HOP_##ID, fields},
#include "micro/hops/hops.def"
#undef HOP
    VARIANT(TOKEN, "token", "fence-add, only the hop out: blocks send in turn, each to all others",
            .ordered = true, .capability = 70),
    VARIANT(LAUNCH, "launch", "a launch of one block for each hop", .ordered = true),
    VARIANT(LAUNCH_GRAPH, "graph", "the launches as one CUDA graph", .ordered = true, .graphs = GRAPHS),
    VARIANT(LAUNCH_PDL, "graph-pdl",
            "programmatic dependent launch: triggers first, then waits (griddepcontrol)", .ordered = true,
            .graphs = GRAPHS_PROGRAMMATIC, .capability = 90),
    VARIANT(LAUNCH_PDL_WAITS, "graph-pdl-wait", "graph-pdl without the trigger", .ordered = true,
            .graphs = GRAPHS_PROGRAMMATIC, .capability = 90, .special = NEEDS_EARLY_LAUNCHES),
    VARIANT(LAUNCH_PDL_NOTHING, "graph-pdl-bare",
            "graph-pdl with the launch attribute only, without griddepcontrol", .graphs = GRAPHS_PROGRAMMATIC,
            .capability = 90, .special = NEEDS_EARLY_LAUNCHES),
    VARIANT(LAUNCH_PDL_TRIGGERS, "graph-pdl-trigger", "graph-pdl with the trigger, without the wait",
            .graphs = GRAPHS_PROGRAMMATIC, .capability = 90, .special = NEEDS_EARLY_LAUNCHES),
};

static bool is_launches(const struct variant *v)
{
    return v->id >= LAUNCH;
}

static bool can_do(const struct variant *v)
{
    if (v->id == HOP_VECTOR)
        return GPUSYNC_HOP_OF_16_BYTES;
    return !v->special || !device_is_machine();
}

/* Calls `call` with an object of the type that implements the variant's hop. */
template <class Call>
static void with_hop(int id, Call call)
{
    switch (id) {
#define HOP(ID, fields, ...)                                                                                 \
    case HOP_##ID:                                                                                           \
        return call(__VA_ARGS__());
#include "micro/hops/hops.def"
#undef HOP
    }
}

/* ---- A point of the sweep ---- */

static int rounds, power; /* values of --rounds and --power */

static struct {
    Mail mail;
    void *board; /* device memory that contains the flags and the data of the hops; it is reset before each
                  * run */
    size_t board_bytes;
    cudaGraphExec_t graph;
} bench;

static long long open_size(const char *, long long size, unsigned long long)
{
    if (size % VECTOR_BYTES)
        fail(EXIT_BAD_INPUT, "--size %lld: data are whole pieces of %d bytes", size, VECTOR_BYTES);
    return size;
}
static void close_size(void) {}

static void launch_each_hop(const struct variant *v)
{
    void (*const kernels[])(Mail, unsigned) = {hop_by_launch<NOTHING>,          hop_by_launch<NOTHING>,
                                               hop_by_launch<TRIGGERS | WAITS>, hop_by_launch<WAITS>,
                                               hop_by_launch<NOTHING>,          hop_by_launch<TRIGGERS>};
    for (unsigned hop = 0; hop < 2 * bench.mail.rounds; hop++) {
        /* The first hop is launched without programmatic dependent launch, so that it starts only after the
         * stream's earlier work has ended. */
        launch_shape shape = {1, 256, 0, false, hop > 0 && v->graphs == GRAPHS_PROGRAMMATIC};
        CHECK(launch(kernels[v->id - LAUNCH], shape, harness_stream(), bench.mail, hop));
    }
}

/* Divides the device memory in this order: the hub's flags, the partners' flags, the hub's data (for `token`
 * every block's data), the partners' data. */
static void lay_out(const struct point *p)
{
    Mail *m = &bench.mail;
    unsigned partners = p->blocks - 1;
    m->rounds = (unsigned)rounds;
    m->vectors = (unsigned)(p->size / VECTOR_BYTES);
    m->in_vectors = m->vectors > partners ? m->vectors : partners;
    size_t flags = (size_t)partners * LINE_WORDS * sizeof(unsigned);
    size_t out = (size_t)m->vectors * (MOST_BYTES_OF_VECTOR + p->blocks * VECTOR_BYTES);
    size_t in = (size_t)m->in_vectors * MOST_BYTES_OF_VECTOR;
    bench.board_bytes = 2 * flags + out + in;
    bench.board = device_memory(bench.board_bytes);
    unsigned char *at = (unsigned char *)bench.board;
    m->sent = (unsigned *)at;
    m->answered = (unsigned *)(at + flags);
    m->out = (uint4 *)(at + 2 * flags);
    m->in = (uint4 *)(at + 2 * flags + out);
}

static void prepare(const struct point *p)
{
    if (p->blocks < 2)
        fail(EXIT_BAD_INPUT, "--blocks 1: a hop is between two blocks");
    with_hop(p->variant->id, [&](auto hop) {
        if (decltype(hop)::IN_CLUSTER && p->blocks != 2)
            fail(EXIT_BAD_INPUT, "%s: two blocks are of one cluster, not %u", p->variant->name, p->blocks);
    });
    lay_out(p);
    allocate_on_device(bench.mail.wrong, sizeof *bench.mail.wrong);
    allocate_on_device(bench.mail.compared, sizeof *bench.mail.compared);
    CHECK(cudaMemset(bench.mail.wrong, 0, sizeof *bench.mail.wrong));
    CHECK(cudaMemset(bench.mail.compared, 0, sizeof *bench.mail.compared));
    if (p->variant->graphs != NO_GRAPHS)
        bench.graph = capture_graph([&] { launch_each_hop(p->variant); });
}

static void release(void)
{
    if (bench.graph)
        CHECK(cudaGraphExecDestroy(bench.graph));
    bench.graph = NULL;
    CHECK(cudaFree(bench.board));
    CHECK(cudaFree(bench.mail.wrong));
    CHECK(cudaFree(bench.mail.compared));
}

static void run(const struct point *p)
{
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    bool sentinel = p->variant->id == HOP_SENTINEL;
    CHECK(cudaMemsetAsync(bench.board, sentinel ? 0xff : 0, bench.board_bytes, harness_stream()));
    if (p->variant->graphs != NO_GRAPHS)
        CHECK(cudaGraphLaunch(bench.graph, harness_stream()));
    else if (is_launches(p->variant))
        launch_each_hop(p->variant);
    else if (p->variant->id == TOKEN)
        CHECK(launch(pass_token, shape, harness_stream(), bench.mail));
    else
        with_hop(p->variant->id, [&](auto hop) {
            typedef decltype(hop) Hop;
            shape.shared_bytes = Hop::bytes(bench.mail);
            shape.cluster = Hop::IN_CLUSTER ? 2 : 0;
            CHECK(launch(exchange<Hop>, shape, harness_stream(), bench.mail));
        });
}

static unsigned long long vectors_read_in_a_run(const struct point *p)
{
    unsigned long long vectors = bench.mail.vectors, in_vectors = bench.mail.in_vectors,
                       partners = p->blocks - 1;
    unsigned long long hops_of_run = 2ull * bench.mail.rounds;
    if (is_launches(p->variant))
        return (hops_of_run - 1) * vectors;
    if (p->variant->id == TOKEN)
        return hops_of_run * partners * vectors;
    return bench.mail.rounds * (partners * vectors + in_vectors);
}

/* Checks all data that blocks read in many runs, since a hop that is not ordered may go wrong rarely. */
static struct verdict check(const struct point *p)
{
    unsigned long long compared;
    struct verdict verdict = {};
    for (int i = 1; i < CHECKED_RUNS; i++)
        run(p);
    wait_for_device();
    CHECK(cudaMemcpy(&verdict.wrong, bench.mail.wrong, sizeof verdict.wrong, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&compared, bench.mail.compared, sizeof compared, cudaMemcpyDeviceToHost));
    verdict.compared = CHECKED_RUNS * vectors_read_in_a_run(p);
    verdict.correct = verdict.wrong == 0 && compared == verdict.compared;
    return verdict;
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    int per_sm = variant->id == TOKEN ? resident_blocks_per_sm(pass_token, threads, 0) : 0;
    with_hop(variant->id, [&](auto hop) {
        typedef decltype(hop) Hop;
        per_sm = resident_blocks_per_sm(exchange<Hop>, threads, Hop::bytes(bench.mail));
    });
    return per_sm * sm_count;
}

/* Returns whether the variant serves to compare ways to wait; these variants differ in nothing else. */
static bool has_way_to_wait(const struct variant *v)
{
    return v->id == HOP_FENCE_ADD || (v->id >= HOP_ACQUIRE && v->id <= HOP_SLEEP_LONGER);
}

static void describe(const struct point *p, cJSON *json)
{
    if (power && has_way_to_wait(p->variant))
        with_hop(p->variant->id, [&](auto hop) {
            if constexpr (has_poll<decltype(hop)>::value)
                add_waiting_power<decltype(hop)>(p, json);
        });
}

static double operations(const struct point *)
{
    return 2.0 * rounds;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("rounds", 1, 1000000, STANDARD_ROUNDS, &rounds,
                         "rounds of one run, of a hop out and a hop in"),
        OPTION_OF_CHOICE("power", "no,yes", STANDARD_POWER, &power,
                         "GPU: with yes, also its power while a block on each multiprocessor waits"),
        {}};
    for (struct variant &hop : hops)
        hop.resident = !is_launches(&hop);
    struct experiment e = {
        .name = "micro-dependency",
        .question = "what does it cost a block to wait for another block's data?",
        .variants = hops,
        .variant_count = HOPS,
        .can_do = can_do,
        .options = options,
        .size_means = "bytes that a block sends, a multiple of 16",
        .gpu_sizes = "128",
        .machine_sizes = "128",
        .gpu_runs = 3,
        .launches = {.threads = "256", .sweep = SWEEP_TWO_BLOCKS, .resident_blocks = resident_blocks},
        .problem = {.open = open_size, .close = close_size, .is_generated = true},
        .describe = describe,
    };
#ifdef GPUSYNC_MACHINE
    /* The machine has no constants for the times of these hops; it can only check their order. */
    e.left_out = "tma-store,tma-store-no-release,tma-store-read,tma-both,tma-both-no-fences,cluster-global,"
                 "cluster-barrier,"
                 "cluster-mbarrier,cluster-st-async";
#endif
    return run_experiment(argc, argv, e);
}
