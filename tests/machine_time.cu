/* Tests times on the memory machine, for the parts of its time model that are not in Nakano 2013.
 * One file because all tests measure on one machine with round numbers as its constants. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "sync/mbarrier.cuh"
#include "sync/memory_order.cuh"
#include "sync/system_order.cuh"
#include "tests/check.h"
#include "tests/machine_of_card.cuh"

using namespace gpusync;

static const int GLOBAL = 100, L1 = 30, LINK = 700, ATOMIC = 150;

/* Returns a machine with one multiprocessor and with round numbers as its constants. */
static machine_description machine_of_parts()
{
    machine_description d = machine_of_card(GLOBAL);
    d.atomic_latency = ATOMIC;
    d.fence_latency = d.fence_release_latency = 50;
    return d;
}

static long long *out; /* where kernels store their results: an array in the memory of device 0 */
static unsigned *words, *words_away;

static void install(const machine_description &d, unsigned devices)
{
    machine_install(&d);
    machine_set_devices(devices);
    cudaMalloc((void **)&out, 64 * sizeof *out);
    cudaMalloc((void **)&words, 65536);
    cudaMemset(words, 0, 65536);
    cudaSetDevice((int)devices - 1);
    cudaMalloc((void **)&words_away, 65536);
    cudaMemset(words_away, 0, 65536);
    cudaSetDevice(0);
}

static void remove_machine()
{
    cudaFree(out);
    cudaFree(words);
    cudaFree(words_away);
    machine_set_devices(1);
}

/* Returns the number of time units from the launch of the kernel to its end. */
template <class... Parameters, class... Arguments>
static uint64_t time_of(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                        Arguments... arguments)
{
    uint64_t begin = machine_now();
    launch(kernel, {blocks, threads, 0, false, false}, (cudaStream_t) nullptr, arguments...);
    cudaDeviceSynchronize();
    return machine_now() - begin;
}

/* ---- the L1 cache ---- */

template <bool acquires>
__global__ void load_twice(long long *times, const unsigned *word)
{
    long long begin = clock64();
    unsigned first = *word;
    asm volatile("" ::"r"(first));
    times[0] = clock64() - begin;
    if (acquires)
        __threadfence();
    begin = clock64();
    unsigned second = *(word + 1);
    asm volatile("" ::"r"(second));
    times[1] = clock64() - begin;
}

static bool is_about(long long time, int expected)
{
    return time >= expected && time < expected + 10;
}

static void check_l1()
{
    machine_description d = machine_of_parts();
    d.l1_latency = L1;
    install(d, 1);
    time_of(load_twice<false>, 1, 1, out, words);
    check(is_about(out[0], GLOBAL) && is_about(out[1], L1), "a line comes from memory once, then from L1");
    time_of(load_twice<true>, 1, 1, out, words);
    check(is_about(out[0], GLOBAL) && is_about(out[1], GLOBAL),
          "a launch begins with an empty L1, and a fence empties it");
    remove_machine();
}

/* ---- strong accesses ---- */

template <bool asks>
__global__ void add_four(unsigned *word)
{
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        if (asks)
            sum += atomicAdd(word + 32 * i + sum, 1u); /* the next address needs the old value, 0 */
        else
            atomicAdd(word + 32 * i, 1u);
    }
    if (sum)
        __trap();
}

__global__ void load_words(const unsigned *word, unsigned count)
{
    unsigned value[4] = {0};
    if (count == 4)
        load_relaxed_system_4(word, value);
    else
        value[0] = load_relaxed_system(word);
    if (value[0] + value[1] + value[2] + value[3])
        __trap();
}

static void check_strong_accesses()
{
    install(machine_of_parts(), 1);
    uint64_t asked = time_of(add_four<true>, 1, 1, words);
    cudaMemset(words, 0, 1024);
    uint64_t unasked = time_of(add_four<false>, 1, 1, words);
    check(asked >= 4 * ATOMIC && unasked < 2 * ATOMIC,
          "an atomic's old value is waited for only where somebody asks for it (%llu, %llu)",
          (unsigned long long)asked, (unsigned long long)unasked);
    check(words[0] == 1 && words[96] == 1, "and it is done in either case");
    cudaMemset(words, 0, 1024);
    uint64_t one = time_of(load_words, 1, 1, words, 1u), four = time_of(load_words, 1, 1, words, 4u);
    check(four < one + 10, "four words side by side are one load (%llu, %llu)", (unsigned long long)one,
          (unsigned long long)four);
    remove_machine();
}

/* ---- several devices ---- */

__global__ void load_by_devices(long long *times, const unsigned *word)
{
    unsigned block = block_in_grid();
    long long begin = clock64();
    unsigned value = *(const volatile unsigned *)word;
    asm volatile("" ::"r"(value));
    times[block] = clock64() - begin;
}

__global__ void fence_of(long long *times, int system)
{
    long long begin = clock64();
    if (system)
        __threadfence_system();
    else
        __threadfence();
    times[0] = clock64() - begin;
}

/* Stores the times of a release fence and of an acquire fence. */
__global__ void time_half_fences(long long *times)
{
    long long begin = clock64();
    fence_release();
    long long released = clock64();
    fence_acquire();
    times[0] = released - begin;
    times[1] = clock64() - released;
}

__global__ void meet(unsigned *counter)
{
    atomicAdd(counter, 1u);
    while (*(volatile unsigned *)counter < gridDim.x) {
    }
}

