/* Tests where the lanes of a warp reconverge after a branch at which they diverged. */
#include "tests/machine_of_card.cuh"

using namespace gpusync;

/* Runs the kernel with lanes that share `w`. Returns how many requests it made, or 0 if it failed. */
template <class Body>
static double requests_of(launch_shape shape, Body body)
{
    machine_reset_counters();
    const bool ended = run(shape, [=] __device__(unsigned *w, long long *) {
                           body((volatile unsigned *)w, threadIdx.x);
                       }) == cudaSuccess;
    return ended ? (double)machine_get_counters()->requests : 0;
}

static void check_meetings()
{
    double requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (lane < 16)
            (void)w[lane];
        (void)w[64 + lane];
    });
    equals(requests, 2, "lanes meet again after a branch");
    requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (lane % 2 == 0)
            (void)w[lane];
        __syncwarp();
        (void)w[32 + lane];
        (void)w[64 + lane];
    });
    equals(requests, 3, "and at __syncwarp()");
    requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (lane < 16) {
            (void)w[lane];
            if (lane < 8)
                (void)w[32 + lane];
            (void)w[64 + lane];
        } else
            (void)w[96 + lane];
        (void)w[128 + lane];
    });
    equals(requests, 5, "after a branch in one of two ways");
    requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        for (unsigned i = 0; i < 4; i++) {
            if (lane == i)
                (void)w[lane];
            (void)w[64 + lane];
        }
    });
    equals(requests, 8, "and after a branch in a loop");
    requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (lane)
            while (!w[512]) {
            }
        if (lane + w[64 + lane] == 0)
            w[512] = 1;
    });
    within(requests, 1, 99, "lanes do not wait after a loop for those in it");
}

static void check_waits()
{
    double requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (lane < 16)
            __syncthreads();
        w[lane] = 0;
        if (lane + w[64 + lane] >= 16)
            __syncthreads();
    });
    check(requests > 0, "lanes wait for no others that wait for them at a barrier");
    /* lanes 16 to 31 exit after the branch, before they reach the place where its two sides meet */
    requests = requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (lane >= 16) {
            (void)w[lane];
            if (w[0] == 0)
                return;
        }
        (void)w[64 + lane];
        (void)w[96 + lane];
    });
    check(requests > 0, "lanes do not wait for others that have exited");
    /* Lanes 8 to 31 wait for lanes 0 to 7 at a join, the end of a branch. Lanes 0 to 7 come to twelve other
     * joins before this one. Then all lanes meet. Until then, block 1 keeps changing memory. */
    requests = requests_of({2, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
        if (blockIdx.x == 1) {
            while (lane == 0 && !w[600])
                atomicAdd((unsigned *)w + 700, 1u);
            return;
        }
        if (lane < 8) {
            unsigned bits = w[512];
            UNROLL(12)
            for (unsigned n = 0; n < 12; n++)
                if (bits >> n & 1)
                    w[lane + n] = n;
        }
        __syncwarp();
        if (lane == 0)
            w[600] = 1;
    });
    check(requests > 0, "lanes do not wait for others that have come to many joins at once");
    for (unsigned threads = 32; threads <= 512; threads *= 4) {
        /* some lanes poll two words that no thread writes, and vote with all others in each turn */
        requests = requests_of({3, threads}, [] __device__(volatile unsigned *w, unsigned lane) {
            unsigned missing = lane % 32 < 8 ? 3 : 0;
            while (__any_sync(0xffffffffu, missing != 0)) {
                if (missing & 1 && w[516])
                    missing &= ~1u;
                if (missing & 2 && w[517])
                    missing &= ~2u;
            }
        });
        check(requests == 0, "lanes that vote in vain are a deadlock (%u threads)", threads);
    }
}

/* Lanes 0 to 15 store a word, and all lanes load it. Lanes 16 to 31 may load the word before or after this
 * store. */
static void check_bad_orders()
{
    unsigned late = 0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        machine_set_schedule(MACHINE_ADVERSARIAL, seed);
        clear_words();
        requests_of({1, 32}, [] __device__(volatile unsigned *w, unsigned lane) {
            if (lane < 16)
                w[0] = 1;
            w[64 + lane] = w[0];
        });
        late += words[64 + 31] == 0;
    }
    check(late > 0, "lanes need not meet where the machine looks for bad orders (%u of 20)", late);
}

int main(void)
{
    machine_description d = machine_of_card(100);
    d.instruction_per_1000 = d.long_instruction_per_1000 = 2000;
    install(d);
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    check_meetings();
    check_waits();
    check_bad_orders();
    return checks_done();
}
