/*
 * Tests every grid barrier with the payload of micro/barrier/payload.cuh, whose steps detect a barrier that
 * opens too early: on the memory machine under every schedule and many seeds, on a GPU once. The payload must
 * also catch barriers that are wrong on purpose, which shows that the test can fail.
 */
#include "harness/device.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "harness/options.h"
#include "sync/launch.cuh"
#include "tests/check.h"
#include "tests/trial.cuh"

#include <string.h>

/* sync/tuned.cuh gets these functions, which count the barriers' memory that it keeps. */
static int places_kept;
static const void *places[256]; /* the words of all places in the order of their creation */
static size_t places_created;
static inline cudaError_t create_counted(gpusync_grid_barrier *place, unsigned blocks)
{
    cudaError_t error = gpusync_grid_barrier_create(place, blocks);
    places_kept += error == cudaSuccess;
    places[places_created++ % 256] = place->words;
    return error;
}
static inline cudaError_t destroy_counted(gpusync_grid_barrier *place)
{
    places_kept--;
    return gpusync_grid_barrier_destroy(place);
}
/* sync/tuned.cuh, which is included below, copies the clocks of a trial by copy_clocks(). While clocks_drawn
 * is not NULL, this function returns drawn numbers instead. */
static const unsigned long long *clocks_drawn;
static inline cudaError_t copy_clocks(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    return clocks_drawn ? cudaMemcpyAsync(to, clocks_drawn++, bytes, cudaMemcpyHostToHost, stream)
                        : cudaMemcpyAsync(to, from, bytes, kind, stream);
}
#define cudaMemcpyAsync copy_clocks
#define gpusync_grid_barrier_create create_counted
#define gpusync_grid_barrier_destroy destroy_counted
#include "sync/tuned.cuh"
#undef cudaMemcpyAsync
#undef gpusync_grid_barrier_create
#undef gpusync_grid_barrier_destroy

#ifdef GPUSYNC_MACHINE
static const int seeds = 16, rounds = 6, schedules = 3;
static const char *const schedule_names[] = {"round-robin", "random", "adversarial"};
#else
static const int seeds = 1, rounds = 3000, schedules = 1;
static const char *const schedule_names[] = {"GPU"};
#endif

struct EmptyStep {
    __device__ void operator()(int) {}
};

/* Wrong barriers. OPENS_EARLY opens when all blocks but one have arrived; block 0 is slow, so that it is the
 * missing one. The other two make a mistake of Figure 4 of Xiao and Feng 2010 as printed. In DOES_NOT_MEET
 * thread 0 arrives without waiting for the other threads of its block, which may still compute. A block of
 * COMPARES_FOR_EQUALITY that polls too late never sees the mutex equal to its goal. */
enum mistake { OPENS_EARLY, DOES_NOT_MEET, COMPARES_FOR_EQUALITY };
template <mistake made>
struct WrongBarrier {
    LockBased<LEADER_FENCES> barrier;
    __device__ void begin(gpusync_grid_barrier m) { barrier.begin(m); }
    __device__ bool is_closed(unsigned count)
    {
        const int missing = (int)(barrier.goal - count);
        return made == OPENS_EARLY ? missing > 1 : made == DOES_NOT_MEET ? missing > 0 : missing != 0;
    }
    __device__ void sync()
    {
        barrier.goal += gridDim.x;
        if (made != DOES_NOT_MEET)
            __syncthreads();
        if (threadIdx.x == 0) {
            unsigned *mutex = barrier_counter(barrier.memory);
            if (made == OPENS_EARLY)
                __threadfence();
            atomicAdd(mutex, 1u);
            while (is_closed(*(volatile unsigned *)mutex)) {
            }
            if (made == OPENS_EARLY)
                __threadfence();
        }
        __syncthreads();
        long long begin = clock64();
        while (made == OPENS_EARLY && blockIdx.x == 0 && clock64() - begin < 5000) {
        }
    }
    __device__ void end() {}
};