static void check_half_fences()
{
    machine_description d = machine_of_parts();
    d.fence_release_latency = 70;
    d.fence_acquire_latency = 20;
    install(d, 1);
    time_of(time_half_fences, 1, 1, out);
    check(is_about(out[0], 70) && is_about(out[1], 20),
          "a release fence and an acquire fence have latencies of their own (%lld, %lld)", out[0], out[1]);
    remove_machine();
}

static void check_devices()
{
    machine_description d = machine_of_parts();
    d.link_latency = LINK;
    d.link_groups_per_1000_units = 100; /* with this constant the link takes ten time units for a line */
    d.fence_system_latency = 300;
    d.max_blocks_per_sm = 1;
    install(d, 2);
    time_of(load_by_devices, 2, 1, out, words_away);
    check(is_about(out[0], LINK) && is_about(out[1], GLOBAL),
          "another device's memory is as far as the link, the own one is near (%lld, %lld)", out[0], out[1]);
    time_of(load_by_devices, 2, 1, out, words);
    check(is_about(out[0], GLOBAL) && is_about(out[1], LINK), "in either direction");
    time_of(fence_of, 1, 1, out, 0);
    long long of_device = out[0];
    time_of(fence_of, 1, 1, out, 1);
    check(is_about(of_device, 50) && is_about(out[0], 300), "a fence of the system has a latency of its own");
    launch(meet, {2, 1, 0, false, false}, (cudaStream_t) nullptr, words + 512);
    check(cudaDeviceSynchronize() == cudaSuccess,
          "each device has multiprocessors of its own, so both blocks meet");
    remove_machine();
}

/* ---- times of launches, barriers and instructions ---- */

__global__ void spin(long long cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;) {
    }
}

static void check_launches()
{
    machine_description d = machine_of_parts();
    d.launch_asynchronous = 1000;
    d.launch_behind = 200;
    install(d, 1);
    cudaDeviceSynchronize();
    uint64_t begin = machine_now();
    for (int i = 0; i < 3; i++)
        launch(spin, {1, 1, 0, false, false}, (cudaStream_t) nullptr, 5000LL);
    cudaDeviceSynchronize();
    uint64_t time = machine_now() - begin;
    check(time >= 1000 + 3 * 5000 + 2 * 200 && time < 1000 + 3 * 5000 + 2 * 200 + 300,
          "a kernel that was launched while another ran starts shortly after it (%llu)",
          (unsigned long long)time);
    begin = machine_now();
    for (int i = 0; i < 3; i++)
        launch(spin, {1, 1, 0, false, false}, (cudaStream_t) nullptr, 10LL);
    cudaDeviceSynchronize();
    time = machine_now() - begin;
    check(time >= 3000 && time < 3200, "short kernels wait for the host's launches (%llu)",
          (unsigned long long)time);
    remove_machine();
    d.launch_synchronous = 1700;
    install(d, 1);
    cudaDeviceSynchronize();
    begin = machine_now();
    launch(spin, {1, 1, 0, false, false}, (cudaStream_t) nullptr, 10LL);
    cudaStreamSynchronize(nullptr);
    time = machine_now() - begin;
    begin = machine_now();
    cudaStreamSynchronize(nullptr);
    check(time >= 1700 && time < 1900 && machine_now() == begin,
          "a wait adds its share to a launch once (%llu, then %llu)", (unsigned long long)time,
          (unsigned long long)(machine_now() - begin));
    remove_machine();
}

static uint64_t time_of_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    uint64_t begin = machine_now();
    cudaMemcpy(to, from, bytes, kind);
    return machine_now() - begin;
}

static void check_copies()
{
    machine_description d = machine_of_parts();
    char host[4000], *device, *other;
    for (int rate : {0, 2500}) {
        d.copy_latency = 300;
        d.copy_bytes_per_1000_units = rate;
        install(d, 1);
        cudaMalloc((void **)&device, sizeof host);
        cudaMalloc((void **)&other, sizeof host);
        uint64_t time = rate ? 300 + sizeof host * 2 / 5 : 0;
        check(time_of_copy(device, host, sizeof host, cudaMemcpyHostToDevice) == time &&
                  time_of_copy(host, device, sizeof host, cudaMemcpyDeviceToHost) == time &&
                  time_of_copy(host, device, sizeof host, cudaMemcpyDefault) == time,
              "a copy between host and device takes copy_latency and its bytes at a rate of %d", rate);
        check(!time_of_copy(other, device, sizeof host, cudaMemcpyDeviceToDevice) &&
                  !time_of_copy(other, device, sizeof host, cudaMemcpyDefault),
              "a copy within a device uses no bus");
        cudaFree(device);
        cudaFree(other);
        remove_machine();
    }
}

/* Returns how long a graph of three kernels takes, each with this number of blocks. */
static uint64_t time_of_graph(unsigned blocks)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 3; i++)
        launch(spin, {blocks, 1, 0, false, false}, stream, 10LL);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    uint64_t begin = machine_now();
    cudaGraphLaunch(run, stream);
    cudaStreamSynchronize(stream);
    uint64_t time = machine_now() - begin;
    cudaGraphExecDestroy(run);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return time;
}

