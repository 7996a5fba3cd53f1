/*
 * Tests the memory machine with weak memory. An ordered barrier must give right results under every policy.
 * An unordered barrier must be found by its wrong results, and by a race whose report names the line.
 *
 *     build/machine/tests/machine_weak [SEEDS [BLOCKS...]]
 *
 * One file because all parts run kernels of two blocks, one of which waits for the other by a flag.
 *
 * Two variables of the environment restrict the test. If ONLY is set, it names a barrier, and nothing but
 * this barrier is tested. If MEMORY is set, it names the only policy under which barriers are tested.
 */
#include "base/failure.h"
#include "harness/async.cuh"
#include "harness/device.h"
#include "harness/options.h"
#include "sync/vector_access.cuh"
#include "tests/check.h"
#include "tests/trial.cuh"

#include "machine/machine.h"

#include <math.h>
#include <string.h>

/* with more blocks than this, runs have fewer rounds and threads, since they take long */
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
 * Returns whether an unordered barrier must give wrong results. Under the policies oldest and random it
 * must. Under the policy l1, a barrier with any fence must not, as on an H200: a fence empties the L1 cache
 * before the block waits, and no thread fills the cache during the wait. A barrier without a fence must
 * give wrong results as soon as a block reads a line again. The race is found with and without a fence.
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

/* Block 0 reads a word and sets a flag. Block 1 waits for the flag and writes the word. */
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

/* Block 0 writes a byte, reads the byte beside it, and sets a flag. Block 1 waits for the flag and writes
 * the byte that block 0 read. */
static __global__ void read_byte_then_write(unsigned char *bytes, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        bytes[1] = 1;
        *out = bytes[0];
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        bytes[0] = 1;
    }
}

/* Block 0 writes a byte, reads two other bytes of the word at once, and sets a flag. Block 1 waits for the
 * flag and writes the second of these bytes. */
static __global__ void read_two_bytes_then_write(unsigned char *bytes, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        bytes[0] = 1;
        *out = *(unsigned short *)(bytes + 2);
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        bytes[3] = 1;
    }
}

/* The two blocks read and write different bytes of one word. This is no race. */
static __global__ void bytes_apart(unsigned char *bytes)
{
    for (unsigned i = 0; i < 2; i++) {
        bytes[block_in_grid()] = (unsigned char)(bytes[block_in_grid()] + 1);
        asm volatile("" ::: "memory"); /* nvcc must not make one addition of two */
    }
}

/* Block 0 stores four words by strong stores, while block 1 loads all of them by one strong load. This is no
 * race, because each item of a vector is an access of its own. */
static __global__ void words_of_vector(unsigned *words, unsigned *out)
{
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < 4; i++)
            store_relaxed(words + i, 1 + i);
    } else {
        uint4 all = load_four_words((const uint4 *)words);
        *out = all.x + all.y + all.z + all.w;
    }
}

/* Returns the machine's report on a launch as a text, which the caller frees. The function is not inlined,
 * because gcc 12 would take the text for a variable on the stack. */
template <class... Parameters, class... Arguments>
__attribute__((noinline)) static char *report_of_shape(void (*kernel)(Parameters...), unsigned blocks,
                                                       unsigned threads, Arguments... arguments)
{
    char *text = NULL;
    size_t bytes;
    launch_shape shape = {blocks, threads, 0, false, false};
    machine_collect_races(true, true);
    CHECK(launch(kernel, shape, harness_stream(), arguments...));
    wait_for_device();
    FILE *file = open_memstream(&text, &bytes);
    machine_print_races(file);
    fclose(file);
    return text;
}

/* Returns the machine's report on a launch of the kernel with two blocks of one thread. */
template <class... Parameters, class... Arguments>
static char *report_of(void (*kernel)(Parameters...), Arguments... arguments)
{
    return report_of_shape(kernel, 2, 1, arguments...);
}

