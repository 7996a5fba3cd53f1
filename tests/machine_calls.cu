/*
 * Draws programs of calls of the CUDA runtime, runs them on the machine with weak memory, and compares what
 * they leave in memory, and whether they race, with an oracle that knows nothing of the machine: plain loops
 * in the order of the calls, and CUDA's rules about streams, events, graphs and the host.
 *
 *     build/machine/tests/machine_calls [PROGRAMS [SEED]]     300 programs, with FULL=1 5000, of a seed that
 *                                                             the commit draws
 *
 * A program copies, sets, computes and reads cells of 8 bytes in arrays of the device, in pinned memory and
 * in pageable memory. It is drawn so that something orders each two accesses that need it: a stream, an
 * event, a wait of the host, or an edge of a graph. Then it runs again without one of these orders.
 *
 * One file because the oracle reads the steps that are called.
 */
#include "base/failure.h"
#include "base/random.h"
#include "harness/launch.cuh"
#include "harness/options.h"
#include "tests/check.h"
#include "tests/refusal.h"

#include "machine/machine.h"
#include "revision.h"

#include <string.h>

enum { ARRAYS = 5, CELLS = 48, CELL = 8, BYTES = CELLS * CELL };
enum { STEPS = 64, STREAMS = 5, NODES = 3, EVENTS = 16, MOST_RUNS = 12 };
enum place { DEVICE, PINNED, PAGEABLE };
static const place place_of[ARRAYS] = {DEVICE, DEVICE, DEVICE, PINNED, PAGEABLE};
/* The stream OF_OTHER_GPU is a blocking stream of a second GPU: it and that GPU's default stream wait for
 * each other, but not it and the first GPU's. The stream HOST stands for the host's own accesses. */
enum stream_name { LEGACY, PER_THREAD, BLOCKING, NON_BLOCKING, OF_OTHER_GPU, HOST };

enum step_kind {
    KERNEL,
    SET,
    COPY,
    HOST_FUNCTION,
    HOST_READS,
    HOST_WRITES,
    GRAPH,
    RECORD,
    AWAIT,
    SYNC_STREAM,
    SYNC_EVENT,
    SYNC_DEVICE,
    NOTHING
};

/* How a graph is made executable; only one that is made of nodes can have changed nodes. */
enum graph_way { PLAIN, CLONED, AS_CHILD, UPDATED, NODES_CHANGED };

/* Rows and planes of cells. A last cell of a row lacks some of its bytes. */
struct shape {
    int width, height, depth, lacking;
};
/* Where a shape lies in an array: its first cell, cells from row to row, and rows from plane to plane. */
struct location {
    int array, at, pitch, rows;
};

struct step {
    step_kind kind;
    int stream, event;
    bool is_async, by_default; /* of a copy: is it asynchronous, and has it the kind cudaMemcpyDefault? */
    bool by_texture;           /* does a kernel read by a texture? */
    location from, to;
    shape size;
    int value;           /* what is stored or added */
    graph_way way;       /* of a graph: how it is made executable */
    int nodes;           /* of a graph: the number of its nodes, which are the next steps */
    bool is_captured;    /* of a graph: is it captured from streams, and not made of nodes? */
    bool node;           /* is the step a node of a graph before it? */
    unsigned char after; /* of a node: the nodes of its graph before which it does not begin, as bits */
};

struct program {
    int count;
    step steps[STEPS];
};

static struct random random_state;

static int any(int count)
{
    return (int)(random_next(&random_state) % (unsigned)count);
}

static bool works(step_kind kind)
{
    return kind <= HOST_WRITES;
}

/* ---- the oracle: bytes ---- */

/* Calls body(FROM, TO, BYTES) for each row of a shape, with the numbers of the bytes at which it lies. */
template <class Body>
static void each_row(const step *s, Body body)
{
    for (int z = 0; z < s->size.depth; z++)
        for (int y = 0; y < s->size.height; y++)
            body((s->from.at + (z * s->from.rows + y) * s->from.pitch) * CELL,
                 (s->to.at + (z * s->to.rows + y) * s->to.pitch) * CELL,
                 s->size.width * CELL - s->size.lacking);
}

static bool reads(step_kind kind)
{
    return kind == KERNEL || kind == COPY || kind == HOST_READS;
}