static void check_graphs()
{
    machine_description d = machine_of_parts();
    d.launch_graph = 500;
    install(d, 1);
    uint64_t one = time_of_graph(1), eight = time_of_graph(8);
    remove_machine();
    d.launch_graph_block_per_1000 = 20000;
    install(d, 1);
    uint64_t one_block = time_of_graph(1), eight_blocks = time_of_graph(8);
    check(one_block == one && eight_blocks == eight + 2 * 7 * 20,
          "between two nodes of a graph lies a time for each block but one (%llu, %llu, %llu, %llu)",
          (unsigned long long)one, (unsigned long long)one_block, (unsigned long long)eight,
          (unsigned long long)eight_blocks);
    remove_machine();
}

/* Checks launches on a machine like the GPUs up to 2010: each block adds to the time of a launch, and a
 * launch begins only when the kernel before it has ended. */
static void check_launches_of_blocks()
{
    machine_description d = machine_of_parts();
    d.launch_asynchronous = 1000;
    d.launch_block = 30;
    install(d, 1);
    uint64_t one = time_of(spin, 1, 1, 10LL), five = time_of(spin, 5, 1, 10LL);
    check(five - one >= 4 * 30 && five - one < 4 * 30 + 5, "each block adds to a launch (%llu, %llu)",
          (unsigned long long)one, (unsigned long long)five);
    remove_machine();
}

__global__ void arrive(int times)
{
    for (int i = 0; i < times; i++)
        __syncthreads();
}

__global__ void compute(unsigned *word, unsigned steps)
{
    unsigned value = steps;
    UNROLL(1)
    for (unsigned i = 0; i < steps; i++) {
        value = value * 3 + 1;
        asm volatile("" : "+r"(value));
    }
    word[threadIdx.x] = value;
}

/* Executes at least `steps` instructions without a load between them. Each turn of the loop has a store that
 * depends on a condition. */
__global__ void compute_in_a_row(unsigned *word, unsigned steps)
{
    unsigned value = steps;
    for (unsigned i = 0; i < steps; i++) {
        UNROLL(12)
        for (int k = 0; k < 12; k++)
            value = value * 5 + i;
        if (value == 12345)
            word[threadIdx.x + 32] = value;
        UNROLL(12)
        for (int k = 0; k < 12; k++)
            value = value * 5 + i;
    }
    word[threadIdx.x] = value;
}

/* In each turn of the loop, `count` products under a condition are between many other instructions. */
template <int count>
__global__ void compute_under_condition(unsigned *word, unsigned steps)
{
    unsigned value = steps;
    for (unsigned i = 0; i < steps; i++) {
        UNROLL(12)
        for (int k = 0; k < 12; k++)
            value = value * 5 + i;
        if (__builtin_expect(value == 12345, 1)) { /* so the products stay where they are */
            UNROLL(12)
            for (int k = 0; k < count; k++) {
                asm volatile("" : "+r"(value));
                value = value * value;
            }
        }
        UNROLL(12)
        for (int k = 0; k < 12; k++)
            value = value * 5 + i;
    }
    word[threadIdx.x] = value;
}

/* Computes the sum of several values if `sums` is set, or else their maximum. */
template <bool sums>
__global__ void combine(int *values, int a, int b, int c, int d)
{
    int value = values[threadIdx.x];
    if (sums)
        value = value + a + b + c + d;
    else {
        value = value > a ? value : a;
        value = value > b ? value : b;
        value = value > c ? value : c;
        value = value > d ? value : d;
    }
    values[threadIdx.x] = value;
}

__global__ void add_up(float *values, float x)
{
    float a = values[0], b = values[1], c = values[2], d = values[3];
    values[threadIdx.x] = a + x + b + x + c + x + d + x;
}

__global__ void multiply_add(float *values, float x)
{
    float a = values[0], b = values[1], c = values[2], d = values[3];
    values[threadIdx.x] = a * x + b + (b * x + c) + (c * x + d) + (d * x + a) + x;
}

/* Each of eight warps makes two loads, neither of which waits for the other. */
__global__ void load_two(unsigned *numbers)
{
    unsigned a = numbers[threadIdx.x], b = numbers[1024 + threadIdx.x];
    numbers[2048 + threadIdx.x] = a + b;
}

static void check_issue()
{
    uint64_t time[2];
    for (int slow = 0; slow < 2; slow++) {
        machine_description d = machine_of_parts();
        d.issue_per_1000_units = slow ? 250 : 1000;
        install(d, 1);
        time[slow] = time_of(load_two, 1, 256, words);
        remove_machine();
    }
    /* the last of 16 loads waits for 15 others, each of which is issued in four time units instead of one */
    check(time[1] - time[0] == 15 * 3,
          "where an instruction is issued in four units, requests wait for three more each (%llu, %llu)",
          (unsigned long long)time[0], (unsigned long long)time[1]);
}

/* Returns how much longer a loop with this number of products under a condition takes if the instructions of
 * long runs take twice their time. */
template <int count>
static double growth_of_long_runs(machine_description d)
{
    uint64_t time[2];
    for (int i = 0; i < 2; i++) {
        d.long_instruction_per_1000 = i ? 2000 : 1000;
        machine_install(&d);
        time[i] = time_of(compute_under_condition<count>, 1, 32, words, 30u) -
                  time_of(compute_under_condition<count>, 1, 32, words, 10u);
    }
    return (double)time[1] / (double)time[0];
}