static void check_barrier(sync_id method)
{
    static const struct {
        const char *sentence;
        trial_shape shape;
    } rows[] = {
        {"with one block", {{1, 1}, 40, 1, START_ZERO}},
        {"with two blocks", {{2, 2}, 64, 1, START_ZERO}},
        {"with 7 blocks, a number that divides nothing", {{7, 7}, 33, 1, START_ZERO}},
        {"with more blocks than a block has threads", {{60, 60}, 32, 1, START_ZERO}},
        {"in a second launch with more blocks", {{5, 9}, 32, 2, START_ZERO}},
        {"in a second launch with fewer blocks", {{9, 5}, 32, 2, START_ZERO}},
        {"of blocks of 8 x 4 threads", {{7, 7}, {8, 4}, 1, START_ZERO}},
        {"of blocks of 5 x 3 x 3 threads in a grid of 3 x 2 x 2",
         {{{3, 2, 2}, {3, 2, 2}}, {5, 3, 3}, 1, START_ZERO}},
        {"when its counters wrap around", {{5, 9}, 32, 2, START_BEFORE_WRAP}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int s = 0; s < schedules; s++)
            with_barrier(method, [&](auto barrier) {
                tally t = run_seeds<decltype(barrier)>(rows[r].shape, method, rounds, seeds, s);
                bool must_hold = sync_variants[method].ordered || schedules > 1;
                check(!must_hold || (t.wrong == 0 && t.deadlocks == 0),
                      "%s is a barrier %s (%s, %d runs: %d wrong, %d deadlocks%s)",
                      sync_variants[method].name, rows[r].sentence, schedule_names[s], t.runs, t.wrong,
                      t.deadlocks, must_hold ? "" : "; unordered, recorded only");
            });
}

static void check_time_outs()
{
    const trial_shape shape = {{5, 9}, 64, 2, START_BEFORE_WRAP};
    for (int s = 0; s < schedules; s++) {
        tally t = run_seeds<Impatient>(shape, SYNC_COUNTER, rounds, seeds, s);
        check(t.wrong == 0 && t.deadlocks == 0,
              "counter is a barrier when its wait times out again and again (%s, %d runs: %d wrong, %d "
              "deadlocks)",
              schedule_names[s], t.runs, t.wrong, t.deadlocks);
    }
}

/* Checks that end() of the lock-free barrier updates the array elements of all blocks, even of blocks that
 * this launch does not have. Otherwise an old element would equal the goal 2^32 rounds later. */
static void check_absent_blocks(void)
{
    gpusync_grid_barrier memory = {NULL, 9};
    unsigned in_and_out[18];
    CHECK(cudaMalloc((void **)&memory.words, gpusync_grid_barrier_bytes(9)));
    CHECK(cudaMemset(memory.words, 0, gpusync_grid_barrier_bytes(9)));
    EmptyStep step;
    launch_shape shape = {5, 32, 0, false, false};
    CHECK(launch(step_loop<LockFree<LEADER_FENCES>, EmptyStep>, shape, harness_stream(), step, 3, memory));
    wait_for_device();
    const unsigned *arrays = memory.words + gpusync_grid_barrier_bytes(9) / sizeof(unsigned) - 18;
    CHECK(cudaMemcpy(in_and_out, arrays, sizeof in_and_out, cudaMemcpyDeviceToHost));
    unsigned behind = 0;
    for (unsigned word : in_and_out)
        behind += word != 3;
    check(behind == 0, "lock-free leaves no element behind, also of blocks that the grid does not have");
    CHECK(cudaFree(memory.words));
}

/* Checks that the place whose trial took the fewest clocks is kept. */
static void check_least(void)
{
    struct random numbers = {7};
    gpusync_grid_barrier memory;
    int wrong = 0;
    for (int draw = 0; draw < 8; draw++) {
        unsigned long long clocks[GPUSYNC_PLACES];
        size_t least = 0, first = places_created;
        for (size_t i = 0; i < GPUSYNC_PLACES; i++) {
            clocks[i] = random_next(&numbers) % 1000000;
            least = clocks[i] < clocks[least] ? i : least;
        }
        clocks_drawn = clocks;
        CHECK(gpusync_grid_barrier_create_tuned(&memory, 5, harness_stream()));
        clocks_drawn = NULL;
        wrong += memory.words != places[(first + least) % 256];
        CHECK(gpusync_grid_barrier_destroy(&memory));
        places_kept--;
    }
    check(wrong == 0, "the place with the fewest clocks is kept (%d of 8 times another)", wrong);
}

static void check_tuned(void)
{
    gpusync_grid_barrier memory;
    check_least();
    CHECK(gpusync_grid_barrier_create_tuned(&memory, 5, harness_stream()));
    check(places_kept == 1, "of the memory that was tried, one place is kept (%d)", places_kept);
    size_t bytes = gpusync_grid_barrier_bytes(5);
    unsigned *words = (unsigned *)allocate(bytes), set = 0;
    CHECK(cudaMemcpy(words, memory.words, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        set += words[i] != 0;
    check(set == 0 && memory.capacity == 5, "memory that was chosen by trials is as new (%u words are not)",
          set);
    free(words);
    CHECK(gpusync_grid_barrier_destroy(&memory));
    memory.capacity = 7;
    cudaError_t error = gpusync_grid_barrier_create_tuned(&memory, 1u << 20, harness_stream());
    check(error == cudaErrorCooperativeLaunchTooLarge && memory.capacity == 7,
          "a grid that cannot be resident gets no memory by trials: %s", cudaGetErrorString(error));
    check(places_kept == 1, "and keeps none (%d more)", places_kept - 1);
    (void)cudaGetLastError();
}

/* Runs a wrong barrier, under the random and the adversarial schedule, or once on a GPU. */
template <class Barrier>
static tally provoke()
{
    tally sum = {0, 0, 0};
    for (int s = schedules > 1 ? 1 : 0; s < schedules; s++) {
        tally one =
            run_seeds<Barrier>({{16, 16}, 96, 1, START_ZERO}, SYNC_LOCK_BASED_FENCE, rounds, seeds, s);
        sum.runs += one.runs;
        sum.wrong += one.wrong;
        sum.deadlocks += one.deadlocks;
    }
    return sum;
}

static void is_caught(tally t, const char *mistake)
{
    check(t.wrong > 0, "the payload catches %s (%d of %d runs)", mistake, t.wrong, t.runs);
}

int main(int argc, char **argv)
{
    set_program_name("barriers");
    options options = {};
    options.device = argc > 1 ? argv[1] : NULL;
    device device;
    open_device(&options, &device);
    for (const struct variant &barrier : sync_variants)
        if (barrier.resident)
            check_barrier((sync_id)barrier.id);
    check_time_outs();
    check_absent_blocks();
    check_tuned();
    is_caught(provoke<NoBarrier>(), "a loop without a barrier");
    is_caught(provoke<WrongBarrier<OPENS_EARLY>>(), "a barrier that opens one block early");
#ifdef GPUSYNC_MACHINE
    is_caught(provoke<WrongBarrier<DOES_NOT_MEET>>(),
              "Figure 4 as printed, where thread 0 does not wait for its block");
    tally t = provoke<WrongBarrier<COMPARES_FOR_EQUALITY>>();
    check(t.deadlocks > 0, "Figure 4's comparison for equality deadlocks (%d of %d runs)", t.deadlocks,
          t.runs);
    check(strstr(machine_deadlock_report(), "barriers.cu:") != NULL, "the deadlock report names the line: %s",
          machine_deadlock_report());
#endif
    return checks_done();
}