static void check_read_first()
{
    unsigned *words;
    CHECK(cudaMalloc((void **)&words, 5 * sizeof *words));
    CHECK(cudaMemset(words, 0, 5 * sizeof *words));
    machine_set_memory(MACHINE_OLDEST);
    char *said = report_of(read_then_write<false>, words, words + 1, words + 2);
    check(strstr(said, "overwrites [0] of the array") && strstr(said, "which block 0 thread 0 read at") &&
              strstr(said, "mend: a release before the write at"),
          "a write that is not ordered after a read is a race, and the report says how to mend it");
    free(said);
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    said = report_of(read_then_write<true>, words, words + 1, words + 2);
    check(!*said, "with fences it is none");
    free(said);
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    said = report_of(read_byte_then_write, (unsigned char *)words, words + 1, words + 2);
    check(strstr(said, "which block 0 thread 0 read at"),
          "nor is the read of a byte of a word in parts forgotten");
    free(said);
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    said = report_of(read_two_bytes_then_write, (unsigned char *)words, words + 1, words + 2);
    check(strstr(said, "which block 0 thread 0 read at"), "each byte that a load covers is noted as read");
    free(said);
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    said = report_of(bytes_apart, (unsigned char *)words);
    check(!*said, "bytes of one word that two blocks read and write have none");
    free(said);
    said = report_of(words_of_vector, words, words + 4);
    check(!*said, "strong stores of words and a strong load of all of them have none");
    free(said);
    CHECK(cudaFree(words));
}

/* Two blocks from number `first` on write one word, and nothing orders them. */
static __global__ void both_write(unsigned *word, unsigned first)
{
    if (block_in_grid() >= first && block_in_grid() < first + 2)
        *word = 1;
}

/* The report on the races of several runs is that of the lowest run, with the number of all. */
static void check_added_in_any_order()
{
    const unsigned runs = 3;
    FILE *records[runs];
    char *texts[2] = {NULL, NULL};
    unsigned *word;
    CHECK(cudaMalloc((void **)&word, sizeof *word));
    machine_set_memory(MACHINE_OLDEST);
    for (unsigned run = 0; run < runs; run++) {
        free(report_of_shape(both_write, 2 * runs, 1, word, 2 * run));
        records[run] = tmpfile();
        machine_save_races(records[run]);
    }
    for (unsigned backward = 0; backward < 2; backward++) {
        size_t bytes;
        machine_collect_races(true, true);
        for (unsigned i = 0; i < runs; i++) {
            unsigned run = backward ? runs - 1 - i : i;
            rewind(records[run]);
            machine_add_races(records[run], run + 1, false);
        }
        FILE *file = open_memstream(&texts[backward], &bytes);
        machine_print_races(file);
        fclose(file);
    }
    check(strstr(texts[0], "block 1 thread 0") && strstr(texts[0], "(3 times)") &&
              strcmp(texts[0], texts[1]) == 0,
          "races of runs are the same in whichever order the runs end\n%s%s", texts[0], texts[1]);
    for (unsigned run = 0; run < runs; run++)
        fclose(records[run]);
    free(texts[0]);
    free(texts[1]);
    CHECK(cudaFree(word));
}

/* ---- how often a load gets the new value under each policy ---- */

static const unsigned DRAWS = 2048;

/* How block 1 reads the words that block 0 has written, in look_at_words(): by weak or by strong loads.
 * Block 0 writes by weak stores if the name ends with AT_PLAIN, otherwise by strong stores. */
enum look { LOOK_WEAK, LOOK_STRONG, LOOK_WEAK_AT_PLAIN, LOOK_STRONG_AT_PLAIN };

template <look how>
static __global__ void look_at_words(unsigned *words, unsigned *flag, unsigned *fresh)
{
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < DRAWS; i++)
            if (how >= LOOK_WEAK_AT_PLAIN)
                words[i] = 1;
            else
                *(volatile unsigned *)&words[i] = 1;
        atomicAdd(flag, 1u);
    } else {
        unsigned seen = 0;
        while (*(volatile unsigned *)flag == 0) {
        }
        for (unsigned i = 0; i < DRAWS; i++)
            if (how == LOOK_STRONG || how == LOOK_STRONG_AT_PLAIN)
                seen += *(volatile unsigned *)&words[i];
            else
                seen += words[i];
        *fresh = seen;
    }
}

