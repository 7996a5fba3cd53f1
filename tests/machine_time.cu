/* Tests times on the memory machine, for the parts of its time model that are not in Nakano 2013: those of
 * single requests on machines that are drawn at random, against formulas over their constants, and those of
 * loops, launches and warps on a machine with round numbers as its constants. One file because all tests
 * measure on machines of one card. */
#include "base/random.h"
#include "harness/async.cuh"
#include "sync/convergence.cuh"
#include "sync/mbarrier.cuh"
#include "sync/memory_order.cuh"
#include "sync/system_order.cuh"
#include "tests/machine_of_card.cuh"

#include <algorithm>
#include <cooperative_groups.h>

using namespace gpusync;

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const int GLOBAL = 100, LINE = 32;

/* Returns a machine with one multiprocessor and with round numbers as its constants. */
static machine_description machine_of_parts()
{
    machine_description d = machine_of_card(GLOBAL);
    d.clock_hz = 1e9; /* a time unit is a nanosecond */
    d.fence_latency = d.fence_release_latency = 50;
    return d;
}

/* Returns machine_of_parts() with instructions that take this many time units each. */
static machine_description machine_of_instructions(int units)
{
    machine_description d = machine_of_parts();
    d.instruction_per_1000 = d.long_instruction_per_1000 = 1000 * units;
    return d;
}

/* Checks that a time is the expected one, with room for the instructions that measure it. */
static void is_about(long long time, long long expected, const char *sentence)
{
    within(time, (double)expected, (double)expected + 9, sentence);
}

/* Returns the value of a counter of the machine after the kernel. */
template <class Body>
static double counted(uint64_t machine_counters::*counter, Body body)
{
    machine_reset_counters();
    run({1, 32}, body);
    return (double)(machine_get_counters()->*counter);
}

/* ---- requests on random machines, against the sum of the constants that they take ---- */

enum { LOOKS = 3, MATCHED = 5, DEPENDENT = 3, ONE_HALF = 1, PEER = 4, MEASURED_WORDS = 32 * 33 };

static __device__ void look(volatile unsigned *word)
{
    unsigned looks = 1;
    UNROLL(1)
    while (!*word && looks < LOOKS)
        looks++;
}

#define REQUEST(name, ...) name,
enum request {
#include "tests/machine_time.def"
};

/* Requests that the threads of one block make one after the other. The words of two threads are `stride`
 * words apart. */
struct sequence {
    request of[3];
    unsigned block, stride, one; /* `one` is 1, which nvcc does not know */
};

__global__ void measure(sequence s, unsigned *words, long long *times)
{
    __shared__ __align__(16) unsigned all[2 * MEASURED_WORDS];
    auto cluster = cooperative_groups::this_cluster();
    const unsigned at = threadIdx.x % 32 * s.stride, lanes = __activemask(), one = s.one;
    unsigned *word = words + at, *shared = all + at,
             *other = cluster.map_shared_rank(shared, cluster.block_rank() ^ (cluster.num_blocks() > 1));
    unsigned long long *wide = (unsigned long long *)all + at;
    int are_equal;
    for (unsigned i = threadIdx.x; blockIdx.x / 2 == s.block / 2 && i < 2 * MEASURED_WORDS; i += blockDim.x)
        all[i] = 0;
    __syncthreads();
    if (s.of[0] == ARRIVE || s.of[0] == ASK)
        mbarrier_init(wide, 64);
    __syncthreads();
    cluster_arrive();
    cluster_wait();
    if (blockIdx.x == s.block || s.of[0] == CLUSTER_BARRIER) {
        dependent_instructions(300); /* until then all queues are empty again */
        const long long begin = clock64();
        UNROLL(3)
        for (unsigned i = 0; i < 3; i++) {
            unsigned value = 0;
            switch (s.of[i]) {
#define REQUEST(name, ...)                                                                                   \
    case name:                                                                                               \
        __VA_ARGS__;                                                                                         \
        break;
#include "tests/machine_time.def"
            }
            if (value == 12345) /* waits for the result */
                __trap();
        }
        const unsigned place = threadIdx.x < 32 ? threadIdx.x : 32 + threadIdx.x / 32;
        const long long time = clock64() - begin;
        if (blockIdx.x == s.block && (threadIdx.x < 32 || threadIdx.x % 32 == 0))
            times[place] = time;
    }
    cluster_arrive();
    cluster_wait();
}

/* The constants that are drawn. Those from OPTIONAL on may be 0. */
typedef int machine_description::*constant;
static const constant drawn[] = {
#define DRAWN(name) &machine_description::name,
#include "tests/machine_time.def"
};
enum { OPTIONAL = 5 };
static const constant rates[] = {
    &machine_description::global_groups_per_1000_units, &machine_description::link_groups_per_1000_units,
    &machine_description::l2_groups_per_1000_units, &machine_description::sm_groups_per_1000_units,
    &machine_description::cluster_groups_per_1000_units};

static struct random draws = {1};
static int any(int least, int most)
{
    return least + (int)(random_next(&draws) % (unsigned)(most - least + 1));
}

/* Draws a machine of two devices with four multiprocessors each, of which every second one is far from the
 * memory. */
