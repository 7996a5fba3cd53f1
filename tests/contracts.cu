/*
 * Tests what the comments of sync/ promise at their limits: blocks whose last warp is partly filled, numbers
 * of rounds that wrap around, NaNs with any payload, words one half of which is all ones, and waits that must
 * not return yet. GPUs of a barrier across GPUs are parts of one grid. On the memory machine the memory is
 * weak and races are reported.
 */
#include "base/memory.h"
#include "harness/check.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "sync/all_reduce.cuh"
#include "sync/full_empty.cuh"
#include "sync/hop.cuh"
#include "sync/multi_gpu.cuh"
#include "sync/multi_gpu_courier.cuh"
#include "sync/neighbours.cuh"
#include "tests/check.h"
#include "tests/weak_device.h"

using namespace gpusync;

enum { GPUS = 2, BLOCKS = 2, ALL = GPUS * BLOCKS, ROUNDS = 5 };

/* Launches the kernel with the counter of errors as its last argument. Returns the number of errors. */
template <class... Parameters, class... Arguments>
static unsigned errors_in(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                          Arguments... arguments)
{
    device_array<unsigned> errors(1);
    unsigned count;
    CHECK(launch(kernel, {blocks, threads}, harness_stream(), arguments..., errors.at));
    wait_for_device();
    errors.copy_to(&count);
    return count;
}

/* ---- the courier of a barrier across GPUs, in blocks of any size ---- */

/* In each round the workers of a block write the round into their block's words and look at the words of
 * another block, of either GPU. */
static __global__ void meet_by_courier(gpusync_multi_gpu_barrier memory, unsigned *boards, unsigned *errors)
{
    MultiGpuCourier barrier;
    unsigned me = block_in_grid(), threads = threads_in_block();
    barrier.begin_as(memory, me / BLOCKS, me % BLOCKS);
    for (unsigned r = 0; r < ROUNDS; r++) {
        unsigned *board = boards + r % 2 * ALL * threads;
        if (barrier.is_courier()) {
            barrier.carry();
            continue;
        }
        board[me * threads + thread_in_block()] = r + 1;
        barrier.arrive();
        barrier.wait();
        if (board[(me + 1 + r % (ALL - 1)) % ALL * threads + thread_in_block()] != r + 1)
            atomicAdd(errors, 1u);
    }
    barrier.end();
}

static void check_courier(unsigned threads)
{
    const int devices[GPUS] = {};
    gpusync_multi_gpu_barrier memory[GPUS];
    device_array<unsigned> boards(2 * ALL * threads);
    unsigned errors = 0;
    CHECK(gpusync_multi_gpu_barrier_create(memory, devices, GPUS, BLOCKS));
    for (unsigned run = 0; run < 4; run++) {
        device_reset(run);
        boards.set(0);
        errors += errors_in(meet_by_courier, ALL, threads, memory[0], boards.at);
    }
    check(errors == 0 && !device_report_races("contracts"),
          "a courier serves blocks of %u threads on %d GPUs (%u wrong)", threads, GPUS, errors);
    CHECK(gpusync_multi_gpu_barrier_destroy(memory));
}

/* ---- hops by a sentinel, whose rounds wrap around ---- */

static const unsigned BEFORE_WRAP = 0xfffffff8u;

static __device__ void send_round(uint4 *place, unsigned round, unsigned r)
{
    hop_sentinel_store(&place[round % 3], make_uint4(r, r + 1, r + 2, r + 3));
    hop_sentinel_clear(&place[(round - 1) % 3]);
    __threadfence();
}
static __device__ bool await_round(const uint4 *place, unsigned round, unsigned r)
{
    uint4 got = hop_sentinel_await(&place[round % 3]);
    return got.x == r && got.y == r + 1 && got.z == r + 2 && got.w == r + 3;
}

/* Block 0 sends 20 rounds from round `first` on, and block 1 answers each. */
static __global__ void ping_pong(uint4 *places, unsigned first, unsigned *errors)
{
    unsigned round = first;
    if (!is_block_leader())
        return;
    uint4 *mine = places + 3 * block_in_grid(), *other = places + 3 * (1 - block_in_grid());
    for (unsigned r = 0; r < 20; r++, round = hop_sentinel_next(round)) {
        if (block_in_grid() == 0)
            send_round(mine, round, r);
        if (!await_round(other, round, r))
            atomicAdd(errors, 1u);
        if (block_in_grid() == 1)
            send_round(mine, round, r);
    }
}

/* The words of a place come one by one. Sets bit `come` if the place counts as there when the words of the
 * set `come` have come. */