/* Does what the step does, by plain loops. `seen` gets what the host has read. */
static void apply(const step *s, unsigned char *const bytes[ARRAYS], uint64_t *seen)
{
    each_row(s, [=](int from, int to, int count) {
        unsigned char *source = bytes[s->from.array] + from, *target = bytes[s->to.array] + to;
        for (int i = 0; i < count; i++)
            if (s->kind == KERNEL)
                target[i] = (unsigned char)(source[i] + s->value);
            else if (s->kind == COPY)
                target[i] = source[i];
            else if (s->kind == HOST_READS)
                *seen = *seen * 31 + source[i];
            else
                target[i] = (unsigned char)s->value;
    });
}

/* ---- the oracle: order ---- */

/* Sets of steps, as bits: those that are over before the next step of a stream, of the host, or of what waits
 * for an event. */
struct judged {
    uint64_t of_stream[STREAMS], of_host, of_event[EVENTS], before[STEPS];
    uint64_t read_cells[STEPS][ARRAYS], written_cells[STEPS][ARRAYS];
    /* Does the host wait for each host function that a stream calls? The machine assumes so, because the
     * function may set a flag for which other code of the host waits. */
    bool is_lenient;
};

static uint64_t before_next(const judged *j, int stream)
{
    uint64_t known = j->of_host | (stream == HOST ? 0 : j->of_stream[stream]);
    if (stream == LEGACY)
        return known | j->of_stream[PER_THREAD] | j->of_stream[BLOCKING];
    return known | (stream == PER_THREAD || stream == BLOCKING ? j->of_stream[LEGACY] : 0);
}

static void note_cells(judged *j, const step *s, int i)
{
    each_row(s, [=](int from, int to, int) {
        uint64_t row = (UINT64_C(1) << s->size.width) - 1;
        if (reads(s->kind))
            j->read_cells[i][s->from.array] |= row << from / CELL;
        if (s->kind != HOST_READS)
            j->written_cells[i][s->to.array] |= row << to / CELL;
    });
}

/* Does the host wait until a copy has ended (CUDA Runtime API, "API synchronization behavior")? */
static bool host_waits(const step *s)
{
    place from = place_of[s->from.array], to = place_of[s->to.array];
    if (s->is_async)
        return to == PAGEABLE || (from != DEVICE && to != DEVICE);
    return to != DEVICE || from == PINNED;
}

static void judge_step(const program *p, judged *j, int i)
{
    const step *s = &p->steps[i];
    if (s->kind == NOTHING)
        return;
    const int stream = s->kind == HOST_READS || s->kind == HOST_WRITES ? (int)HOST : s->stream;
    uint64_t before = before_next(j, s->kind == SYNC_EVENT || s->kind == SYNC_DEVICE ? (int)HOST : stream);
    if (works(s->kind)) {
        j->before[i] = before;
        note_cells(j, s, i);
        before |= UINT64_C(1) << i;
        if ((s->kind == COPY && host_waits(s)) || (s->kind == HOST_FUNCTION && j->is_lenient))
            j->of_host |= before;
        /* a copy from pageable memory begins when the stream's earlier work has ended */
        if (s->kind == COPY && !s->is_async && place_of[s->from.array] == PAGEABLE)
            j->of_host |= j->before[i];
    }
    if (s->kind == GRAPH)
        for (int node = 0; node < s->nodes; node++) {
            int n = i + 1 + node;
            uint64_t earlier = before_next(j, stream);
            for (int other = 0; other < node; other++)
                if (p->steps[n].after >> other & 1)
                    earlier |= j->before[i + 1 + other] | UINT64_C(1) << (i + 1 + other);
            j->before[n] = earlier;
            note_cells(j, &p->steps[n], n);
            earlier |= UINT64_C(1) << n;
            before |= earlier;
            if (p->steps[n].kind == HOST_FUNCTION && j->is_lenient)
                j->of_host |= earlier;
        }
    if (s->kind == RECORD)
        j->of_event[s->event] = before;
    if (s->kind == AWAIT)
        before |= j->of_event[s->event];
    if (s->kind == SYNC_STREAM)
        j->of_host |= before;
    if (s->kind == SYNC_EVENT)
        j->of_host |= j->of_event[s->event];
    for (int other = 0; other < OF_OTHER_GPU && s->kind == SYNC_DEVICE; other++)
        j->of_host |= j->of_stream[other];
    if (stream == HOST)
        j->of_host |= before;
    else if (s->kind != SYNC_STREAM && s->kind != SYNC_EVENT && s->kind != SYNC_DEVICE)
        j->of_stream[stream] = before;
}

/* Returns whether steps a and b, in this order, access a cell that one of them writes, and nothing orders
 * them. Pageable memory is the host's own, whose accesses the machine does not see. */