static machine_description any_machine()
{
    machine_description d = machine_of_card(GLOBAL);
    d.sm_count = 4;
    d.atomic_near_multiprocessors = 1;
    d.atomic_units = d.atomic_unit_lines = any(0, 1);
    d.clock_hz = 1e9;
    for (size_t i = 0; i < LENGTH(drawn); i++)
        d.*drawn[i] = i >= OPTIONAL && !any(0, 3) ? 0 : any(100, 999);
    d.syncthreads_latency_of_32 = d.syncthreads_latency + any(0, 999);
    d.cluster_barrier_latency_of_32 = d.cluster_barrier_latency ? d.cluster_barrier_latency + any(0, 999) : 0;
    d.atomic_same_address_per_1000 *= 100; /* several time units for each atomic */
    d.poll_apart_latency += d.poll_latency;
    d.link_latency += d.link_latency ? d.global_latency : 0;
    for (size_t i = 0; i < LENGTH(rates); i++)
        d.*rates[i] = i >= 2 && any(0, 1) ? 0 : any(100, 1500);
    return d;
}

/* What decides how long requests take. */
struct situation {
    machine_description d;
    unsigned threads, stride;
    bool is_far, is_away;
};

static unsigned warps(const situation &s)
{
    return (s.threads + 31) / 32;
}

/* Returns how many units of memory, of this number of words each, the lanes of a warp touch. */
static unsigned touched(const situation &s, unsigned of_unit)
{
    unsigned count = 0;
    bool has[MEASURED_WORDS] = {false};
    for (unsigned i = 0; i < s.threads && i < 32; i++) {
        count += !has[i * s.stride / of_unit];
        has[i * s.stride / of_unit] = true;
    }
    return count;
}

/* Returns the most lanes whose words, of this number of banks, are in one. Lanes with one word count once if
 * `at_once` is set. */
static unsigned most_of_bank(const situation &s, unsigned banks, bool at_once)
{
    unsigned load[MEASURED_WORDS] = {0}, most = 0;
    bool has[MEASURED_WORDS] = {false};
    for (unsigned i = 0; i < s.threads && i < 32; i++) {
        const unsigned word = i * s.stride;
        load[word % banks] += !(at_once && has[word]);
        has[word] = true;
        most = load[word % banks] > most ? load[word % banks] : most;
    }
    return most;
}
static unsigned most_of_word(const situation &s)
{
    return most_of_bank(s, MEASURED_WORDS, false);
}

/* Returns by how much the last of so many groups is later than the first at this rate; 0 means any rate. */
static int queued(unsigned groups, int per_1000_units)
{
    return per_1000_units ? (int)((groups - 1) * 1000 / (unsigned)per_1000_units) : 0;
}
static int trip(int away, int near)
{
    return away > near ? (away - near) / 2 : 0;
}
static int either(int first, int otherwise)
{
    return first ? first : otherwise;
}

static int load_takes(const situation &s)
{
    const machine_description &d = s.d;
    const unsigned groups = warps(s) * touched(s, LINE);
    int last = queued(groups, d.sm_groups_per_1000_units);
    last = std::max(last, queued(groups, either(d.l2_groups_per_1000_units, d.global_groups_per_1000_units)));
    if (s.is_away)
        last = std::max(last, queued(groups, d.link_groups_per_1000_units));
    return last + (s.is_away ? d.link_latency : d.global_latency);
}

/* A unit of L2 changes the words of a sector of 8 words at once; without units, each word has its own. */
static int add_takes(const situation &s)
{
    const machine_description &d = s.d;
    unsigned turns = s.stride == 0 ? s.threads : touched(s, 8);
    if (!d.atomic_units)
        turns = most_of_word(s);
    return (int)(turns - 1) * d.atomic_same_address_per_1000 / 1000 + d.atomic_latency +
           (s.is_far ? d.atomic_far_latency : 0) +
           (s.is_away ? 2 * trip(d.link_latency, d.global_latency) : 0);
}

/* Returns when an atomic and when a strong store take effect. */
static int add_begun(const situation &s)
{
    const machine_description &d = s.d;
    return (d.store_delay ? trip(d.atomic_latency, d.global_latency) : 0) +
           (s.is_away ? trip(d.link_latency, d.global_latency) : 0);
}
static int store_takes(const situation &s)
{
    return s.d.store_delay + (s.is_away ? trip(s.d.link_latency, s.d.global_latency) : 0);
}

/* `stored` is when earlier stores have ended, and `begun` when the thread comes to the fence. */
static int fence_takes(const situation &s, int latency, bool of_system, bool has_accessed, int stored,
                       int begun = 0)
{
    const machine_description &d = s.d;
    const int after = d.fence_store_latency + (s.is_far ? d.fence_store_far_latency : 0);
    if (has_accessed)
        latency = std::max(latency, d.fence_load_latency + (s.is_far ? d.fence_load_far_latency : 0));
    return !after || of_system ? stored + latency : std::max(begun + latency, stored ? stored + after : 0);
}

static int shared_takes(const situation &s, unsigned wide = 1)
{
    return (int)(warps(s) * most_of_bank(s, 32 / wide, true)) - 1 + s.d.shared_latency;
}

/* `lane` is the time of each turn of the lanes whose words are in one bank, and `serial` that between the
 * turns of several warps. */
static int shared_add_takes(const situation &s, int lane, int serial, unsigned banks = 32,
                            bool counts = false)
{
    const machine_description &d = s.d;
    const int turns = (int)most_of_bank(s, banks, counts), others = (int)warps(s) - 1;
    return d.shared_atomic_latency +
           (d.shared_atomic_lane ? others * turns * serial + (turns - 1) * lane
                                 : (int)(warps(s) * most_of_word(s) - 1) * d.shared_atomic_same_address);
}
static int shared_swap_takes(const situation &s, unsigned banks)
{
    return s.d.shared_swap_lane
               ? shared_add_takes(s, s.d.shared_swap_lane, s.d.shared_swap_serial, banks)
               : shared_add_takes(s, s.d.shared_atomic_lane, s.d.shared_atomic_serial, banks);
}