static void check_instructions()
{
    machine_description d = machine_of_parts();
    d.syncthreads_latency = 10;
    d.syncthreads_latency_of_32 = 72;
    d.instruction_per_1000 = d.long_instruction_per_1000 = 2000;
    install(d, 1);
    uint64_t barriers = time_of(arrive, 1, 32, 101) - time_of(arrive, 1, 32, 1);
    uint64_t of_32 = time_of(arrive, 1, 1024, 101) - time_of(arrive, 1, 1024, 1);
    check(of_32 > barriers + 100 * 50, "a barrier of more warps takes longer (%llu, %llu)",
          (unsigned long long)barriers, (unsigned long long)of_32);
    uint64_t few = time_of(compute, 1, 32, words, 100u), many = time_of(compute, 1, 32, words, 600u);
    double each = (double)(many - few) / 500 / 2;
    check(each >= 2 && each <= 6,
          "a turn of a loop of a multiplication and an addition has 2 to 6 instructions (%g)", each);
    uint64_t warps = time_of(compute, 1, 1024, words, 600u);
    check(warps > 3 * many, "32 warps that compute share the issue slots (%llu, %llu)",
          (unsigned long long)warps, (unsigned long long)many);
    remove_machine();
    d.long_instruction_per_1000 = 1000;
    install(d, 1);
    uint64_t in_a_row =
        time_of(compute_in_a_row, 1, 32, words, 30u) - time_of(compute_in_a_row, 1, 32, words, 10u);
    d.long_instruction_per_1000 = 2000;
    machine_install(&d);
    uint64_t slower =
        time_of(compute_in_a_row, 1, 32, words, 30u) - time_of(compute_in_a_row, 1, 32, words, 10u);
    check(slower > in_a_row * 19 / 10 && slower < in_a_row * 21 / 10,
          "instructions of long runs, which one under a condition does not end, take their other time (%llu, "
          "%llu)",
          (unsigned long long)in_a_row, (unsigned long long)slower);
    check(time_of(compute, 1, 32, words, 600u) - time_of(compute, 1, 32, words, 100u) == many - few,
          "those of short runs do not");
    double of_8 = growth_of_long_runs<8>(d), of_9 = growth_of_long_runs<9>(d);
    check(of_8 > 1.9 && of_9 < 1.1, "eight instructions under a condition end no run, and nine do (%g, %g)",
          of_8, of_9);
    remove_machine();
    d.branch_latency = 40;
    install(d, 1);
    uint64_t turns = time_of(compute, 1, 32, words, 600u) - time_of(compute, 1, 32, words, 100u);
    check(turns == many - few + 500 * 40, "a loop that does not poll has a branch back in each turn (%llu)",
          (unsigned long long)turns);
    remove_machine();
    d.branch_latency = 0;
    d.instruction_per_1000 = 1000, d.long_instruction_per_1000 = 1000;
    install(d, 1);
    uint64_t sums = time_of(add_up, 1, 32, (float *)words, 2.f),
             products = time_of(multiply_add, 1, 32, (float *)words, 2.f);
    check(products >= sums && products < sums + 3, "a sum with a product is one instruction (%llu, %llu)",
          (unsigned long long)products, (unsigned long long)sums);
    machine_reset_counters();
    time_of(combine<true>, 1, 32, (int *)words, 1, 2, 3, 4);
    uint64_t of_sums = machine_get_counters()->instructions;
    machine_reset_counters();
    time_of(combine<false>, 1, 32, (int *)words, 1, 2, 3, 4);
    check(machine_get_counters()->instructions == of_sums, "so is a maximum (%llu, %llu)",
          (unsigned long long)machine_get_counters()->instructions, (unsigned long long)of_sums);
    remove_machine();
}

/* ---- instructions that take longer than others ---- */

__global__ void divide(unsigned *to, unsigned turns, unsigned dividend)
{
    unsigned value = threadIdx.x;
    UNROLL(1)
    for (unsigned i = 0; i < turns; i++)
        value = dividend / (value + 1);
    to[threadIdx.x] = value;
}

/* Computes two quotients in each turn of a loop. If `in_turn` is set, each quotient needs the one before;
 * otherwise they are independent. */
template <bool in_turn>
__global__ void divide_twice(unsigned *to, unsigned turns, unsigned dividend)
{
    unsigned a = threadIdx.x, b = threadIdx.x + 1;
    UNROLL(1)
    for (unsigned i = 0; i < turns; i++) {
        a = dividend / ((in_turn ? b : a) + 1);
        b = dividend / ((in_turn ? a : b) + 1);
    }
    to[threadIdx.x] = a + b;
}

template <class... Parameters, class... Arguments>
static double time_of_turn(void (*kernel)(unsigned *, unsigned, Parameters...), unsigned threads,
                           Arguments... arguments)
{
    uint64_t few = time_of(kernel, 1, threads, words, 10u, arguments...),
             many = time_of(kernel, 1, threads, words, 110u, arguments...);
    return (double)(many - few) / 100;
}

/* Returns how many instructions a turn with one division has more. */
static uint64_t instructions_of_turn()
{
    machine_reset_counters();
    time_of(divide, 1, 32, words, 1u, 1000u);
    uint64_t one = machine_get_counters()->instructions;
    machine_reset_counters();
    time_of(divide, 1, 32, words, 2u, 1000u);
    return machine_get_counters()->instructions - one;
}