/* Does what look_at_words() does, with half as many words, of 8 bytes each. Counts the 4-byte halves whose
 * new value block 1 reads. */
static __global__ void look_at_long_words(unsigned *words, unsigned *flag, unsigned *fresh)
{
    volatile unsigned long long *longs = (volatile unsigned long long *)words;
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < DRAWS / 2; i++)
            longs[i] = 0x100000001ull;
        atomicAdd(flag, 1u);
    } else {
        unsigned long long seen = 0;
        while (*(volatile unsigned *)flag == 0) {
        }
        for (unsigned i = 0; i < DRAWS / 2; i++)
            seen += longs[i];
        *fresh = (unsigned)seen + (unsigned)(seen >> 32);
    }
}

/* Block 0 writes one byte of each word, and then block 1 reads these bytes. Counts the bytes whose new
 * value block 1 reads. */
static __global__ void look_at_bytes(unsigned *words, unsigned *flag, unsigned *fresh)
{
    unsigned char *bytes = (unsigned char *)words;
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < DRAWS; i++)
            bytes[4 * i + 1] = 1;
        atomicAdd(flag, 1u);
    } else {
        unsigned seen = 0;
        while (*(volatile unsigned *)flag == 0) {
        }
        for (unsigned i = 0; i < DRAWS; i++)
            seen += bytes[4 * i + 1];
        *fresh = seen;
    }
}

/* Block 0 writes two bytes of each word by one store. A load of these two bytes must get both new values
 * or both old ones. */
static __global__ void look_at_halves(unsigned *words, unsigned *flag, unsigned *fresh)
{
    unsigned short *halves = (unsigned short *)words;
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < DRAWS; i++)
            halves[2 * i + 1] = 0x0101;
        atomicAdd(flag, 1u);
    } else {
        unsigned seen = 0, torn = 0;
        while (*(volatile unsigned *)flag == 0) {
        }
        for (unsigned i = 0; i < DRAWS; i++) {
            unsigned half = halves[2 * i + 1];
            seen += half == 0x0101;
            torn += half != 0 && half != 0x0101;
        }
        *fresh = seen + DRAWS * torn;
    }
}

/* Block 0 writes each word, then one byte of it, then the whole word again. A load of the word must get a
 * value that the word had at some time. */
static __global__ void look_between(unsigned *words, unsigned *flag, unsigned *fresh)
{
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < DRAWS; i++) {
            *(volatile unsigned *)&words[i] = 0x01020304;
            ((unsigned char *)words)[4 * i + 2] = 7;
            *(volatile unsigned *)&words[i] = 9;
        }
        atomicAdd(flag, 1u);
    } else {
        unsigned between = 0, others = 0;
        while (*(volatile unsigned *)flag == 0) {
        }
        for (unsigned i = 0; i < DRAWS; i++) {
            unsigned word = *(volatile unsigned *)&words[i];
            between += word == 0x01070304;
            others += word != 0x01070304 && word != 0 && word != 0x01020304 && word != 9;
        }
        *fresh = between + DRAWS * others;
    }
}

/* Block 0 writes all words. Block 1 waits for the flag, and then writes the same words without a fence
 * before. */
static __global__ void write_behind(unsigned *words, unsigned *flag, unsigned *)
{
    if (block_in_grid() != 0)
        while (*(volatile unsigned *)flag == 0) {
        }
    for (unsigned i = 0; i < DRAWS; i++)
        *(volatile unsigned *)&words[i] = block_in_grid();
    atomicAdd(flag, 1u);
}

/* Both blocks add to all words by atomics of block scope, which does not include the other block, so that
 * additions of block 0 may be lost. */
static __global__ void add_behind(unsigned *words, unsigned *flag, unsigned *)
{
    if (block_in_grid() != 0)
        while (*(volatile unsigned *)flag == 0) {
        }
    for (unsigned i = 0; i < DRAWS; i++)
        atomicAdd_block(&words[i], 1u + block_in_grid());
    atomicAdd(flag, 1u);
}