/* nvcc makes a loop of an atomic that shared memory does not have, in which one lane of a word succeeds. */
static int loop_takes(const situation &s, int lane, unsigned banks)
{
    const machine_description &d = s.d;
    return d.shared_atomic_lane && d.shared_loop_lane
               ? (int)(most_of_word(s) - 1) * std::max(lane, d.shared_loop_serial) + lane
               : shared_add_takes(s, d.shared_atomic_lane, d.shared_atomic_serial, banks);
}
static int mbarriers_take(const situation &s)
{
    const int count = (int)touched(s, 1);
    return (int)(warps(s) - 1) * count * s.d.mbarrier_serial + (count - 1) * s.d.mbarrier_lane;
}
static int cluster_latency(const situation &s)
{
    return either(s.d.cluster_load_latency, s.d.global_latency);
}
static int lines_in_cluster(const situation &s)
{
    return queued(touched(s, LINE), s.d.cluster_groups_per_1000_units);
}
/* A fence begins when the store has arrived, and ends when it is known here that it has. */
static int cluster_fence_takes(const situation &s)
{
    const int done = cluster_latency(s) + lines_in_cluster(s), after = s.d.fence_store_latency,
              way = std::max(trip(cluster_latency(s), s.d.shared_latency), (int)most_of_bank(s, 32, true)),
              arrived = way + s.d.fence_latency;
    return after == 0 ? done + s.d.fence_latency : done - after > way ? std::max(arrived, done) : arrived;
}
static int barrier_takes(const situation &s, int latency, int latency_of_32)
{
    return latency + (int)(warps(s) - 1) * std::max(0, latency_of_32 - latency) / 31;
}

/* Each of LOOKS looks takes a load and a branch. */
static int looks_take(const situation &s, int load, int poll, int leave)
{
    return LOOKS * load + (s.d.poll_latency ? (LOOKS - 1) * poll + leave : (LOOKS - 1) * s.d.branch_latency);
}

/* Which threads make the requests: those of a warp, of a block of several warps, one thread, or a whole warp;
 * those of CLUSTER are in a block of a cluster of two. */
enum threads_of { WARP, THREAD, BLOCK, WHOLE_WARP, CLUSTER, CLUSTER_OF_BLOCKS };

#define UNPACKED(...) __VA_ARGS__
static const struct {
    const char *name;
    threads_of threads;
    request of[3];
    int (*takes)(const situation &s, const machine_description &d);
} rows[] = {
#define ROW(name, threads, requests, ...)                                                                    \
    {name, threads, {UNPACKED requests}, [](const situation &s, const machine_description &d) -> int {       \
         (void)s, (void)d;                                                                                   \
         return __VA_ARGS__;                                                                                 \
     }},
#include "tests/machine_time.def"
};

static long long time_of_sequence(const sequence &of, const situation &s, bool has_cluster)
{
    launch_shape shape = {8, s.threads};
    shape.cluster = has_cluster ? 2 : 0;
    std::fill(times, times + 64, 0);
    CHECK(launch(measure, shape, (cudaStream_t) nullptr, of, words, times));
    CHECK(cudaDeviceSynchronize());
    return *std::max_element(times, times + 64);
}

static void check_constants()
{
    enum { MACHINES = 60, SLACK = 20 };
    for (const auto &row : rows) {
        int wrong = 0;
        void *freed;
        for (int i = 0; i < MACHINES; i++) {
            static const unsigned strides[] = {0, 0, 1, 2, 3, 8, 16, 31, 32, 33},
                                  blocks[] = {0, ONE_HALF, PEER};
            situation s = {any_machine(), (unsigned)any(1, 32), strides[any(0, LENGTH(strides) - 1)], false,
                           false};
            sequence of = {{row.of[0], row.of[1], row.of[2]},
                           row.threads <= THREAD ? blocks[any(0, 2)] : 0,
                           s.stride,
                           1};
            if (row.threads == BLOCK || row.threads == CLUSTER_OF_BLOCKS)
                s.threads *= 32;
            else if (row.threads == THREAD || row.threads == WHOLE_WARP)
                s.threads = row.threads == THREAD ? 1 : 32;
            if (row.threads == WHOLE_WARP)
                of.stride = s.stride = 0;
            s.is_far = of.block == ONE_HALF;
            s.is_away = of.block == PEER && s.d.link_latency;
            CHECK(cudaMalloc((void **)&freed, 4));
            CHECK(cudaFree(freed)); /* which half of L2 has written a line is then forgotten */
            install(s.d);
            machine_set_devices(2);
            const bool crosses = of.of[0] == LOAD && !s.is_away && row.threads == WARP && any(0, 1);
            if (crosses)
                time_of_sequence({{STORE}, 1 - of.block % 2, s.stride, 1}, s, false);
            const long long time = time_of_sequence(of, s, row.threads >= CLUSTER) -
                                   either(s.d.clock_latency, 1),
                            expected = row.takes(s, s.d) + (crosses ? s.d.crossing_latency : 0);
            if (time + warps(s) - 1 < expected || time > expected + SLACK + warps(s)) {
                printf("        %lld and not %lld, block %u of %u threads, stride %u, machine %d\n", time,
                       expected, of.block, s.threads, s.stride, i);
                wrong++;
            }
        }
        check(wrong == 0, "%s takes the time of its constants (%d of %d machines differ)", row.name, wrong,
              MACHINES);
    }
    machine_set_devices(1);
}

/* ---- times of launches, barriers and instructions ---- */

__global__ void spin(long long cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;) {
    }
}