static void check_long_instructions()
{
    machine_description d = machine_of_parts();
    d.instruction_per_1000 = d.long_instruction_per_1000 = 1000;
    install(d, 1);
    double division = time_of_turn(divide, 32, 1000u), apart = time_of_turn(divide_twice<false>, 32, 1000u),
           in_turn = time_of_turn(divide_twice<true>, 32, 1000u);
    d.divide_latency = 70;
    machine_install(&d);
    double slow_division = time_of_turn(divide, 32, 1000u);
    apart = time_of_turn(divide_twice<false>, 32, 1000u) - apart;
    in_turn = time_of_turn(divide_twice<true>, 32, 1000u) - in_turn;
    check(apart > 69 && apart < 71 && in_turn > 139 && in_turn < 141,
          "two divisions overlap, unless one needs the other (%g, %g)", apart, in_turn);
    check(slow_division > division + 69 && slow_division < division + 71,
          "a division takes longer than other instructions (%g, %g)", division, slow_division);
    uint64_t more = instructions_of_turn();
    d.divide_latency = 0;
    machine_install(&d);
    uint64_t fewer = instructions_of_turn();
    check(more - fewer == 18 - 1, "a division is as many instructions as nvcc's, not one (%llu, %llu)",
          (unsigned long long)more, (unsigned long long)fewer);
    remove_machine();
}

/* ---- polling of words that other threads change ---- */

/* Loads a word until it is not 0. Returns how many loads gave 0. */
static __device__ unsigned look_at(volatile unsigned *word)
{
    unsigned looks = 0;
    while (!*word)
        looks++;
    return looks;
}

#define LONG_ENOUGH 10000

/* The first `lookers` threads of warp 0 poll a word. Warp 1 sets the word after LONG_ENOUGH time units. */
__global__ void look(unsigned *word_and_looks, unsigned lookers)
{
    long long begin = clock64();
    if (threadIdx.x < lookers)
        word_and_looks[32] = look_at(word_and_looks);
    else if (threadIdx.x == 32) {
        while (clock64() - begin < LONG_ENOUGH) {
        }
        *(volatile unsigned *)word_and_looks = 1;
    }
    __syncthreads();
}
__global__ void look_at_shared(unsigned *word_and_looks, unsigned lookers)
{
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    long long begin = clock64();
    if (threadIdx.x < lookers)
        word_and_looks[32] = look_at(&word);
    else if (threadIdx.x == 32) {
        while (clock64() - begin < LONG_ENOUGH) {
        }
        *(volatile unsigned *)&word = 1;
    }
    __syncthreads();
}

/* Returns how many time units one turn of a polling loop takes, without the latency of its load. */
static double time_of_look(void (*kernel)(unsigned *, unsigned), int latency, unsigned lookers)
{
    cudaMemset(words, 0, 1024);
    time_of(kernel, 1, 64, words, lookers);
    return (double)LONG_ENOUGH / words[32] - latency;
}

static bool is_near(double value, double expected)
{
    return value > expected - 3 &&
           /* leaves room for the instructions that count, compare and branch, which are not part of the
            * expected time */
           value < expected + 6;
}

static void check_looks()
{
    machine_description d = machine_of_parts();
    d.shared_latency = 20;
    d.instruction_per_1000 = d.long_instruction_per_1000 = 1000;
    d.branch_latency = 40;
    install(d, 1);
    double any = time_of_look(look, GLOBAL, 32);
    check(is_near(any, 40), "a loop that looks at a word has a branch in each turn (%g)", any);
    d.poll_latency = 60, d.poll_apart_latency = 90;
    d.shared_poll_latency = 70, d.shared_poll_apart_latency = 110;
    machine_install(&d);
    double all = time_of_look(look, GLOBAL, 32), apart = time_of_look(look, GLOBAL, 1);
    check(is_near(all, 60) && is_near(apart, 90),
          "or what looks take where that is known, more for a thread apart from its warp (%g, %g)", all,
          apart);
    all = time_of_look(look_at_shared, 20, 32), apart = time_of_look(look_at_shared, 20, 1);
    check(is_near(all, 70) && is_near(apart, 110), "the same holds in shared memory (%g, %g)", all, apart);
    remove_machine();
}

/* ---- which accesses to memory the machine counts as requests ---- */

/* Thread 0 reads one of its own variables, or a word of global memory, by the same load. */
__global__ void look_at_either(unsigned *to, bool is_own)
{
    unsigned own = 1, *at = is_own ? &own : to + 8;
    asm volatile("" : "+l"(at)::"memory"); /* nvcc must not know which it is */
    if (threadIdx.x == 0)
        to[0] = *at;
}

static uint64_t requests_of(bool is_own)
{
    machine_reset_counters();
    time_of(look_at_either, 1, 2, words, is_own);
    return machine_get_counters()->requests;
}

static void check_stacks()
{
    install(machine_of_parts(), 1);
    check(requests_of(true) == 1 && requests_of(false) == 2,
          "an access to one's own stack is no request, the same load of global memory is one");
    remove_machine();
}

/* ---- for which earlier requests a request waits ---- */

enum between { NOTHING, ADDRESS, BRANCH, STORE, STORE_OF_IT, BARRIER, FENCE_BETWEEN, CALL };

static __device__ __noinline__ unsigned load_in_function(const unsigned *from)
{
    return from[threadIdx.x];
}

