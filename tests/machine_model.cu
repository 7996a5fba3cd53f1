/* Tests the memory machine against Nakano 2013, sections 2 and 3, and against what CUDA promises to every
 * kernel. One file because all tests measure on the machine that it installs. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "sync/convergence.cuh"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static const char *const schedules[] = {"round-robin", "random", "adversarial"};

/* Runs a kernel on the installed machine. Returns how many time units it took, or 0 if it failed. */
template <class... Parameters, class... Arguments>
static uint64_t time_of(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                        Arguments... arguments)
{
    uint64_t before = machine_now();
    launch_shape shape = {blocks, threads, 0, false, false};
    return launch(kernel, shape, NULL, arguments...) == cudaSuccess ? machine_now() - before : 0;
}

template <class T>
static T *device_array(size_t count)
{
    T *p;
    cudaMalloc((void **)&p, count * sizeof *p);
    cudaMemset(p, 0, count * sizeof *p);
    return p;
}

static machine_description several_sms(int sms)
{
    machine_description d = machine_pure_umm(32, 100);
    d.sm_count = sms;
    d.max_threads_per_sm = 512;
    d.max_blocks_per_sm = 2;
    d.posted_stores = true;
    d.lockstep = false;
    d.charges_memory_only = false;
    return d;
}

/* ---- the paper ---- */

/* Addresses that a kernel accesses. They are a parameter passed by value, so that reading the addresses
 * themselves is no access to memory. */
struct addresses {
    unsigned of[8];
};

__global__ void access_given(addresses a, const unsigned *m)
{
    (void)*(const volatile unsigned *)(m + a.of[threadIdx.x]);
}

static void check_figure_2(void)
{
    machine_description d = machine_pure_umm(4, 5);
    machine_install(&d);
    addresses a = {{7, 5, 15, 0, 10, 11, 12, 9}};
    uint64_t units = time_of(access_given, 1, 8, a, device_array<unsigned>(16));
    check(units == 9, "the worked example of Figure 2 takes 9 time units (%llu)", (unsigned long long)units);
}

__global__ void contiguous(const unsigned *a, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        (void)*(const volatile unsigned *)(a + i);
}

/* Checks Lemma 1 of Nakano 2013: contiguous access takes time O(n/w + nl/p). With all constants, the time
 * must be at least the larger of the two terms and at most their sum. */
static void check_lemma_1(void)
{
    static const unsigned sizes[] = {256, 1024, 4096}, widths[] = {4, 16, 32},
                          latencies[] = {1, 10, 100, 400};
    for (int s = 0; s < 3; s++) {
        double low = 1e9, high = 0;
        int points = 0, outside = 0;
        for (unsigned n : sizes)
            for (unsigned w : widths)
                for (unsigned l : latencies)
                    for (unsigned p = w; p <= n; p *= 4) {
                        machine_description d = machine_pure_umm((int)w, (int)l);
                        machine_install(&d);
                        machine_set_schedule((machine_schedule)s, n + w + l + p);
                        unsigned *a = device_array<unsigned>(n);
                        double units = (double)time_of(contiguous, 1, p, a, n);
                        double first = (double)n / w, second = (double)n * l / p, sum = first + second;
                        outside += units > sum || units < (first > second ? first : second);
                        low = units / sum < low ? units / sum : low;
                        high = units / sum > high ? units / sum : high;
                        points++;
                        cudaFree(a);
                    }
        check(outside == 0,
              "Lemma 1: contiguous access takes between max(n/w, nl/p) and n/w + nl/p time units "
              "(%s, %d points, %.3f to %.3f of the sum)",
              schedules[s], points, low, high);
    }
}

__global__ void strided(const unsigned *a, unsigned stride)
{
    (void)*(const volatile unsigned *)(a + threadIdx.x * stride);
}

static void check_address_groups(void)
{
    machine_description d = machine_pure_umm(8, 20);
    machine_install(&d);
    unsigned *a = device_array<unsigned>(64);
    check(time_of(strided, 1, 8, a, 1u) == 20, "a UMM serves w words of one address group in l time units");
    check(time_of(strided, 1, 8, a, 8u) == 27, "a UMM serves k address groups in k + l - 1 time units");
}