static long long time_of_launches(int count, unsigned blocks, long long cycles)
{
    uint64_t begin = machine_now();
    for (int i = 0; i < count; i++)
        launch(spin, {blocks, 1}, (cudaStream_t) nullptr, cycles);
    cudaStreamSynchronize(nullptr);
    return (long long)(machine_now() - begin);
}

static void check_launches()
{
    machine_description d = machine_of_parts();
    d.launch_asynchronous = 1000;
    d.launch_behind = 200;
    install(d);
    cudaDeviceSynchronize();
    within(time_of_launches(3, 1, 5000), 16400, 16699,
           "a kernel that was launched while another ran starts shortly after it");
    within(time_of_launches(3, 1, 10), 3000, 3199, "short kernels wait for the host's launches");
    d.launch_synchronous = 1700;
    install(d);
    cudaDeviceSynchronize();
    within(time_of_launches(1, 1, 10), 1700, 1899, "a wait adds its share to a launch");
    equals(time_of_launches(0, 1, 10), 0, "once");
    /* a machine like the GPUs up to 2010: a launch begins only when the preceding kernel has ended */
    d = machine_of_parts();
    d.launch_asynchronous = 1000;
    d.launch_block = 30;
    install(d);
    within(time_of_launches(1, 5, 10) - time_of_launches(1, 1, 10), 4 * 30, 4 * 30 + 4,
           "each block adds to a launch");
}

static bool takes_to_copy(uint64_t time, void *to, const void *from, cudaMemcpyKind kind)
{
    uint64_t begin = machine_now();
    cudaMemcpy(to, from, 4000, kind);
    return machine_now() - begin == time;
}

static void check_copies()
{
    machine_description d = machine_of_parts();
    char host[4000];
    for (int rate : {0, 2500}) {
        d.copy_latency = 300;
        d.copy_bytes_per_1000_units = rate;
        install(d);
        uint64_t time = rate ? 300 + sizeof host * 2 / 5 : 0;
        check(takes_to_copy(time, words, host, cudaMemcpyHostToDevice) &&
                  takes_to_copy(time, host, words, cudaMemcpyDeviceToHost) &&
                  takes_to_copy(time, host, words, cudaMemcpyDefault),
              "a copy between host and device takes copy_latency and its bytes at a rate of %d", rate);
        check(takes_to_copy(0, words + 2000, words, cudaMemcpyDeviceToDevice) &&
                  takes_to_copy(0, words + 2000, words, cudaMemcpyDefault),
              "a copy within a device uses no bus");
    }
}

/* Returns how long a graph of three kernels takes, each with this number of blocks. */
static long long time_of_graph(unsigned blocks)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 3; i++)
        launch(spin, {blocks, 1}, stream, 10LL);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    uint64_t begin = machine_now();
    cudaGraphLaunch(run, stream);
    cudaStreamSynchronize(stream);
    long long time = (long long)(machine_now() - begin);
    cudaGraphExecDestroy(run);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return time;
}

static void check_graphs()
{
    machine_description d = machine_of_parts();
    d.launch_graph = 500;
    install(d);
    long long one = time_of_graph(1), eight = time_of_graph(8);
    d.launch_graph_block_per_1000 = 20000;
    install(d);
    equals(time_of_graph(1) - one, 0, "the first block of a graph's node adds no time");
    equals(time_of_graph(8) - eight, 2 * 7 * 20, "each other one does, between two nodes");
}

/* Returns the time units of one iteration of a loop; time(n) returns the time of n iterations. */
template <class Time>
static double time_of_turn(Time time)
{
    return (double)(time(110u) - time(10u)) / 100;
}

static long long time_to_compute(unsigned threads, unsigned turns)
{
    return time_of({1, threads}, [=] __device__(unsigned *w, long long *) {
        unsigned value = turns;
        UNROLL(1)
        for (unsigned i = 0; i < turns; i++) {
            value = value * 3 + 1;
            asm volatile("" : "+r"(value));
        }
        w[threadIdx.x] = value;
    });
}

static __device__ unsigned multiply_twelve_times(unsigned value, unsigned i)
{
    UNROLL(12)
    for (int k = 0; k < 12; k++)
        value = value * 5 + i;
    return value;
}

/* A loop of many instructions with `products` conditional multiplications among them, or a conditional store
 * if `products` is 0. */
template <unsigned products>
static long long time_of_long_runs(unsigned turns)
{
    return time_of({1, 32}, [=] __device__(unsigned *w, long long *) {
        unsigned value = turns;
        for (unsigned i = 0; i < turns; i++) {
            value = multiply_twelve_times(value, i);
            if (__builtin_expect(value == 12345, 1)) { /* likely, so that nvcc keeps the code here */
                asm volatile("" : "+r"(value));
                if (!products)
                    w[threadIdx.x + 32] = value;
                UNROLL(12)
                for (unsigned k = products; k > 0; k--)
                    value = value * value;
            }
            value = multiply_twelve_times(value, i);
        }
        w[threadIdx.x] = value;
    });
}

/* Returns how much longer turns of that loop take if the instructions of long runs take twice their time. */
template <unsigned products>
static double growth_of_long_runs(machine_description d)
{
    double time[2];
    for (int i = 0; i < 2; i++) {
        d.long_instruction_per_1000 = i ? 2000 : 1000;
        machine_install(&d);
        time[i] = time_of_turn(time_of_long_runs<products>);
    }
    return time[1] / time[0];
}

template <bool sums>
static double instructions_of_five(int a, int b, int c, int d)
{
    return counted(&machine_counters::instructions, [=] __device__(unsigned *w, long long *) {
        auto joined = [](int x, int y) { return sums ? x + y : x > y ? x : y; };
        w[threadIdx.x] = (unsigned)joined(joined(joined(joined((int)w[threadIdx.x], a), b), c), d);
    });
}