/* Makes two loads of different lines; `what` says what comes between them. */
template <between what>
__global__ void load_and_load(unsigned *from)
{
    unsigned first = what == CALL ? load_in_function(from) : from[threadIdx.x], at = 64;
    if (what == ADDRESS || what == CALL)
        at += first;
    if (what == BRANCH && first == 7)
        __trap();
    if (what == STORE)
        from[128 + threadIdx.x] = 5;
    if (what == STORE_OF_IT)
        from[128 + threadIdx.x] = first;
    if (what == BARRIER)
        __syncthreads();
    if (what == FENCE_BETWEEN)
        __threadfence();
    unsigned second = *(volatile unsigned *)(from + at + threadIdx.x);
    from[256 + threadIdx.x] = first + second;
}

/* Makes a load, and then a shuffle: of the loaded value if `of_it` is set, or else of a value that does
 * not depend on the load. */
template <bool of_it>
__global__ void load_and_shuffle(unsigned *from)
{
    unsigned value = from[threadIdx.x], other = __shfl_sync(0xffffffffu, of_it ? value : threadIdx.x, 3);
    from[256 + threadIdx.x] = value + other;
}

/* Makes a load and then twenty multiplications. If `of_it` is set, they multiply the loaded value, otherwise
 * a value that does not depend on the load. */
template <bool of_it>
__global__ void load_and_compute(unsigned *from)
{
    unsigned loaded = from[threadIdx.x], value = of_it ? loaded : threadIdx.x;
    asm volatile("" : "+r"(value));
    UNROLL(20)
    for (int k = 0; k < 20; k++) {
        value = value * value;
        asm volatile("" : "+r"(value));
    }
    from[256 + threadIdx.x] = value + (of_it ? 0 : loaded);
}

/* Makes a load, a store of the loaded value, and then another load. */
__global__ void load_behind_store(unsigned *from)
{
    unsigned first = from[threadIdx.x];
    from[128 + threadIdx.x] = first;
    from[256 + threadIdx.x] = first + from[64 + threadIdx.x];
}
__global__ void load_behind_shared_store(unsigned *from)
{
    __shared__ unsigned kept[32];
    unsigned first = from[threadIdx.x];
    kept[threadIdx.x] = first;
    from[256 + threadIdx.x] = first + from[64 + threadIdx.x] + kept[31 - threadIdx.x];
}

/* Makes a load, a store of the loaded value, and then a store of another value. */
__global__ void store_behind_store(unsigned *from)
{
    unsigned first = from[threadIdx.x];
    from[128 + threadIdx.x] = first;
    from[256 + threadIdx.x] = 7;
}

/* All lanes load two words. Then lanes 0 to 15 store the sum of these two; the other lanes load and store
 * a third word. */
__global__ void store_by_half(unsigned *from)
{
    unsigned first = from[threadIdx.x], second = from[64 + threadIdx.x];
    if (threadIdx.x < 16)
        from[512 + threadIdx.x] = first + second;
    else
        from[256 + threadIdx.x] = *(volatile unsigned *)(from + 128 + threadIdx.x);
}

/* Each turn of the loop makes a load and then a store of the loaded value. So the load of the next turn
 * follows that store. */
__global__ void load_in_next_turn(unsigned *from, unsigned turns)
{
    __shared__ unsigned kept[32];
    UNROLL(1)
    for (unsigned i = 0; i < turns; i++) {
        kept[threadIdx.x] = from[32 * i + threadIdx.x];
        asm volatile("" ::: "memory"); /* nvcc must not leave out the stores before the last one */
    }
    from[256 + threadIdx.x] = kept[31 - threadIdx.x];
}

/* Each turn of the loop makes a load. If `uses` is set, it also adds the loaded value to a sum, which no
 * request needs before the kernel's end; otherwise nothing uses the value. */
template <bool uses>
__global__ void load_and_add(unsigned *from, unsigned turns)
{
    unsigned sum = 0;
    UNROLL(1)
    for (unsigned i = 0; i < turns; i++) {
        unsigned loaded = *(volatile unsigned *)(from + 32 * i + threadIdx.x);
        sum += uses ? loaded : i;
    }
    from[2048 + threadIdx.x] = sum;
}

/* The lanes of a warp have `values` different values. */
__global__ void match(unsigned *to, unsigned values, int all)
{
    int are_equal;
    to[threadIdx.x] = all ? __match_all_sync(0xffffffffu, threadIdx.x % values, &are_equal)
                          : __match_any_sync(0xffffffffu, threadIdx.x % values);
}

static void check_matches()
{
    machine_description d = machine_of_parts();
    d.shuffle_latency = 80;
    d.match_value_latency = 11;
    install(d, 1);
    uint64_t one = time_of(match, 1, 32, words, 1u, 0), five = time_of(match, 1, 32, words, 5u, 0),
             most = time_of(match, 1, 32, words, 32u, 0), all = time_of(match, 1, 32, words, 32u, 1);
    check(five == one + 4 * 11 && most == one + 31 * 11,
          "a match takes longer for each further value (%llu, %llu, %llu)", (unsigned long long)one,
          (unsigned long long)five, (unsigned long long)most);
    check(all == one, "whether all are equal takes as long whatever the values (%llu)",
          (unsigned long long)all);
    remove_machine();
}

enum word { BELOW, ARRAY, ABOVE };