static __global__ void ask_for_each_part(unsigned *there)
{
    unsigned word[4];
    for (unsigned come = 0; come < 16; come++) {
        for (unsigned i = 0; i < 4; i++)
            word[i] = come >> i & 1 ? i : HOP_NOT_YET;
        if (hop_sentinel_is_there(make_uint4(word[0], word[1], word[2], word[3])))
            *there |= 1u << come;
    }
}

static void check_sentinel(unsigned first)
{
    device_array<uint4> places(6);
    unsigned errors = 0;
    for (unsigned run = 0; run < 10; run++) {
        device_reset(run);
        places.set(0xff);
        errors += errors_in(ping_pong, 2, 32, places.at, first);
    }
    check(errors == 0, "hops by a sentinel deliver each round from round %#x on (%u wrong)", first, errors);
    check(errors_in(ask_for_each_part, 1, 1) == 1u << 15, "a place is there when all of its words are");
}

/* ---- an all-reduce of floats of 31 bits ---- */

static __device__ bool is_nan(unsigned word)
{
    return (word & 0x7fffffffu) > 0x7f800000u;
}

/* A unit one half of which is of another round is of neither round. */
template <class Unit>
static __device__ bool knows_halves(const float *values, unsigned round)
{
    bool right = true;
    for (unsigned late = 0; late < 2; late++) {
        packed_word unit[2], other[2];
        Unit::wrap(values, round, unit);
        Unit::wrap(values, round + 2, other);
        right = right && Unit::is_of(unit, round);
        unit[late] = other[late];
        right = right && !Unit::is_of(unit, round) && !Unit::is_of(unit, round + 2);
    }
    return right;
}

static __device__ bool wraps_right(unsigned word)
{
    packed_word unit[2];
    const float values[4] = {float_of_word(word), float_of_word(word), float_of_word(word),
                             float_of_word(word)};
    bool right = true;
    /* no bit of a value must be mistaken for the bit of a round */
    for (unsigned round = 4; round > 0; round--)
        right = right && knows_halves<PackedUnit<float>>(values, round) &&
                knows_halves<PhaseUnit<float>>(values, round);
    PhaseUnit<float>::wrap(values, 1, unit);
    unsigned got = word_of_float(PhaseUnit<float>::value(unit, 3));
    return right && (is_nan(word) ? is_nan(got) && !((got ^ word) >> 31) : got == (word & ~1u));
}

/* A float is rounded to the bits of the nearest 16-bit float. A NaN stays a NaN, whatever its payload is. */
static __device__ bool rounds_right(unsigned word)
{
    unsigned got = bfloat16_of_float(float_of_word(word));
    bool up = (word & 0xffffu) > 0x8000u || ((word & 0xffffu) == 0x8000u && (word >> 16 & 1u));
    return is_nan(word) ? (got & 0x7fffu) > 0x7f80u && got >> 15 == word >> 31 : got == (word >> 16) + up;
}

static __global__ void try_words(const unsigned *words, unsigned count, unsigned *errors)
{
    unsigned i = thread_in_block();
    if (i < count && !(wraps_right(words[i]) && rounds_right(words[i])))
        atomicAdd(errors, 1u);
}

static void check_floats(void)
{
    static const unsigned words[] = {0x7f800001u, 0xff800001u, 0x7fc00000u, 0x7fffffffu, 0x7f800000u,
                                     0xff800000u, 0x80000000u, 0x80000001u, 1,           0x7f7fffffu,
                                     0x3f800001u, 0x3f808000u, 0x3f818000u, 0x3f808001u, 0x3f80ffffu};
    unsigned count = sizeof words / sizeof *words;
    device_array<unsigned> there(count);
    there.copy_from(words);
    unsigned errors = errors_in(try_words, 1, 32, (const unsigned *)there, count);
    check(errors == 0,
          "a float of 31 bits loses its last bit alone, one of 16 bits is the nearest, a NaN stays one (%u "
          "wrong)",
          errors);
}

/* ---- full/empty words ---- */

/* Block 1 fills one full/empty word for each thread of block 0, and each of those threads takes the value
 * out of its word. */
static __global__ void hand_over(full_empty_word *words, full_empty_word first, unsigned *errors)
{
    full_empty_word *word = &words[thread_in_block()], value = first + thread_in_block();
    if (block_in_grid() == 1) {
        full_empty_fill(word, value);
    } else {
        full_empty_word now;
        do
            now = full_empty_load(word);
        while (!full_empty_is_full(now));
        full_empty_leave_empty(word);
        if (now != value)
            atomicAdd(errors, 1u);
    }
}