static bool conflicts(const judged *j, int a, int b)
{
    bool found = false;
    for (int array = 0; array < ARRAYS && !(j->before[b] >> a & 1); array++)
        if (place_of[array] != PAGEABLE)
            found |= (j->written_cells[a][array] & (j->read_cells[b][array] | j->written_cells[b][array])) ||
                     (j->read_cells[a][array] & j->written_cells[b][array]);
    return found;
}

static bool has_race(const program *p, bool is_lenient)
{
    judged j = {};
    j.is_lenient = is_lenient;
    for (int i = 0; i < p->count; i += 1 + p->steps[i].nodes)
        judge_step(p, &j, i);
    for (int b = 0; b < p->count; b++)
        for (int a = 0; a < b; a++)
            if (conflicts(&j, a, b) &&
                !(is_lenient && (p->steps[a].kind == HOST_FUNCTION || p->steps[b].kind == HOST_FUNCTION)))
                return true;
    return false;
}

/* ---- random programs ---- */

static location any_location(const shape *size, int array)
{
    location l = {array, 0, size->width + any(2), size->height + any(2)};
    int cells = ((size->depth - 1) * l.rows + size->height - 1) * l.pitch + size->width;
    l.at = any(CELLS - cells + 1);
    return l;
}

/* Returns a step of a stream or of the host. A node of a graph accesses no pageable memory. */
static step any_work(bool is_node)
{
    static const step_kind kinds[] = {KERNEL, KERNEL, KERNEL,        SET,        COPY,
                                      COPY,   COPY,   HOST_FUNCTION, HOST_READS, HOST_WRITES};
    step s = {};
    s.kind = kinds[any(is_node ? 8 : 10)];
    s.stream = any(STREAMS);
    s.value = 1 + any(200);
    bool is_of_host = s.kind == HOST_READS || s.kind == HOST_WRITES, is_copy = s.kind == COPY;
    s.size = {1 + any(5), is_copy || s.kind == SET ? 1 + any(3) : 1, is_copy ? 1 + any(2) : 1,
              is_copy ? any(CELL) : 0};
    auto array = [=]() {
        return s.kind == HOST_FUNCTION ? 3
               : is_of_host            ? 3 + any(2)
               : is_copy               ? any(is_node ? 4 : 5)
                                       : any(3);
    };
    s.from = any_location(&s.size, array());
    do
        s.to = any_location(&s.size, array());
    while (is_copy && s.to.array == s.from.array);
    if (s.kind == KERNEL && s.from.array == s.to.array) /* no thread reads what another one writes */
        s.from = s.to;
    else
        s.by_texture = s.kind == KERNEL && s.stream != OF_OTHER_GPU && any(3) == 0;
    s.is_async = is_node || any(3);
    s.by_default = any(2);
    if ((is_copy || s.kind == SET) && !s.is_async) /* cudaMemcpy() and cudaMemset() use this stream */
        s.stream = LEGACY;
    return s;
}

static void add(program *p, judged *j, step s)
{
    p->steps[p->count] = s;
    judge_step(p, j, p->count++);
}

static step order(step_kind kind, int stream, int event)
{
    step s = {};
    s.kind = kind;
    s.stream = stream;
    s.event = event;
    return s;
}

/* Lets what comes next in the stream, or on the host, wait for all earlier work of stream `of`. */
static void add_order(program *p, judged *j, int of, int stream)
{
    static int event;
    const int way = any(stream == HOST ? 4 : 8);
    if (way < 2) {
        add(p, j, order(way || of == OF_OTHER_GPU ? SYNC_STREAM : SYNC_DEVICE, of, 0));
        return;
    }
    event = (event + 1) % EVENTS;
    add(p, j, order(RECORD, of, event));
    add(p, j, order(way < 4 ? SYNC_EVENT : AWAIT, stream, event));
}

/* Adds orders until nothing races with the step, or with the graph and its nodes, that is to come. */
static void add_in_order(program *p, judged *j, int *stream_of, const step *steps, int count)
{
    bool is_of_host = steps->kind == HOST_READS || steps->kind == HOST_WRITES;
    int stream = is_of_host ? (int)HOST : steps->stream;
    for (bool again = true; again;) {
        again = false;
        judged then = *j;
        program all = *p;
        memcpy(all.steps + all.count, steps, (size_t)count * sizeof *steps);
        all.count += count;
        judge_step(&all, &then, p->count);
        for (int b = p->count; b < all.count && !again; b++)
            for (int a = 0; a < p->count && !again; a++)
                if (conflicts(&then, a, b)) {
                    add_order(p, j, stream_of[a], stream);
                    again = true;
                }
    }
    memcpy(p->steps + p->count, steps, (size_t)count * sizeof *steps);
    judge_step(p, j, p->count);
    for (int i = 0; i < count; i++)
        stream_of[p->count++] = steps->stream;
}

