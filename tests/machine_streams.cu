/* Tests kernels of several streams on the memory machine. They share the machine's multiprocessors within the
 * limits of each multiprocessor, as on a GPU, and a deadlock report says which kernel waits for which. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static const char *const schedules[] = {"round-robin", "random", "adversarial"};
/* bytes of shared memory of a block: more than half of what a multiprocessor has, so that it has room for
 * only one such block */
static const size_t MOST_OF_IT = 700;

static machine_description four_sms()
{
    machine_description d = machine_pure_umm(32, 100);
    d.sm_count = 4;
    d.max_threads_per_sm = 512;
    d.max_blocks_per_sm = 4;
    d.shared_bytes_per_sm = 1024;
    d.shared_latency = 20;
    d.posted_stores = true;
    d.lockstep = false;
    d.launch_asynchronous = 50;
    return d;
}

static cudaStream_t stream_of_priority(int priority)
{
    cudaStream_t stream;
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority);
    return stream;
}

/* A newly installed machine, three streams, and words in the machine's memory. */
struct stage {
    cudaStream_t one = nullptr, other = nullptr, holder = nullptr;
    unsigned *words;

    explicit stage(int schedule, int priority_of_other = 0)
    {
        machine_description d = four_sms();
        machine_install(&d);
        machine_set_schedule((machine_schedule)schedule, 3);
        one = stream_of_priority(0);
        other = stream_of_priority(priority_of_other);
        holder = stream_of_priority(0);
        cudaMalloc((void **)&words, 1024);
        cudaMemset(words, 0, 1024);
    }
    ~stage()
    {
        cudaStreamDestroy(one);
        cudaStreamDestroy(other);
        cudaStreamDestroy(holder);
        cudaFree(words);
    }
    unsigned *leave() { return words; }
    unsigned *counter_of(cudaStream_t stream) { return words + (stream == one ? 32 : 64); }
    bool has_met(cudaStream_t stream, unsigned blocks) { return counter_of(stream)[1] == blocks; }
};

/* Occupies its multiprocessors until the host sets *leave. */
__global__ void hold(const unsigned *leave)
{
    while (!*(const volatile unsigned *)leave) {
    }
}

/* Each block waits at a hand-made barrier of the grid, and then adds 1 to a counter. */
__global__ void meet(unsigned *counter)
{
    atomicAdd(counter, 1u);
    while (*(volatile unsigned *)counter < gridDim.x) {
    }
    atomicAdd(counter + 1, 1u);
}

static cudaError_t launch_holders(stage &s, unsigned blocks)
{
    launch_shape shape = {blocks, 1, MOST_OF_IT, false, false};
    return launch(hold, shape, s.holder, (const unsigned *)s.leave());
}

static cudaError_t launch_meeting(stage &s, cudaStream_t stream, unsigned blocks, bool cooperative = false)
{
    launch_shape shape = {blocks, 1, MOST_OF_IT, cooperative, false};
    return launch(meet, shape, stream, s.counter_of(stream));
}

static bool report_has(const char *text)
{
    return strstr(machine_deadlock_report(), text) != NULL;
}

static void check_holder(int schedule)
{
    {
        stage s(schedule);
        launch_holders(s, 1);
        launch_meeting(s, s.one, 4);
        check(cudaStreamSynchronize(s.one) == cudaErrorLaunchTimeout &&
                  report_has("kernel 1 (hold): 1 of 1 blocks are resident and wait") &&
                  report_has("kernel 2 (meet): 3 of 4 blocks are resident and wait, 1 wait for a free") &&
                  report_has("kernel 1 (hold), block 0 thread 0 at a load, polling (machine_streams.cu:"),
              "a grid barrier deadlocks when another stream's kernel holds a multiprocessor, and the report "
              "names both "
              "(%s)",
              schedules[schedule]);
    }
    stage s(schedule);
    launch_holders(s, 1);
    launch_meeting(s, s.one, 3);
    check(cudaStreamSynchronize(s.one) == cudaSuccess && s.has_met(s.one, 3),
          "it opens when the grid leaves that multiprocessor free (%s)", schedules[schedule]);
    launch_meeting(s, s.other, 4);
    *s.leave() = 1;
    check(cudaStreamSynchronize(s.other) == cudaSuccess && s.has_met(s.other, 4),
          "and a grid of all when the other kernel leaves (%s)", schedules[schedule]);
    check(cudaStreamSynchronize(s.holder) == cudaSuccess, "which then ends, too (%s)", schedules[schedule]);
}

/* Checks that a multiprocessor takes no blocks of other kernels while it runs a block that has the greatest
 * possible number of threads. */
