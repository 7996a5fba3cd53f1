/* Tests the memory machine's lock unit, lockstep warps and named barriers against Li 2015, sections 3 and 4.
 * One file because all tests measure on the Fermi that it describes. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "sync/mbarrier.cuh"
#include "sync/named_barrier.cuh"
#include "sync/spin_lock.cuh"
#include "sync/tiny_lock.cuh"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static const char *const schedules[] = {"round-robin", "random", "adversarial"};

static machine_description fermi(bool lockstep)
{
    machine_description d = machine_pure_umm(32, 100);
    d.shared_latency = 20;
    d.syncthreads_latency = 30;
    d.posted_stores = true;
    d.lock_bits = 1024;
    d.lockstep = lockstep;
    d.charges_memory_only = false;
    return d;
}

template <class... Parameters, class... Arguments>
static cudaError_t run(void (*kernel)(Parameters...), unsigned threads, Arguments... arguments)
{
    launch_shape shape = {1, threads, 16384, false, false};
    return launch(kernel, shape, NULL, arguments...);
}

static unsigned *device_words(size_t count)
{
    unsigned *p;
    cudaMalloc((void **)&p, count * sizeof *p);
    cudaMemset(p, 0, count * sizeof *p);
    return p;
}

/* ---- lock bits of the lock unit ---- */

/* Stores in `out` whether each of five tries took a lock bit. The words tried are 0, 0 again, 1024 (which
 * has the same bit), 1, and 0 again after a store to word 1024 freed the bit. */
__global__ void try_locks(unsigned *out)
{
    unsigned *words = dynamic_shared<unsigned>();
    int acquired[5];
    words[0] = 42;
    out[5] = machine_lock_load(&words[0], &acquired[0]);
    machine_lock_load(&words[0], &acquired[1]);
    machine_lock_load(&words[1024], &acquired[2]);
    machine_lock_load(&words[1], &acquired[3]);
    machine_store_unlock(&words[1024], 7);
    machine_lock_load(&words[0], &acquired[4]);
    for (int i = 0; i < 5; i++)
        out[i] = (unsigned)acquired[i];
    out[6] = words[1024];
}

static void check_lock_bits(void)
{
    machine_description d = fermi(false);
    machine_install(&d);
    unsigned *out = device_words(7);
    run(try_locks, 1, out);
    check(out[0] && out[5] == 42, "LDSLK takes a free bit and loads the word");
    check(!out[1], "it does not take the bit twice");
    check(!out[2], "words 1,024 words apart share a bit");
    check(out[3], "neighbouring words have different bits");
    check(out[4] && out[6] == 7, "STSUL stores a word and frees its bit, through an alias too");
    check(machine_get_counters()->lock_bits == 2, "the bits that were tried are counted (%llu)",
          (unsigned long long)machine_get_counters()->lock_bits);
}

__global__ void time_lock_load(long long *cycles)
{
    unsigned *words = dynamic_shared<unsigned>();
    int acquired;
    long long begin = clock64();
    (void)*(volatile unsigned *)words;
    long long middle = clock64();
    machine_lock_load(words, &acquired);
    cycles[1] = clock64() - middle;
    cycles[0] = middle - begin;
}

__global__ void add_shared(unsigned *out, unsigned stride)
{
    unsigned *words = dynamic_shared<unsigned>();
    words[threadIdx.x * stride] = 0;
    __syncthreads();
    atomicAdd(&words[0], 1u);
    atomicAdd(&words[32 + threadIdx.x * stride], 1u);
    __syncthreads();
    out[0] = words[0];
}

/* Takes 20 lock bits, one after another, and stores the clock's reading after the last one. */
__global__ void take_bits(long long *cycles)
{
    unsigned *words = dynamic_shared<unsigned>();
    int acquired = 0;
    for (int i = 0; i < 20; i++)
        machine_lock_load(&words[32 * i], &acquired);
    cycles[0] = clock64();
}

