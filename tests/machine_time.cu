/* Tests times on the memory machine, for the parts of its time model that are not in Nakano 2013.
 * One file because all tests measure on one machine with round numbers as its constants. */
#include "sync/mbarrier.cuh"
#include "sync/memory_order.cuh"
#include "sync/system_order.cuh"
#include "tests/machine_of_card.cuh"

using namespace gpusync;

static const int GLOBAL = 100, L1 = 30, LINK = 700, CROSSING = 40, ATOMIC = 150, LINE = 32;

/* Returns a machine with one multiprocessor and with round numbers as its constants. */
static machine_description machine_of_parts()
{
    machine_description d = machine_of_card(GLOBAL);
    d.atomic_latency = ATOMIC;
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

static __device__ long long time_of_load(const unsigned *word, bool past_l1 = false)
{
    long long begin = clock64();
    unsigned value = past_l1 ? __ldcg(word) : *word;
    asm volatile("" ::"r"(value));
    return clock64() - begin;
}

/* ---- the L1 cache ---- */

static void check_l1()
{
    machine_description d = machine_of_parts();
    d.l1_latency = L1;
    install(d);
    for (int fences = 0; fences < 2; fences++) {
        run({1, 1}, [=] __device__(unsigned *w, long long *t) {
            t[0] = time_of_load(w);
            if (fences)
                __threadfence();
            t[1] = time_of_load(w + 1);
            t[2] = time_of_load(w + 2, true);
        });
        is_about(times[0], GLOBAL, "a line comes from memory once, since a launch begins with an empty L1");
        is_about(times[1], fences ? GLOBAL : L1, fences ? "a fence empties it" : "then it comes from L1");
        is_about(times[2], GLOBAL, "unless the load goes past L1");
    }
}

/* ---- strong accesses ---- */

static long long time_of_words(unsigned count)
{
    return time_of({1, 1}, [=] __device__(unsigned *w, long long *) {
        unsigned value[4] = {0};
        if (count == 4)
            load_relaxed_system_4(w, value);
        else
            value[0] = load_relaxed_system(w);
        if (value[0] + value[1] + value[2] + value[3])
            __trap();
    });
}

static void check_strong_accesses()
{
    install(machine_of_parts());
    within(time_of_words(4) - time_of_words(1), 0, 9, "four words side by side are one load");
}

/* ---- several devices ---- */

/* Returns the time of a fence: of system scope, of device scope, a release fence, or an acquire fence. */
enum fence_kind { OF_SYSTEM, OF_DEVICE, RELEASES, ACQUIRES };
static long long time_of_fence(fence_kind kind)
{
    return time_in({1, 1}, [=] __device__(unsigned *, long long *t) {
        long long begin = clock64();
        if (kind == OF_SYSTEM)
            __threadfence_system();
        else if (kind == OF_DEVICE)
            __threadfence();
        else if (kind == RELEASES)
            fence_release();
        else
            fence_acquire();
        t[0] = clock64() - begin;
    });
}

static void check_fences()
{
    machine_description d = machine_of_parts();
    d.fence_release_latency = 70;
    d.fence_acquire_latency = 20;
    d.fence_system_latency = 300;
    install(d);
    is_about(time_of_fence(OF_DEVICE), 50, "a fence of the device has its latency");
    is_about(time_of_fence(OF_SYSTEM), 300, "a fence of the system has a latency of its own");
    is_about(time_of_fence(RELEASES), 70, "so has a release fence");
    is_about(time_of_fence(ACQUIRES), 20, "and an acquire fence");
}

/* Both devices access a word of the array, each another one, and note how long that takes. */
static void access_from_both(unsigned *array, bool adds)
{
    run({2, 1}, [=] __device__(unsigned *, long long *t) {
        unsigned *word = array + LINE * block_in_grid();
        long long begin = clock64();
        unsigned value = adds ? atomicAdd(word, 1u) : *word;
        asm volatile("" ::"r"(value));
        t[block_in_grid()] = clock64() - begin;
    });
}

static void check_devices()
{
    unsigned *away;
    machine_description d = machine_of_parts();
    d.link_latency = LINK;
    d.link_groups_per_1000_units = 100; /* with this constant the link takes ten time units for a line */
    d.max_blocks_per_sm = 1;
    install(d);
    machine_set_devices(2);
    cudaSetDevice(1);
    CHECK(cudaMalloc((void **)&away, 1024));
    CHECK(cudaMemset(away, 0, 1024));
    cudaSetDevice(0);
    for (int device = 0; device < 2; device++)
        for (bool adds : {false, true}) {
            access_from_both(device ? away : words, adds);
            is_about(times[device], adds ? ATOMIC : GLOBAL, "a device's own memory is near");
            is_about(times[1 - device], LINK + (adds ? ATOMIC - GLOBAL : 0),
                     "another device's memory is as far as the link, for a load and for an atomic");
        }
    cudaError_t error = run({2, 1}, [] __device__(unsigned *w, long long *) {
        atomicAdd(w, 1u);
        while (*(volatile unsigned *)w < gridDim.x) {
        }
    });
    check(error == cudaSuccess, "each device has multiprocessors of its own, so both blocks meet");
    cudaFree(away);
    machine_set_devices(1);
}

/* ---- lines that the other half of L2 has written ---- */

enum action { STORE_WORD, ADD_WORD, LOAD, LOAD_VOLATILE, LOAD_TWO_LINES };

/* One thread of block `block` accesses the word with this number, and measures how long that takes. */
static long long time_to(action what, unsigned block, unsigned number)
{
    return time_in({4, 1}, [=] __device__(unsigned *w, long long *t) {
        unsigned value = 0, *word = w + number;
        if (blockIdx.x != block)
            return;
        long long begin = clock64();
        if (what == STORE_WORD)
            *word = 1;
        else if (what == ADD_WORD)
            atomicAdd(word, 1u);
        else if (what == LOAD)
            value = *word;
        else if (what == LOAD_VOLATILE)
            value = *(volatile unsigned *)word;
        else
            value = *word + word[LINE];
        t[0] = clock64() - begin + (value == 12345);
    });
}

/* Blocks 0 and 2 are on multiprocessors of one half of L2, blocks 1 and 3 on multiprocessors of the other
 * half. */
static void check_halves()
{
    machine_description d = machine_of_card(GLOBAL);
    d.sm_count = 4;
    d.atomic_near_multiprocessors = 1;
    d.crossing_latency = CROSSING;
    install(d);
    const long long load = time_to(LOAD, 0, 0), two = time_to(LOAD_TWO_LINES, 0, 2 * LINE);
    equals(time_to(LOAD, 1, 0), load, "both halves have a line that nobody has written");
    time_to(STORE_WORD, 0, 0);
    equals(time_to(LOAD, 2, 0), load, "a load in the writer's half takes no longer");
    equals(time_to(LOAD, 1, 0), load + CROSSING, "the first load in the other half takes longer");
    equals(time_to(LOAD, 3, 0), load, "the second does not");
    equals(time_to(LOAD, 1, LINE), load, "nor a load of another line");
    time_to(STORE_WORD, 1, 3);
    equals(time_to(LOAD_VOLATILE, 0, 5), load + CROSSING, "lines count, and strong loads like plain ones");
    time_to(ADD_WORD, 0, 0);
    equals(time_to(LOAD, 0, 0), load + CROSSING, "an atomic takes the line from its own half");
    equals(time_to(LOAD, 1, 0), load + CROSSING, "and from the other one");
    time_to(STORE_WORD, 0, 2 * LINE);
    time_to(STORE_WORD, 0, 3 * LINE);
    equals(time_to(LOAD_TWO_LINES, 1, 2 * LINE), two + CROSSING,
           "two loads under way cross at the same time");
    d.crossing_latency = 0;
    machine_install(&d);
    time_to(STORE_WORD, 0, 0);
    equals(time_to(LOAD, 1, 0), load, "without the constant no load takes longer");
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

/* The lanes of a warp have `values` different values. */
static long long time_of_match(unsigned values, bool all)
{
    return time_of({1, 32}, [=] __device__(unsigned *w, long long *) {
        int are_equal;
        w[threadIdx.x] = all ? __match_all_sync(0xffffffffu, threadIdx.x % values, &are_equal)
                             : __match_any_sync(0xffffffffu, threadIdx.x % values);
    });
}

static void check_matches()
{
    machine_description d = machine_of_parts();
    d.shuffle_latency = 80;
    d.match_value_latency = 11;
    install(d);
    long long one = time_of_match(1, false);
    equals(time_of_match(5, false) - one, 4 * 11, "a match takes longer for each further value");
    equals(time_of_match(32, false) - one, 31 * 11, "up to one of each lane");
    equals(time_of_match(32, true) - one, 0, "whether all are equal takes as long whatever the values");
}

/* Returns the time units of one iteration of a loop; time(n) returns the time of n iterations. */
template <class Time>
static double time_of_turn(Time time)
{
    return (double)(time(110u) - time(10u)) / 100;
}

static long long time_of_barriers(unsigned threads, unsigned count)
{
    return time_of({1, threads}, [=] __device__(unsigned *, long long *) {
        UNROLL(1)
        for (unsigned i = 0; i < count; i++)
            __syncthreads();
    });
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
    d.syncthreads_latency = 10;
    d.syncthreads_latency_of_32 = 72;
    install(d);
    double barrier = time_of_turn([](unsigned turns) { return time_of_barriers(32, turns); });
    double of_32 = time_of_turn([](unsigned turns) { return time_of_barriers(1024, turns); });
    check(of_32 > barrier + 50, "a barrier of more warps takes longer (%g, %g)", barrier, of_32);
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

/* ---- polling of words that other threads change ---- */

/* The first `lookers` threads of warp 0 poll a word, which warp 1 sets after `wait` time units. Returns how
 * many time units one turn of the polling loop takes, without the latency of its load. */
static double time_of_look(bool in_shared, int latency, unsigned lookers)
{
    const long long wait = 10000;
    CHECK(cudaMemset(words, 0, 1024));
    run({1, 64}, [=] __device__(unsigned *w, long long *) {
        __shared__ unsigned shared;
        volatile unsigned *word = in_shared ? &shared : w;
        unsigned looks = 0;
        if (threadIdx.x == 0)
            shared = 0;
        __syncthreads();
        long long begin = clock64();
        if (threadIdx.x < lookers) {
            while (!*word)
                looks++;
            w[32] = looks;
        } else if (threadIdx.x == 32) {
            while (clock64() - begin < wait) {
            }
            *word = 1;
        }
        __syncthreads();
    });
    return (double)wait / words[32] - latency;
}

static void check_looks()
{
    machine_description d = machine_of_instructions(1);
    d.shared_latency = 20;
    d.branch_latency = 40;
    install(d);
    /* The interval has room for the instructions that count, compare and branch. */
    within(time_of_look(false, GLOBAL, 32), 37, 46, "a loop that looks at a word has a branch in each turn");
    d.poll_latency = 60, d.poll_apart_latency = 90;
    d.shared_poll_latency = 70, d.shared_poll_apart_latency = 110;
    install(d);
    within(time_of_look(false, GLOBAL, 32), 57, 66, "or what looks take where that is known");
    within(time_of_look(false, GLOBAL, 1), 87, 96, "more for a thread apart from its warp");
    within(time_of_look(true, 20, 32), 67, 76, "the same holds in shared memory");
    within(time_of_look(true, 20, 1), 107, 116, "and for a thread apart there");
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
    takes(GLOBAL, "loads that need nothing of each other overlap",
          [] __device__(unsigned *w, unsigned first) { return first + load(w + 64); });
    takes(2 * GLOBAL, "a load waits for the one that has its address",
          [] __device__(unsigned *w, unsigned first) { return first + load(w + 64 + first); });
    takes(2 * GLOBAL, "or that decides whether it comes", [] __device__(unsigned *w, unsigned first) {
        if (first == 7)
            __trap();
        return first + load(w + 64);
    });
    takes(3 * GLOBAL, "or whose value a function returns, which waits for those before its call",
          [] __device__(unsigned *w, unsigned first) {
              return first + load(w + 64 + load_in_function(w + 32));
          });
    takes(GLOBAL, "not for one before a store of something else", [] __device__(unsigned *w, unsigned first) {
        w[128 + threadIdx.x] = 5;
        return first + load(w + 64);
    });
    takes(2 * GLOBAL, "but for one whose value is stored before it",
          [] __device__(unsigned *w, unsigned first) {
              w[128 + threadIdx.x] = first;
              return first + load(w + 64);
          });
    takes(2 * GLOBAL, "whether it is a strong load or a plain one",
          [] __device__(unsigned *w, unsigned first) {
              w[128 + threadIdx.x] = first;
              return first + w[64 + threadIdx.x];
          });
    takes(GLOBAL, "not so after a store into another memory, which nvcc moves before the store",
          [] __device__(unsigned *w, unsigned first) {
              __shared__ unsigned kept[32];
              kept[threadIdx.x] = first;
              return first + w[64 + threadIdx.x] + kept[31 - threadIdx.x];
          });
    takes(GLOBAL, "a store that is done early does not end those before it",
          [] __device__(unsigned *w, unsigned first) {
              w[128 + threadIdx.x] = first;
              return 7;
          });
    takes(GLOBAL, "lanes do not wait for what others of their warp store",
          [] __device__(unsigned *w, unsigned first) {
              unsigned second = w[64 + threadIdx.x];
              if (threadIdx.x < 16)
                  w[512 + threadIdx.x] = first + second;
              else
                  w[1024 + threadIdx.x] = load(w + 128);
              return 7;
          });
    takes(GLOBAL, "a barrier waits for no load", [] __device__(unsigned *w, unsigned first) {
        __syncthreads();
        return first + load(w + 64);
    });
    takes(2 * GLOBAL + 50, "a fence waits for all", [] __device__(unsigned *w, unsigned first) {
        __threadfence();
        return first + load(w + 64);
    });
    stack_takes<BELOW, BELOW>(2 * GLOBAL, "a load waits for one whose value the stack kept");
    stack_takes<BELOW, ABOVE>(GLOBAL, "not if another word of the stack kept it");
    stack_takes<ABOVE, ARRAY>(2 * GLOBAL, "but if an index may reach it");
    stack_takes<ARRAY, ABOVE>(2 * GLOBAL, "a store into an array may change what is beside it");
    stack_takes<ARRAY, ARRAY>(2 * GLOBAL, "and what is in it");
    takes(GLOBAL, "300 words of the stack are told apart", [] __device__(unsigned *w, unsigned first) {
        volatile unsigned own[300];
        UNROLL(300)
        for (int i = 0; i < 300; i++)
            own[i] = i == 298 ? first : 64;
        return first + load(w + own[299]) + own[298];
    });
    takes(GLOBAL + 80, "a shuffle waits for a load that it needs",
          [] __device__(unsigned *, unsigned first) { return first + __shfl_sync(0xffffffffu, first, 3); });
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

/* Each thread asks its own mbarrier, or all ask the same one, whether a phase is complete. Returns how long
 * this takes, a hundred times. */
static double time_of_asking(unsigned blocks, bool own)
{
    auto ask = [=](unsigned count) {
        return time_of({blocks, 32}, [=] __device__(unsigned *, long long *) {
            __shared__ mbarrier barriers[32];
            mbarrier_init(&barriers[threadIdx.x], 1);
            __syncthreads();
            for (unsigned i = 0; i < count; i++)
                mbarrier_try_wait(&barriers[own ? threadIdx.x : 0], 1);
        });
    };
    return 100 * time_of_turn(ask);
}

static void check_mbarriers()
{
    machine_description d = machine_of_parts();
    d.shared_latency = 20, d.mbarrier_lane = 10, d.mbarrier_serial = 4;
    install(d);
    within(time_of_asking(1, true), 100 * 31 * 10, time_of_asking(1, false) + 101 * 31 * 10 + 99,
           "a warp's mbarriers are served one after another, one for all at once");
    d.mbarrier_lane = 0;
    install(d);
    within(time_of_asking(8, true), 100 * 8 * 32 * 4 - 500, 100 * 8 * 32 * 4 + 3000,
           "so are, faster, those of all warps of a multiprocessor");
    d.mbarrier_serial = 40, d.poll_latency = 1;
    install(d);
    within(time_of({1, 9 * 32},
                   [=] __device__(unsigned *, long long *) {
                       __shared__ mbarrier barrier;
                       if (threadIdx.x == 0)
                           mbarrier_init(&barrier, 1);
                       __syncthreads();
                       if (threadIdx.x / 32)
                           mbarrier_wait(&barrier, 0);
                       else if (threadIdx.x == 0) {
                           for (long long begin = clock64(); clock64() - begin < 2000;) {
                           }
                           mbarrier_arrive(&barrier);
                       }
                   }),
           2000, 2300, "warps that have waited for an mbarrier do not wait for each other's tries");
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
    check_l1();
    check_strong_accesses();
    check_fences();
    check_devices();
    check_halves();
    check_launches();
    check_copies();
    check_graphs();
    check_matches();
    check_issue();
    check_instructions();
    check_long_instructions();
    check_looks();
    check_dependence();
    check_requests();
    check_mbarriers();
    check_places();
    return checks_done();
}