struct outcome {
    /* fraction of the words whose new value the load got, and fractions of the words whose loaded value is 0,
     * 1, 2 and 3 */
    double fresh, of_zero, of_one, of_two, of_three;
};

static outcome run_draws(void (*kernel)(unsigned *, unsigned *, unsigned *), machine_memory memory)
{
    static unsigned host[DRAWS + 2];
    unsigned *words, count[4] = {0, 0, 0, 0};
    launch_shape shape = {2, 1, 0, false, false};
    machine_set_memory(memory);
    CHECK(cudaMalloc((void **)&words, sizeof host));
    CHECK(cudaMemset(words, 0, sizeof host));
    CHECK(launch(kernel, shape, harness_stream(), words, words + DRAWS, words + DRAWS + 1));
    wait_for_device();
    CHECK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(words));
    for (unsigned i = 0; i < DRAWS; i++)
        count[host[i] & 3]++;
    double all = DRAWS;
    return {host[DRAWS + 1] / all, count[0] / all, count[1] / all, count[2] / all, count[3] / all};
}

/* Returns whether the share of DRAWS random draws is within four standard deviations of the expected
 * share. */
static bool is_about(double share, double expected)
{
    return fabs(share - expected) <= 4 * sqrt(expected * (1 - expected) / DRAWS);
}

static void check_draws()
{
    machine_set_schedule(MACHINE_RANDOM, 1);
    machine_collect_races(false, false);
    double strong = run_draws(look_at_words<LOOK_STRONG>, MACHINE_OLDEST).fresh,
           weak = run_draws(look_at_words<LOOK_WEAK>, MACHINE_OLDEST).fresh,
           plain = run_draws(look_at_words<LOOK_WEAK_AT_PLAIN>, MACHINE_OLDEST).fresh;
    check(is_about(strong, 0.25) && weak == 0 && plain == 0,
          "the oldest: a strong load gets the newest in a quarter, a weak one never (%g, %g, %g)", strong,
          weak, plain);
    strong = run_draws(look_at_words<LOOK_STRONG>, MACHINE_ANY).fresh;
    weak = run_draws(look_at_words<LOOK_WEAK>, MACHINE_ANY).fresh;
    plain = run_draws(look_at_words<LOOK_WEAK_AT_PLAIN>, MACHINE_ANY).fresh;
    check(is_about(strong, 0.625) && is_about(weak, 0.5) && is_about(plain, 0.5),
          "any: half of what is left to chance is new (%g, %g, %g)", strong, weak, plain);
    strong = run_draws(look_at_words<LOOK_STRONG>, MACHINE_L1).fresh;
    weak = run_draws(look_at_words<LOOK_WEAK>, MACHINE_L1).fresh;
    check(strong == 1 && weak == 1, "l1: what the cache never had is new (%g, %g)", strong, weak);
    double oldest_bytes = run_draws(look_at_bytes, MACHINE_OLDEST).fresh,
           any_bytes = run_draws(look_at_bytes, MACHINE_ANY).fresh,
           l1_bytes = run_draws(look_at_bytes, MACHINE_L1).fresh;
    check(oldest_bytes == 0 && is_about(any_bytes, 0.5) && l1_bytes == 1,
          "bytes are none, half, and all new (%g, %g, %g)", oldest_bytes, any_bytes, l1_bytes);
    double between = run_draws(look_between, MACHINE_ANY).fresh;
    check(is_about(between, 0.1875), "what a byte made of a word is one of the values that it had (%g)",
          between);
    double longs = run_draws(look_at_long_words, MACHINE_OLDEST).fresh;
    check(longs > 0.15 && longs < 0.35, "a strong load of eight bytes gets the newest in a quarter, too (%g)",
          longs);
    double any_halves = run_draws(look_at_halves, MACHINE_ANY).fresh;
    check(is_about(any_halves, 0.5), "what one store wrote goes together (%g)", any_halves);
    double oldest_strong = run_draws(look_at_words<LOOK_STRONG_AT_PLAIN>, MACHINE_OLDEST).fresh,
           any_strong = run_draws(look_at_words<LOOK_STRONG_AT_PLAIN>, MACHINE_ANY).fresh;
    check(is_about(oldest_strong, 0.25) && is_about(any_strong, 0.625),
          "a strong load of what was written weakly gets the newest as often as of another (%g, %g)",
          oldest_strong, any_strong);
    outcome oldest = run_draws(write_behind, MACHINE_OLDEST), any = run_draws(write_behind, MACHINE_ANY),
            l1 = run_draws(write_behind, MACHINE_L1);
    check(oldest.of_one == 1 && l1.of_one == 1 && is_about(any.of_zero, 0.125),
          "a store takes its place before a newer one in an eighth where any may, else never (%g, %g, %g)",
          oldest.of_zero, any.of_zero, l1.of_zero);
    oldest = run_draws(add_behind, MACHINE_OLDEST);
    any = run_draws(add_behind, MACHINE_ANY);
    l1 = run_draws(add_behind, MACHINE_L1);
    check(oldest.of_two == 1 && l1.of_three == 1 && is_about(any.of_two, 0.5) && is_about(any.of_three, 0.5),
          "an atomic of too narrow a scope loses the other: the oldest always, any in half, l1 never (%g, "
          "%g, %g)",
          oldest.of_two, any.of_two, l1.of_two);
}

