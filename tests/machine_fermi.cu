/* Tests the memory machine's lock unit, lockstep warps and named barriers against Li 2015, sections 3 and 4.
 * One file because all tests measure on the Fermi that it describes. */
#include "sync/mbarrier.cuh"
#include "sync/named_barrier.cuh"
#include "sync/spin_lock.cuh"
#include "sync/tiny_lock.cuh"
#include "tests/machine_of_card.cuh"

static machine_description fermi(bool lockstep)
{
    machine_description d = independent_threads(1, 100);
    d.shared_latency = 20;
    d.syncthreads_latency = 30;
    d.lock_bits = 1024;
    d.lockstep = lockstep;
    return d;
}

/* A block with this number of threads, and 16 KB of dynamic shared memory. */
static launch_shape threads(unsigned count)
{
    return {1, count, 16384};
}

/* ---- lock bits of the lock unit ---- */

static void check_lock_bits(void)
{
    install(fermi(false));
    run(threads(1), [] __device__(unsigned *w, long long *) {
        unsigned *shared = dynamic_shared<unsigned>();
        const unsigned tried[] = {0, 0, 1024, 1, 0};
        int acquired;
        shared[0] = 42;
        for (int i = 0; i < 5; i++) {
            if (i == 4)
                machine_store_unlock(&shared[1024], 7);
            unsigned loaded = machine_lock_load(&shared[tried[i]], &acquired);
            w[i] = (unsigned)acquired;
            w[5] = i == 0 ? loaded : w[5];
        }
        w[6] = shared[1024];
    });
    check(words[0] && words[5] == 42, "LDSLK takes a free bit and loads the word");
    check(!words[1], "it does not take the bit twice");
    check(!words[2], "words 1,024 words apart share a bit");
    check(words[3], "neighbouring words have different bits");
    check(words[4] && words[6] == 7, "STSUL stores a word and frees its bit, through an alias too");
    equals(machine_get_counters()->lock_bits, 2, "the bits that were tried are counted");
}

static void check_lock_spread(void)
{
    long long first = 0, most = 0;
    for (unsigned seed = 1; seed <= 16; seed++) {
        machine_description d = fermi(false);
        d.lock_load_spread = 10;
        install(d);
        machine_set_schedule(MACHINE_RANDOM, seed);
        long long time = time_in(threads(1), [] __device__(unsigned *, long long *t) {
            int acquired = 0;
            for (int i = 0; i < 20; i++)
                machine_lock_load(dynamic_shared<unsigned>() + 32 * i, &acquired);
            t[0] = clock64();
        });
        first = seed == 1 || time < first ? time : first;
        most = time > most ? time : most;
    }
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    within(most - first, 1, 20 * 10, "how long a try takes is drawn, up to the spread");
}

static void check_lock_cost(void)
{
    machine_description d = fermi(false);
    install(d);
    run(threads(1), [] __device__(unsigned *, long long *t) {
        unsigned *shared = dynamic_shared<unsigned>();
        int acquired;
        long long begin = clock64();
        (void)*(volatile unsigned *)shared;
        long long middle = clock64();
        machine_lock_load(shared, &acquired);
        t[1] = clock64() - middle;
        t[0] = middle - begin;
    });
    equals(times[1], times[0], "LDSLK takes as long as a load");
    auto add = [] __device__(unsigned *w, long long *) {
        unsigned *shared = dynamic_shared<unsigned>();
        shared[0] = 0;
        __syncthreads();
        atomicAdd(&shared[0], 1u);
        atomicAdd(&shared[32], 1u);
        __syncthreads();
        w[0] = shared[0];
    };
    under_each_schedule(d, 5, [&](int schedule) {
        run(threads(96), add);
        check(words[0] == 96, "shared atomics lose nothing where they are loops over lock bits (%s)",
              schedule_names[schedule]);
    });
    d.lock_bits = 0;
    install(d);
    run(threads(96), add);
    check(words[0] == 96 && machine_get_counters()->lock_bits == 0, "without lock bits they are native");
}

