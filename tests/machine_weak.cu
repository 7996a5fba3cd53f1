/*
 * The machine with weak memory: an ordered barrier is right under every policy, an unordered one is
 * caught, by its wrong results and by a race whose report names the line.
 *
 *     build/machine/tests/machine_weak [SEEDS [BLOCKS...]]
 *
 * ONLY (a barrier's name) and MEMORY in the environment choose among the barriers, for those alone.
 */
#include "base/failure.h"
#include "harness/device.h"
#include "harness/options.h"
#include "tests/check.h"
#include "tests/trial.cuh"

#include "machine/machine.h"

#include <string.h>

/* The payload comes back to lines that it has read before, if there are few blocks; runs of many take long. */
static const unsigned many = 60;

static unsigned rounds_of(unsigned blocks)
{
    return blocks > many ? 6 : 14;
}

static unsigned threads_of(unsigned blocks)
{
    return blocks > many ? 32 : 64;
}

static const machine_memory policies[] = {MACHINE_L1, MACHINE_OLDEST, MACHINE_ANY};
static const char *const policy_names[] = {"l1", "oldest", "random"};

struct tally {
    int runs, wrong, deadlocks;
    size_t races;
};

template <class Barrier>
static tally run_seeds(sync_id method, unsigned blocks, int policy, int seeds)
{
    tally tally = {0, 0, 0, 0};
    trial_shape t = {{blocks, blocks}, threads_of(blocks), 1, START_ZERO};
    machine_set_memory(policies[policy]);
    machine_collect_races(true, false);
    for (int seed = 1; seed <= seeds; seed++) {
        machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, (uint64_t)seed);
        int errors = run_trial<Barrier>(t, method, (int)rounds_of(blocks), (unsigned)seed);
        tally.runs++;
        tally.wrong += errors > 0;
        tally.deadlocks += errors < 0;
    }
    tally.races = machine_races();
    return tally;
}

/*
 * A barrier with any fence is never wrong on an H200, and neither under l1: its fences empty the
 * cache before the block waits, and nobody fills it again meanwhile. Without one it is wrong as soon
 * as a block comes back to what it has read. The race is found all the same.
 */
static bool must_be_wrong(const struct variant *v, unsigned blocks, int policy)
{
    return policies[policy] != MACHINE_L1 ||
           (strstr(v->name, "-fence-") == NULL && 2 * blocks <= rounds_of(blocks));
}

static bool is_chosen(const char *variable, const char *name)
{
    const char *only = getenv(variable);
    return !only || strcmp(only, name) == 0;
}

static void check_barrier(sync_id method, unsigned blocks, int seeds)
{
    const struct variant *v = &sync_variants[method];
    with_barrier(method, [&](auto barrier) {
        for (int p = 0; p < 3; p++) {
            if (!is_chosen("MEMORY", policy_names[p]))
                continue;
            tally t = run_seeds<decltype(barrier)>(method, blocks, p, seeds);
            if (v->ordered)
                check(t.wrong == 0 && t.deadlocks == 0 && t.races == 0,
                      "%s of %u blocks is right (%s, %d runs: %d wrong, %d deadlocks, %zu races)", v->name,
                      blocks, policy_names[p], t.runs, t.wrong, t.deadlocks, t.races);
            else
                check((t.wrong > 0) == must_be_wrong(v, blocks, p) && t.races > 0,
                      "%s of %u blocks is caught (%s, %d runs: %d wrong, %zu races)", v->name, blocks,
                      policy_names[p], t.runs, t.wrong, t.races);
            if (getenv("SHOW_RACES"))
                machine_print_races(stdout);
        }
    });
}

static void check_time_outs(unsigned blocks, int seeds)
{
    for (int p = 0; p < 3; p++) {
        tally t = run_seeds<Impatient>(SYNC_COUNTER, blocks, p, seeds);
        check(t.wrong == 0 && t.deadlocks == 0 && t.races == 0,
              "counter of %u blocks whose wait times out is right (%s, %d runs: %d wrong, %d deadlocks, %zu "
              "races)",
              blocks, policy_names[p], t.runs, t.wrong, t.deadlocks, t.races);
    }
}

/* Block 0 reads a word and says so; block 1 hears of it and writes the word. */
template <bool fences>
static __global__ void read_then_write(unsigned *word, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        *out = *word;
        if (fences)
            __threadfence();
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        if (fences)
            __threadfence();
        *word = 1;
    }
}

/* The bytes of a word, each read by one block and written by the same one: no race. */
static __global__ void bytes_apart(unsigned char *bytes)
{
    for (unsigned i = 0; i < 2; i++)
        bytes[block_in_grid()] = (unsigned char)(bytes[block_in_grid()] + 1);
}

/* What the report of a launch of two blocks of a thread says; the caller frees it. */
template <class... Parameters, class... Arguments>
static char *report_of(void (*kernel)(Parameters...), Arguments... arguments)
{
    char *text = NULL;
    size_t bytes;
    launch_shape shape = {2, 1, 0, false, false};
    machine_collect_races(true, true);
    CHECK(launch(kernel, shape, harness_stream(), arguments...));
    wait_for_device();
    FILE *file = open_memstream(&text, &bytes);
    machine_print_races(file);
    fclose(file);
    return text;
}

static void check_read_first()
{
    unsigned *words;
    CHECK(cudaMalloc((void **)&words, 3 * sizeof *words));
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    machine_set_memory(MACHINE_OLDEST);
    char *said = report_of(read_then_write<false>, words, words + 1, words + 2);
    check(strstr(said, "overwrites [0] of the array") && strstr(said, "which block 0 thread 0 read at") &&
              strstr(said, "mend: a release before the write at"),
          "a write that is not ordered behind a read is a race, and the report says how to mend it");
    free(said);
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    said = report_of(read_then_write<true>, words, words + 1, words + 2);
    check(!*said, "with fences it is none");
    free(said);
    said = report_of(bytes_apart, (unsigned char *)words);
    check(!*said, "bytes of one word that two blocks read and write have none");
    free(said);
    CHECK(cudaFree(words));
}

int main(int argc, char **argv)
{
    set_program_name("machine_weak");
    options options = {};
    options.device = "h100";
    device device;
    open_device(&options, &device);
    int seeds = argc > 1 ? atoi(argv[1]) : 3;
    unsigned standard[] = {2, 7};
    if (!getenv("ONLY"))
        check_read_first();
    for (int b = 0; b < (argc > 2 ? argc - 2 : 2); b++)
        for (const struct variant &barrier : sync_variants)
            if (barrier.resident && is_chosen("ONLY", barrier.name))
                check_barrier((sync_id)barrier.id, argc > 2 ? (unsigned)atoi(argv[b + 2]) : standard[b],
                              seeds);
    if (!getenv("ONLY"))
        check_time_outs(7, seeds);
    return checks_done();
}