static long long time_of_sums(bool products, float x)
{
    return time_of({1, 32}, [=] __device__(unsigned *w, long long *) {
        const float *f = (const float *)w, a = f[0], b = f[1], c = f[2], d = f[3];
        ((float *)w)[threadIdx.x] = products ? a * x + b + (b * x + c) + (c * x + d) + (d * x + a) + x
                                             : a + x + b + x + c + x + d + x;
    });
}

static void check_issue()
{
    long long time[2];
    for (int slow = 0; slow < 2; slow++) {
        machine_description d = machine_of_parts();
        d.issue_per_1000_units = slow ? 250 : 1000;
        install(d);
        /* each of eight warps makes two loads, neither of which waits for the other */
        time[slow] = time_of({1, 256}, [] __device__(unsigned *w, long long *) {
            w[2048 + threadIdx.x] = w[threadIdx.x] + w[1024 + threadIdx.x];
        });
    }
    /* the last of 16 loads waits for 15 others, each of which is issued in four time units instead of one */
    equals(time[1] - time[0], 15 * 3,
           "where an instruction is issued in four units, requests wait for three more each");
}

static void check_instructions()
{
    machine_description d = machine_of_instructions(2);
    auto turn = [](unsigned turns) { return time_to_compute(32, turns); };
    install(d);
    const double each = time_of_turn(turn);
    within(each / 2, 2, 6, "a turn of a loop of a multiplication and an addition has 2 to 6 instructions");
    check(time_to_compute(1024, 600) > 3 * time_to_compute(32, 600),
          "32 warps that compute share the issue slots");
    within(growth_of_long_runs<0>(d), 1.9, 2.1,
           "instructions of long runs, which one under a condition does not end, take their other time");
    d.long_instruction_per_1000 = 4000;
    machine_install(&d);
    equals(time_of_turn(turn), each, "those of short runs do not");
    d.long_instruction_per_1000 = 2000;
    within(growth_of_long_runs<8>(d), 1.9, 2.1, "eight instructions under a condition end no run");
    within(growth_of_long_runs<9>(d), 0.9, 1.1, "and nine do");
    d.branch_latency = 40;
    install(d);
    equals(time_of_turn(turn), each + 40, "a loop that does not poll has a branch back in each turn");
    install(machine_of_instructions(1));
    within(time_of_sums(true, 2) - time_of_sums(false, 2), 0, 2, "a sum with a product is one instruction");
    equals(instructions_of_five<false>(1, 2, 3, 4) - instructions_of_five<true>(1, 2, 3, 4), 0,
           "so is a maximum");
}

/* ---- instructions that take longer than others ---- */

/* Computes two quotients in each iteration of a loop, or one if `twice` is not set. If `in_turn` is set, each
 * division needs the preceding quotient. */
template <bool twice, bool in_turn>
static long long time_to_divide(unsigned turns)
{
    return time_of({1, 32}, [=] __device__(unsigned *w, long long *) {
        unsigned a = threadIdx.x, b = threadIdx.x + 1, dividend = w[100] + 1000;
        UNROLL(1)
        for (unsigned i = 0; i < turns; i++) {
            a = dividend / ((in_turn ? b : a) + 1);
            b = twice ? dividend / ((in_turn ? a : b) + 1) : b;
        }
        w[threadIdx.x] = a + b;
    });
}

/* Returns how many instructions a division adds to an iteration. */
static double instructions_of_division()
{
    uint64_t count[2];
    for (unsigned turns = 1; turns <= 2; turns++) {
        machine_reset_counters();
        time_to_divide<false, false>(turns);
        count[turns - 1] = machine_get_counters()->instructions;
    }
    return (double)(count[1] - count[0]);
}

static void check_long_instructions()
{
    double one[2], apart[2], in_turn[2], instructions[2];
    for (int slow = 0; slow < 2; slow++) {
        machine_description d = machine_of_instructions(1);
        d.divide_latency = slow ? 70 : 0;
        install(d);
        one[slow] = time_of_turn(time_to_divide<false, false>);
        apart[slow] = time_of_turn(time_to_divide<true, false>);
        in_turn[slow] = time_of_turn(time_to_divide<true, true>);
        instructions[slow] = instructions_of_division();
    }
    within(one[1] - one[0], 69, 71, "a division takes longer than other instructions");
    within(apart[1] - apart[0], 69, 71, "two divisions overlap");
    within(in_turn[1] - in_turn[0], 139, 141, "unless one needs the other");
    equals(instructions[1] - instructions[0], 18 - 1,
           "a division is as many instructions as nvcc's, not one");
}

/* Returns the time of the second of two sleeps. */
static long long time_to_sleep(unsigned nanoseconds)
{
    return time_in({1, 1}, [=] __device__(unsigned *, long long *t) {
        for (int i = 0; i < 2; i++) {
            long long begin = clock64();
            __nanosleep(nanoseconds);
            t[0] = clock64() - begin;
        }
    });
}

static void check_sleeps()
{
    machine_description d = machine_of_parts();
    d.sleep_latency = 40;
    install(d);
    is_about(time_to_sleep(0), 40, "the shortest sleep has its own latency");
    within(time_to_sleep(1000), 1001, 1024, "the second of two sleeps takes the next power of two");
    within(time_to_sleep(1024), 1025, 2048, "a sleep of a power of two takes the next one");
    d.sleep_latency = 0;
    install(d);
    within(time_to_sleep(1000), 0, 19, "without its constant a sleep only pauses");
}

