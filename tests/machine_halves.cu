/* Tests the times of loads from lines that the other half of L2 has written, on the memory machine. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "tests/check.h"
#include "tests/machine_of_card.cuh"

using namespace gpusync;

static const int CROSSING = 40, LINE = 32;

static unsigned *words;
static long long *time_of;
static bool ends = true; /* has each kernel so far ended? */

enum action { STORE, ADD, LOAD, LOAD_VOLATILE, LOAD_TWO_LINES };

/* One thread of block `block` accesses the word, and measures how long that takes. */
__global__ void act(action what, unsigned block, unsigned *word, long long *out)
{
    if (blockIdx.x != block)
        return;
    unsigned value = 0;
    long long begin = clock64();
    switch (what) {
    case STORE:
        *word = 1;
        break;
    case ADD:
        atomicAdd(word, 1u);
        break;
    case LOAD:
        value = *word;
        break;
    case LOAD_VOLATILE:
        value = *(volatile unsigned *)word;
        break;
    case LOAD_TWO_LINES:
        value = *word + word[LINE];
        break;
    }
    out[0] = clock64() - begin + (value == 12345);
}

static long long time_to(action what, unsigned block, unsigned *word)
{
    launch_shape shape = {4, 1, 0, false, false};
    launch(act, shape, (cudaStream_t) nullptr, what, block, word, time_of);
    ends = cudaDeviceSynchronize() == cudaSuccess && ends;
    return time_of[0];
}

/* Blocks 0 and 2 are on multiprocessors of one half of L2, blocks 1 and 3 on those of the other half. */
int main()
{
    machine_description d = machine_of_card(100);
    d.sm_count = 4;
    d.posted_stores = 1;
    d.atomic_near_multiprocessors = 1;
    d.crossing_latency = CROSSING;
    machine_install(&d);
    cudaMalloc((void **)&words, 64 * LINE * sizeof *words);
    cudaMalloc((void **)&time_of, sizeof *time_of);

    long long load = time_to(LOAD, 0, words);
    check(time_to(LOAD, 1, words) == load, "both halves have a line that nobody has written (%lld)", load);
    time_to(STORE, 0, words);
    check(time_to(LOAD, 2, words) == load, "a load in the writer's half takes no longer (%lld)", load);
    check(time_to(LOAD, 1, words) == load + CROSSING, "the first load in the other half takes longer");
    check(time_to(LOAD, 3, words) == load, "the second does not");
    check(time_to(LOAD, 1, words + LINE) == load, "nor a load of another line");
    time_to(STORE, 1, words + 3);
    check(time_to(LOAD_VOLATILE, 0, words + 5) == load + CROSSING,
          "lines count, and strong loads like plain ones");
    time_to(ADD, 0, words);
    check(time_to(LOAD, 0, words) == load + CROSSING && time_to(LOAD, 1, words) == load + CROSSING,
          "an atomic takes the line from both halves");
    time_to(STORE, 0, words);
    time_to(STORE, 0, words + LINE);
    long long two = time_to(LOAD_TWO_LINES, 0, words);
    check(time_to(LOAD_TWO_LINES, 1, words) == two + CROSSING,
          "two loads under way cross at the same time (%lld)", two);
    d.crossing_latency = 0;
    machine_install(&d);
    time_to(STORE, 0, words);
    check(time_to(LOAD, 1, words) == load, "without the constant no load takes longer");
    cudaFree(words);
    cudaFree(time_of);
    check(ends, "no kernel ends in a deadlock");
    return checks_done();
}
