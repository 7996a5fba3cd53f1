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
#include "harness/options.h"
#include "sync/vector_access.cuh"
#include "tests/machine_of_card.cuh"
#include "tests/trial.cuh"

#include <math.h>
#include <string.h>

static const machine_memory policies[] = {MACHINE_L1, MACHINE_OLDEST, MACHINE_ANY};
static const char *const policy_names[] = {"l1", "oldest", "random"};

/* ---- barriers ---- */

static size_t races; /* number of races in the last runs */

template <class Barrier>
static tally run_under(int policy, sync_id method, unsigned blocks, int seeds)
{
    const bool many =
        blocks > 60; /* runs with more blocks have fewer rounds and threads, since they take long */
    trial_shape t = {{blocks, blocks}, many ? 32 : 64, 1, START_ZERO};
    machine_set_memory(policies[policy]);
    machine_collect_races(true, false);
    tally tally = run_seeds<Barrier>(t, method, many ? 6 : 14, seeds, ANY_SCHEDULE);
    races = machine_races();
    return tally;
}

/*
 * Returns whether an unordered barrier must give wrong results. Under the policies oldest and random it
 * must. Under the policy l1, a barrier with any fence must not, as on an H200: a fence empties the L1 cache
 * before the block waits, and no thread fills the cache during the wait. A barrier without a fence must
 * give wrong results as soon as a block reads a line again, with up to 7 blocks in 14 rounds. The race is
 * found with and without a fence.
 */
static bool must_be_wrong(const struct variant *v, unsigned blocks, int policy)
{
    return policies[policy] != MACHINE_L1 || (strstr(v->name, "-fence-") == NULL && blocks <= 7);
}

static bool is_chosen(const char *variable, const char *name)
{
    const char *only = getenv(variable);
    return !only || strcmp(only, name) == 0;
}

static void is_right(const char *name, unsigned blocks, int policy, tally t)
{
    check(t.wrong == 0 && t.deadlocks == 0 && races == 0,
          "%s of %u blocks is right (%s, %d runs: %d wrong, %d deadlocks, %zu races)", name, blocks,
          policy_names[policy], t.runs, t.wrong, t.deadlocks, races);
}

static void check_barrier(sync_id method, unsigned blocks, int seeds)
{
    const struct variant *v = &sync_variants[method];
    with_barrier(method, [&](auto barrier) {
        for (int p = 0; p < 3; p++) {
            if (!is_chosen("MEMORY", policy_names[p]))
                continue;
            tally t = run_under<decltype(barrier)>(p, method, blocks, seeds);
            if (v->ordered)
                is_right(v->name, blocks, p, t);
            else
                check((t.wrong > 0) == must_be_wrong(v, blocks, p) && races > 0,
                      "%s of %u blocks is caught (%s, %d runs: %d wrong, %zu races)", v->name, blocks,
                      policy_names[p], t.runs, t.wrong, races);
            if (getenv("SHOW_RACES"))
                machine_print_races(stdout);
        }
    });
}

/* ---- kernels in which a second thread waits for the first one ---- */

static const unsigned DRAWS = 2048, FLAG = 2 * DRAWS, OUT = FLAG + 8;

static __device__ bool is_first_thread()
{
    return block_in_grid() + thread_in_block() == 0;
}

static __device__ void await(const unsigned *flag)
{
    while (*(const volatile unsigned *)flag == 0) {
    }
}

/* The first thread executes `first` and sets the flag. Then each other thread executes `second`. */
template <class First, class Second>
struct hand_over {
    First first;
    Second second;
    __device__ void operator()(unsigned *w, long long *) const
    {
        if (is_first_thread()) {
            first(w);
            atomicAdd(w + FLAG, 1u);
        } else {
            await(w + FLAG);
            second(w);
        }
    }
};

/* Runs a function object on words that are 0. The results are what it stores from words[OUT] on. */
template <class Body>
static const unsigned *results_of(launch_shape shape, Body body)
{
    clear_words();
    CHECK(run(shape, body));
    return words + OUT;
}

