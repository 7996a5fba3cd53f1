/* Tests the memory machine against Nakano 2013, sections 2 and 3, and against what CUDA promises to every
 * kernel. tests/bounds has Lemma 1 and the paper's algorithms, tests/deadlocks has deadlocks. */
#include "sync/convergence.cuh"
#include "tests/machine_of_card.cuh"

static machine_description several_sms(int sms)
{
    machine_description d = independent_threads(sms, 100);
    d.max_threads_per_sm = 512;
    d.max_blocks_per_sm = 2;
    return d;
}

static __device__ void load(const unsigned *word)
{
    (void)*(const volatile unsigned *)word;
}

/* ---- the paper ---- */

static long long time_of_contiguous(unsigned threads, unsigned n)
{
    return time_of({1, threads}, [=] __device__(unsigned *w, long long *) {
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
            load(w + i);
    });
}

/* Each of eight lanes loads the word with the number of the lane times `stride`. */
static long long time_of_strided(unsigned stride)
{
    return time_of({1, 8}, [=] __device__(unsigned *w, long long *) { load(w + threadIdx.x * stride); });
}

static void check_groups_and_banks(void)
{
    install(machine_pure_dmm(8, 20));
    equals(time_of_strided(9), 20, "a DMM's global memory serves words of different banks at once");
    equals(time_of_strided(8), 27, "and k words of one bank in k + l - 1 time units");
    machine_description d = machine_pure_umm(32, 100);
    d.issue_per_1000_units = 4000;
    d.max_threads_per_block = d.max_threads_per_sm = 1024;
    d.global_groups_per_1000_units = 500;
    d.l2_groups_per_1000_units = 1000;
    install(d);
    equals(time_of_contiguous(1024, 1024), 131, "L2 serves what it has at a rate of its own");
    d.l2_bytes = 16 * 128;
    install(d);
    /* the second 16 groups replace the first, and the last of them begins at time 16 + 2 * 15 in memory */
    equals(time_of_contiguous(1024, 1024), 146, "groups that it has not take the bandwidth of memory, too");
    d = several_sms(1);
    d.atomic_same_address_per_1000 = 7000;
    d.atomic_units = 8, d.atomic_unit_lines = 1;
    install(d);
    within(time_of({1, 32}, [] __device__(unsigned *w, long long *) { atomicAdd(w + 32 * threadIdx.x, 1u); }),
           d.atomic_latency + 1, d.atomic_latency + 31 * 7 - 1, "several units of L2 share the lines");
}

/* ---- what CUDA promises to every kernel ---- */

/* Every thread writes its square, waits at the block's barrier, and reads another thread's square. */
static long long time_through_shared()
{
    return time_of({20, 64}, [=] __device__(unsigned *w, long long *) {
        __shared__ unsigned cell[64];
        cell[threadIdx.x] = threadIdx.x * threadIdx.x + blockIdx.x;
        __syncthreads();
        unsigned other = (threadIdx.x + 33) % 64;
        w[blockIdx.x * 64 + threadIdx.x] = cell[other] - other * other;
    });
}

static void check_waiting_blocks(void)
{
    auto load_ten = [] __device__(unsigned *w, long long *) {
        for (unsigned i = 0; i < 10; i++)
            load(w + i);
    };
    install(several_sms(2));
    long long four = time_of({4, 1}, load_ten);
    within(time_of({5, 1}, load_ten), 2 * four - 10, 2 * four + 10,
           "a block that finds no free multiprocessor waits until another has finished");
}

/* The first block polls until the other one has read for long. */
static void check_long_poll(void)
{
    under_each_schedule(several_sms(2), 3, [&](int schedule) {
        check(run({2, 1},
                  [] __device__(unsigned *w, long long *) {
                      volatile unsigned *flag = w;
                      if (blockIdx.x == 0) {
                          while (!*flag) {
                          }
                      } else {
                          unsigned sum = 0;
                          for (unsigned i = 0; i < 60000; i++)
                              sum += flag[1 + i];
                          *flag = 1 + sum;
                      }
                  }) == cudaSuccess,
              "a block that polls while another reads for long is no deadlock (%s)",
              schedule_names[schedule]);
    });
}

/* Each of four blocks notes its place in the order of their atomics. Of two blocks that are held back, the
 * first one must come third and the second one last, whichever two they are. */