static void check_global_banks(void)
{
    machine_description d = machine_pure_dmm(8, 20);
    machine_install(&d);
    unsigned *a = device_array<unsigned>(128);
    check(time_of(strided, 1, 8, a, 9u) == 20,
          "a DMM's global memory serves words of different banks at once");
    check(time_of(strided, 1, 8, a, 8u) == 27, "and k words of one bank in k + l - 1 time units");
}

__global__ void shared_strided(unsigned stride)
{
    __shared__ volatile unsigned words[256];
    (void)words[threadIdx.x * stride];
}

static void check_banks(void)
{
    machine_description d = machine_pure_umm(8, 20);
    machine_install(&d);
    check(time_of(shared_strided, 1, 8, 1u) == 20, "a DMM serves one word of every bank in l time units");
    check(time_of(shared_strided, 1, 8, 0u) == 20, "a DMM serves one word to all lanes in l time units");
    check(time_of(shared_strided, 1, 8, 9u) == 20, "a DMM serves different rows of different banks at once");
    check(time_of(shared_strided, 1, 8, 8u) == 27,
          "a DMM serves k words of one bank in k + l - 1 time units");
    check(machine_get_counters()->bank_conflicts == 7, "bank conflicts are counted");
}

/* ---- what CUDA promises to every kernel ---- */

__global__ void add_one(unsigned *word)
{
    atomicAdd(word, 1u);
}

static void check_atomics(void)
{
    machine_description d = several_sms(4);
    d.atomic_latency = 100;
    d.atomic_same_address_per_1000 = 7000;
    machine_install(&d);
    unsigned *word = device_array<unsigned>(1);
    uint64_t units = time_of(add_one, 8, 32, word);
    check(*word == 256, "no atomic addition is lost");
    check(units == 255 * 7 + 100, "atomics on one address wait for each other (%llu time units)",
          (unsigned long long)units);
}

__global__ void add_apart(unsigned *words, unsigned distance)
{
    atomicAdd(words + distance * threadIdx.x, 1u);
}

__global__ void add_thrice(unsigned *words)
{
    for (int i = 0; i < 3; i++)
        atomicAdd(words, 1u);
}

/* Checks that a unit of the L2 cache executes the atomics on different words of a 32-byte sector in one
 * turn. */
static void check_atomic_units(void)
{
    machine_description d = several_sms(1);
    unsigned lanes = (unsigned)d.warp_size, line = (unsigned)d.global_width;
    d.atomic_latency = 100;
    d.atomic_same_address_per_1000 = 7000;
    d.atomic_unit_lines = 1;
    unsigned *words = device_array<unsigned>(lanes * line);
    uint64_t together[2], apart[3];
    for (int units = 0; units < 2; units++) {
        d.atomic_units = units;
        machine_install(&d);
        together[units] = time_of(add_apart, 1, lanes, words, 1u);
        apart[units] = time_of(add_apart, 1, lanes, words, line);
    }
    d.atomic_units = 8;
    machine_install(&d);
    apart[2] = time_of(add_apart, 1, lanes, words, line);
    check(together[0] == 100 && apart[0] == 100, "without units, atomics on different words do not wait");
    check(together[1] == (lanes / 8 - 1) * 7 + 100,
          "a unit takes 8 words of 32 bytes in a turn (%llu time units)", (unsigned long long)together[1]);
    check(apart[1] == (lanes - 1) * 7 + 100,
          "a unit takes words of different lines one by one (%llu time units)", (unsigned long long)apart[1]);
    check(apart[2] < apart[1] && apart[2] > 100, "several units share the lines (%llu time units)",
          (unsigned long long)apart[2]);
}

/* Checks that atomics from the second multiprocessor, which is far from the memory, take longer. A thread
 * that does not use the value returned by an atomic must not wait for it. */
