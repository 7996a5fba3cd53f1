/* Tests where the lanes of a warp come together again after a branch at which they went different ways. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "tests/check.h"
#include "tests/machine_of_card.cuh"

using namespace gpusync;

static unsigned *words;

/* Half of the lanes make a load, and then all lanes load. */
__global__ void if_then(unsigned *out)
{
    volatile unsigned *w = out;
    if (threadIdx.x < 16)
        (void)w[threadIdx.x];
    (void)w[64 + threadIdx.x];
}

/* Lanes 0 to 7 make three loads, lanes 8 to 15 two, and the other lanes one. Then all lanes make one load. */
__global__ void if_else(unsigned *out)
{
    volatile unsigned *w = out;
    if (threadIdx.x < 16) {
        (void)w[threadIdx.x];
        if (threadIdx.x < 8)
            (void)w[32 + threadIdx.x];
        (void)w[64 + threadIdx.x];
    } else
        (void)w[96 + threadIdx.x];
    (void)w[128 + threadIdx.x];
}

/* In each of four turns, one lane makes a load of its own, and then all lanes load. */
__global__ void in_turn(unsigned *out)
{
    volatile unsigned *w = out;
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == i)
            (void)w[threadIdx.x];
        (void)w[64 + threadIdx.x];
    }
}

/* Lanes 0 to 15 wait at a __syncthreads() within a branch; the other lanes arrive at another
 * __syncthreads(), after the branch. */
__global__ void barrier_on_each_side(unsigned *out)
{
    volatile unsigned *w = out;
    if (threadIdx.x < 16)
        __syncthreads();
    w[threadIdx.x] = 0;
    if (threadIdx.x + w[64 + threadIdx.x] >= 16)
        __syncthreads();
}

/* All lanes but lane 0 poll a word in a loop. Lane 0 skips this loop, and then sets the word. */
__global__ void poll_between(unsigned *out)
{
    volatile unsigned *w = out;
    if (threadIdx.x)
        while (!w[512]) {
        }
    if (threadIdx.x + w[64 + threadIdx.x] == 0)
        w[512] = 1;
}

/* Lanes 0 to 15 store a word, and all lanes load it. Lanes 16 to 31 may load the word before or after this
 * store. */
__global__ void store_on_one_side(unsigned *out)
{
    volatile unsigned *w = out;
    if (threadIdx.x < 16)
        w[0] = 1;
    w[64 + threadIdx.x] = w[0];
}

/* Lanes 16 to 31 exit after the branch, before they come to the place where its two ways join again. */
__global__ void exit_between(unsigned *out)
{
    volatile unsigned *w = out;
    if (threadIdx.x >= 16) {
        (void)w[threadIdx.x];
        if (w[0] == 0)
            return;
    }
    (void)w[64 + threadIdx.x];
    (void)w[96 + threadIdx.x];
}

/* Lanes 8 to 31 wait for lanes 0 to 7 at a join, the end of a branch. Lanes 0 to 7 come to twelve other joins
 * before this one. Then all lanes meet. Until then, block 1 keeps changing memory. */
__global__ void many_joins(unsigned *out)
{
    volatile unsigned *w = out;
    if (blockIdx.x == 1) {
        while (threadIdx.x == 0 && !w[600])
            atomicAdd(out + 700, 1u);
        return;
    }
    if (threadIdx.x < 8) {
        unsigned bits = w[512];
#define JOIN(n)                                                                                              \
    if (bits >> n & 1)                                                                                       \
        w[threadIdx.x + n] = n;
        JOIN(0) JOIN(1) JOIN(2) JOIN(3) JOIN(4) JOIN(5) JOIN(6) JOIN(7) JOIN(8) JOIN(9) JOIN(10) JOIN(11)
    }
    __syncwarp();
    if (threadIdx.x == 0)
        w[600] = 1;
}

/* Some lanes poll two words that no thread writes. In each turn of their loop they vote with all other
 * lanes of the warp. */
__global__ void vote_in_vain(unsigned *out)
{
    volatile unsigned *w = out;
    unsigned missing = threadIdx.x % 32 < 8 ? 3 : 0;
    while (__any_sync(0xffffffffu, missing != 0)) {
        if (missing & 1 && w[516])
            missing &= ~1u;
        if (missing & 2 && w[517])
            missing &= ~2u;
    }
}

struct ran {
    uint64_t time, requests;
};

static ran run(void (*kernel)(unsigned *), unsigned blocks = 1, unsigned threads = 32)
{
    machine_reset_counters();
    uint64_t begin = machine_now();
    launch(kernel, {blocks, threads, 0, false, false}, (cudaStream_t) nullptr, words);
    bool ended = cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
    return {ended ? machine_now() - begin : 0, machine_get_counters()->requests};
}

static machine_description machine_with_instructions()
{
    machine_description d = machine_of_card(100);
    d.instruction_per_1000 = d.long_instruction_per_1000 = 2000;
    return d;
}

static const struct {
    const char *name;
    void (*kernel)(unsigned *);
    /* number of requests if the lanes come together wherever the two ways of a branch join */
    uint64_t together;
} kernels[] = {{"a branch", if_then, 2},
               {"a branch in one of two ways", if_else, 5},
               {"a branch in a loop", in_turn, 8}};

int main(void)
{
    machine_description d = machine_with_instructions();
    machine_install(&d);
    cudaMalloc((void **)&words, 4096);
    cudaMemset(words, 0, 4096);
    for (const auto &k : kernels) {
        machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
        ran in_turn = run(k.kernel);
        check(in_turn.requests == k.together, "lanes meet again after %s: %llu requests (%llu)", k.name,
              (unsigned long long)k.together, (unsigned long long)in_turn.requests);
    }
    check(run(barrier_on_each_side).time > 0, "lanes wait for no others that wait for them at a barrier");
    ran poll = run(poll_between);
    check(poll.time > 0 && poll.requests < 100,
          "lanes do not wait after a loop for those in it (%llu requests)",
          (unsigned long long)poll.requests);
    check(run(exit_between).time > 0, "lanes do not wait for others that have exited");
    check(run(many_joins, 2).time > 0, "lanes do not wait for others that have come to many joins at once");
    for (unsigned threads = 32; threads <= 512; threads *= 4)
        check(run(vote_in_vain, 3, threads).time == 0, "lanes that vote in vain are a deadlock (%u threads)",
              threads);
    unsigned late = 0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        machine_set_schedule(MACHINE_ADVERSARIAL, seed);
        cudaMemset(words, 0, 4096);
        run(store_on_one_side);
        late += words[64 + 31] == 0;
    }
    check(late > 0, "lanes need not meet where the machine looks for bad orders (%u of 20)", late);
    cudaFree(words);
    return checks_done();
}