/* ---- what the report says of each race ---- */

/* What thread 1 does with a word after thread 0 has written or read it. Thread 1 learns of that access
 * through a flag. The two threads are in one block or in two. */
enum second { SECOND_READS, SECOND_WRITES, SECOND_ADDS };

template <second does, bool reads_first>
static __global__ void hand_over(unsigned *word, unsigned *flag, unsigned *out)
{
    if (block_in_grid() + thread_in_block() == 0) {
        if (reads_first)
            *out = *word;
        else
            *word = 1;
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        if (does == SECOND_READS)
            *out = *word;
        else if (does == SECOND_WRITES)
            *word = 2;
        else
            atomicAdd(word, 1u);
    }
}

/* The writer and the reader execute a fence of block scope each. This scope is too narrow if the two
 * threads are in different blocks. */
static __global__ void narrow_fences(unsigned *word, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        *word = 1;
        __threadfence_block();
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        __threadfence_block();
        *out = *word;
    }
}

static __global__ void one_fence(unsigned *word, unsigned *flag, unsigned *out, bool is_first)
{
    if (block_in_grid() == 0) {
        *word = 1;
        if (is_first)
            __threadfence();
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        if (!is_first)
            __threadfence();
        *out = *word;
    }
}

static __global__ void narrow_atomics(unsigned *word, unsigned *, unsigned *)
{
    atomicAdd_block(word, 1u);
}

static __global__ void unrelated(unsigned *word, unsigned *, unsigned *out)
{
    if (block_in_grid() + thread_in_block() == 0)
        *word = 1;
    else
        *out = *word;
}

/* Checks the report on a race of two threads: it must contain the line `wanted` and the advice `mend`. If
 * `apart` is set, the threads are in two blocks, otherwise in one. */
template <class... Parameters, class... Arguments>
static void check_report(const char *sentence, bool apart, const char *wanted, const char *mend,
                         void (*kernel)(unsigned *, unsigned *, unsigned *, Parameters...),
                         Arguments... arguments)
{
    unsigned *words;
    CHECK(cudaMalloc((void **)&words, 3 * sizeof *words));
    CHECK(cudaMemset(words, 0, 3 * sizeof *words));
    machine_set_memory(MACHINE_OLDEST);
    char *said =
        report_of_shape(kernel, apart ? 2 : 1, apart ? 1 : 2, words, words + 1, words + 2, arguments...);
    const char *found = strstr(said, wanted), *line = found ? strstr(found, "\n    mend: ") : NULL;
    size_t length = strlen("\n    mend: ");
    bool right =
        line && strstr(line + length, mend) && strstr(line + length, mend) < strchr(line + length, '\n');
    check(right, "%s: %s%s", sentence, right ? mend : "", right ? "" : said);
    free(said);
    CHECK(cudaFree(words));
}