/* ---- lockstep ---- */

/* One lane writes a word and the other lanes read it, without __syncwarp(). This is right only if all
 * lanes of the warp share one program counter. Returns how many lanes read another word. */
static unsigned wrong_in_warps()
{
    words[0] = 0;
    run(threads(64), [] __device__(unsigned *w, long long *) {
        volatile unsigned *shared = dynamic_shared<unsigned>();
        unsigned lane = threadIdx.x % 32;
        for (unsigned i = 0; i < 20; i++) {
            shared[threadIdx.x] = lane + i;
            if (shared[threadIdx.x / 32 * 32 + (lane + 1) % 32] != (lane + 1) % 32 + i)
                atomicAdd(w, 1u);
        }
    });
    return words[0];
}

static void check_lockstep(bool lockstep)
{
    machine_description d = fermi(lockstep);
    /* lock bits need lockstep, because no hardware had both lock bits and independent threads */
    d.lock_bits = lockstep ? 1024 : 0;
    under_each_schedule(d, 9, [=](int s) {
        if (lockstep || s == MACHINE_ADVERSARIAL)
            check((wrong_in_warps() == 0) == lockstep, "warp-synchronous code is %s (%s, %s)",
                  lockstep ? "right" : "wrong", lockstep ? "lockstep" : "independent threads",
                  schedule_names[s]);
    });
}

/* ---- named barriers for some of a block's threads ---- */

static void check_partial_barriers(void)
{
    under_each_schedule(fermi(false), 4, [](int schedule) {
        unsigned right = 0;
        /* warp 0 waits for warp 1, which arrives and goes on at once; warp 2 takes no part */
        cudaError_t error = run(threads(96), [] __device__(unsigned *w, long long *) {
            volatile unsigned *word = dynamic_shared<unsigned>();
            if (threadIdx.x / 32 == 1) {
                for (int i = 0; i < 50; i++)
                    word[1 + i] = 1;
                word[0] = 5;
                named_barrier_arrive(3, 64);
            }
            if (threadIdx.x / 32 == 0) {
                named_barrier_sync(3, 64);
                w[threadIdx.x] = word[0];
            }
        });
        for (unsigned i = 0; i < 32; i++)
            right += words[i] == 5;
        check(error == cudaSuccess && right == 32, "bar.sync waits for bar.arrive of other warps only (%s)",
              schedule_names[schedule]);
        equals(machine_get_counters()->named_barriers, 1, "named barriers are counted");
    });
    run(threads(1), [] __device__(unsigned *w, long long *) {
        mbarrier *barrier = dynamic_shared<mbarrier>();
        mbarrier_init(barrier, 3);
        for (unsigned phase = 0; phase < 4; phase++) {
            mbarrier_arrive(barrier);
            mbarrier_arrive(barrier);
            w[2 * phase] = mbarrier_try_wait(barrier, phase & 1);
            mbarrier_arrive(barrier);
            w[2 * phase + 1] = mbarrier_try_wait(barrier, phase & 1);
        }
    });
    bool right = true;
    for (unsigned i = 0; i < 8; i++)
        right = right && words[i] == i % 2;
    check(right, "a phase of an mbarrier ends with its last arrival, again and again");
}

/* ---- the listings of Li 2015, whose times are known exactly ---- */