static void check_lock_spread(void)
{
    long long first = 0, most = 0, *cycles = (long long *)device_words(4);
    for (uint64_t seed = 1; seed <= 16; seed++) {
        machine_description d = fermi(false);
        d.lock_load_spread = 10;
        machine_install(&d);
        machine_set_schedule(MACHINE_RANDOM, seed);
        run(take_bits, 1, cycles);
        first = seed == 1 || cycles[0] < first ? cycles[0] : first;
        most = cycles[0] > most ? cycles[0] : most;
    }
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    check(most > first && most - first <= 20 * 10,
          "how long a try takes is drawn, up to the spread (%lld to %lld)", first, most);
}

static void check_lock_cost(void)
{
    machine_description d = fermi(false);
    machine_install(&d);
    long long *cycles = (long long *)device_words(4);
    run(time_lock_load, 1, cycles);
    check(cycles[0] == cycles[1], "LDSLK takes as long as a load (%lld, %lld time units)", cycles[1],
          cycles[0]);
    for (int s = 0; s < 3; s++) {
        unsigned *out = device_words(1);
        machine_install(&d);
        machine_set_schedule((machine_schedule)s, 5);
        run(add_shared, 96, out, 0u);
        check(out[0] == 96, "shared atomics lose nothing where they are loops over lock bits (%s)",
              schedules[s]);
    }
    d.lock_bits = 0;
    machine_install(&d);
    unsigned *out = device_words(1);
    run(add_shared, 96, out, 0u);
    check(out[0] == 96 && machine_get_counters()->lock_bits == 0, "without lock bits they are native");
}

/* ---- lockstep ---- */

__global__ void count_with_lock(unsigned *count)
{
    unsigned *mutex = dynamic_shared<unsigned>();
    if (threadIdx.x == 0)
        *mutex = 0;
    __syncthreads();
    spin_lock(mutex);
    *(volatile unsigned *)count = *(volatile unsigned *)count + 1;
    spin_unlock(mutex);
}

__global__ void count_in_section(unsigned *count)
{
    unsigned *mutex = dynamic_shared<unsigned>();
    if (threadIdx.x == 0)
        *mutex = 0;
    __syncthreads();
    spin_critical_section(mutex, [=] { *(volatile unsigned *)count = *(volatile unsigned *)count + 1; });
}

/* One lane writes a word and the other lanes read it, without __syncwarp(). This is right only if all
 * lanes of the warp share one program counter. */
__global__ void warp_synchronous(unsigned *wrong)
{
    volatile unsigned *words = dynamic_shared<unsigned>();
    unsigned lane = threadIdx.x % 32;
    for (unsigned i = 0; i < 20; i++) {
        words[threadIdx.x] = lane + i;
        unsigned other = words[threadIdx.x / 32 * 32 + (lane + 1) % 32];
        if (other != (lane + 1) % 32 + i)
            atomicAdd(wrong, 1u);
    }
}

static void check_lockstep(void)
{
    for (int s = 0; s < 3; s++)
        for (int lockstep = 0; lockstep < 2; lockstep++) {
            machine_description d = fermi(lockstep);
            /* lock bits need lockstep, because no hardware had both lock bits and independent threads */
            d.lock_bits = lockstep ? 1024 : 0;
            machine_install(&d);
            machine_set_schedule((machine_schedule)s, 9);
            unsigned *count = device_words(2);
            const char *warps = lockstep ? "lockstep" : "independent threads";
            cudaError_t error = run(count_with_lock, 32, count);
            if (lockstep)
                check(error == cudaErrorLaunchTimeout, "Listing 2 within a warp deadlocks (%s, %s)", warps,
                      schedules[s]);
            else
                check(error == cudaSuccess && count[0] == 32, "Listing 2 within a warp counts right (%s, %s)",
                      warps, schedules[s]);
            count[0] = 0;
            error = run(count_in_section, 96, count);
            check(error == cudaSuccess && count[0] == 96, "Listing 7 counts right (%s, %s)", warps,
                  schedules[s]);
            run(warp_synchronous, 64, count + 1);
            if (lockstep)
                check(count[1] == 0, "warp-synchronous code is right (%s, %s)", warps, schedules[s]);
            else if (s == MACHINE_ADVERSARIAL)
                check(count[1] > 0, "warp-synchronous code is wrong (%s, %s)", warps, schedules[s]);
        }
}