/* Fills in a graph and its nodes, and returns their number. Nodes that access the same cells are ordered. */
static int any_graph(step *steps)
{
    static judged alone;
    steps[0] = order(GRAPH, any(OF_OTHER_GPU), 0);
    steps[0].nodes = 1 + any(NODES);
    steps[0].is_captured = any(2);
    steps[0].way = (graph_way)any(steps[0].is_captured ? NODES_CHANGED : NODES_CHANGED + 1);
    alone = {};
    for (int n = 0; n < steps[0].nodes; n++) {
        step *s = &steps[1 + n];
        *s = any_work(true);
        s->node = true;
        s->after = (unsigned char)any(1 << n);
        note_cells(&alone, s, n);
        for (int other = 0; other < n; other++)
            if (conflicts(&alone, other, n))
                s->after |= (unsigned char)(1 << other);
    }
    return 1 + steps[0].nodes;
}

static program any_program()
{
    program p = {};
    judged j = {};
    int stream_of[STEPS] = {};
    step steps[1 + NODES];
    while (p.count < STEPS - 24 && any(14)) {
        int count = 1;
        if (any(5))
            steps[0] = any_work(false);
        else
            count = any_graph(steps);
        add_in_order(&p, &j, stream_of, steps, count);
    }
    return p;
}

/* Takes one order out of the program: a wait, or an edge of a graph. Returns false if it has none. */
static bool take_one_out(program *p)
{
    int first = any(p->count + 1);
    for (int n = 0; n < p->count; n++) {
        int i = (first + n) % p->count;
        step *s = &p->steps[i];
        if (s->after)
            return s->after &= (unsigned char)(s->after - 1), true;
        if (s->kind >= AWAIT)
            return s->kind = NOTHING, true;
    }
    return false;
}

/* ---- the machine ---- */

/* What g++ calls at each access of a program that is checked (machine/cuda/hooks.c). */
extern "C" void __tsan_read8(void *address);
extern "C" void __tsan_write8(void *address);
extern "C" void machine_queue_streams(bool queue);

static unsigned char *arrays[ARRAYS];
static cudaStream_t streams[STREAMS], capturing[NODES + 1];
static cudaEvent_t events[EVENTS], forks[NODES + 1];

static cudaTextureObject_t textures[ARRAYS]; /* of the device's arrays */

/* Adds to each byte of the cells of `from`, or with a texture of its cells from `first` on. */
static __global__ void compute(const uint64_t *from, cudaTextureObject_t texture, unsigned first,
                               uint64_t *to, unsigned value)
{
    uint64_t cell = 0, sum = 0;
    if (texture) {
        uint2 halves = tex1Dfetch<uint2>(texture, (int)(first + threadIdx.x));
        cell = (uint64_t)halves.y << 32 | halves.x;
    } else
        cell = from[threadIdx.x];
    for (int i = 0; i < CELL; i++)
        sum |= (uint64_t)(unsigned char)((cell >> (8 * i)) + value) << (8 * i);
    to[threadIdx.x] = sum;
}

static unsigned char *address(const location *l)
{
    return arrays[l->array] + l->at * CELL;
}

/* What the host has read in this run. */
static uint64_t seen_by_host;

/* Reads or writes the cells of a step of the host, as its code or as a function that a stream calls. */
static void access_by_host(void *data)
{
    const step *s = (const step *)data;
    for (int i = 0; i < s->size.width; i++)
        s->kind == HOST_READS ? __tsan_read8(address(&s->from) + i * CELL)
                              : __tsan_write8(address(&s->to) + i * CELL);
    apply(s, arrays, &seen_by_host);
}

static cudaMemcpyKind kind_of(const step *s)
{
    static const cudaMemcpyKind kinds[2][2] = {{cudaMemcpyDeviceToDevice, cudaMemcpyDeviceToHost},
                                               {cudaMemcpyHostToDevice, cudaMemcpyHostToHost}};
    return s->by_default ? cudaMemcpyDefault
                         : kinds[place_of[s->from.array] != DEVICE][place_of[s->to.array] != DEVICE];
}