static void check_listings(void)
{
    static const struct {
        const char *sentence;
        int instructions;
    } rows[] = {{"CAS has ISETP and SEL (Listing 3)", 2},
                {"an exchange MOV32I (Listing 3)", 1},
                {"an addition IADD (Listing 1)", 1},
                {"a spin lock also ISETP and BRA of its loop (Listing 3)", 4},
                {"a tiny lock BRA (Listing 4)", 1}};
    long long free[5];
    machine_description d = fermi(true);
    for (int latency : {0, 10}) {
        memcpy(free, times, sizeof free);
        d.arithmetic_latency = latency;
        install(d);
        /* each of them succeeds at its first try */
        run(threads(1), [] __device__(unsigned *, long long *t) {
            unsigned *shared = dynamic_shared<unsigned>();
            shared[threadIdx.x] = 0;
            long long t0 = clock64();
            atomicCAS(&shared[0], 0u, 1u);
            long long t1 = clock64();
            atomicExch(&shared[0], 0u);
            long long t2 = clock64();
            atomicAdd(&shared[0], 0u);
            long long t3 = clock64();
            spin_lock(&shared[0]);
            long long t4 = clock64();
            tiny_wait_lock(&shared[1]);
            long long t5 = clock64(), all[] = {t1 - t0, t2 - t1, t3 - t2, t4 - t3, t5 - t4};
            for (int i = 0; i < 5; i++)
                t[i] = all[i];
        });
    }
    for (int i = 0; i < 5; i++)
        equals(times[i] - free[i], 10 * rows[i].instructions, rows[i].sentence);
}

/* ---- livelock ---- */

/* A row of locks, as in Li 2015, Listing 11: each warp but the first waits for the warp before it. With a
 * shared latency of 32, the polling warps hold the lock bit each time that the warp that wants to unlock asks
 * for it. */
static cudaError_t run_chain_of_locks(int shared_latency)
{
    machine_description d = fermi(true);
    d.issue_latency = d.arithmetic_latency = 5;
    d.shared_latency = shared_latency;
    install(d);
    return run(threads(128), [] __device__(unsigned *w, long long *) {
        unsigned *mutex = dynamic_shared<unsigned>(), i = threadIdx.x;
        mutex[i] = 0;
        spin_lock(&mutex[i]);
        __syncthreads();
        if (i >= 32)
            spin_lock(&mutex[i - 32]);
        spin_unlock(&mutex[i]);
        if (i >= 32)
            spin_unlock(&mutex[i - 32]);
        w[i] = 1;
    });
}

static void check_livelock(void)
{
    check(
        run_chain_of_locks(32) == cudaErrorLaunchTimeout &&
            strncmp(machine_deadlock_report(), "livelock", 8) == 0,
        "a lock bit that goes round among pollers, while one that would unlock never gets it, is a livelock");
    check(run_chain_of_locks(31) == cudaSuccess, "another latency ends it");
    cudaError_t error;
    for (unsigned turns : {0u, 1u, 300u, 5000u}) {
        error = run(threads(1), [=] __device__(unsigned *, long long *) {
            unsigned *word = dynamic_shared<unsigned>();
            for (unsigned i = 0; i < turns; i++)
                tiny_unlock(word, tiny_wait_lock(word));
            tiny_wait_lock(word);
            tiny_wait_lock(word);
        });
        check(error == cudaErrorLaunchTimeout && strncmp(machine_deadlock_report(), "deadlock", 8) == 0,
              "a lock that nobody frees is a deadlock, also if it was freed %u times before", turns);
    }
    install(fermi(true));
    error = run(threads(1), [] __device__(unsigned *w, long long *) {
        unsigned *word = dynamic_shared<unsigned>();
        *word = 7;
        warp_vote_wait_lock(word);
        warp_vote_unlock(word);
        *w = tiny_wait_lock(word) + 1;
    });
    check(error == cudaSuccess && *words == 1, "a warp of one thread frees the bit that it voted for (%u)",
          *words);
}

/* ---- counts ---- */

struct spin_mutex {
    static __device__ void lock(unsigned *word) { spin_lock(word); }
    static __device__ void unlock(unsigned *word) { spin_unlock(word); }
};
struct lock_bit {
    static __device__ void lock(unsigned *word) { tiny_wait_lock(word); }
    static __device__ void unlock(unsigned *word) { tiny_unlock(word, 0); }
};