static void check_far_atomics(void)
{
    machine_description d = several_sms(2);
    d.atomic_latency = 100;
    d.atomic_near_multiprocessors = 1;
    d.atomic_far_latency = 60;
    machine_install(&d);
    unsigned *words = device_array<unsigned>(2);
    uint64_t near = time_of(add_apart, 1, 1, words, 1u), far = time_of(add_apart, 2, 1, words, 1u);
    /* two atomics on one word: the second has its result after 161 time units */
    check(near == 100 && far >= 160 && far <= 161,
          "an atomic takes longer from far multiprocessors (%llu, %llu time units)", (unsigned long long)near,
          (unsigned long long)far);
    d.posted_stores = true;
    machine_install(&d);
    far = time_of(add_thrice, 2, 1, words);
    check(far >= 160 && far < 170, "atomics whose old value is not used do not wait for each other (%llu)",
          (unsigned long long)far);
}

__global__ void store_then_fence(unsigned *a, int fence)
{
    *(volatile unsigned *)(a + threadIdx.x) = 1;
    if (fence)
        __threadfence();
}

__global__ void fence_only()
{
    __threadfence();
}

static void check_fence(void)
{
    machine_description d = several_sms(1);
    d.fence_latency = 50;
    machine_install(&d);
    unsigned *a = device_array<unsigned>(32);
    check(time_of(fence_only, 1, 32) == 50, "a fence with nothing to wait for takes its latency");
    uint64_t without = time_of(store_then_fence, 1, 32, a, 0), with = time_of(store_then_fence, 1, 32, a, 1);
    check(with == without + 50, "a fence waits for the caller's outstanding stores (%llu, %llu)",
          (unsigned long long)without, (unsigned long long)with);
    d.fence_store_latency = 20;
    machine_install(&d);
    uint64_t over = time_of(store_then_fence, 1, 32, a, 1);
    check(over == (without + 20 > 50 ? without + 20 : 50),
          "where a fence overlaps with stores, the later of both ends counts (%llu)",
          (unsigned long long)over);
    check(time_of(fence_only, 1, 32) == 50, "and a fence alone takes its latency");
    d = several_sms(2);
    d.fence_latency = 50, d.fence_store_latency = 60;
    d.atomic_near_multiprocessors = 1;
    machine_install(&d);
    uint64_t near = time_of(store_then_fence, 2, 32, a, 1);
    d.fence_store_far_latency = 70;
    machine_install(&d);
    check(time_of(store_then_fence, 1, 32, a, 1) <= near &&
              time_of(store_then_fence, 2, 32, a, 1) == near + 70,
          "a fence after a store takes longer on far multiprocessors");
}

__global__ void permute_bytes(unsigned *out)
{
    out[0] = __byte_perm(0x33221100u, 0x77665544u, 0x7531);
    out[1] = __byte_perm(0x33221100u, 0x77665544u, 0x0246);
}

static void check_bytes(void)
{
    unsigned *out = device_array<unsigned>(2);
    time_of(permute_bytes, 1, 32, out);
    check(out[0] == 0x77553311u && out[1] == 0x00224466u, "each digit of a selector chooses a byte");
    cudaFree(out);
}

__global__ void rotate(unsigned *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, (int)((threadIdx.x + 1) % 32));
    out[64 + threadIdx.x] = __shfl_up_sync(0xffffffffu, threadIdx.x, 3);
    out[128 + threadIdx.x] = __ballot_sync(0xffffffffu, threadIdx.x % 3 == 0);
}

static void check_warp_operations(void)
{
    machine_description d = several_sms(1);
    for (int s = 0; s < 3; s++) {
        machine_install(&d);
        machine_set_schedule((machine_schedule)s, 5);
        unsigned *out = device_array<unsigned>(192), wrong = 0, ballot = 0;
        time_of(rotate, 1, 32, out);
        for (unsigned i = 0; i < 32; i++)
            ballot |= (i % 3 == 0 ? 1u : 0u) << i;
        for (unsigned i = 0; i < 32; i++)
            wrong +=
                (out[i] != (i + 1) % 32) + (out[64 + i] != (i < 3 ? i : i - 3)) + (out[128 + i] != ballot);
        check(wrong == 0, "shuffles and votes give every lane its value (%s)", schedules[s]);
        cudaFree(out);
    }
}

/* Every thread writes its square, waits at the block's barrier, and reads another thread's square. If
 * `leave` is not 0, odd threads exit before the barrier. */