static void check_full_empty(void)
{
    enum { THREADS = 64 };
    /* small numbers, pairs of words one of which is all ones, and the largest number that is full */
    static const full_empty_word values[] = {
        0, THREADS, 0x00000001ffffffffull, 0x7fffffffffffffe0ull, 0xffffffff00000000ull, ~0ull - THREADS};
    device_array<full_empty_word> words(THREADS, 0xff);
    unsigned errors = 0;
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        device_reset(i);
        errors += errors_in(hand_over, 2, THREADS, words.at, values[i]);
    }
    check(errors == 0 && !device_report_races("contracts"),
          "a word that was taken is empty until the next launch fills it, with any value but all ones (%u "
          "wrong)",
          errors);
}

/* ---- the memory of a grid barrier ---- */

/* Each word that blocks poll or add to has a cache line to itself. */
static __global__ void mark_lines(gpusync_grid_barrier memory, unsigned *lines, unsigned *errors)
{
    const unsigned count = 2 + GPUSYNC_TREE_GROUPS + memory.capacity;
    if (!is_block_leader())
        return;
    for (unsigned i = 0; i < count; i++) {
        const unsigned group = i - 2, block = group - GPUSYNC_TREE_GROUPS;
        const unsigned *word = i == 0                        ? barrier_base(memory)
                               : i == 1                      ? barrier_counter(memory)
                               : group < GPUSYNC_TREE_GROUPS ? barrier_group(memory, group)
                                                             : barrier_line(memory, block);
        const size_t line = (size_t)(word - memory.words) / GPUSYNC_LINE_WORDS;
        if (line >= count || lines[line]++)
            atomicAdd(errors, 1u);
    }
}

static void check_lines(unsigned capacity)
{
    gpusync_grid_barrier memory;
    device_array<unsigned> lines(2 + GPUSYNC_TREE_GROUPS + capacity);
    CHECK(gpusync_grid_barrier_create(&memory, capacity));
    check(errors_in(mark_lines, 1, 32, memory, lines.at) == 0,
          "the counters, groups and blocks of a barrier of %u blocks have lines of their own", capacity);
    CHECK(gpusync_grid_barrier_destroy(&memory));
}

/* ---- a barrier among neighbours, in grids that grow ---- */

/* In each round a block adds 1 to its own word, and looks at its neighbours' words after the barrier. */
static __global__ void look_at_neighbours(gpusync_grid_barrier memory, unsigned *board, unsigned before,
                                          unsigned *errors)
{
    Neighbours barrier;
    unsigned me = block_in_grid(), last = blocks_in_grid() - 1;
    barrier.begin(memory);
    for (unsigned r = 1; r <= ROUNDS; r++) {
        if (is_block_leader())
            board[me] = before + r;
        barrier.sync();
        if (is_block_leader() &&
            ((me > 0 && board[me - 1] != before + r) || (me < last && board[me + 1] != before + r)))
            atomicAdd(errors, 1u);
        barrier.sync(); /* passes after the neighbours have looked */
    }
    barrier.end();
}

static __global__ void set_counts(gpusync_grid_barrier memory, unsigned count, unsigned *)
{
    if (thread_in_block() < memory.capacity)
        *barrier_line(memory, thread_in_block()) = count;
}

/* `start` is every block's count at the beginning, as after many launches. */
static void check_neighbours(unsigned start)
{
    enum { CAPACITY = 7 };
    gpusync_grid_barrier memory;
    device_array<unsigned> board(CAPACITY);
    unsigned errors = 0, before = 0;
    CHECK(gpusync_grid_barrier_create(&memory, CAPACITY));
    errors_in(set_counts, 1, 32, memory, start);
    for (unsigned blocks : {3, 7, 1, 5, 7}) {
        device_reset(before);
        errors += errors_in(look_at_neighbours, blocks, 45, memory, board.at, before);
        before += ROUNDS;
    }
    check(errors == 0 && !device_report_races("contracts"),
          "neighbours meet in grids that grow and shrink, from count %#x on (%u wrong)", start, errors);
    CHECK(gpusync_grid_barrier_destroy(&memory));
}

/* ---- waits that must not return yet ---- */

/* Each GPU has one block. The GPUs take turns to be late: in its round a GPU has not sent its units while
 * `late` has an earlier round, so the other may not find its share complete. Each receives its own share
 * alone. */