static void check_threads(int schedule)
{
    stage s(schedule);
    launch_shape wide = {1, 512, 0, false, false}, narrow = {13, 1, 0, false, false};
    launch(hold, wide, s.holder, (const unsigned *)s.leave());
    launch(meet, narrow, s.one, s.counter_of(s.one));
    check(cudaStreamSynchronize(s.one) == cudaErrorLaunchTimeout &&
              report_has("(meet): 12 of 13 blocks are resident"),
          "a block of all threads keeps small ones of another kernel out (%s)", schedules[schedule]);
}

static void check_cooperative(int schedule)
{
    stage s(schedule);
    launch_holders(s, 1);
    check(launch_meeting(s, s.one, 5, true) == cudaErrorCooperativeLaunchTooLarge,
          "a cooperative launch of more than the machine holds is refused (%s)", schedules[schedule]);
    check(launch_meeting(s, s.one, 4, true) == cudaSuccess && launch_meeting(s, s.other, 3) == cudaSuccess &&
              cudaStreamSynchronize(s.other) == cudaSuccess && s.has_met(s.other, 3),
          "one that finds too few places takes none of them (%s)", schedules[schedule]);
    *s.leave() = 1;
    check(cudaStreamSynchronize(s.one) == cudaSuccess && s.has_met(s.one, 4),
          "and begins when there are enough (%s)", schedules[schedule]);
}

/* Launches two kernels while a third one occupies two of the machine's four multiprocessors, and then lets
 * the third one end. */
static cudaError_t run_two_grids(stage &s, unsigned blocks, bool cooperative)
{
    launch_holders(s, 2);
    launch_meeting(s, s.one, blocks, cooperative);
    launch_meeting(s, s.other, blocks, cooperative);
    *s.leave() = 1;
    cudaError_t error = cudaStreamSynchronize(s.one);
    return error != cudaSuccess ? error : cudaStreamSynchronize(s.other);
}

static void check_two_grids(int schedule)
{
    const int higher = -1;
    {
        stage s(schedule);
        check(run_two_grids(s, 3, false) == cudaSuccess && s.has_met(s.one, 3) && s.has_met(s.other, 3),
              "of two grids of one priority the one that came first gets the places first (%s)",
              schedules[schedule]);
    }
    {
        stage s(schedule, higher);
        check(run_two_grids(s, 3, false) == cudaErrorLaunchTimeout &&
                  report_has("kernel 2 (meet): 2 of 3 blocks are resident and wait, 1 wait for a free") &&
                  report_has("kernel 3 (meet): 2 of 3 blocks are resident and wait, 1 wait for a free"),
              "one of a higher priority gets them before, so that both wait for each other (%s)",
              schedules[schedule]);
    }
    {
        stage s(schedule, higher);
        check(run_two_grids(s, 3, true) == cudaSuccess && s.has_met(s.one, 3) && s.has_met(s.other, 3),
              "cooperative grids run one after the other (%s)", schedules[schedule]);
    }
    stage s(schedule, higher);
    check(run_two_grids(s, 2, false) == cudaSuccess && s.has_met(s.one, 2) && s.has_met(s.other, 2),
          "grids of half the machine run beside each other (%s)", schedules[schedule]);
}

static void check_confined(int schedule)
{
    stage s(schedule);
    machine_confine_stream(s.one, 3);
    check(launch_meeting(s, s.one, 4, true) == cudaErrorCooperativeLaunchTooLarge,
          "a cooperative launch knows its stream's multiprocessors (%s)", schedules[schedule]);
    launch_meeting(s, s.one, 3);
    check(cudaStreamSynchronize(s.one) == cudaSuccess && s.has_met(s.one, 3),
          "a grid of as many blocks meets there (%s)", schedules[schedule]);
    memset(s.words, 0, 1024);
    launch_meeting(s, s.one, 4);
    check(cudaStreamSynchronize(s.one) == cudaErrorLaunchTimeout && report_has("3 of 4 blocks are resident"),
          "one of a block for each of the machine's deadlocks (%s)", schedules[schedule]);
}

/* ---- kernels that run at the same time ---- */

__global__ void load_many(const unsigned *words)
{
    for (unsigned i = 0; i < 100; i++)
        (void)*(const volatile unsigned *)(words + i);
}

static uint64_t time_of_loads(stage &s, cudaStream_t second)
{
    launch_shape shape = {2, 32, MOST_OF_IT, false, false};
    uint64_t begin = machine_now();
    launch(load_many, shape, s.one, (const unsigned *)s.words);
    launch(load_many, shape, second, (const unsigned *)s.words);
    cudaDeviceSynchronize();
    return machine_now() - begin;
}