/* Divides by 3 in each iteration of a loop: always the same number, the thread's number divided by the
 * block's size, or another number in each iteration. */
enum dividend { SAME, PLACE, CHANGING };
template <dividend of>
static long long time_of_divisions(unsigned turns, unsigned a, unsigned b)
{
    return time_in({1, 1}, [=] __device__(unsigned *w, long long *t) {
        unsigned sum = 0;
        long long begin = clock64();
        for (unsigned i = 0; i < turns; i++) {
            __syncthreads(); /* before it, the compiler may not divide, because the division could trap */
            w[i % 8] = sum;
            sum += (of == SAME    ? a + 1
                    : of == PLACE ? threadIdx.x + a
                                  : a + i) /
                   (of == PLACE ? blockDim.x : b);
        }
        t[0] = clock64() - begin;
    });
}

static void check_divisions()
{
    machine_description d = machine_of_parts();
    d.instruction_per_1000 = d.long_instruction_per_1000 = 1000;
    d.divide_latency = 100;
    install(d);
    within(time_of_divisions<CHANGING>(40, 7, 3), 40 * 100, 40 * 200, "a changing division is in each turn");
    within(time_of_divisions<SAME>(40, 7, 3), 0, 40 * 50, "one that is always the same is not");
    within(time_of_divisions<PLACE>(40, 7, 3), 0, 40 * 50, "nor is one that gives the thread's place");
}

/* ---- polls ---- */

/* Returns machine_of_parts() with this latency of the branch of a loop that polls. */
static machine_description machine_of_polls(int latency)
{
    machine_description d = machine_of_parts();
    d.poll_latency = d.poll_apart_latency = latency;
    return d;
}

/* The second block's threads wait until the first block's thread sets the flag: all, or one thread of a warp,
 * which meets the others at __syncthreads(). */
static long long time_of_wait(const machine_description &d, bool all)
{
    install(d);
    long long begin = (long long)machine_now();
    return time_in({2, 32}, [=] __device__(unsigned *w, long long *t) {
        if (blockIdx.x == 0) {
            for (long long from = clock64(); clock64() - from < 1000;) {
            }
            if (threadIdx.x == 0)
                store_relaxed(w, 1);
            return;
        }
        if (all || threadIdx.x == 0)
            while (!load_acquire(w)) {
            }
        __syncthreads();
        if (threadIdx.x == 0)
            t[0] = clock64() - begin;
    });
}

/* The first thread loads a word `loads` times. What it computes depends on the word, and not how often it
 * loads it. */
static long long time_to_load(unsigned loads)
{
    return time_in({1, 1}, [=] __device__(unsigned *w, long long *t) {
        float value = (float)threadIdx.x;
        long long begin = clock64();
        for (unsigned i = 0; i < loads; i++) {
            if (*(volatile unsigned *)w < loads)
                value *= 3;
            asm volatile("" : "+f"(value));
        }
        t[0] = clock64() - begin + (value > 1);
    });
}

/* The second warp waits for an mbarrier, by one lane or by all, when the first warp has arrived there. */
static long long time_of_arrival(bool all)
{
    return time_in({1, 64}, [=] __device__(unsigned *, long long *t) {
        __shared__ mbarrier barrier;
        if (threadIdx.x == 0)
            mbarrier_init(&barrier, 1);
        __syncthreads();
        long long begin = clock64();
        if (threadIdx.x == 0)
            mbarrier_arrive(&barrier);
        while (clock64() - begin < 1000) {
        }
        if (threadIdx.x == 32 || (all && threadIdx.x > 32)) {
            while (!mbarrier_try_wait(&barrier, 0)) {
            }
            t[0] = clock64() - begin;
        }
        __syncthreads();
    });
}

static void check_polls()
{
    machine_description d = machine_of_polls(1);
    d.max_blocks_per_sm = 1, d.sm_count = 2;
    long long before = time_of_wait(d, false), all_before = time_of_wait(d, true);
    d.poll_meet_latency = 300;
    within(time_of_wait(d, false) - before, 298, 320,
           "lanes meet late after one has polled by acquiring loads");
    within(time_of_wait(d, true) - all_before, -99, 99, "they do not if all have polled");
    install(machine_of_polls(1));
    const long long short_loads = time_to_load(9);
    install(machine_of_polls(300));
    is_about(time_to_load(9), short_loads,
             "a loop with a condition that does not decide how long it turns polls nothing");
    d = machine_of_polls(1);
    d.shared_poll_latency = d.mbarrier_poll_latency = 5;
    d.shared_poll_apart_latency = 300;
    install(d);
    within(time_of_arrival(true), 1000, 1199, "a warp whose lanes all wait for an mbarrier goes on at once");
    within(time_of_arrival(false), 1300, 1499, "a lane that waits for it alone leaves its loop late");
}

/* ---- barriers, atomics and loads of many lanes ---- */

/* All warps meet at __syncthreads(). Each arrives `apart` time units after the preceding warp. */
static long long time_to_come(long long apart)
{
    return time_in({1, 1024}, [=] __device__(unsigned *, long long *t) {
        __syncthreads();
        long long begin = clock64(), mine = threadIdx.x / 32 * apart;
        while (clock64() - begin < mine) {
        }
        __syncthreads();
        if (threadIdx.x == 0)
            t[0] = clock64() - begin;
    });
}