/* Returns the machine's report of races of such a run, which is valid until the next call. */
template <class Body>
static const char *report_of(launch_shape shape, Body body)
{
    static char *text;
    size_t bytes;
    free(text);
    machine_collect_races(true, true);
    results_of(shape, body);
    FILE *file = open_memstream(&text, &bytes);
    machine_print_races(file);
    fclose(file);
    return text;
}

/* ---- which accesses race, and what the report says of each race ---- */

/* Checks that the report has the line `wanted` and after it the advice `mend`; with NULL, that there is none.
 * */
template <class Body>
static void reports(const char *sentence, launch_shape shape, const char *wanted, const char *mend, Body body)
{
    const char *said = report_of(shape, body), *found = wanted ? strstr(said, wanted) : NULL,
               *line = found ? strstr(found, "\n    mend: ") : NULL,
               *advice = line ? strstr(line, mend) : NULL;
    bool right = wanted ? advice && advice < strchr(line + 1, '\n') : !*said;
    check(right, "%s: %s", sentence, right ? wanted ? mend : "no race" : said);
}

template <class First, class Second>
static void reports(const char *sentence, bool apart, const char *wanted, const char *mend, First first,
                    Second second)
{
    const unsigned blocks = apart ? 2 : 1;
    reports(sentence, launch_shape{blocks, 3 - blocks}, wanted, mend,
            hand_over<First, Second>{first, second});
}

/* The first thread reads or writes a byte of an aligned word of 8 bytes, and then reads two bytes of it. The
 * second one overwrites a byte: a race is told if it is one of those, whichever. */
static void check_bytes()
{
    unsigned wrong = 0;
    for (unsigned n = 0; n < 2 * 8 * 4 * 8; n++) {
        const bool writes = n % 2;
        const unsigned i = n / 2 % 8, j = n / 16 % 4, k = n / 64;
        auto first = [=] __device__(unsigned *w) {
            if (writes)
                ((unsigned char *)w)[i] = 1;
            else
                w[OUT] = ((unsigned char *)w)[i];
            asm volatile("" ::: "memory");
            w[OUT + 1] = ((unsigned short *)w)[j];
        };
        auto write = [=] __device__(unsigned *w) { ((unsigned char *)w)[k] = 1; };
        const char *said = report_of({2, 1}, hand_over<decltype(first), decltype(write)>{first, write});
        wrong += (*said != 0) != (k == i || k / 2 == j);
    }
    check(wrong == 0, "a byte that is overwritten races with the accesses of it alone (%u of 512 do not)",
          wrong);
}