/* ---- named barriers for some of a block's threads ---- */

/* Warp 0 waits for warp 1, which arrives and goes on at once. Warp 2 takes no part in the barrier. */
__global__ void one_way(unsigned *out)
{
    volatile unsigned *word = dynamic_shared<unsigned>();
    if (threadIdx.x / 32 == 1) {
        for (int i = 0; i < 50; i++)
            word[1 + i] = 1;
        word[0] = 5;
        named_barrier_arrive(3, 64);
    }
    if (threadIdx.x / 32 == 0) {
        named_barrier_sync(3, 64);
        out[threadIdx.x] = word[0];
    }
}

__global__ void phases(unsigned *out)
{
    mbarrier *barrier = dynamic_shared<mbarrier>();
    if (threadIdx.x == 0)
        mbarrier_init(barrier, 3);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned phase = 0; phase < 4; phase++) {
            mbarrier_arrive(barrier);
            mbarrier_arrive(barrier);
            out[2 * phase] = mbarrier_try_wait(barrier, phase & 1);
            mbarrier_arrive(barrier);
            out[2 * phase + 1] = mbarrier_try_wait(barrier, phase & 1);
        }
    }
}

static void check_partial_barriers(void)
{
    for (int s = 0; s < 3; s++) {
        machine_description d = fermi(false);
        machine_install(&d);
        machine_set_schedule((machine_schedule)s, 4);
        unsigned *out = device_words(32), right = 0;
        cudaError_t error = run(one_way, 96, out);
        for (unsigned i = 0; i < 32; i++)
            right += out[i] == 5;
        check(error == cudaSuccess && right == 32, "bar.sync waits for bar.arrive of other warps only (%s)",
              schedules[s]);
        check(machine_get_counters()->named_barriers == 1, "named barriers are counted");
    }
    unsigned *out = device_words(8);
    run(phases, 1, out);
    bool right = true;
    for (unsigned i = 0; i < 8; i++)
        right = right && out[i] == i % 2;
    check(right, "a phase of an mbarrier ends with its last arrival, again and again");
}

/* ---- the listings of Li 2015, whose times are known exactly ---- */

/* Stores in `cycles` the times of a compare-and-swap, an exchange, an addition, a spin lock, and the wait
 * of a tiny lock. Each of them succeeds at its first try. */
__global__ void time_listings(long long *cycles)
{
    unsigned *words = dynamic_shared<unsigned>();
    words[threadIdx.x] = 0;
    long long t0 = clock64();
    atomicCAS(&words[0], 0u, 1u);
    long long t1 = clock64();
    atomicExch(&words[0], 0u);
    long long t2 = clock64();
    atomicAdd(&words[0], 0u);
    long long t3 = clock64();
    spin_lock(&words[0]);
    long long t4 = clock64();
    tiny_wait_lock(&words[1]);
    long long t5 = clock64();
    long long all[] = {t1 - t0, t2 - t1, t3 - t2, t4 - t3, t5 - t4};
    for (int i = 0; i < 5; i++)
        cycles[i] = all[i];
}

static void check_listings(void)
{
    static const char *const names[] = {
        "CAS has ISETP and SEL (Listing 3)", "an exchange MOV32I (Listing 3)", "an addition IADD (Listing 1)",
        "a spin lock also ISETP and BRA of its loop (Listing 3)", "a tiny lock BRA (Listing 4)"};
    static const int instructions[] = {2, 1, 1, 4, 1};
    long long *free = (long long *)device_words(10), *charged = (long long *)device_words(10);
    machine_description d = fermi(true);
    machine_install(&d);
    run(time_listings, 1, free);
    d.arithmetic_latency = 10;
    machine_install(&d);
    run(time_listings, 1, charged);
    for (int i = 0; i < 5; i++)
        check(charged[i] - free[i] == 10 * instructions[i], "%s: %lld dependent instructions", names[i],
              (charged[i] - free[i]) / 10);
}