__global__ void through_shared(unsigned *out, unsigned leave)
{
    __shared__ unsigned cell[64];
    if (leave && threadIdx.x % 2)
        return;
    cell[threadIdx.x] = threadIdx.x * threadIdx.x + blockIdx.x;
    __syncthreads();
    unsigned other = leave ? (threadIdx.x + 2) % 64 : (threadIdx.x + 33) % 64;
    out[blockIdx.x * 64 + threadIdx.x] = cell[other] - other * other;
}

static void check_shared_memory(void)
{
    for (int s = 0; s < 3; s++)
        for (unsigned leave = 0; leave < 2; leave++) {
            machine_description d = several_sms(3);
            machine_install(&d);
            machine_set_schedule((machine_schedule)s, 11);
            unsigned *out = device_array<unsigned>(20 * 64), wrong = 0;
            time_of(through_shared, 20, 64, out, leave);
            for (unsigned i = 0; i < 20 * 64; i++)
                wrong += (!leave || i % 2 == 0) && out[i] != i / 64;
            check(wrong == 0, "each block has its own shared memory, and __syncthreads %s (%s)",
                  leave ? "counts threads that have left as arrived" : "separates its writes from its reads",
                  schedules[s]);
            cudaFree(out);
        }
}

__global__ void load_ten(const unsigned *a)
{
    for (unsigned i = 0; i < 10; i++)
        (void)*(const volatile unsigned *)(a + i);
}

static void check_waiting_blocks(void)
{
    machine_description d = several_sms(2);
    machine_install(&d);
    unsigned *a = device_array<unsigned>(16);
    uint64_t four = time_of(load_ten, 4, 1, a), five = time_of(load_ten, 5, 1, a);
    check(five >= 2 * four - 10 && five <= 2 * four + 10,
          "a block that finds no free multiprocessor waits until another has finished (%llu, %llu)",
          (unsigned long long)four, (unsigned long long)five);
}

/* A hand-made barrier across blocks: each block waits until all blocks have arrived. */
__global__ void wait_for_all(unsigned *counter)
{
    atomicAdd(counter, 1u);
    while (*(volatile unsigned *)counter < gridDim.x) {
    }
}

/* A barrier across blocks at which a few lanes poll. The polling lanes vote with all other lanes of their
 * warp. */
__global__ void vote_for_all(unsigned *counter)
{
    if (threadIdx.x == 0)
        atomicAdd(counter, 1u);
    bool missing = threadIdx.x < 8;
    while (__any_sync(0xffffffffu, missing))
        if (missing)
            missing = *(volatile unsigned *)counter < gridDim.x;
}

static void check_deadlock(void)
{
    for (int s = 0; s < 3; s++) {
        machine_description d = several_sms(2);
        machine_install(&d);
        machine_set_schedule((machine_schedule)s, 3);
        unsigned *counter = device_array<unsigned>(1);
        check(time_of(wait_for_all, 4, 1, counter) > 0, "blocks that are all resident meet (%s)",
              schedules[s]);
        *counter = 0;
        launch_shape shape = {5, 1, 0, false, false};
        cudaError_t error = launch(wait_for_all, shape, NULL, counter);
        check(error == cudaErrorLaunchTimeout &&
                  strstr(machine_deadlock_report(), "4 of 5 blocks are resident") &&
                  strstr(machine_deadlock_report(), "1 wait for a free multiprocessor") &&
                  strstr(machine_deadlock_report(), "machine_model.cu:"),
              "one block too many is a deadlock, and the report says who waits where (%s)", schedules[s]);
        *counter = 0;
        check(time_of(vote_for_all, 4, 32, counter) > 0, "resident blocks meet whose lanes vote (%s)",
              schedules[s]);
        *counter = 0;
        launch_shape warps = {5, 32, 0, false, false};
        error = launch(vote_for_all, warps, NULL, counter);
        check(error == cudaErrorLaunchTimeout &&
                  strstr(machine_deadlock_report(), "4 of 5 blocks are resident"),
              "and so is it if the lanes of a warp vote whether to poll on (%s)", schedules[s]);
        cudaFree(counter);
    }
}

__global__ void meet_alone(unsigned *out)
{
    if (threadIdx.x == 0)
        while (!*(volatile unsigned *)out) {
        }
    __syncthreads();
}