static void check_arrivals()
{
    machine_description d = machine_of_parts();
    d.syncthreads_latency = 10;
    d.syncthreads_latency_of_32 = 10 + 31 * 20;
    install(d);
    within(time_to_come(0), 630, 749, "a barrier counts one warp after another");
    within(time_to_come(200), 6210, 6399, "but those that come one by one do not wait for that");
    d = machine_of_parts();
    d.atomic_units = d.atomic_unit_lines = 1;
    d.atomic_same_address_per_1000 = 40000;
    install(d);
    /* each thread adds twice, without a result, to a word on its own cache line */
    run({1, 32}, [] __device__(unsigned *w, long long *t) {
        atomicAdd(&w[threadIdx.x * 32], 1u);
        atomicAdd(&w[threadIdx.x * 32 + 1], 1u);
        t[threadIdx.x] = 0;
    });
    equals(machine_get_counters()->requests, 3, "a warp goes on with all lanes after an atomic");
}

static void check_spread()
{
    machine_description d = machine_of_parts();
    long long least = GLOBAL, most = GLOBAL, first[2];
    d.global_spread = 30;
    install(d);
    for (long long &time : first)
        time = time_in({1, 1}, [] __device__(unsigned *w, long long *t) {
            for (unsigned i = 0; i < 64; i++) {
                long long begin = clock64();
                begin += ((const volatile unsigned *)w)[i * 32];
                t[i] = clock64() - begin;
            }
        });
    for (unsigned i = 0; i < 64; i++) {
        least = times[i] < least ? times[i] : least;
        most = times[i] > most ? times[i] : most;
    }
    within(least, GLOBAL - 30, GLOBAL - 21, "loads take less time from some lines");
    within(most, GLOBAL + 21, GLOBAL + 39, "and more from others");
    equals(first[1], first[0], "and always as long from one line");
}

/* ---- for which earlier requests a request waits ---- */

/* Loads a word of 32 for each lane. */
static __device__ __noinline__ unsigned load_in_function(const unsigned *from)
{
    return from[threadIdx.x];
}
static __device__ unsigned load(const unsigned *from)
{
    return *(volatile const unsigned *)(from + threadIdx.x);
}

/* Each lane loads a word, `first`, executes the function object, and stores what this returns. Returns the
 * time without the store. */
template <class Body>
static long long time_behind_load(Body body)
{
    return time_of({1, 32},
                   [=] __device__(unsigned *w, long long *) {
                       unsigned first = w[threadIdx.x];
                       w[256 + threadIdx.x] = body(w, first);
                   }) -
           GLOBAL;
}

template <class Body>
static void takes(int time, const char *sentence, Body body)
{
    within(time_behind_load(body), time, time + 29, sentence);
}

/* Keeps the loaded value in one part of the stack, and makes a load at an index from another part. The array
 * between two variables is accessed by an index that only the running thread knows: then nvcc keeps all parts
 * in memory, which the machine takes for one variable. */
enum part { BELOW, ARRAY, ABOVE };
template <part loaded, part index>
static void stack_takes(int time, const char *sentence)
{
    takes(time, sentence, [] __device__(unsigned *w, unsigned first) {
        struct {
            volatile unsigned below, array[8], above;
        } own = {};
        auto word = [&](part which) -> volatile unsigned &
        {
            return which == BELOW ? own.below : which == ABOVE ? own.above : own.array[threadIdx.x & 7];
        };
        word(loaded) = first;
        return first + load(w + 64 + word(index));
    });
}

/* Each turn of a loop makes a load, and stores it in shared memory. */
static long long time_of_stores(unsigned turns)
{
    return time_behind_load([=] __device__(unsigned *w, unsigned first) {
        __shared__ unsigned kept[32];
        UNROLL(1)
        for (unsigned i = 0; i < turns; i++) {
            kept[threadIdx.x] = w[32 * i + threadIdx.x];
            asm volatile("" ::: "memory"); /* nvcc must not leave out the stores before the last one */
        }
        return first + kept[31 - threadIdx.x];
    });
}

/* Each turn of a loop makes a load. If `uses` is set, it also adds the loaded value to a sum, which no
 * request needs before the kernel's end; otherwise nothing uses the value. */
template <bool uses>
static long long time_of_loads(unsigned turns)
{
    return time_of({1, 32}, [=] __device__(unsigned *w, long long *) {
        unsigned sum = 0;
        UNROLL(1)
        for (unsigned i = 0; i < turns; i++) {
            unsigned loaded = load(w + 32 * i);
            sum += uses ? loaded : i;
        }
        w[2048 + threadIdx.x] = sum;
    });
}

/* Makes twenty multiplications: of the loaded value, or of a value that does not depend on the load. */
template <bool of_it>
static long long time_to_multiply()
{
    return time_behind_load([=] __device__(unsigned *, unsigned first) {
        unsigned value = of_it ? first : threadIdx.x;
        asm volatile("" : "+r"(value));
        UNROLL(20)
        for (int k = 0; k < 20; k++) {
            value = value * value;
            asm volatile("" : "+r"(value));
        }
        return value + (of_it ? 0 : first);
    });
}