static __global__ void wait_for_late(gpusync_all_reduce memory, volatile unsigned *late, unsigned *errors)
{
    AllReduce<int, GPUS, PhaseUnit<int>> reduce;
    unsigned gpu = block_in_grid();
    reduce.begin_as(memory, gpu, 0);
    for (unsigned r = 0; r < 8; r++) {
        auto value_of = [&](unsigned i) { return (int)(gpu ? 2 * i : i + r); };
        if (gpu != r % GPUS) {
            reduce.send(value_of);
            if (reduce.wait_for_share(200))
                atomicAdd(errors, 1u);
            __syncthreads();
            if (is_block_leader())
                *late = r + 1;
        } else {
            while (is_block_leader() && *late != r + 1) {
            }
            __syncthreads();
            reduce.send(value_of);
        }
        while (!reduce.wait_for_share(1000)) {
        }
        reduce.receive_share([&](unsigned i, int sum) {
            if (sum != (int)(3 * i + r))
                atomicAdd(errors, 1u);
        });
        __syncthreads();
    }
    reduce.end();
}

static void check_wait(void)
{
    const int devices[GPUS] = {};
    gpusync_all_reduce memory[GPUS];
    device_array<unsigned> late(1);
    unsigned errors = 0;
    CHECK(gpusync_all_reduce_create(memory, devices, GPUS, 1, 50));
    for (unsigned run = 0; run < 4; run++) {
        device_reset(run);
        late.set(0);
        errors += errors_in(wait_for_late, GPUS, 64, memory[0], late.at);
    }
    check(errors == 0, "a wait for a share does not return before all GPUs have sent it (%u wrong)", errors);
    CHECK(gpusync_all_reduce_destroy(memory));
}

/* ---- the memory of a barrier across GPUs ---- */

static bool is_refused(unsigned gpus)
{
    static const int devices[GPUSYNC_MOST_GPUS + 1] = {};
    gpusync_multi_gpu_barrier memory[GPUSYNC_MOST_GPUS + 1];
    return gpusync_multi_gpu_barrier_create(memory, devices, gpus, BLOCKS) == cudaErrorInvalidValue;
}

/* A GPU of the list is the current one while its inbox is allocated, and the last one of the list is not the
 * caller's. A GPU may be in the list several times. */
static void check_create(void)
{
    int devices[GPUSYNC_MOST_GPUS], count = 1, current = -1;
    gpusync_multi_gpu_barrier memory[GPUSYNC_MOST_GPUS];
#ifdef GPUSYNC_MACHINE
    count = GPUS;
    machine_set_devices(GPUS);
#endif
    for (int g = 0; g < GPUSYNC_MOST_GPUS; g++)
        devices[g] = g % count;
    CHECK(cudaSetDevice(0));
    cudaError_t error = gpusync_multi_gpu_barrier_create(memory, devices, GPUSYNC_MOST_GPUS, BLOCKS);
    CHECK(cudaGetDevice(&current));
    check(error == cudaSuccess, "a barrier across %d GPUs is created: %s", GPUSYNC_MOST_GPUS,
          cudaGetErrorString(error));
    check(current == 0, "the caller's current GPU is the same after it (%d)", current);
    if (error == cudaSuccess)
        CHECK(gpusync_multi_gpu_barrier_destroy(memory));
    check(is_refused(0) && is_refused(GPUSYNC_MOST_GPUS + 1), "none across no GPU, or across %d",
          GPUSYNC_MOST_GPUS + 1);
    CHECK(cudaSetDevice(0));
#ifdef GPUSYNC_MACHINE
    machine_set_devices(1);
#endif
}

/* An error is told whichever inbox has it. */
static void check_inboxes(void)
{
    const int devices[GPUS] = {};
    unsigned *inbox[GPUS] = {};
    for (int freed = 0; freed < GPUS; freed++) {
        CHECK(gpusync_make_inboxes(inbox, devices, GPUS, 64));
        CHECK(cudaFree(inbox[freed]));
        check(gpusync_free_inboxes(inbox, GPUS) != cudaSuccess, "inbox %d is not freed twice", freed);
        cudaGetLastError();
    }
}

int main()
{
    open_weak_device("contracts");
    check_create();
    check_inboxes();
    for (unsigned threads : {33, 34, 40, 45, 64, 65, 96, 97})
        check_courier(threads);
    check_sentinel(1);
    check_sentinel(BEFORE_WRAP);
    check_floats();
    check_full_empty();
    check_lines(1);
    check_lines(132);
    check_neighbours(0);
    check_neighbours(BEFORE_WRAP);
    check_wait();
    return checks_done();
}