static void check_barrier_deadlock(void)
{
    machine_description d = several_sms(1);
    machine_install(&d);
    unsigned *never = device_array<unsigned>(1);
    launch_shape shape = {1, 32, 0, false, false};
    cudaError_t error = launch(meet_alone, shape, NULL, never);
    check(error == cudaErrorLaunchTimeout &&
              strstr(machine_deadlock_report(), "threads 1-31 at __syncthreads"),
          "threads that wait at __syncthreads for one that polls are a deadlock");
}

__global__ void long_poll(unsigned *flag, unsigned loads)
{
    if (blockIdx.x == 0) {
        while (!*(volatile unsigned *)flag) {
        }
    } else {
        unsigned sum = 0;
        for (unsigned i = 0; i < loads; i++)
            sum += *(volatile unsigned *)(flag + 1 + i);
        *(volatile unsigned *)flag = 1 + sum;
    }
}

static void check_no_false_deadlock(void)
{
    for (int s = 0; s < 3; s++) {
        machine_description d = several_sms(2);
        machine_install(&d);
        machine_set_schedule((machine_schedule)s, 3);
        unsigned *flag = device_array<unsigned>(60001);
        check(time_of(long_poll, 2, 1, flag, 60000u) > 0,
              "a block that polls while another reads for long is no deadlock (%s)", schedules[s]);
        cudaFree(flag);
    }
}

/* Reads a few words a hundred times, with a long fence after each read. In the end it writes a word that
 * another warp polls. */
__global__ void read_slowly(unsigned *words)
{
    volatile unsigned *w = words;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 100; i++) {
            sum += w[1 + i % 3];
            __threadfence();
        }
        w[0] = 1 + sum;
    }
    if (threadIdx.x == 32)
        while (w[0] == 0) {
        }
}

/* Reads a word 250 times, writes another word, and does so ten times. In the end it writes a word that
 * another warp polls. */
__global__ void read_between_writes(unsigned *words)
{
    volatile unsigned *w = words;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned round = 1; round <= 10; round++) {
            for (unsigned i = 0; i < 250; i++)
                sum += w[1];
            w[2] = round;
        }
        w[0] = 1 + sum;
    }
    if (threadIdx.x == 32)
        while (w[0] == 0) {
        }
}

static void check_reading_is_no_polling(void)
{
    machine_description d = several_sms(2);
    d.fence_latency = 20000;
    machine_install(&d);
    unsigned *words = device_array<unsigned>(4);
    check(time_of(read_slowly, 1, 33, words) > 0,
          "a thread that reads a few words a hundred times is no deadlock");
    CHECK(cudaMemset(words, 0, 4 * sizeof *words));
    check(time_of(read_between_writes, 1, 33, words) > 0,
          "nor is one that reads a word two thousand times and writes now and then");
    cudaFree(words);
}

/* Even lanes make a load, and then all lanes make two loads. Each of these two loads is one request of the
 * warp, because the lanes meet at __syncwarp() before. */
__global__ void part_and_meet(unsigned *words)
{
    volatile unsigned *w = words;
    if (threadIdx.x % 2 == 0)
        (void)w[threadIdx.x];
    __syncwarp();
    (void)w[32 + threadIdx.x];
    (void)w[64 + threadIdx.x];
}

static void check_meeting_again(void)
{
    machine_description d = several_sms(1);
    machine_install(&d);
    unsigned *words = device_array<unsigned>(96);
    machine_reset_counters();
    time_of(part_and_meet, 1, 32, words);
    check(machine_get_counters()->requests == 3,
          "lanes that went apart make one request again after the branch");
    cudaFree(words);
}

static void check_determinism(void)
{
    for (int s = 0; s < 3; s++) {
        uint64_t units[3];
        for (int run = 0; run < 3; run++) {
            machine_description d = several_sms(3);
            machine_install(&d);
            machine_set_schedule((machine_schedule)s, run < 2 ? 1 : 2);
            unsigned *out = device_array<unsigned>(20 * 64);
            units[run] = time_of(through_shared, 20, 64, out, 0u);
            cudaFree(out);
        }
        check(units[0] == units[1], "the same seed gives the same time units (%s)", schedules[s]);
        if (s == MACHINE_ADVERSARIAL)
            check(units[0] != units[2], "another seed gives another adversary");
    }
}

