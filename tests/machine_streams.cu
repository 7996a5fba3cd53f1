/* Tests kernels of several streams and branches of graphs on the memory machine, which share its
 * multiprocessors within the limits of each. tests/deadlocks has kernels that wait for each other. */
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

static cudaStream_t new_stream()
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
}

/* A newly installed machine with two streams. */
struct stage {
    cudaStream_t one = nullptr, other = nullptr;

    explicit stage(int schedule)
    {
        install(four_sms());
        machine_set_schedule((machine_schedule)schedule, 3);
        one = new_stream();
        other = new_stream();
    }
    ~stage()
    {
        cudaStreamDestroy(one);
        cudaStreamDestroy(other);
    }
};

/* Occupies its multiprocessors until the host sets *leave, which is words[0]. */
__global__ void hold(const unsigned *leave)
{
    while (!*(const volatile unsigned *)leave) {
    }
}

/* Each block waits at a hand-made barrier of the grid. */
__global__ void meet(unsigned *counter)
{
    atomicAdd(counter, 1u);
    while (*(volatile unsigned *)counter < gridDim.x) {
    }
}

static bool report_has(const char *text)
{
    return strstr(machine_deadlock_report(), text) != NULL;
}

/* Checks that a multiprocessor takes no blocks of other kernels while it runs a block that has the greatest
 * possible number of threads. */
static void check_threads(int schedule)
{
    stage s(schedule);
    launch(hold, {1, 512}, s.other, (const unsigned *)words);
    launch(meet, {13, 1}, s.one, words + 32);
    check(cudaStreamSynchronize(s.one) == cudaErrorLaunchTimeout &&
              report_has("(meet): 12 of 13 blocks are resident"),
          "a block of all threads keeps small ones of another kernel out (%s)", schedule_names[schedule]);
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
    check(words[1] == 9 * 32 * 5 && words[2] == 7 * 20 * 5,
          "blocks of different kernels have each its shared memory (%s)", schedule_names[schedule]);
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

/* Takes the counter's value. No kernel may overwrite the value that another kernel has taken. */
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
            others[b] = new_stream();
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
    for (int schedule = 0; schedule < 3; schedule++) {
        check_threads(schedule);
        check_memories(schedule);
    }
    check_overlap();
    check_branches();
    check_time_of_branches();
    within(time_of_unequal(3), 1, time_of_unequal(1) * 11 / 10,
           "a branch goes on while the next kernel of another one has not begun");
    return checks_done();
}