static cudaMemcpy3DParms in_space(const step *s)
{
    cudaMemcpy3DParms c = {};
    size_t width = (size_t)(s->size.width * CELL - s->size.lacking);
    c.srcPtr =
        make_cudaPitchedPtr(address(&s->from), (size_t)(s->from.pitch * CELL), width, (size_t)s->from.rows);
    c.dstPtr = make_cudaPitchedPtr(address(&s->to), (size_t)(s->to.pitch * CELL), width, (size_t)s->to.rows);
    c.extent = make_cudaExtent(width, (size_t)s->size.height, (size_t)s->size.depth);
    c.kind = kind_of(s);
    return c;
}

/* Makes the call of a copy: that with the fewest dimensions which suffice. */
static cudaError_t copy(const step *s, cudaStream_t stream)
{
    unsigned char *to = address(&s->to), *from = address(&s->from);
    cudaMemcpy3DParms c = in_space(s);
    size_t width = c.extent.width, height = c.extent.height, to_pitch = c.dstPtr.pitch,
           from_pitch = c.srcPtr.pitch;
    if (s->size.depth > 1)
        return s->is_async ? cudaMemcpy3DAsync(&c, stream) : cudaMemcpy3D(&c);
    if (height > 1)
        return s->is_async ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, c.kind, stream)
                           : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, c.kind);
    return s->is_async ? cudaMemcpyAsync(to, from, width, c.kind, stream)
                       : cudaMemcpy(to, from, width, c.kind);
}

/* A kernel's parameters, as a node has them. */
struct kernel_node {
    const uint64_t *from;
    cudaTextureObject_t texture;
    unsigned first, value;
    uint64_t *to;
    void *arguments[5] = {&from, &texture, &first, &to, &value};
    cudaKernelNodeParams parameters;
    explicit kernel_node(const step *s)
        : from((const uint64_t *)address(&s->from)), texture(s->by_texture ? textures[s->from.array] : 0),
          first((unsigned)s->from.at), value((unsigned)s->value), to((uint64_t *)address(&s->to)),
          parameters{(void *)compute, dim3(1), dim3((unsigned)s->size.width), 0, arguments, nullptr}
    {
    }
};

static void enqueue(const step *s, cudaStream_t stream)
{
    const size_t width = (size_t)(s->size.width * CELL), height = (size_t)s->size.height,
                 pitch = (size_t)(s->to.pitch * CELL);
    kernel_node k(s);
    if (s->kind == KERNEL)
        CHECK(cudaLaunchKernel(k.parameters.func, k.parameters.gridDim, k.parameters.blockDim, k.arguments, 0,
                               stream));
    else if (s->kind == COPY)
        CHECK(copy(s, stream));
    else if (s->kind == HOST_FUNCTION)
        CHECK(cudaLaunchHostFunc(stream, access_by_host, (void *)s));
    else if (height > 1)
        CHECK(s->is_async ? cudaMemset2DAsync(address(&s->to), pitch, s->value, width, height, stream)
                          : cudaMemset2D(address(&s->to), pitch, s->value, width, height));
    else
        CHECK(s->is_async ? cudaMemsetAsync(address(&s->to), s->value, width, stream)
                          : cudaMemset(address(&s->to), s->value, width));
}

/* Adds a node to a graph, which begins after these other ones. */
static cudaGraphNode_t new_node(cudaGraph_t graph, const step *s, const cudaGraphNode_t *after, size_t count)
{
    cudaGraphNode_t node;
    cudaMemcpy3DParms c = in_space(s);
    cudaHostNodeParams h = {access_by_host, (void *)s};
    kernel_node k(s);
    if (s->kind == KERNEL)
        CHECK(cudaGraphAddKernelNode(&node, graph, after, count, &k.parameters));
    else if (s->kind == COPY && s->size.height * s->size.depth == 1)
        CHECK(cudaGraphAddMemcpyNode1D(&node, graph, after, count, c.dstPtr.ptr, c.srcPtr.ptr, c.extent.width,
                                       c.kind));
    else if (s->kind == COPY)
        CHECK(cudaGraphAddMemcpyNode(&node, graph, after, count, &c));
    else if (s->kind == HOST_FUNCTION)
        CHECK(cudaGraphAddHostNode(&node, graph, after, count, &h));
    else {
        cudaMemsetParams m = {};
        m.dst = address(&s->to);
        m.value = (unsigned)s->value;
        m.elementSize = 1;
        m.height = (size_t)s->size.height;
        m.pitch = (size_t)(s->to.pitch * CELL);
        m.width = (size_t)(s->size.width * CELL);
        CHECK(cudaGraphAddMemsetNode(&node, graph, after, count, &m));
    }
    return node;
}