__global__ void read_clock(long long *out)
{
    out[0] = clock64();
    (void)*(volatile long long *)(out + 2);
    out[1] = clock64();
}

static void check_clock(void)
{
    machine_description d = several_sms(1);
    machine_install(&d);
    long long *out = device_array<long long>(3);
    time_of(read_clock, 1, 1, out);
    check(out[1] - out[0] >= 100 && out[1] - out[0] < 110,
          "clock64 counts time units (%lld over one load of 100)", out[1] - out[0]);
}

/* ---- for which earlier loads a thread waits ---- */

#define GROUP 32 /* number of words in an address group */

__global__ void four_plain_loads(unsigned *out, const unsigned *m)
{
    *out = m[0] + m[GROUP] + m[2 * GROUP] + m[3 * GROUP];
}

__global__ void four_volatile_loads(unsigned *out, const volatile unsigned *m)
{
    *out = m[0] + m[GROUP] + m[2 * GROUP] + m[3 * GROUP];
}

/* Makes two loads whose results are not needed before the kernel's end, which waits for both. */
__global__ void two_loads_and_the_end(const unsigned *m)
{
    unsigned sum = m[0] + m[GROUP];
    asm volatile("" : : "r"(sum));
}

/* Makes a load of global memory, and then a load of shared memory, which takes less time. */
__global__ void global_and_shared_load(unsigned *out, const unsigned *m)
{
    __shared__ volatile unsigned word;
    unsigned first = m[0];
    asm volatile("" : "+r"(first));
    *out = first + word;
}

static uint64_t time_of_loads(void (*kernel)(unsigned *, const unsigned *), int under_way)
{
    machine_description d = machine_pure_umm(GROUP, 100);
    d.loads_under_way = under_way;
    d.shared_latency = 2;
    machine_install(&d);
    return time_of(kernel, 1, 1, device_array<unsigned>(1),
                   (const unsigned *)device_array<unsigned>(4 * GROUP));
}

static void check_loads_under_way(void)
{
    check(time_of_loads(four_plain_loads, 1) == 500,
          "on the UMM a thread waits for each of four loads and the store");
    check(time_of_loads(four_plain_loads, 8) == 203,
          "plain loads overlap, one a time unit, until a store needs them (%llu)",
          (unsigned long long)time_of_loads(four_plain_loads, 8));
    uint64_t units = time_of_loads(global_and_shared_load, 8);
    check(units == 200, "a store waits for the load that takes longest (%llu)", (unsigned long long)units);
    units = time_of_loads(four_plain_loads, 2);
    check(units >= 300 && units < 310, "no more of them than a thread may have under way (%llu)",
          (unsigned long long)units);
    units = time_of_loads((void (*)(unsigned *, const unsigned *))four_volatile_loads, 8);
    check(units == 203, "volatile loads overlap, too (%llu)", (unsigned long long)units);
    machine_description d = machine_pure_umm(GROUP, 100);
    d.loads_under_way = 8;
    machine_install(&d);
    check(time_of(two_loads_and_the_end, 1, 1, (const unsigned *)device_array<unsigned>(2 * GROUP)) == 101,
          "a kernel does not end before its loads");
}

__global__ void some_arithmetic(unsigned *out)
{
    dependent_instructions(3);
    *out = 1;
}

static void check_arithmetic(void)
{
    machine_description d = machine_pure_umm(GROUP, 100);
    machine_install(&d);
    check(time_of(some_arithmetic, 1, 1, device_array<unsigned>(1)) == 100, "arithmetic is free on the UMM");
    d.arithmetic_latency = 6;
    machine_install(&d);
    check(time_of(some_arithmetic, 1, 1, device_array<unsigned>(1)) == 118,
          "dependent instructions delay what follows by their latency each");
}

/* ---- the trace ---- */

/* Warp 0 makes a load. Then both warps meet at the block's barrier, and after it the lanes of each warp
 * meet at __syncwarp(). The machine dispatches the two warps in turn. */