static void check_reports()
{
    const char *const reads = "reads [0] of the array", *const both = "(two fences, each a __threadfence())",
                      *const was_read = "which block 0 thread 0 read at";
    auto write = [] __device__(unsigned *w) { *w = 1; };
    auto read = [] __device__(unsigned *w) { w[OUT] = *w; };
    auto add = [] __device__(unsigned *w) { atomicAdd(w, 1u); };
    auto write_strongly = [] __device__(unsigned *w) { *(volatile unsigned *)w = 1; };
    auto write_fence = [] __device__(unsigned *w) {
        *w = 1;
        __threadfence();
    };
    auto fence_read = [] __device__(unsigned *w) {
        __threadfence();
        w[OUT] = *w;
    };
    auto read_fence = [] __device__(unsigned *w) {
        w[OUT] = *w;
        __threadfence();
    };
    auto fence_write = [] __device__(unsigned *w) {
        __threadfence();
        *w = 1;
    };
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    machine_set_memory(MACHINE_OLDEST);
    reports("a read after a write by another block", true, "block 1 thread 0 at",
            "(fence.release.gpu, or __threadfence())", write, fence_read);
    reports("and the other half of it", true, reads, "(fence.acquire.gpu, or __threadfence())", write_fence,
            read);
    reports("with neither", true, "which block 0 thread 0 wrote at", both, write, read);
    reports("by the same block", false, "block 0 thread 1 at", "(two fences, each a __threadfence_block())",
            write, read);
    reports("a write after a write", true, "overwrites [0] of the array", both, write, write);
    reports("a write after a read", true, "overwrites [0] of the array", "a release before the write at",
            read, write);
    reports("by whom", true, was_read, both, read, write);
    reports("with fences", true, NULL, NULL, read_fence, fence_write);
    reports("an atomic after a write", true, "changes [0] of the array", both, write, add);
    reports("an atomic after a read", true, was_read, both, read, add);
    reports("a strong write after a weak read", true, was_read, both, read, write_strongly);
    reports("a weak read of what was written strongly", true, reads, "__threadfence", write_strongly, read);
    reports(
        "fences of a block between blocks", true, reads,
        "a wider scope of the fences or accesses between the two",
        [] __device__(unsigned *w) {
            *w = 1;
            __threadfence_block();
        },
        [] __device__(unsigned *w) {
            __threadfence_block();
            w[OUT] = *w;
        });
    reports("atomics of a block between blocks", {2, 1}, "changes [0] of the array",
            "a wider scope of both accesses",
            [] __device__(unsigned *w, long long *) { atomicAdd_block(w, 1u); });
    check_bytes();
    auto unrelated = [] __device__(unsigned *w, long long *) {
        if (is_first_thread())
            *w = 1;
        else
            w[OUT] = *w;
    };
    reports("nothing between blocks", {2, 1}, reads, "a barrier or a flag between the two", unrelated);
    reports("nothing in a warp", {1, 2}, reads, "__syncwarp() between", unrelated);
    reports("nothing in a block", {1, 33}, reads, "__syncthreads(), or a flag", unrelated);
    /* no race, because each item of a vector is an access of its own */
    reports("strong stores of words and a strong load of all of them", {2, 1}, NULL, NULL,
            [] __device__(unsigned *w, long long *) {
                for (unsigned i = 0; i < 4 && is_first_thread(); i++)
                    store_relaxed(w + i, 1 + i);
                uint4 all = is_first_thread() ? uint4{} : load_four_words((const uint4 *)w);
                if (!is_first_thread())
                    w[OUT] = all.x + all.y + all.z + all.w;
            });
}

/* ---- how often a load gets the new value under each policy ---- */

/* Checks that a share of DRAWS random draws is within four standard deviations of the expected share. */
static void is_about(double share, double expected, int policy, const char *sentence)
{
    check(fabs(share - expected) <= 4 * sqrt(expected * (1 - expected) / DRAWS), "%s (%s: %g of %g)",
          sentence, policy_names[policy], share, expected);
}

/* The expected shares under the policies l1, oldest and random. */
struct shares {
    double of[3];
};

/* Block 0 calls write(words, i) for each of DRAWS numbers i, and block 1 then read(words, i), which returns 1
 * for a new value, 0 for the old one, and DRAWS for a value that no load may get. */
template <class Write, class Read>
static void draws(const char *sentence, shares expected, Write write, Read read)
{
    for (int p = 0; p < 3; p++) {
        machine_set_memory(policies[p]);
        auto first = [=] __device__(unsigned *w) {
            for (unsigned i = 0; i < DRAWS; i++)
                write(w, i);
        };
        auto second = [=] __device__(unsigned *w) {
            unsigned seen = 0;
            for (unsigned i = 0; i < DRAWS; i++)
                seen += read(w, i);
            w[OUT] = seen;
        };
        hand_over<decltype(first), decltype(second)> body = {first, second};
        is_about(results_of({2, 1}, body)[0] / (double)DRAWS, expected.of[p], p, sentence);
    }
}

/* Block 0 calls change(word, 0) for each of DRAWS words, and block 1 then change(word, 1), without a fence
 * before. Checks in how many words `value` remains. */