static void check_dependence()
{
    machine_description d = machine_of_parts();
    d.shuffle_latency = 80;
    d.shared_latency = 20;
    install(d);
#define DEPENDENCE(time, sentence, ...)                                                                      \
    takes(time, sentence, [] __device__(unsigned *w, unsigned first) { __VA_ARGS__; });
#include "tests/machine_time.def"
    stack_takes<BELOW, BELOW>(2 * GLOBAL, "a load waits for one whose value the stack kept");
    stack_takes<BELOW, ABOVE>(GLOBAL, "not if another word of the stack kept it");
    stack_takes<ABOVE, ARRAY>(2 * GLOBAL, "but if an index may reach it");
    stack_takes<ARRAY, ABOVE>(2 * GLOBAL, "a store into an array may change what is beside it");
    stack_takes<ARRAY, ARRAY>(2 * GLOBAL, "and what is in it");
    for (int pure = 0; pure < 2; pure++) {
        d.loads_under_way = pure ? 1 : 4;
        machine_install(&d);
        takes(pure ? GLOBAL + 80 : GLOBAL,
              pure ? "on a pure machine, it waits for every request"
                   : "it overlaps with one that it does not need",
              [] __device__(unsigned *, unsigned first) {
                  return first + __shfl_sync(0xffffffffu, threadIdx.x, 3);
              });
    }
    d.loads_under_way = 4;
    machine_install(&d);
    within(time_of_stores(2) - time_of_stores(1), GLOBAL, 2 * GLOBAL,
           "a load waits for what the loop's turn before has stored");
    within(time_of_loads<true>(4) - time_of_loads<true>(2), 2 * GLOBAL, 3 * GLOBAL,
           "a loop waits in each turn for what it has loaded and used");
    within(time_of_loads<false>(4) - time_of_loads<false>(2), 0, GLOBAL - 1,
           "and not for what it has not used");
    d = machine_of_instructions(20);
    d.global_latency = 1000;
    install(d);
    check(time_to_multiply<true>() >= time_to_multiply<false>() + 15 * 20,
          "what a thread computes of a load comes after it, other work is done meanwhile");
    install(machine_pure_umm(32, GLOBAL));
    within(time_to_multiply<false>(), 0, 2 * GLOBAL, "another machine's instruction times are forgotten");
    equals((double)machine_get_counters()->instructions, 2, "and its instructions, too");
}

/* ---- what is one request ---- */

/* Thread 0 reads one of its own variables, or a word of global memory, by the same load. */
static double requests_of_load(bool is_own)
{
    return counted(&machine_counters::requests, [=] __device__(unsigned *w, long long *) {
        unsigned own = 1, *at = is_own ? &own : w + 8;
        asm volatile("" : "+l"(at)::"memory"); /* nvcc must not know which it is */
        if (threadIdx.x == 0)
            w[0] = *at;
    });
}

/* Returns how many lines a warp touches that loads a pair of words for each lane and stores the sums. */
static double lines_of_pairs()
{
    return counted(&machine_counters::transactions, [] __device__(unsigned *w, long long *) {
        uint2 pair = ((const uint2 *)w)[threadIdx.x];
        w[8192 + threadIdx.x] = pair.x + pair.y;
    });
}

/* Returns how many lines a warp touches that loads two words for each lane, at a distance of `apart`
 * words. */
static double lines_of_words(unsigned apart)
{
    return counted(&machine_counters::transactions, [=] __device__(unsigned *w, long long *) {
        w[8192 + threadIdx.x] = w[threadIdx.x] + w[threadIdx.x + apart];
    });
}

static void check_requests()
{
    machine_description d = machine_of_parts();
    install(d);
    equals(requests_of_load(true), 1, "an access to one's own stack is no request");
    equals(requests_of_load(false), 2, "the same load of global memory is one");
    equals(lines_of_pairs(), 3, "pairs of words side by side are loaded together: two lines, and one stored");
    equals(lines_of_words(4096), 3, "words apart are loaded one by one");
    equals(lines_of_words(1), 4,
           "so are neighbours' words, of which one lane's make no vector with the next one's");
    d.loads_under_way = 1;
    install(d);
    equals(lines_of_pairs(), 3, "pairs are loaded together on a pure machine, too");
}

/* ---- mbarriers ---- */

/* Each thread asks an mbarrier of its own, in each turn of a loop, whether a phase is complete. */
static void check_mbarriers()
{
    machine_description d = machine_of_parts();
    d.shared_latency = 20, d.mbarrier_lane = 10, d.mbarrier_serial = 4;
    install(d);
    within(time_of_turn([](unsigned turns) {
               return time_of({1, 32}, [=] __device__(unsigned *, long long *) {
                   __shared__ mbarrier barriers[32];
                   mbarrier_init(&barriers[threadIdx.x], 1);
                   __syncthreads();
                   for (unsigned i = 0; i < turns; i++)
                       mbarrier_try_wait(&barriers[threadIdx.x], 1);
               });
           }),
           31 * 10, 31 * 10 + 9, "a warp's looks at mbarriers are served one after another");
}

/* ---- places of arrays ---- */

static void check_places()
{
    machine_description d = machine_of_parts();
    d.atomic_units = 5, d.atomic_unit_lines = 1, d.atomic_same_address_per_1000 = 40000;
    long long first = 0;
    bool same = true;
    for (size_t freed = 0; freed <= 8; freed++) {
        void *before;
        unsigned *lines;
        cudaMalloc(&before, freed * 256 + 1);
        cudaFree(before);
        install(d);
        cudaMalloc((void **)&lines, 65536);
        cudaMemset(lines, 0, 65536);
        long long time = time_of(
            {1, 32}, [=] __device__(unsigned *, long long *) { atomicAdd(&lines[threadIdx.x * 32], 1u); });
        first = freed == 0 ? time : first;
        same = time == first && same;
        cudaFree(lines);
    }
    check(same,
          "arrays that were freed before have no influence on which unit of the L2 cache does an atomic");
}

int main()
{
    check_constants();
    check_launches();
    check_copies();
    check_graphs();
    check_issue();
    check_instructions();
    check_long_instructions();
    check_sleeps();
    check_divisions();
    check_polls();
    check_arrivals();
    check_spread();
    check_dependence();
    check_requests();
    check_mbarriers();
    check_places();
    return checks_done();
}