__global__ void load_and_meet(const unsigned *m)
{
    if (threadIdx.x < 4)
        (void)*(const volatile unsigned *)(m + threadIdx.x);
    __syncthreads();
    __syncwarp();
}

static void check_trace(bool memory_only, const char *expected)
{
    char *text = NULL;
    size_t bytes;
    machine_description d = machine_pure_umm(4, 5);
    d.syncthreads_latency = 3;
    d.syncwarp_latency = 2;
    d.charges_memory_only = memory_only;
    machine_install(&d);
    unsigned *m = device_array<unsigned>(4);
    FILE *file = open_memstream(&text, &bytes);
    machine_trace(file);
    time_of(load_and_meet, 1, 8, (const unsigned *)m);
    machine_trace(NULL);
    fclose(file);
    check(strcmp(text, expected) == 0,
          "a trace has when each warp came to a barrier, when the last one did and when it went on%s",
          memory_only ? ", where they take no slot" : "");
    free(text);
    cudaFree(m);
}

static void check_traces(void)
{
    check_trace(false, "0\t0\tload\t0\t0\t5\n"
                       "0\t0\tsyncthreads\t5\t5\t8\n"
                       "0\t1\tsyncthreads\t1\t5\t8\n"
                       "0\t1\tsyncwarp\t8\t8\t10\n"
                       "0\t0\tsyncwarp\t9\t9\t11\n");
    check_trace(true, "0\t0\tload\t0\t0\t5\n"
                      "0\t0\tsyncthreads\t5\t5\t8\n"
                      "0\t1\tsyncthreads\t0\t5\t8\n"
                      "0\t0\tsyncwarp\t8\t8\t10\n"
                      "0\t1\tsyncwarp\t8\t8\t10\n");
}

/* Checks the bandwidth of global memory with a kernel that loads whole address groups, one after the
 * other. */
static void check_bandwidth(void)
{
    machine_description d = machine_pure_umm(GROUP, 100);
    d.issue_per_1000_units = 4000;
    d.max_threads_per_block = d.max_threads_per_sm = 1024;
    d.global_groups_per_1000_units = 500;
    machine_install(&d);
    /* the memory serves each of the 32 address groups for two time units, and begins with the last one at
     * time 62 */
    uint64_t units = time_of(contiguous, 1, 1024, (const unsigned *)device_array<unsigned>(1024), 1024u);
    check(units == 162, "memory that serves half a group a time unit takes two for each (%llu)",
          (unsigned long long)units);
}

/* The threads whose number is at least `from` load a word and exit, while all others wait at
 * __syncthreads(). */
__global__ void exit_while_others_wait(unsigned *words, unsigned from)
{
    if (threadIdx.x >= from) {
        unsigned word = *(volatile unsigned *)&words[threadIdx.x];
        if (word == 0)
            return;
        words[0] = word;
    }
    __syncthreads();
    words[threadIdx.x] = 2;
}

static void check_exits(void)
{
    for (int lockstep = 0; lockstep < 2; lockstep++)
        for (unsigned from = lockstep ? 32 : 16; from < 64; from += 16) {
            machine_description d = several_sms(1);
            d.lockstep = lockstep;
            machine_install(&d);
            unsigned *words = device_array<unsigned>(64), written = 0;
            bool ended = time_of(exit_while_others_wait, 1, 64, words, from) > 0;
            for (unsigned i = 0; i < 64; i++)
                written += words[i] == (i < from ? 2u : 0u);
            check(ended && written == 64, "a block goes on without the threads that exit, from %u on%s", from,
                  lockstep ? ", in lockstep" : "");
            cudaFree(words);
        }
}

int main(void)
{
    check_figure_2();
    check_lemma_1();
    check_address_groups();
    check_global_banks();
    check_banks();
    check_atomics();
    check_atomic_units();
    check_far_atomics();
    check_fence();
    check_warp_operations();
    check_bytes();
    check_shared_memory();
    check_waiting_blocks();
    check_deadlock();
    check_barrier_deadlock();
    check_no_false_deadlock();
    check_reading_is_no_polling();
    check_meeting_again();
    check_determinism();
    check_clock();
    check_loads_under_way();
    check_arithmetic();
    check_traces();
    check_bandwidth();
    check_exits();
    return checks_done();
}