static void check_reports()
{
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    check_report("a read after a write by another block", true, "block 1 thread 0 at",
                 "(fence.release.gpu, or __threadfence())", one_fence, false);
    check_report("and the other half of it", true, "reads [0] of the array",
                 "(fence.acquire.gpu, or __threadfence())", one_fence, true);
    check_report("with neither", true, "which block 0 thread 0 wrote at", "(__threadfence() does both)",
                 hand_over<SECOND_READS, false>);
    check_report("by the same block", false, "block 0 thread 1 at", "(__threadfence_block() does both)",
                 hand_over<SECOND_READS, false>);
    check_report("a write after a write", true, "overwrites [0] of the array", "(__threadfence() does both)",
                 hand_over<SECOND_WRITES, false>);
    check_report("an atomic after a write", true, "changes [0] of the array", "(__threadfence() does both)",
                 hand_over<SECOND_ADDS, false>);
    check_report("an atomic after a read", true, "which block 0 thread 0 read at",
                 "(__threadfence() does both)", hand_over<SECOND_ADDS, true>);
    check_report("fences of a block between blocks", true, "reads [0] of the array",
                 "a wider scope of the fences or accesses between the two", narrow_fences);
    check_report("atomics of a block between blocks", true, "changes [0] of the array",
                 "a wider scope of both accesses", narrow_atomics);
    check_report("nothing between blocks", true, "reads [0] of the array",
                 "a barrier or a flag between the two", unrelated);
    check_report("nothing in a block", false, "reads [0] of the array", "__syncthreads(), or a flag",
                 unrelated);
}

/* ---- what a thread knows of other threads' writes, and what its L1 cache keeps ---- */

/* Block 1 reads a word. Then block 0 writes the word and releases a flag. Block 1 acquires the flag,
 * without a fence, and reads the word again. */
static __global__ void read_acquire_read(unsigned *words, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        while (*(volatile unsigned *)(flag + 1) == 0) {
        }
        words[0] = 1;
        reduce_add_release(flag, 1u);
    } else {
        unsigned before = words[0];
        atomicAdd(flag + 1, 1u);
        while (load_acquire(flag) == 0) {
        }
        out[0] = 1 + before;
        out[1] = words[0];
    }
}

/* Thread 32 reads a word. Then thread 0 of the same block writes the word, and sets a flag without
 * releasing the write. Thread 32 sees the flag and reads the word again. */
static __global__ void write_beside_reader(unsigned *words, unsigned *flag, unsigned *out)
{
    if (threadIdx.x == 0) {
        while (*(volatile unsigned *)(flag + 1) == 0) {
        }
        words[0] = 1;
        atomicAdd(flag, 1u);
    } else if (threadIdx.x == 32) {
        out[0] = 1 + words[0];
        atomicAdd(flag + 1, 1u);
        while (*(volatile unsigned *)flag == 0) {
        }
        out[1] = words[0];
    }
}

/* Tests accesses of different sizes: a thread writes and reads parts of words that a strong store has
 * written, and reads two words by one load. */
static __global__ void other_sizes(unsigned *words, unsigned *, unsigned *out)
{
    unsigned char *bytes = (unsigned char *)words;
    *(volatile unsigned *)&words[0] = 0x01020304;
    /* a strong store to words[2]; the word after it is written by a plain store */
    *(volatile unsigned *)&words[2] = 5;
    words[3] = 6;
    bytes[2] = 7;
    *(unsigned short *)(bytes + 10) = 0x0809;
    out[0] = *(volatile unsigned *)&words[0];
    out[1] = bytes[2] + 256u * bytes[3];
    unsigned long long both = *(volatile unsigned long long *)&words[2];
    out[2] = (unsigned)both;
    out[3] = (unsigned)(both >> 32);
}

/* Two blocks each release a word. A third block polls both words by one load, and must then know what each
 * block wrote before its release. */
static __global__ void learn_from_both(unsigned *words, unsigned *, unsigned *out)
{
    if (block_in_grid() < 2) {
        words[block_in_grid()] = 1 + block_in_grid();
        /* a fence.sc would order the accesses even without the other fence */
        fence_release();
        *(volatile unsigned *)&words[2 + block_in_grid()] = 1;
    } else {
        while (*(volatile unsigned long long *)&words[2] != 0x100000001ull) {
        }
        out[2] = 3;
        fence_acquire();
        out[0] = words[0];
        out[1] = words[1];
    }
}