static cudaGraph_t captured_graph(const step *of)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(capturing[NODES], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(forks[NODES], capturing[NODES]));
    for (int n = 0; n < of->nodes; n++) {
        CHECK(cudaStreamWaitEvent(capturing[n], forks[NODES], 0));
        for (int other = 0; other < n; other++)
            if (of[1 + n].after >> other & 1)
                CHECK(cudaStreamWaitEvent(capturing[n], forks[other], 0));
        enqueue(&of[1 + n], capturing[n]);
        CHECK(cudaEventRecord(forks[n], capturing[n]));
    }
    for (int n = 0; n < of->nodes; n++)
        CHECK(cudaStreamWaitEvent(capturing[NODES], forks[n], 0));
    CHECK(cudaStreamEndCapture(capturing[NODES], &graph));
    return graph;
}

/* Returns a graph of the steps after this one, and stores its nodes. */
static cudaGraph_t new_graph(const step *of, cudaGraphNode_t nodes[NODES])
{
    cudaGraph_t graph;
    size_t count;
    CHECK(cudaGraphCreate(&graph, 0));
    for (int n = 0; n < of->nodes; n++) {
        cudaGraphNode_t after[NODES];
        count = 0;
        for (int other = 0; other < n; other++)
            if (of[1 + n].after >> other & 1)
                after[count++] = nodes[other];
        nodes[n] = new_node(graph, &of[1 + n], after, n % 2 ? 0 : count);
        for (size_t i = 0; i < count && n % 2; i++)
#if CUDART_VERSION >= 13000
            CHECK(cudaGraphAddDependencies(graph, &after[i], &nodes[n], nullptr, 1));
#else
            CHECK(cudaGraphAddDependencies(graph, &after[i], &nodes[n], 1));
#endif
    }
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    if (count != (size_t)of->nodes)
        fail(EXIT_CANNOT, "a graph of %d nodes has %zu", of->nodes, count);
    return graph;
}

/* Returns an executable graph of the steps after this one. It is made of the graph, of a copy of it, of a
 * graph in which it is a node, or of a graph whose kernels have other values and which is then updated. */
static cudaGraphExec_t new_executable(step *of)
{
    cudaGraphNode_t nodes[NODES], child;
    cudaGraph_t graph = of->is_captured ? captured_graph(of) : new_graph(of, nodes), made = graph;
    cudaGraphExec_t executable;
    cudaGraphExecUpdateResultInfo result;
    if (of->way == CLONED)
        CHECK(cudaGraphClone(&made, graph));
    else if (of->way == AS_CHILD) {
        CHECK(cudaGraphCreate(&made, 0));
        CHECK(cudaGraphAddChildGraphNode(&child, made, nullptr, 0, graph));
    } else if (of->way >= UPDATED) {
        for (int n = 1; n <= of->nodes; n++)
            of[n].value += of[n].kind == KERNEL;
        made = of->is_captured ? captured_graph(of) : new_graph(of, nodes);
        for (int n = 1; n <= of->nodes; n++)
            of[n].value -= of[n].kind == KERNEL;
    }
    CHECK(cudaGraphInstantiate(&executable, made, 0));
    for (int n = 0; n < of->nodes && of->way == NODES_CHANGED; n++) {
        kernel_node k(&of[1 + n]);
        if (of[1 + n].kind == KERNEL)
            CHECK(cudaGraphExecKernelNodeSetParams(executable, nodes[n], &k.parameters));
    }
    if (of->way == UPDATED)
        CHECK(cudaGraphExecUpdate(executable, graph, &result));
    CHECK(cudaGraphDestroy(graph));
    if (made != graph)
        CHECK(cudaGraphDestroy(made));
    return executable;
}

static void call(step *s)
{
    cudaStream_t stream = s->stream < STREAMS ? streams[s->stream] : nullptr;
    if (s->kind == HOST_READS || s->kind == HOST_WRITES)
        access_by_host((void *)s);
    else if (works(s->kind)) {
        CHECK(cudaSetDevice(s->stream == OF_OTHER_GPU));
        enqueue(s, stream);
        CHECK(cudaSetDevice(0));
    } else if (s->kind == GRAPH) {
        cudaGraphExec_t executable = new_executable(s);
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaGraphExecDestroy(executable)); /* CUDA waits for the launches of it */
    } else if (s->kind == RECORD)
        CHECK(cudaEventRecord(events[s->event], stream));
    else if (s->kind == AWAIT)
        CHECK(cudaStreamWaitEvent(stream, events[s->event], 0));
    else if (s->kind == SYNC_STREAM)
        CHECK(cudaStreamSynchronize(stream));
    else if (s->kind == SYNC_EVENT)
        CHECK(cudaEventSynchronize(events[s->event]));
    else if (s->kind == SYNC_DEVICE)
        CHECK(cudaDeviceSynchronize());
}