/* ---- livelock ---- */

/* A row of locks, as in Li 2015, Listing 11: each warp but the first waits for the warp before it. */
__global__ void chain_of_locks(unsigned *out)
{
    unsigned *mutex = dynamic_shared<unsigned>(), i = threadIdx.x;
    mutex[i] = 0;
    spin_lock(&mutex[i]);
    __syncthreads();
    if (i >= 32)
        spin_lock(&mutex[i - 32]);
    spin_unlock(&mutex[i]);
    if (i >= 32)
        spin_unlock(&mutex[i - 32]);
    out[i] = 1;
}

__global__ void lock_twice()
{
    unsigned *mutex = dynamic_shared<unsigned>();
    *mutex = 0;
    spin_lock(mutex);
    spin_lock(mutex);
}

/* Checks that the machine reports a livelock: with these latencies, the polling warps hold the lock bit
 * each time that the warp that wants to unlock asks for it. */
static void check_livelock(void)
{
    machine_description d = fermi(true);
    d.issue_latency = d.arithmetic_latency = 5;
    d.shared_latency = 32;
    machine_install(&d);
    cudaError_t error = run(chain_of_locks, 128, device_words(128));
    check(
        error == cudaErrorLaunchTimeout && strncmp(machine_deadlock_report(), "livelock", 8) == 0,
        "a lock bit that goes round among pollers, while one that would unlock never gets it, is a livelock");
    d.shared_latency = 31;
    machine_install(&d);
    check(run(chain_of_locks, 128, device_words(128)) == cudaSuccess, "another latency ends it");
    error = run(lock_twice, 1);
    check(error == cudaErrorLaunchTimeout && strncmp(machine_deadlock_report(), "deadlock", 8) == 0,
          "a lock that nobody frees is a deadlock");
}

/* Locks and unlocks a mutex `times` times, while no other thread wants it. */
__global__ void use_mutex(unsigned times)
{
    unsigned *mutex = dynamic_shared<unsigned>();
    *mutex = 0;
    for (unsigned i = 0; i < times; i++) {
        spin_lock(mutex);
        spin_unlock(mutex);
    }
}

__global__ void use_lock_bit(unsigned times)
{
    unsigned *word = dynamic_shared<unsigned>();
    *word = 0;
    for (unsigned i = 0; i < times; i++) {
        tiny_wait_lock(word);
        tiny_unlock(word, 0);
    }
}

/* A warp of one thread takes a lock bit by vote, frees it, and takes it again by itself. */
__global__ void vote_alone(unsigned *out)
{
    unsigned *word = dynamic_shared<unsigned>();
    *word = 7;
    warp_vote_wait_lock(word);
    warp_vote_unlock(word);
    *out = tiny_wait_lock(word) + 1;
}

static void check_vote(void)
{
    machine_description d = fermi(true);
    machine_install(&d);
    unsigned *out = device_words(1);
    cudaError_t error = run(vote_alone, 1, out);
    check(error == cudaSuccess && *out == 1, "a warp of one thread frees the bit that it voted for (%u)",
          *out);
    cudaFree(out);
}

/* One warp holds a mutex for the time of `loads` loads, while another warp waits for the mutex. */
__global__ void wait_for_mutex(unsigned loads)
{
    unsigned *words = dynamic_shared<unsigned>();
    words[0] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < loads; i++)
            (void)*(volatile unsigned *)&words[1];
        spin_unlock(&words[0]);
    }
    if (threadIdx.x == 32)
        spin_lock(&words[0]);
}