/* Makes a load, keeps the loaded value in one part of the stack, and makes a load at an index from another
 * part. The array between two variables is accessed by an index that only the running thread knows: then nvcc
 * keeps all parts in memory, which the machine takes for one variable. */
template <word loaded, word index>
__global__ void load_and_stack(unsigned *from)
{
    struct {
        volatile unsigned below, array[8], above;
    } own = {};
    unsigned first = from[threadIdx.x], at = 0;
    if (loaded == BELOW)
        own.below = first;
    if (loaded == ARRAY)
        own.array[threadIdx.x & 7] = first;
    if (loaded == ABOVE)
        own.above = first;
    if (index == BELOW)
        at = own.below;
    if (index == ARRAY)
        at = own.array[threadIdx.x & 7];
    if (index == ABOVE)
        at = own.above;
    unsigned second = *(volatile unsigned *)(from + 64 + at + threadIdx.x);
    from[256 + threadIdx.x] = first + second;
}

/* Makes a load, keeps the loaded value and 299 other numbers on the stack, and makes a load at the last of
 * these. */
__global__ void load_and_large_stack(unsigned *from)
{
    volatile unsigned own[300];
    unsigned first = from[threadIdx.x];
    UNROLL(300)
    for (int word = 0; word < 300; word++)
        own[word] = word == 298 ? first : 64;
    unsigned second = *(volatile unsigned *)(from + own[299] + threadIdx.x);
    from[256 + threadIdx.x] = first + second + own[298];
}

static bool takes(void (*kernel)(unsigned *), int units)
{
    /* subtracts the time of the store at the kernel's end */
    uint64_t time = time_of(kernel, 1, 32, words) - GLOBAL;
    return time >= (uint64_t)units && time < (uint64_t)units + 30;
}

static void check_dependence()
{
    machine_description d = machine_of_parts();
    d.shuffle_latency = 80;
    d.shared_latency = 20;
    install(d, 1);
    check(takes(load_and_load<NOTHING>, GLOBAL), "loads that need nothing of each other overlap");
    check(takes(load_and_load<ADDRESS>, 2 * GLOBAL), "a load waits for the one that has its address");
    check(takes(load_and_load<BRANCH>, 2 * GLOBAL), "or that decides whether it comes");
    check(takes(load_and_load<CALL>, 2 * GLOBAL), "or whose value a called function returns");
    check(takes(load_and_load<STORE>, GLOBAL), "not for one before a store of something else");
    check(takes(load_and_load<STORE_OF_IT>, 2 * GLOBAL), "but for one whose value is stored before it");
    check(takes(load_and_stack<BELOW, BELOW>, 2 * GLOBAL), "a load waits for one whose value the stack kept");
    check(takes(load_and_stack<BELOW, ABOVE>, GLOBAL), "not if another word of the stack kept it");
    check(takes(load_and_stack<ABOVE, ARRAY>, 2 * GLOBAL), "but if an index may reach it");
    check(takes(load_and_stack<ARRAY, ABOVE>, 2 * GLOBAL),
          "a store into an array may change what is beside it");
    check(takes(load_and_stack<ARRAY, ARRAY>, 2 * GLOBAL), "and what is in it");
    check(takes(load_and_large_stack, GLOBAL), "300 words of the stack are told apart");
    check(takes(load_behind_store, 2 * GLOBAL),
          "a load after a store into the same memory waits for what is stored");
    check(takes(store_by_half, GLOBAL), "lanes do not wait for what others of their warp store");
    check(takes(store_behind_store, GLOBAL), "a store that is done early does not end those before it");
    check(takes(load_behind_shared_store, GLOBAL),
          "not so one from another memory, which nvcc moves before the store");
    check(time_of(load_in_next_turn, 1, 32, words, 2u) >=
              time_of(load_in_next_turn, 1, 32, words, 1u) + GLOBAL,
          "unless it is of the loop's next turn");
    uint64_t used = time_of(load_and_add<true>, 1, 32, words, 4u) -
                    time_of(load_and_add<true>, 1, 32, words, 2u),
             unused = time_of(load_and_add<false>, 1, 32, words, 4u) -
                      time_of(load_and_add<false>, 1, 32, words, 2u);
    check(used >= 2 * GLOBAL && unused < GLOBAL,
          "a loop waits in each turn for what it has loaded and used, in the order of its instructions "
          "(%llu, %llu)",
          (unsigned long long)used, (unsigned long long)unused);
    check(takes(load_and_load<BARRIER>, GLOBAL), "a barrier waits for no load");
    check(takes(load_and_load<FENCE_BETWEEN>, 2 * GLOBAL + 50), "a fence waits for all");
    check(takes(load_and_shuffle<false>, GLOBAL), "a shuffle overlaps with a load that it does not need");
    check(takes(load_and_shuffle<true>, GLOBAL + 80), "and waits for one that it needs");
    d.loads_under_way = 1;
    machine_install(&d);
    check(takes(load_and_shuffle<false>, GLOBAL + 80),
          "on a pure machine every request waits for the one before");
    d.loads_under_way = 4;
    d.instruction_per_1000 = d.long_instruction_per_1000 = 20000;
    d.global_latency = 1000;
    machine_install(&d);
    uint64_t of_it = time_of(load_and_compute<true>, 1, 32, words),
             of_others = time_of(load_and_compute<false>, 1, 32, words);
    check(of_it >= of_others + 15 * 20,
          "what a thread computes of a load comes after it, other work is done meanwhile (%llu, %llu)",
          (unsigned long long)of_it, (unsigned long long)of_others);
    remove_machine();
    machine_description pure = machine_pure_umm(32, GLOBAL);
    install(pure, 1);
    machine_reset_counters();
    uint64_t time = time_of(load_and_compute<false>, 1, 32, words);
    check(machine_get_counters()->instructions == 2 && time < 3 * GLOBAL,
          "another machine's instruction times are forgotten (%llu)", (unsigned long long)time);
    remove_machine();
}