template <class Change>
static void remains(unsigned value, const char *sentence, shares expected, Change change)
{
    auto all = [=] __device__(unsigned *w) {
        for (unsigned i = 0; i < DRAWS; i++)
            change(w + i, block_in_grid());
    };
    for (int p = 0; p < 3; p++) {
        unsigned count = 0;
        machine_set_memory(policies[p]);
        results_of({2, 1}, hand_over<decltype(all), decltype(all)>{all, all});
        for (unsigned i = 0; i < DRAWS; i++)
            count += words[i] == value;
        is_about(count / (double)DRAWS, expected.of[p], p, sentence);
    }
}

static void check_draws()
{
    auto write = [] __device__(unsigned *w, unsigned i) { *(volatile unsigned *)&w[i] = 1; };
    auto write_weakly = [] __device__(unsigned *w, unsigned i) { w[i] = 1; };
    auto read = [] __device__(unsigned *w, unsigned i) -> unsigned { return *(volatile unsigned *)&w[i]; };
    auto read_weakly = [] __device__(unsigned *w, unsigned i) { return w[i]; };
    machine_set_schedule(MACHINE_RANDOM, 1);
    machine_collect_races(false, false);
    draws("how often a strong load gets the newest", {1, 0.25, 0.625}, write, read);
    draws("a weak one", {1, 0, 0.5}, write, read_weakly);
    draws("a weak one of what was written weakly", {1, 0, 0.5}, write_weakly, read_weakly);
    draws("a strong one of what was written weakly", {1, 0.25, 0.625}, write_weakly, read);
    draws(
        "a load of a byte", {1, 0, 0.5},
        [] __device__(unsigned *w, unsigned i) { ((unsigned char *)w)[4 * i + 1] = 1; },
        [] __device__(unsigned *w, unsigned i) -> unsigned { return ((unsigned char *)w)[4 * i + 1]; });
    draws(
        "what one store of two bytes wrote goes together", {1, 0, 0.5},
        [] __device__(unsigned *w, unsigned i) { ((unsigned short *)w)[2 * i + 1] = 0x0101; },
        [] __device__(unsigned *w, unsigned i) -> unsigned {
            unsigned half = ((unsigned short *)w)[2 * i + 1];
            return half == 0x0101 ? 1 : half ? DRAWS : 0;
        });
    draws(
        "a load of a word gets what a byte made of it as often as another value that it had", {0, 0, 0.1875},
        [] __device__(unsigned *w, unsigned i) {
            *(volatile unsigned *)&w[i] = 0x01020304;
            ((unsigned char *)w)[4 * i + 2] = 7;
            *(volatile unsigned *)&w[i] = 9;
        },
        [] __device__(unsigned *w, unsigned i) -> unsigned {
            unsigned word = *(volatile unsigned *)&w[i];
            return word == 0x01070304 ? 1 : word == 0 || word == 0x01020304 || word == 9 ? 0 : DRAWS;
        });
    draws(
        "a strong load of eight bytes gets the newest of each half", {1, 0.25, 0.625},
        [] __device__(unsigned *w, unsigned i) {
            if (i % 2 == 0)
                *(volatile unsigned long long *)&w[i] = 0x100000001ull;
        },
        [] __device__(unsigned *w, unsigned i) {
            unsigned long long both = i % 2 ? 0 : *(volatile unsigned long long *)&w[i];
            return (unsigned)both + (unsigned)(both >> 32);
        });
    auto store = [] __device__(unsigned *word, unsigned block) { *(volatile unsigned *)word = block; };
    remains(1, "a store takes its place behind an older one, but for an eighth where any may", {1, 1, 0.875},
            store);
    auto add = [] __device__(unsigned *word, unsigned block) { atomicAdd_block(word, 1 + block); };
    remains(2, "an atomic of too narrow a scope loses the other", {0, 1, 0.5}, add);
    remains(3, "or keeps it", {1, 0, 0.5}, add);
}

/* ---- what a thread knows of other threads' writes, and what its L1 cache keeps ---- */

/* The last thread reads a word. Then the first thread writes the word and sets a flag, and the last thread
 * waits for the flag and reads the word again. */
