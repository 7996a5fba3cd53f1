/* Tests kernels of several streams on the memory machine. They share the machine's multiprocessors within the
 * limits of each multiprocessor, as on a GPU, and a deadlock report says which kernel waits for which. */
#include "tests/machine_of_card.cuh"

/* bytes of shared memory of a block: more than half of what a multiprocessor has, so that it has room for
 * only one such block */
static const size_t MOST_OF_IT = 700;

static machine_description four_sms()
{
    machine_description d = independent_threads(4, 100);
    d.max_threads_per_sm = 512;
    d.max_blocks_per_sm = 4;
    d.shared_bytes_per_sm = 1024;
    d.shared_latency = 20;
    d.charges_memory_only = true;
    d.launch_asynchronous = 50;
    return d;
}

static cudaStream_t stream_of_priority(int priority)
{
    cudaStream_t stream;
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority);
    return stream;
}

/* A newly installed machine with three streams. */
struct stage {
    cudaStream_t one = nullptr, other = nullptr, holder = nullptr;

    explicit stage(int schedule, int priority_of_other = 0)
    {
        install(four_sms());
        machine_set_schedule((machine_schedule)schedule, 3);
        one = stream_of_priority(0);
        other = stream_of_priority(priority_of_other);
        holder = stream_of_priority(0);
    }
    ~stage()
    {
        cudaStreamDestroy(one);
        cudaStreamDestroy(other);
        cudaStreamDestroy(holder);
    }
    unsigned *counter_of(cudaStream_t stream) { return words + (stream == other ? 64 : 32); }
    bool has_met(cudaStream_t stream, unsigned blocks) { return counter_of(stream)[1] == blocks; }
};

/* Occupies its multiprocessors until the host sets *leave, which is words[0]. */
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

static void launch_holders(stage &s, launch_shape shape)
{
    launch(hold, shape, s.holder, (const unsigned *)words);
}

static cudaError_t launch_meeting(stage &s, cudaStream_t stream, unsigned blocks, bool cooperative = false)
{
    launch_shape shape = {blocks, 1, MOST_OF_IT, cooperative};
    return launch(meet, shape, stream, s.counter_of(stream));
}

static bool meets(stage &s, cudaStream_t stream, unsigned blocks)
{
    return cudaStreamSynchronize(stream) == cudaSuccess && s.has_met(stream, blocks);
}

static bool report_has(const char *text)
{
    return strstr(machine_deadlock_report(), text) != NULL;
}

/* Is the stream's kernel a deadlock whose report has the text? */
static bool is_stuck(cudaStream_t stream, const char *text)
{
    return cudaStreamSynchronize(stream) == cudaErrorLaunchTimeout && report_has(text);
}

#define check_under(holds, sentence) check(holds, sentence " (%s)", schedule_names[schedule])

static void check_holder(int schedule)
{
    const launch_shape holder = {1, 1, MOST_OF_IT};
    {
        stage s(schedule);
        launch_holders(s, holder);
        launch_meeting(s, s.one, 4);
        check_under(
            is_stuck(s.one, "kernel 1 (hold): 1 of 1 blocks are resident and wait") &&
                report_has("kernel 2 (meet): 3 of 4 blocks are resident and wait, 1 wait for a free") &&
                report_has("kernel 1 (hold), block 0 thread 0 at a load, polling (machine_streams.cu:"),
            "a grid barrier deadlocks when another stream's kernel holds a multiprocessor, and the report "
            "names both");
    }
    stage s(schedule);
    launch_holders(s, holder);
    launch_meeting(s, s.one, 3);
    check_under(meets(s, s.one, 3), "it opens when the grid leaves that multiprocessor free");
    launch_meeting(s, s.other, 4);
    words[0] = 1;
    check_under(meets(s, s.other, 4), "and a grid of all when the other kernel leaves");
    check_under(cudaStreamSynchronize(s.holder) == cudaSuccess, "which then ends, too");
}

/* Checks that a multiprocessor takes no blocks of other kernels while it runs a block that has the greatest
 * possible number of threads. */
static void check_threads(int schedule)
{
    stage s(schedule);
    launch_holders(s, {1, 512});
    launch(meet, {13, 1}, s.one, s.counter_of(s.one));
    check_under(is_stuck(s.one, "(meet): 12 of 13 blocks are resident"),
                "a block of all threads keeps small ones of another kernel out");
}

static void check_cooperative(int schedule)
{
    stage s(schedule);
    launch_holders(s, {1, 1, MOST_OF_IT});
    check_under(launch_meeting(s, s.one, 5, true) == cudaErrorCooperativeLaunchTooLarge,
                "a cooperative launch of more than the machine holds is refused");
    launch_meeting(s, s.one, 4, true);
    launch_meeting(s, s.other, 3);
    check_under(meets(s, s.other, 3), "one that finds too few places takes none of them");
    words[0] = 1;
    check_under(meets(s, s.one, 4), "and begins when there are enough");
}