static void check_overlap()
{
    stage s(MACHINE_ROUND_ROBIN);
    uint64_t beside = time_of_loads(s, s.other), behind = time_of_loads(s, s.one);
    check(beside < behind * 6 / 10,
          "two kernels that fit run at once in two streams (%llu and %llu time units)",
          (unsigned long long)beside, (unsigned long long)behind);
}

__global__ void add_up(const unsigned *words, unsigned *to)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 100; i++)
        sum += words[i + sum % 2];
    *to = sum;
}

/* the kernel `hold` keeps both kernels in one run */
static void check_l1()
{
    stage s(MACHINE_ROUND_ROBIN);
    machine_description d = four_sms();
    d.compute_capability = 90;
    d.l1_latency = 10;
    machine_install(&d);
    launch_holders(s, 1);
    uint64_t times[2];
    for (uint64_t &time : times) {
        uint64_t begin = machine_now();
        launch(add_up, {1, 1, MOST_OF_IT, false, false}, s.one, (const unsigned *)s.words + 128,
               s.words + 127);
        cudaStreamSynchronize(s.one);
        time = machine_now() - begin;
    }
    check(times[0] == times[1] && times[0] < 100 * 100,
          "a kernel finds no lines in L1 that one before it has read (%llu and %llu time units)",
          (unsigned long long)times[0], (unsigned long long)times[1]);
    *s.leave() = 1;
}

/* The threads of a block pass values to each other through a __shared__ variable and through dynamic shared
 * memory. Adds to *out how many right values arrived. Kernels with different `salt` pass different values. */
__global__ void through_shared(unsigned *out, unsigned salt)
{
    __shared__ unsigned fixed[32];
    unsigned *dynamic = dynamic_shared<unsigned>(), t = threadIdx.x, n = blockDim.x;
    for (unsigned r = 0; r < 5; r++) {
        fixed[t] = salt + t + r;
        dynamic[t] = 2 * salt + t + r;
        __syncthreads();
        if (fixed[(t + 1) % n] == salt + (t + 1) % n + r &&
            dynamic[(t + 1) % n] == 2 * salt + (t + 1) % n + r)
            atomicAdd(out, 1u);
        __syncthreads();
    }
}

static void check_memories(int schedule)
{
    stage s(schedule);
    launch_shape small = {9, 32, 128, false, false}, large = {7, 20, 400, false, false};
    launch(through_shared, small, s.one, s.words + 1, 1000u);
    launch(through_shared, large, s.other, s.words + 2, 5000u);
    cudaDeviceSynchronize();
    check(s.words[1] == 9 * 32 * 5 && s.words[2] == 7 * 20 * 5,
          "blocks of different kernels have each its shared memory (%s)", schedules[schedule]);
}

static void check_ordinary(int schedule)
{
    stage s(schedule);
    launch_holders(s, 1);
    launch_shape shape = {3, 1, MOST_OF_IT, false, false};
    check(launch(meet, shape, (cudaStream_t)NULL, s.counter_of(s.one)) == cudaSuccess && s.has_met(s.one, 3),
          "a launch in an ordinary stream has ended when it returns, whoever runs beside it (%s)",
          schedules[schedule]);
    *s.leave() = 1;
    check(cudaDeviceSynchronize() == cudaSuccess, "(and the other ends after it)");
}

/* ---- branches of graphs ---- */

/* Waits until the other kernel has begun, and then adds 1 to the counter. */
__global__ void await_other(volatile unsigned *own, volatile unsigned *other, unsigned *counter)
{
    *own = 1;
    while (!*other) {
    }
    atomicAdd(counter, 1u);
}

/* Takes the counter's value. Different kernels must not overwrite each other's. */
__global__ void take(unsigned *counter, unsigned *to)
{
    *to = atomicAdd(counter, 100u);
}

/* A graph that is captured from s.one. It has a first kernel, `branches` kernels in streams of their own, and
 * a last kernel. */
struct forked {
    enum { MOST = 40 };
    stage s;
    cudaStream_t others[MOST];
    cudaEvent_t begun, done;
    cudaGraphExec_t executable = nullptr;