__global__ void take_pairs(unsigned *sums, const uint2 *pairs)
{
    uint2 pair = pairs[threadIdx.x];
    sums[threadIdx.x] = pair.x + pair.y;
}

__global__ void take_apart(unsigned *sums, const unsigned *from)
{
    sums[threadIdx.x] = from[threadIdx.x] + from[threadIdx.x + 4096];
}

__global__ void take_neighbours(unsigned *sums, const unsigned *from)
{
    sums[threadIdx.x] = from[threadIdx.x] + from[threadIdx.x + 1];
}

static void check_vectors()
{
    machine_description d = machine_of_parts();
    install(d, 1);
    machine_reset_counters();
    time_of(take_pairs, 1, 32, words, (const uint2 *)words);
    check(machine_get_counters()->transactions == 3,
          "pairs of words that lie side by side are loaded together: two lines, and one stored (%llu)",
          (unsigned long long)machine_get_counters()->transactions);
    machine_reset_counters();
    time_of(take_apart, 1, 32, words, (const unsigned *)words);
    check(machine_get_counters()->transactions == 3, "words apart are loaded one by one (%llu)",
          (unsigned long long)machine_get_counters()->transactions);
    machine_reset_counters();
    time_of(take_neighbours, 1, 32, words, (const unsigned *)words);
    check(machine_get_counters()->transactions == 4,
          "so are neighbours' words, of which one lane's make no vector with the next one's (%llu)",
          (unsigned long long)machine_get_counters()->transactions);
    remove_machine();
    d.loads_under_way = 1;
    install(d, 1);
    machine_reset_counters();
    time_of(take_pairs, 1, 32, words, (const uint2 *)words);
    check(machine_get_counters()->transactions == 3, "on a pure machine, too (%llu)",
          (unsigned long long)machine_get_counters()->transactions);
    remove_machine();
}

/* Each thread asks whether a phase of an mbarrier is complete. If `own` is set, each thread asks its own
 * mbarrier; otherwise all ask the same one. */
__global__ void ask(unsigned times, unsigned own)
{
    __shared__ mbarrier barriers[32];
    mbarrier_init(&barriers[threadIdx.x], 1);
    __syncthreads();
    for (unsigned i = 0; i < times; i++)
        mbarrier_try_wait(&barriers[own ? threadIdx.x : 0], 1);
}

static void check_mbarriers()
{
    machine_description d = machine_of_parts();
    d.shared_latency = 20, d.mbarrier_lane = 10, d.mbarrier_serial = 4;
    install(d, 1);
    uint64_t one = time_of(ask, 1, 32, 101u, 0u) - time_of(ask, 1, 32, 1u, 0u);
    uint64_t own = time_of(ask, 1, 32, 101u, 1u) - time_of(ask, 1, 32, 1u, 1u);
    check(own >= 100 * 31 * 10 && own < one + 101 * 31 * 10 + 100,
          "a warp's mbarriers are served one after another, one for all at once (%llu, %llu)",
          (unsigned long long)own, (unsigned long long)one);
    remove_machine();
    d.mbarrier_lane = 0;
    install(d, 1);
    uint64_t blocks = time_of(ask, 8, 32, 101u, 1u) - time_of(ask, 8, 32, 1u, 1u);
    check(blocks > 100 * 8 * 32 * 4 - 500 && blocks < 100 * 8 * 32 * 4 + 3000,
          "so are, faster, those of all warps of a multiprocessor (%llu)", (unsigned long long)blocks);
    remove_machine();
}

/* ---- places of arrays ---- */

__global__ void change_lines(unsigned *memory)
{
    atomicAdd(&memory[threadIdx.x * 32], 1u);
}

static void check_places()
{
    machine_description d = machine_of_parts();
    d.atomic_units = 5, d.atomic_unit_lines = 1, d.atomic_same_address_per_1000 = 40000;
    install(d, 1);
    uint64_t first = time_of(change_lines, 1, 32, words);
    remove_machine();
    bool same = true;
    for (int freed = 1; freed <= 8; freed++) {
        void *before;
        cudaMalloc(&before, (size_t)freed * 256);
        cudaFree(before);
        install(d, 1);
        same = time_of(change_lines, 1, 32, words) == first && same;
        remove_machine();
    }
    check(same,
          "arrays that were freed before have no influence on which unit of the L2 cache does an atomic");
}

int main()
{
    check_l1();
    check_strong_accesses();
    check_half_fences();
    check_devices();
    check_launches();
    check_copies();
    check_graphs();
    check_launches_of_blocks();
    check_issue();
    check_instructions();
    check_long_instructions();
    check_stacks();
    check_looks();
    check_matches();
    check_dependence();
    check_vectors();
    check_mbarriers();
    check_places();
    return checks_done();
}