enum acquire { NO_ACQUIRE, OF_BLOCK, OF_DEVICE };

template <acquire acquires>
static __device__ unsigned load_of(const unsigned *p)
{
    unsigned value;
    if (acquires == OF_BLOCK)
        asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    else
        value = acquires == OF_DEVICE ? load_acquire(p) : load_relaxed(p);
    return value;
}

/* Block 1 reads a word before and after block 0 writes it, and nothing orders these accesses. An acquire of
 * a wider scope than the block between the two reads still empties the L1 cache, whichever word it
 * acquires. */
template <acquire acquires, bool written_strongly>
static __global__ void read_again_unordered(unsigned *words, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        while (*(volatile unsigned *)(flag + 1) == 0) {
        }
        if (written_strongly)
            *(volatile unsigned *)&words[0] = 1;
        else
            words[0] = 1;
        atomicAdd(flag, 1u);
    } else {
        out[0] = 1 + words[0];
        atomicAdd(flag + 1, 1u);
        while (load_of<acquires>(flag) == 0) {
        }
        out[1] = words[0];
    }
}

/* Block 1 reads a word, block 0 writes it, and an asynchronous copy of block 1 then copies it. */
static __global__ void copy_again(unsigned *words, unsigned *flag, unsigned *out)
{
    unsigned *copy = dynamic_shared<unsigned>();
    if (block_in_grid() == 0) {
        while (*(volatile unsigned *)(flag + 1) == 0) {
        }
        words[0] = 1;
        atomicAdd(flag, 1u);
    } else {
        out[0] = 1 + words[0];
        atomicAdd(flag + 1, 1u);
        while (load_relaxed(flag) == 0) {
        }
        small_copy_16(copy, words);
        small_copies_commit();
        small_copies_wait();
        out[1] = copy[0];
    }
}

/* Block 0 writes four words twice: first by four stores, later by one store. Until the later store they
 * have the values of the first writes. */
static __global__ void write_twice(unsigned *words, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        for (unsigned i = 0; i < 4; i++)
            words[i] = 5 + i;
        __threadfence();
        atomicAdd(flag, 1u);
        while (*(volatile unsigned *)(flag + 1) == 0) {
        }
        *(uint4 *)words = uint4{21, 22, 23, 24};
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        __threadfence();
        unsigned known = words[0];
        atomicAdd(flag + 1, 1u);
        while (*(volatile unsigned *)flag != 2) {
        }
        uint4 together = *(uint4 *)words;
        const unsigned all[] = {together.x, together.y, together.z, together.w};
        for (unsigned i = 0; i < 4; i++)
            out[i] = all[i] == words[i] && known == 5 ? all[i] : 99;
    }
}

/* Runs the kernel on an array of zeros, which contains the kernel's words, then its flags, and then its
 * results. Returns the results. */
static const unsigned *results_of(void (*kernel)(unsigned *, unsigned *, unsigned *), machine_memory memory,
                                  unsigned blocks, unsigned threads)
{
    static unsigned host[16];
    unsigned *words;
    launch_shape shape = {blocks, threads, 16, false, false};
    machine_set_memory(memory);
    CHECK(cudaMalloc((void **)&words, sizeof host));
    CHECK(cudaMemset(words, 0, sizeof host));
    CHECK(launch(kernel, shape, harness_stream(), words, words + 8, words + 10));
    wait_for_device();
    CHECK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(words));
    return host + 10;
}

static __global__ void read_weakly(unsigned *word, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        *(volatile unsigned *)word = 1;
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        *out = *word;
    }
}

static __global__ void read_a_byte(unsigned *word, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        ((unsigned char *)word)[1] = 1;
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        *out = ((unsigned char *)word)[1];
    }
}

static __global__ void write_strongly(unsigned *word, unsigned *flag, unsigned *out)
{
    if (block_in_grid() == 0) {
        *out = *word;
        atomicAdd(flag, 1u);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        *(volatile unsigned *)word = 1;
    }
}