/* Runs the program, and returns whether it leaves in the arrays what the oracle does. */
static bool is_right(program *p, unsigned seed)
{
    static const machine_memory policies[] = {MACHINE_L1, MACHINE_OLDEST, MACHINE_ANY};
    static unsigned char expected[ARRAYS][BYTES], got[BYTES];
    unsigned char *of_oracle[ARRAYS];
    uint64_t expected_seen = 0;
    machine_set_memory(policies[seed % 3]);
    machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, seed);
    for (int a = 0; a < ARRAYS; a++) {
        of_oracle[a] = expected[a];
        memset(expected[a], a, BYTES);
        CHECK(cudaMemcpy(arrays[a], expected[a], BYTES, cudaMemcpyDefault));
    }
    CHECK(cudaDeviceSynchronize());
    machine_collect_races(true, false);
    seen_by_host = 0;
    for (int i = 0; i < p->count; i++) {
        if (!p->steps[i].node)
            call(&p->steps[i]);
        if (works(p->steps[i].kind))
            apply(&p->steps[i], of_oracle, &expected_seen);
    }
    CHECK(cudaStreamSynchronize(streams[OF_OTHER_GPU]));
    CHECK(cudaDeviceSynchronize());
    bool right = seen_by_host == expected_seen;
    for (int a = 0; a < ARRAYS; a++) {
        CHECK(cudaMemcpy(got, arrays[a], BYTES, cudaMemcpyDefault));
        right = right && memcmp(got, expected[a], BYTES) == 0;
    }
    return right;
}

static void print_program(const program *p)
{
    static const char *const names[] = {
        "kernel", "set",    "copy",  "host function",       "host reads",         "host writes",
        "graph",  "record", "await", "wait for the stream", "wait for the event", "wait for the device",
        "nothing"};
    for (int i = 0; i < p->count; i++) {
        const step *s = &p->steps[i];
        const location *f = &s->from, *t = &s->to;
        printf("        %2d: %s, stream %d, event %d, array %d [%d] %d x %d to %d [%d] %d x %d: %d x %d x %d "
               "less %d, "
               "flags %d%d%d, after %x\n",
               i, names[s->kind], s->stream, s->event, f->array, f->at, f->pitch, f->rows, t->array, t->at,
               t->pitch, t->rows, s->size.width, s->size.height, s->size.depth, s->size.lacking, s->is_async,
               s->node, s->is_captured, s->after);
    }
    machine_print_races(stdout);
}

struct tally {
    int programs, racing, wrong, false_races, missed_races;
};

/* Runs the program, which has a race, until the machine tells it, but MOST_RUNS times at most: a word keeps
 * one of its readers only, and chance decides which. */
static bool is_told(program *p, unsigned seed)
{
    for (unsigned run = 0; run < MOST_RUNS; run++) {
        is_right(p, seed + run);
        if (machine_races() > 0)
            return true;
    }
    return false;
}

static void compare(program *p, unsigned seed, tally *t)
{
    bool races = has_race(p, false), must_tell = races && has_race(p, true);
    bool right = races || is_right(p, seed);
    bool told = races ? is_told(p, seed) : machine_races() > 0;
    t->programs++;
    t->racing += must_tell;
    t->wrong += !right;
    t->false_races += told && !races;
    t->missed_races += !told && must_tell;
    if (!right || (told && !races) || (!told && must_tell)) {
        printf("        %s (seed %u)\n",
               !right ? "an array is not right"
               : told ? "a race is told"
                      : "no race is told",
               seed);
        print_program(p);
    }
}

/* ---- calls beyond an array's end ---- */

static void end_program(const char *text)
{
    fail(EXIT_BAD_INPUT, "%s", text);
}

static step beyond[2]; /* a graph, and a copy or memset: its node, or without nodes alone */

static void call_beyond()
{
    call(&beyond[beyond->nodes ? 0 : 1]);
    CHECK(cudaDeviceSynchronize());
}