/* Thread 0 locks and unlocks `repetitions` times or, if `waits` is set, holds the lock for the time of
 * `repetitions` loads, while another warp waits for it. Returns the counters; fences do not count as
 * instructions. */
template <class Lock>
static machine_counters counters_of(bool waits, unsigned repetitions)
{
    install(fermi(true));
    run(threads(waits ? 64 : 1), [=] __device__(unsigned *, long long *) {
        unsigned *word = dynamic_shared<unsigned>();
        *word = 0;
        for (unsigned i = 0; i < repetitions && !waits; i++) {
            Lock::lock(word);
            Lock::unlock(word);
        }
        if (!waits)
            return;
        __syncthreads();
        if (threadIdx.x == 0)
            Lock::lock(word);
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned i = 0; i < repetitions; i++)
                (void)*(volatile unsigned *)&word[1];
            Lock::unlock(word);
        } else if (threadIdx.x == 32) {
            Lock::lock(word);
        }
    });
    machine_counters counters = *machine_get_counters();
    counters.instructions -= counters.fences;
    return counters;
}

/* Checks by how much a counter is higher after `most` repetitions than after half as many. */
template <class Lock>
static void more(double least, double largest, uint64_t machine_counters::*counter, bool waits, unsigned most,
                 const char *sentence)
{
    const machine_counters half = counters_of<Lock>(waits, most / 2), all = counters_of<Lock>(waits, most);
    within((double)(all.*counter - half.*counter), least, largest, sentence);
}

/* Checks the numbers of instructions in Li 2015, section 4.2. Listing 3 has twelve instructions. The machine
 * does not count three of them, SSY and two branches that are not taken, because they take no time. */
static void check_counts(void)
{
    auto stores = &machine_counters::shared_stores;
    auto loads = &machine_counters::shared_loads;
    more<spin_mutex>(9, 9, &machine_counters::instructions, false, 2,
                     "a lock and unlock are 9 of 12 instructions");
    more<lock_bit>(3, 3, &machine_counters::instructions, false, 2, "or the 3 of Listing 4");
    more<spin_mutex>(2, 2, loads, false, 2, "a spin lock loads twice");
    more<spin_mutex>(2, 2, stores, false, 2, "and stores twice");
    more<lock_bit>(1, 1, loads, false, 2, "a tiny-lock loads once");
    more<lock_bit>(1, 1, stores, false, 2, "and stores once");
    more<spin_mutex>(11, 1000, stores, true, 200, "who waits for a mutex writes it back at each try");
    more<lock_bit>(0, 0, stores, true, 200, "who waits for a lock bit writes nothing");
}

/* ---- the trace ---- */

/* Warp 0 loads a word, and then lets warp 1 go on, whose first thread takes and frees the word's lock bit. */
static void check_trace(void)
{
    install(fermi(true));
    traces("0\t0\tload\t0\t0\t20\n"
           "0\t1\tnamed-barrier\t1\t20\t50\n"
           "0\t0\tnamed-arrival\t20\t20\t21\n"
           "0\t1\tlock-load\t50\t50\t70\n"
           "0\t1\tstore-unlock\t70\t70\t71\n",
           "a trace has the lock unit's requests and who came to a named barrier, who waited there",
           threads(64), [] __device__(unsigned *, long long *) {
               unsigned *shared = dynamic_shared<unsigned>();
               int acquired;
               if (threadIdx.x < 32) {
                   (void)*(volatile unsigned *)shared;
                   named_barrier_arrive(1, 64);
               } else {
                   named_barrier_sync(1, 64);
               }
               if (threadIdx.x == 32) {
                   machine_lock_load(shared, &acquired);
                   machine_store_unlock(shared, 1);
               }
           });
}

int main(void)
{
    check_lock_bits();
    check_lock_cost();
    check_lock_spread();
    check_lockstep(false);
    check_lockstep(true);
    check_partial_barriers();
    check_listings();
    check_livelock();
    check_counts();
    check_trace();
    return checks_done();
}
