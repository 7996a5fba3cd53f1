/* Tests the memory machine's lock unit against Li 2015, sections 3 and 4. The times of its requests are in
 * the results of micro-hazards, micro-producer-consumer and others on the models of the paper's GPUs. */
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

/* Returns the counters of a thread that locks and unlocks once. Fences do not count as instructions. */
template <class Body>
static machine_counters counters_of(Body lock_and_unlock)
{
    install(fermi(true));
    run(threads(1), [=] __device__(unsigned *, long long *) { lock_and_unlock(dynamic_shared<unsigned>()); });
    machine_counters counters = *machine_get_counters();
    counters.instructions -= counters.fences;
    return counters;
}

/* Checks the numbers of instructions in Li 2015, section 4.2. Listing 3 has twelve instructions. The machine
 * does not count three of them, SSY and two branches that are not taken, because they take no time. */
static void check_counts(void)
{
    const machine_counters none = counters_of([] __device__(unsigned *) {}),
                           spin = counters_of([] __device__(unsigned *word) {
                               spin_lock(word);
                               spin_unlock(word);
                           }),
                           bit = counters_of([] __device__(unsigned *word) {
                               tiny_wait_lock(word);
                               tiny_unlock(word, 0);
                           });
    equals((double)(spin.instructions - none.instructions), 9, "a lock and unlock are 9 of 12 instructions");
    equals((double)(bit.instructions - none.instructions), 3, "or the 3 of Listing 4");
    check(spin.shared_loads == 2 && spin.shared_stores == 2, "a spin lock loads twice and stores twice");
    check(bit.shared_loads == 1 && bit.shared_stores == 1, "a tiny-lock loads once and stores once");
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
    check_lock_spread();
    check_livelock();
    check_counts();
    check_trace();
    return checks_done();
}