static void check_holds(void)
{
    int wrong = 0;
    install(several_sms(4));
    for (unsigned first = 0; first < 4; first++)
        for (unsigned second = 0; second < 4; second++) {
            const machine_hold holds[] = {{.step = 0, .start = machine_starts() + first + 1},
                                          {.step = 0, .start = machine_starts() + second + 1}};
            if (first == second)
                continue;
            machine_hold_back(holds, 2, 10000);
            clear_words();
            CHECK(run({4, 1},
                      [] __device__(unsigned *w, long long *) { w[1 + blockIdx.x] = atomicAdd(w, 1); }));
            wrong += words[1 + first] != 2 || words[1 + second] != 3;
        }
    machine_hold_back(NULL, 0, 0);
    check(wrong == 0, "the second of two warps that are held back goes on last (%d of 12 do not)", wrong);
}

static void check_determinism(void)
{
    long long first[3], again[3], other[3];
    under_each_schedule(several_sms(3), 1, [&](int s) { first[s] = time_through_shared(); });
    under_each_schedule(several_sms(3), 1, [&](int s) { again[s] = time_through_shared(); });
    under_each_schedule(several_sms(3), 2, [&](int s) { other[s] = time_through_shared(); });
    for (int s = 0; s < 3; s++)
        check(first[s] == again[s], "the same seed gives the same time units (%s)", schedule_names[s]);
    check(first[MACHINE_ADVERSARIAL] != other[MACHINE_ADVERSARIAL], "another seed gives another adversary");
}

/* ---- for which earlier loads a thread waits ---- */

enum { GROUP = 32 }; /* number of words in an address group */

/* Makes four loads, and stores the sum. */
template <class T>
static long long time_of_four(int under_way)
{
    machine_description d = machine_pure_umm(GROUP, 100);
    d.loads_under_way = under_way;
    install(d);
    return time_of({1, 1}, [] __device__(unsigned *w, long long *) {
        const T *m = w;
        w[8 * GROUP] = m[0] + m[GROUP] + m[2 * GROUP] + m[3 * GROUP];
    });
}

static void check_loads_under_way(void)
{
    equals(time_of_four<unsigned>(1), 500, "on the UMM a thread waits for each of four loads and the store");
    equals(time_of_four<unsigned>(8), 203, "plain loads overlap, one a time unit, until a store needs them");
    equals(time_of_four<volatile unsigned>(8), 203, "volatile loads overlap, too");
    within(time_of_four<unsigned>(2), 300, 309, "no more of them than a thread may have under way");
}

/* ---- the trace ---- */

/* Warp 0 makes a load. Then both warps meet at the block's barrier, and after it the lanes of each warp
 * meet at __syncwarp(). The machine dispatches the two warps in turn. */
static void check_trace(void)
{
    machine_description d = machine_pure_umm(4, 5);
    d.syncthreads_latency = 3;
    d.syncwarp_latency = 2;
    d.charges_memory_only = false;
    install(d);
    traces("0\t0\tload\t0\t0\t5\n"
           "0\t0\tsyncthreads\t5\t5\t8\n"
           "0\t1\tsyncthreads\t1\t5\t8\n"
           "0\t1\tsyncwarp\t8\t8\t10\n"
           "0\t0\tsyncwarp\t9\t9\t11\n",
           "a trace has when each warp came to a barrier, when the last one did and when it went on", {1, 8},
           [] __device__(unsigned *w, long long *) {
               if (threadIdx.x < 4)
                   load(w + threadIdx.x);
               __syncthreads();
               __syncwarp();
           });
}

/* The threads whose number is at least `from` load a word and exit, while all others wait at
 * __syncthreads(). */
static void check_exits(bool lockstep, unsigned from)
{
    unsigned written = 0;
    machine_description d = several_sms(1);
    d.lockstep = lockstep;
    install(d);
    cudaError_t error = run({1, 64}, [=] __device__(unsigned *w, long long *) {
        if (threadIdx.x >= from) {
            unsigned word = *(volatile unsigned *)&w[threadIdx.x];
            if (word == 0)
                return;
            w[0] = word;
        }
        __syncthreads();
        w[threadIdx.x] = 2;
    });
    for (unsigned i = 0; i < 64; i++)
        written += words[i] == (i < from ? 2u : 0u);
    check(error == cudaSuccess && written == 64,
          "a block goes on without the threads that exit, from %u on%s", from,
          lockstep ? ", in lockstep" : "");
}

int main(void)
{
    check_groups_and_banks();
    check_waiting_blocks();
    check_long_poll();
    check_holds();
    check_determinism();
    check_loads_under_way();
    check_trace();
    for (unsigned from = 16; from < 64; from += 16) {
        check_exits(false, from);
        if (from >= 32)
            check_exits(true, from);
    }
    return checks_done();
}