__global__ void wait_for_lock_bit(unsigned loads)
{
    unsigned *words = dynamic_shared<unsigned>();
    if (threadIdx.x == 0)
        tiny_lock(&words[0]);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < loads; i++)
            (void)*(volatile unsigned *)&words[1];
        tiny_unlock(&words[0], 0);
    }
    if (threadIdx.x == 32)
        tiny_wait_lock(&words[0]);
}

/* Returns by how much the machine's counters are higher after `most` repetitions than after half as many.
 * Fences do not count as instructions. */
static machine_counters more_of(void (*kernel)(unsigned), unsigned threads, unsigned most)
{
    machine_description d = fermi(true);
    machine_install(&d);
    run(kernel, threads, most / 2);
    machine_counters half = *machine_get_counters();
    machine_reset_counters();
    run(kernel, threads, most);
    machine_counters more = *machine_get_counters();
    more.instructions -= half.instructions + (more.fences - half.fences);
    more.shared_loads -= half.shared_loads;
    more.shared_stores -= half.shared_stores;
    return more;
}

/* Checks the numbers of instructions in Li 2015, section 4.2. Listing 3 has twelve instructions. The machine
 * does not count three of them, SSY and two branches that are not taken, because they take no time. */
static void check_counts(void)
{
    machine_counters mutex = more_of(use_mutex, 1, 2), bit = more_of(use_lock_bit, 1, 2);
    check(mutex.instructions == 9 && bit.instructions == 3,
          "a lock and unlock are 9 of the 12 instructions of Listing 3, or the 3 of Listing 4 (%llu, %llu)",
          (unsigned long long)mutex.instructions, (unsigned long long)bit.instructions);
    check(mutex.shared_loads == 2 && mutex.shared_stores == 2 && bit.shared_loads == 1 &&
              bit.shared_stores == 1,
          "a tiny-lock loads once and stores once, half of what a spin lock does");
    mutex = more_of(wait_for_mutex, 64, 200);
    bit = more_of(wait_for_lock_bit, 64, 200);
    check(mutex.shared_stores > 10 && bit.shared_stores == 0,
          "who waits for a mutex writes it back at each try, who waits for a lock bit writes nothing (%llu, "
          "%llu)",
          (unsigned long long)mutex.shared_stores, (unsigned long long)bit.shared_stores);
}

/* Warp 0 loads a word, and then lets warp 1 go on, whose first thread takes and frees the word's lock bit. */
__global__ void let_go_and_lock()
{
    unsigned *words = dynamic_shared<unsigned>();
    int acquired;
    if (threadIdx.x < 32) {
        (void)*(volatile unsigned *)words;
        named_barrier_arrive(1, 64);
    } else {
        named_barrier_sync(1, 64);
    }
    if (threadIdx.x == 32) {
        machine_lock_load(words, &acquired);
        machine_store_unlock(words, 1);
    }
}

static void check_trace(void)
{
    char *text = NULL;
    size_t bytes;
    machine_description d = fermi(true);
    machine_install(&d);
    FILE *file = open_memstream(&text, &bytes);
    machine_trace(file);
    run(let_go_and_lock, 64);
    machine_trace(NULL);
    fclose(file);
    check(strcmp(text, "0\t0\tload\t0\t0\t20\n"
                       "0\t1\tnamed-barrier\t1\t20\t50\n"
                       "0\t0\tnamed-arrival\t20\t20\t21\n"
                       "0\t1\tlock-load\t50\t50\t70\n"
                       "0\t1\tstore-unlock\t70\t70\t71\n") == 0,
          "a trace has the lock unit's requests and who came to a named barrier, who waited there");
    free(text);
}

int main(void)
{
    check_lock_bits();
    check_lock_cost();
    check_lock_spread();
    check_lockstep();
    check_partial_barriers();
    check_listings();
    check_livelock();
    check_counts();
    check_vote();
    check_trace();
    return checks_done();
}