    template <class Branch>
    forked(unsigned branches, int launch_graph, Branch branch, int launch_graph_block = 0)
        : s(MACHINE_ROUND_ROBIN)
    {
        machine_description d = four_sms();
        d.launch_graph = launch_graph;
        d.launch_graph_block_per_1000 = launch_graph_block * 1000;
        machine_install(&d);
        cudaEventCreate(&begun);
        cudaEventCreate(&done);
        cudaGraph_t graph;
        launch_shape one_thread = {1, 1, 0, false, false};
        cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal);
        launch(take, one_thread, s.one, s.words + 1, s.words + 2);
        cudaEventRecord(begun, s.one);
        for (unsigned b = 0; b < branches; b++) {
            others[b] = stream_of_priority(0);
            cudaStreamWaitEvent(others[b], begun, 0);
            branch(s, others[b], b);
            cudaEventRecord(done, others[b]);
            cudaStreamWaitEvent(s.one, done, 0);
        }
        launch(take, one_thread, s.one, s.words + 1, s.words + 3);
        cudaStreamEndCapture(s.one, &graph);
        cudaGraphInstantiate(&executable, graph, 0);
        cudaGraphDestroy(graph);
        for (unsigned b = 0; b < branches; b++)
            cudaStreamDestroy(others[b]);
    }
    ~forked()
    {
        cudaGraphExecDestroy(executable);
        cudaEventDestroy(begun);
        cudaEventDestroy(done);
    }
    cudaError_t run()
    {
        cudaError_t error = cudaGraphLaunch(executable, s.one);
        return error == cudaSuccess ? cudaStreamSynchronize(s.one) : error;
    }
    uint64_t time()
    {
        uint64_t begin = machine_now();
        run();
        return machine_now() - begin;
    }
};

static void check_branches()
{
    auto wait_for_other = [](stage &s, cudaStream_t stream, unsigned b) {
        launch_shape shape = {1, 1, MOST_OF_IT, false, false};
        launch(await_other, shape, stream, s.words + 32 + b, s.words + 33 - b, s.words + 1);
    };
    forked both(2, 500, wait_for_other);
    check(both.run() == cudaSuccess && both.s.words[2] == 0 && both.s.words[3] == 102,
          "branches of a graph run at once, after the node before them and before the one after (%u, %u)",
          both.s.words[2], both.s.words[3]);
    both.s.words[32] = both.s.words[33] = 0;
    check(both.run() == cudaSuccess && both.s.words[3] == 304, "and again when the graph is launched again");
    forked alone(1, 500, wait_for_other);
    check(alone.run() == cudaErrorLaunchTimeout && report_has("(await_other)"),
          "a node that waits for a kernel which is not there is found");
}

/* Returns the time of a graph with this number of branches. Each branch is a kernel of two blocks, and a
 * multiprocessor has room for only one of them. */
static uint64_t time_of_branches(unsigned branches, int launch_graph)
{
    forked graph(branches, launch_graph, [](stage &s, cudaStream_t stream, unsigned) {
        launch(load_many, {2, 32, MOST_OF_IT, false, false}, stream, (const unsigned *)s.words);
    });
    return graph.time();
}

static void check_time_of_branches()
{
    uint64_t one = time_of_branches(1, 500), two = time_of_branches(2, 500), four = time_of_branches(4, 500),
             many = time_of_branches(40, 500), dear = time_of_branches(2, 900);
    check(two < one * 11 / 10, "two branches that fit take the time of one (%llu and %llu time units)",
          (unsigned long long)two, (unsigned long long)one);
    check(four > two * 14 / 10 && many > four * 5,
          "branches without room wait for it (%llu, and %llu for more than run at once)",
          (unsigned long long)four, (unsigned long long)many);
    check(dear == two + 2 * 400, "launch_graph lies before a branch and after the branches (%llu and %llu)",
          (unsigned long long)two, (unsigned long long)dear);
}

__global__ void load_long(const unsigned *words)
{
    for (unsigned i = 0; i < 500; i++)
        (void)*(const volatile unsigned *)(words + i % 100);
}

/* Returns the time of a graph that has a branch of five kernels of one block. If there are three branches,
 * one has a second kernel of two blocks, which begins late, and another one has a long kernel. */
static uint64_t time_of_unequal(unsigned branches)
{
    auto branch = [branches](stage &s, cudaStream_t stream, unsigned b) {
        bool has_five = b == branches - 1;
        if (b == 1)
            launch(load_long, {1, 32, 0, false, false}, stream, (const unsigned *)s.words);
        for (unsigned k = 0; b != 1 && k < (has_five ? 5u : 2u); k++)
            launch(load_many, {has_five || k == 0 ? 1u : 2u, 32, 0, false, false}, stream,
                   (const unsigned *)s.words);
    };
    return forked(branches, 500, branch, 20000).time();
}

int main(void)
{
    for (int schedule = 0; schedule < 3; schedule++) {
        check_holder(schedule);
        check_threads(schedule);
        check_cooperative(schedule);
        check_two_grids(schedule);
        check_confined(schedule);
        check_memories(schedule);
        check_ordinary(schedule);
    }
    check_overlap();
    check_l1();
    check_branches();
    check_time_of_branches();
    uint64_t alone = time_of_unequal(1), beside = time_of_unequal(3);
    check(beside < alone * 11 / 10,
          "a branch goes on while the next kernel of another one has not begun (%llu and %llu)",
          (unsigned long long)beside, (unsigned long long)alone);
    return checks_done();
}