/* Launches two kernels while a third one occupies two of the machine's four multiprocessors, and then lets
 * the third one end. Checks whether both kernels end, or both wait for places. */
static void check_two_grids(int schedule, int priority_of_other, unsigned blocks, bool cooperative, bool end,
                            const char *sentence)
{
    stage s(schedule, priority_of_other);
    launch_holders(s, {2, 1, MOST_OF_IT});
    launch_meeting(s, s.one, blocks, cooperative);
    launch_meeting(s, s.other, blocks, cooperative);
    words[0] = 1;
    const char *const stuck[] = {
        "kernel 2 (meet): 2 of 3 blocks are resident and wait, 1 wait for a free",
        "kernel 3 (meet): 2 of 3 blocks are resident and wait, 1 wait for a free",
    };
    check(end ? meets(s, s.one, blocks) && meets(s, s.other, blocks)
              : is_stuck(s.one, stuck[0]) && report_has(stuck[1]),
          "%s (%s)", sentence, schedule_names[schedule]);
}

static void check_confined(int schedule)
{
    stage s(schedule);
    machine_confine_stream(s.one, 3);
    check_under(launch_meeting(s, s.one, 4, true) == cudaErrorCooperativeLaunchTooLarge,
                "a cooperative launch knows its stream's multiprocessors");
    launch_meeting(s, s.one, 3);
    check_under(meets(s, s.one, 3), "a grid of as many blocks meets there");
    clear_words();
    launch_meeting(s, s.one, 4);
    check_under(is_stuck(s.one, "3 of 4 blocks are resident"),
                "one of a block for each of the machine's deadlocks");
}

/* ---- kernels that run at the same time ---- */

__global__ void load_many(const unsigned *from, unsigned loads)
{
    for (unsigned i = 0; i < loads; i++)
        (void)*(const volatile unsigned *)(from + i % 100);
}

static void launch_loads(cudaStream_t stream, launch_shape shape, unsigned loads)
{
    launch(load_many, shape, stream, (const unsigned *)words, loads);
}

static void check_overlap()
{
    stage s(MACHINE_ROUND_ROBIN);
    auto time_of_loads = [&](cudaStream_t second) {
        uint64_t begin = machine_now();
        for (cudaStream_t stream : {s.one, second})
            launch_loads(stream, {2, 32, MOST_OF_IT}, 100);
        cudaDeviceSynchronize();
        return machine_now() - begin;
    };
    const uint64_t behind = time_of_loads(s.one);
    within(time_of_loads(s.other), 1, behind * 6 / 10, "two kernels that fit run at once in two streams");
}

/* Stores how long a hundred loads from one line take. */
__global__ void load_line(const unsigned *from, long long *time)
{
    unsigned sum = 0;
    long long begin = clock64();
    for (unsigned i = 0; i < 100; i++)
        sum += from[i % 32 + sum];
    *time = clock64() - begin + sum;
}

static void check_l1()
{
    stage s(MACHINE_ROUND_ROBIN);
    machine_description d = four_sms();
    d.compute_capability = 90;
    d.l1_latency = 10;
    d.shared_bytes_per_sm = 4096; /* with this capability, each block needs some of it */
    install(d);
    launch_holders(s, {1, 1}); /* keeps both kernels in one run */
    for (int i = 0; i < 2; i++) {
        CHECK(launch(load_line, {1, 1}, s.one, (const unsigned *)words + 128, times + i));
        CHECK(cudaStreamSynchronize(s.one));
    }
    within(times[0], 100 + 99 * 10, 100 + 99 * 10 + 200, "a kernel finds a line in L1 that it has read");
    equals(times[1], times[0], "and none that one before it has read");
    words[0] = 1;
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
    launch(through_shared, {9, 32, 128}, s.one, words + 1, 1000u);
    launch(through_shared, {7, 20, 400}, s.other, words + 2, 5000u);
    cudaDeviceSynchronize();
    check_under(words[1] == 9 * 32 * 5 && words[2] == 7 * 20 * 5,
                "blocks of different kernels have each its shared memory");
}