template <class Write, class Read>
static void read_again(unsigned expected, const char *sentence, launch_shape shape, Write write, Read read)
{
    const unsigned *out = results_of(shape, [=] __device__(unsigned *w, long long *) {
        if (is_first_thread()) {
            await(w + FLAG + 1);
            write(w);
        } else if (block_in_grid() + 1 == blocks_in_grid() && thread_in_block() % 32 == 0) {
            w[OUT] = 1 + w[0];
            atomicAdd(w + FLAG + 1, 1u);
            asm volatile("" ::: "memory"); /* nvcc must not take the first value again */
            w[OUT + 1] = read(w);
        }
    });
    check(out[0] == 1 && out[1] == expected, "%s (%u)", sentence, out[1]);
}

static void check_cache()
{
    const launch_shape two_blocks = {2, 1, 16};
    auto write = [] __device__(unsigned *w) {
        w[0] = 1;
        atomicAdd(w + FLAG, 1u);
    };
    auto acquire = [] __device__(unsigned *w) {
        while (load_acquire(w + FLAG) == 0) {
        }
        return w[0];
    };
    auto look = [] __device__(unsigned *w) {
        await(w + FLAG);
        return w[0];
    };
    for (machine_memory memory : policies) {
        machine_set_memory(memory);
        read_again(
            1, "an acquiring load sees what was released, though the cache had it", two_blocks,
            [] __device__(unsigned *w) {
                w[0] = 1;
                reduce_add_release(w + FLAG, 1u);
            },
            acquire);
    }
    machine_set_memory(MACHINE_L1);
    read_again(1, "an acquire empties the cache, whichever word it acquires", two_blocks, write, acquire);
    read_again(0, "a relaxed load does not", two_blocks, write, look);
    read_again(0, "nor does an acquire of block scope", two_blocks, write, [] __device__(unsigned *w) {
        unsigned flag;
        do
            asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(flag) : "l"(w + FLAG) : "memory");
        while (flag == 0);
        return w[0];
    });
    read_again(1, "a copy does not go through the cache", two_blocks, write, [] __device__(unsigned *w) {
        unsigned *copy = dynamic_shared<unsigned>();
        await(w + FLAG);
        small_copy_16(copy, w);
        small_copies_commit();
        small_copies_wait();
        return copy[0];
    });
    read_again(1, "what a multiprocessor writes, its own cache has no longer", {1, 64}, write, look);
}

/* Block 0 loads many lines in turn. When block 1 has written all of them, block 0 loads them again, the last
 * one first, and counts those that its L1 cache has kept. On compute capability 9.0, L1 cache and shared
 * memory share 256 KiB. The cache has what the shared memory of as many blocks as fit on a multiprocessor
 * leaves. */
static void check_cache_sizes()
{
    const unsigned line = 32, lines = 2000;
    auto body = [=] __device__(unsigned *w, long long *) {
        unsigned kept = 0;
        if (block_in_grid() > 0) {
            await(w + 1);
            for (unsigned i = 0; i < lines; i++)
                *(volatile unsigned *)&w[line * (i + 8)] = 1;
            __threadfence();
            atomicAdd(w + 2, 1u);
            return;
        }
        for (unsigned i = 0; i < lines; i++)
            kept += w[line * (i + 8)];
        atomicAdd(w + 1, 1 + kept);
        await(w + 2);
        for (unsigned i = lines; i-- > 0;)
            kept += w[line * (i + 8)] == 0;
        w[3] = kept;
    };
    unsigned wrong = 0;
    machine_set_memory(MACHINE_L1);
    for (size_t shared : {0, 20000, 40000, 70000, 110000, 200000}) {
        int blocks = 0;
        CHECK(cudaFuncSetAttribute((const void *)call<decltype(body)>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, call<decltype(body)>, 1, shared));
        results_of({2, 1, shared}, body);
        const double left = ((256 << 10) - (double)blocks * (double)shared) / 128;
        wrong += words[3] < fmin(lines, left - 8) || words[3] > left + 8;
    }
    check(wrong == 0, "L1 has what the shared memory of all resident blocks leaves (%u of 6 times not)",
          wrong);
}