static void check_knowledge()
{
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    machine_collect_races(false, false);
    for (int p = 0; p < 3; p++) {
        const unsigned *out = results_of(read_acquire_read, policies[p], 2, 1);
        check(out[0] == 1 && out[1] == 1,
              "an acquiring load sees what was released, though the cache had it (%s: %u)", policy_names[p],
              out[1]);
        out = results_of(other_sizes, policies[p], 1, 1);
        check(out[0] == 0x01070304 && out[1] == 0x0107 && out[2] == 0x08090005 && out[3] == 6,
              "a thread sees its own writes of every size (%s: %x %x %x %x)", policy_names[p], out[0], out[1],
              out[2], out[3]);
        bool known = true;
        for (int seed = 1; seed <= 10; seed++) {
            machine_set_schedule(MACHINE_RANDOM, (uint64_t)seed);
            out = results_of(learn_from_both, policies[p], 3, 1);
            known = known && out[2] == 3 && out[0] == 1 && out[1] == 2;
        }
        machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
        check(known, "a load of two words learns from both (%s)", policy_names[p]);
    }
    const unsigned *twice = results_of(write_twice, MACHINE_OLDEST, 2, 1);
    check(twice[0] == 5 && twice[1] == 6 && twice[2] == 7 && twice[3] == 8,
          "the value before is the last that was known, of each word (%u, %u, %u, %u)", twice[0], twice[1],
          twice[2], twice[3]);
    unsigned emptied = results_of(read_again_unordered<OF_DEVICE, false>, MACHINE_L1, 2, 1)[1],
             kept = results_of(read_again_unordered<NO_ACQUIRE, false>, MACHINE_L1, 2, 1)[1],
             narrow = results_of(read_again_unordered<OF_BLOCK, false>, MACHINE_L1, 2, 1)[1];
    check(emptied == 1 && kept == 0, "an acquire empties the cache, a relaxed load does not (%u, %u)",
          emptied, kept);
    check(narrow == 0, "nor does an acquire of block scope (%u)", narrow);
    unsigned copied = results_of(copy_again, MACHINE_L1, 2, 1)[1];
    check(copied == 1, "a copy does not go through the cache (%u)", copied);
    emptied = results_of(read_again_unordered<OF_DEVICE, true>, MACHINE_L1, 2, 1)[1];
    kept = results_of(read_again_unordered<NO_ACQUIRE, true>, MACHINE_L1, 2, 1)[1];
    check(emptied == 1 && kept == 0, "so with what was written strongly (%u, %u)", emptied, kept);
    machine_memory memory;
    bool named = machine_memory_of("coherent", &memory) && memory == MACHINE_COHERENT;
    for (int p = 0; p < 3; p++)
        named = named && machine_memory_of(policy_names[p], &memory) && memory == policies[p];
    check(named && !machine_memory_of("l2", &memory), "memories have names");
    check_report("a strong write after a weak read", true, "which block 0 thread 0 read at",
                 "(__threadfence() does both)", write_strongly);
    const unsigned *out = results_of(write_beside_reader, MACHINE_L1, 1, 64);
    check(out[0] == 1 && out[1] == 1, "what a multiprocessor writes, its own cache has no longer (%u)",
          out[1]);
    check_report("a weak read of what was written strongly", true, "reads [0] of the array", "__threadfence",
                 read_weakly);
    check_report("a read of a byte after its write", true, "reads [1] of the array", "__threadfence",
                 read_a_byte);
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
        check_read_first(), check_added_in_any_order(), check_draws(), check_reports(), check_knowledge();
    for (int b = 0; b < (argc > 2 ? argc - 2 : 2); b++)
        for (const struct variant &barrier : sync_variants)
            if (barrier.resident && is_chosen("ONLY", barrier.name))
                check_barrier((sync_id)barrier.id, argc > 2 ? (unsigned)atoi(argv[b + 2]) : standard[b],
                              seeds);
    if (!getenv("ONLY"))
        check_time_outs(7, seeds);
    return checks_done();
}