static void check_ordinary(int schedule)
{
    stage s(schedule);
    launch_holders(s, {1, 1, MOST_OF_IT});
    check_under(launch_meeting(s, nullptr, 3) == cudaSuccess && s.has_met(nullptr, 3),
                "a launch in an ordinary stream has ended when it returns, whoever runs beside it");
    words[0] = 1;
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
    stage s;
    cudaGraphExec_t executable = nullptr;

    template <class Branch>
    forked(unsigned branches, int launch_graph, Branch branch, int launch_graph_block = 0)
        : s(MACHINE_ROUND_ROBIN)
    {
        machine_description d = four_sms();
        d.launch_graph = launch_graph;
        d.launch_graph_block_per_1000 = launch_graph_block * 1000;
        install(d);
        cudaGraph_t graph;
        cudaEvent_t begun, done;
        cudaStream_t others[40];
        cudaEventCreate(&begun);
        cudaEventCreate(&done);
        cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal);
        launch(take, {1, 1}, s.one, words + 1, words + 2);
        cudaEventRecord(begun, s.one);
        for (unsigned b = 0; b < branches; b++) {
            others[b] = stream_of_priority(0);
            cudaStreamWaitEvent(others[b], begun, 0);
            branch(others[b], b);
            cudaEventRecord(done, others[b]);
            cudaStreamWaitEvent(s.one, done, 0);
        }
        launch(take, {1, 1}, s.one, words + 1, words + 3);
        cudaStreamEndCapture(s.one, &graph);
        cudaGraphInstantiate(&executable, graph, 0);
        cudaGraphDestroy(graph);
        for (unsigned b = 0; b < branches; b++)
            cudaStreamDestroy(others[b]);
        cudaEventDestroy(begun);
        cudaEventDestroy(done);
    }
    ~forked() { cudaGraphExecDestroy(executable); }
    bool ends()
    {
        return cudaGraphLaunch(executable, s.one) == cudaSuccess &&
               cudaStreamSynchronize(s.one) == cudaSuccess;
    }
    uint64_t time()
    {
        uint64_t begin = machine_now();
        ends();
        return machine_now() - begin;
    }
};

static void check_branches()
{
    auto wait_for_other = [](cudaStream_t stream, unsigned b) {
        launch(await_other, {1, 1, MOST_OF_IT}, stream, words + 32 + b, words + 33 - b, words + 1);
    };
    forked both(2, 500, wait_for_other);
    check(both.ends() && words[2] == 0 && words[3] == 102,
          "branches of a graph run at once, after the node before them and before the one after (%u, %u)",
          words[2], words[3]);
    words[32] = words[33] = 0;
    check(both.ends() && words[3] == 304, "and again when the graph is launched again");
    forked alone(1, 500, wait_for_other);
    check(!alone.ends() && report_has("(await_other)"),
          "a node that waits for a kernel which is not there is found");
}

/* Returns the time of a graph with this number of branches. Each branch is a kernel of two blocks, and a
 * multiprocessor has room for only one of them. */
static uint64_t time_of_branches(unsigned branches, int launch_graph)
{
    auto branch = [](cudaStream_t stream, unsigned) { launch_loads(stream, {2, 32, MOST_OF_IT}, 100); };
    return forked(branches, launch_graph, branch).time();
}

static void check_time_of_branches()
{
    const uint64_t one = time_of_branches(1, 500), two = time_of_branches(2, 500),
                   four = time_of_branches(4, 500);
    within(two, 1, one * 11 / 10, "two branches that fit take the time of one");
    within(four, two * 14 / 10, two * 3, "branches without room wait for it");
    within(time_of_branches(40, 500), four * 5, four * 20, "so do more than run at once");
    equals(time_of_branches(2, 900), two + 2 * 400,
           "launch_graph lies before a branch and after the branches");
}

/* Returns the time of a graph that has a branch of five kernels of one block. If there are three branches,
 * one has a second kernel of two blocks, which begins late, and another one has a long kernel. */
static uint64_t time_of_unequal(unsigned branches)
{
    auto branch = [branches](cudaStream_t stream, unsigned b) {
        bool has_five = b == branches - 1;
        if (b == 1)
            launch_loads(stream, {1, 32}, 500);
        for (unsigned k = 0; b != 1 && k < (has_five ? 5u : 2u); k++)
            launch_loads(stream, {has_five || k == 0 ? 1u : 2u, 32}, 100);
    };
    return forked(branches, 500, branch, 20000).time();
}

int main(void)
{
    const int higher = -1;
    for (int schedule = 0; schedule < 3; schedule++) {
        check_holder(schedule);
        check_threads(schedule);
        check_cooperative(schedule);
        check_two_grids(schedule, 0, 3, false, true,
                        "of two grids of one priority the one that came first gets the places first");
        check_two_grids(schedule, higher, 3, false, false,
                        "one of a higher priority gets them before, so that both wait for each other");
        check_two_grids(schedule, higher, 3, true, true, "cooperative grids run one after the other");
        check_two_grids(schedule, higher, 2, false, true, "grids of half the machine run beside each other");
        check_confined(schedule);
        check_memories(schedule);
        check_ordinary(schedule);
    }
    check_overlap();
    check_l1();
    check_branches();
    check_time_of_branches();
    within(time_of_unequal(3), 1, time_of_unequal(1) * 11 / 10,
           "a branch goes on while the next kernel of another one has not begun");
    return checks_done();
}