/* Two blocks each release a word. A third block polls both words by one load, and must then know what each
 * block wrote before its release. */
static bool is_learnt_from_both()
{
    const unsigned *out = results_of({3, 1}, [] __device__(unsigned *w, long long *) {
        const unsigned block = block_in_grid();
        if (block < 2) {
            w[block] = 1 + block;
            /* a fence.sc would order the accesses even without the other fence */
            fence_release();
            *(volatile unsigned *)&w[2 + block] = 1;
        } else {
            while (*(volatile unsigned long long *)&w[2] != 0x100000001ull) {
            }
            fence_acquire();
            w[OUT] = w[0];
            w[OUT + 1] = w[1];
        }
    });
    return out[0] == 1 && out[1] == 2;
}

/* Block 0 writes four words twice: first by four stores, later by one store. Until the later store they
 * have the values of the first writes. */
static void check_values_before()
{
    machine_set_memory(MACHINE_OLDEST);
    const unsigned *out = results_of({2, 1}, [] __device__(unsigned *w, long long *) {
        if (is_first_thread()) {
            for (unsigned i = 0; i < 4; i++)
                w[i] = 5 + i;
            __threadfence();
            atomicAdd(w + FLAG, 1u);
            await(w + FLAG + 1);
            *(uint4 *)w = uint4{21, 22, 23, 24};
            atomicAdd(w + FLAG + 2, 1u);
        } else {
            await(w + FLAG);
            __threadfence();
            unsigned known = w[0];
            atomicAdd(w + FLAG + 1, 1u);
            await(w + FLAG + 2);
            uint4 together = *(uint4 *)w;
            const unsigned all[] = {together.x, together.y, together.z, together.w};
            for (unsigned i = 0; i < 4; i++)
                w[OUT + i] = all[i] == w[i] && known == 5 ? all[i] : 99;
        }
    });
    check(out[0] == 5 && out[1] == 6 && out[2] == 7 && out[3] == 8,
          "the value before is the last that was known, of each word (%u, %u, %u, %u)", out[0], out[1],
          out[2], out[3]);
}

static void check_knowledge()
{
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
    machine_collect_races(false, false);
    check_cache();
    check_cache_sizes();
    check_values_before();
    machine_memory memory;
    bool named = machine_memory_of("coherent", &memory) && memory == MACHINE_COHERENT;
    for (int p = 0; p < 3; p++) {
        bool known = true;
        named = named && machine_memory_of(policy_names[p], &memory) && memory == policies[p];
        machine_set_memory(policies[p]);
        for (unsigned seed = 1; seed <= 10; seed++) {
            machine_set_schedule(MACHINE_RANDOM, seed);
            known = is_learnt_from_both() && known;
        }
        check(known, "a load of two words learns from both (%s)", policy_names[p]);
    }
    check(named && !machine_memory_of("l2", &memory), "memories have names");
}

int main(int argc, char **argv)
{
    options options = {};
    device device;
    set_program_name("machine_weak");
    options.device = "h100";
    open_device(&options, &device);
    int seeds = argc > 1 ? atoi(argv[1]) : 3;
    unsigned standard[] = {2, 7};
    if (!getenv("ONLY"))
        check_draws(), check_reports(), check_knowledge();
    for (int b = 0; b < (argc > 2 ? argc - 2 : 2); b++)
        for (const struct variant &barrier : sync_variants)
            if (barrier.resident && is_chosen("ONLY", barrier.name))
                check_barrier((sync_id)barrier.id, argc > 2 ? (unsigned)atoi(argv[b + 2]) : standard[b],
                              seeds);
    for (int p = 0; p < 3 && !getenv("ONLY"); p++)
        is_right("counter whose wait times out", 7, p, run_under<Impatient>(p, SYNC_COUNTER, 7, seeds));
    return checks_done();
}