/* Returns the number of the first byte after a shape. */
static int end_of(const shape *size, const location *l)
{
    return (l->at + ((size->depth - 1) * l->rows + size->height - 1) * l->pitch + size->width) * CELL -
           size->lacking;
}

/* Checks that a copy or memset that begins in an array and ends beyond it is told, with the bytes that it
 * would access. */
static void check_bounds(int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        step *s = &beyond[1];
        beyond[0] = order(GRAPH, any(OF_OTHER_GPU), 0);
        beyond[0].nodes = any(2);
        beyond[0].is_captured = any(2);
        do
            *s = any_work(beyond->nodes);
        while ((s->kind != COPY && s->kind != SET) || s->size.width < 2);
        bool reads_beyond = s->kind == COPY && place_of[s->from.array] != PAGEABLE &&
                            (any(2) || place_of[s->to.array] == PAGEABLE);
        location *l = reads_beyond ? &s->from : &s->to;
        l->at += (BYTES - end_of(&s->size, l)) / CELL + 1;
        char expected[100];
        snprintf(expected, sizeof expected, "%s bytes %d to %d of", reads_beyond ? "reads" : "writes",
                 l->at * CELL, end_of(&s->size, l) - 1);
        const char *said = refusal(call_beyond);
        if (!strstr(said, expected)) {
            printf("        %s: %s\n", expected, said);
            wrong++;
        }
    }
    check(wrong == 0, "a call that ends beyond an array is told with its bytes (%d of %d are not)", wrong,
          count);
}

int main(int argc, char **argv)
{
    set_program_name("machine_calls");
    int programs = argc > 1 ? atoi(argv[1]) : getenv("FULL") ? 5000 : 300;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)strtoul(GPUSYNC_REVISION, NULL, 16);
    options options = {};
    options.device = "h100";
    machine_queue_streams(true);
    device device;
    open_device(&options, &device);
    machine_check_bounds(end_program);
    machine_set_devices(2);
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaStreamCreate(&streams[OF_OTHER_GPU]));
    CHECK(cudaSetDevice(0));
    for (int a = 0; a < ARRAYS; a++)
        if (place_of[a] == PAGEABLE)
            arrays[a] = (unsigned char *)malloc(BYTES);
        else
            CHECK(place_of[a] == DEVICE ? cudaMalloc((void **)&arrays[a], BYTES)
                                        : cudaMallocHost((void **)&arrays[a], BYTES));
    for (int a = 0; a < ARRAYS && place_of[a] == DEVICE; a++) {
        cudaResourceDesc linear = {};
        cudaTextureDesc plain = {};
        linear.resType = cudaResourceTypeLinear;
        linear.res.linear.devPtr = arrays[a];
        linear.res.linear.desc = cudaCreateChannelDesc<uint2>();
        linear.res.linear.sizeInBytes = BYTES;
        CHECK(cudaCreateTextureObject(&textures[a], &linear, &plain, nullptr));
    }
    streams[PER_THREAD] = cudaStreamPerThread;
    CHECK(cudaStreamCreate(&streams[BLOCKING]));
    CHECK(cudaStreamCreateWithFlags(&streams[NON_BLOCKING], cudaStreamNonBlocking));
    for (cudaStream_t &stream : capturing)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (cudaEvent_t &event : events)
        CHECK(cudaEventCreate(&event));
    for (cudaEvent_t &event : forks)
        CHECK(cudaEventCreate(&event));
    tally ordered = {}, lacking = {};
    random_state.state = seed;
    for (int i = 0; i < programs; i++) {
        program p = any_program();
        compare(&p, seed + (unsigned)i, &ordered);
        if (take_one_out(&p))
            compare(&p, seed + (unsigned)i, &lacking);
    }
    check(ordered.racing == 0 && lacking.racing * 5 > programs,
          "every drawn program orders its accesses, and many that lack one order do not (%d of %d)",
          lacking.racing, lacking.programs);
    check(ordered.wrong + lacking.wrong == 0,
          "calls leave in memory what plain loops do (%d programs, %d wrong)",
          ordered.programs + lacking.programs, ordered.wrong + lacking.wrong);
    check(ordered.false_races + lacking.false_races == 0,
          "no race is told of calls that are ordered (%d told)", ordered.false_races + lacking.false_races);
    check(lacking.missed_races == 0,
          "a race is told of each program that lacks an order for which it matters (%d of %d not)",
          lacking.missed_races, lacking.racing);
    check_bounds(60);
    return checks_done();
}
