/*
 * Compares the machine's memory model (machine/weak/memory_model.h) with the axioms of PTX: the model must
 * never show an outcome that the axioms forbid. micro/litmus/ptx_axioms.c lists the outcomes that they allow.
 * The tests are random litmus tests, the classic litmus tests in all their forms, and Dat3M's tests if they
 * are there (LITMUS_DATA names their folder). Dat3M's verdicts are also a second opinion on the axioms.
 *
 * One file because the outcomes and the data races of the same random programs and patterns are compared.
 *
 *     build/host/memory_model [PROGRAMS [SEED]]     random programs; 100 of seed 1
 */
#include "base/memory.h"
#include "base/random.h"
#include "micro/litmus/litmus_classic.h"
#include "micro/litmus/litmus_explore.h"
#include "micro/litmus/ptx_axioms.h"
#include "micro/litmus/ptx_execution.h"
#include "tests/check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define PATTERNS "micro/litmus/patterns"

/* ---- random programs ---- */

static struct random random_state;

/* Returns a number from 0 to count - 1. */
static int any(int count)
{
    return (int)(random_next(&random_state) % (unsigned)count);
}

/* Returns a random scope. The scope of the device is twice as likely as each of the others. */
static enum machine_scope any_scope(void)
{
    static const enum machine_scope scopes[] = {SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_DEVICE, SCOPE_SYSTEM};
    return scopes[any(4)];
}

static struct litmus_instruction any_access(int location, int next_register, int *next_value)
{
    struct litmus_instruction i = {.location = location, .destination = next_register, .scope = any_scope()};
    int kind = any(100), strong = any(3);
    if (kind < 33) {
        i.kind = LITMUS_LOAD;
        i.order = strong == 2 ? ORDER_ACQUIRE : ORDER_RELAXED;
        i.scope = strong ? i.scope : SCOPE_THREAD;
    } else if (kind < 66) {
        i.kind = LITMUS_STORE;
        i.order = strong == 2 ? ORDER_RELEASE : ORDER_RELAXED;
        i.scope = strong ? i.scope : SCOPE_THREAD;
        i.a.value = ++*next_value;
    } else if (kind < 78) {
        i.kind = LITMUS_ATOMIC;
        i.order = (enum machine_order)(any(4) * ORDER_ACQUIRE);
        i.operation = any(2) ? LITMUS_ADD : LITMUS_EXCHANGE;
        i.a.value = any(2) ? 10 : 100;
    } else {
        static const enum machine_order orders[] = {ORDER_ACQUIRE_RELEASE, ORDER_SEQUENTIAL, ORDER_SEQUENTIAL,
                                                    ORDER_RELEASE, ORDER_ACQUIRE};
        i.kind = LITMUS_FENCE;
        i.order = orders[any(5)];
    }
    return i;
}

/* Adds a barrier of the block at a random place in each of the block's threads. */
static void add_barrier(struct litmus *test, int block)
{
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->threads[t];
        if (thread->block != block)
            continue;
        int at = any(thread->count + 1);
        memmove(&thread->code[at + 1], &thread->code[at],
                (size_t)(thread->count++ - at) * sizeof *thread->code);
        thread->code[at] =
            (struct litmus_instruction){.kind = LITMUS_BARRIER, .location = -1, .destination = -1};
    }
}

static void place_threads(struct litmus *test)
{
    int topology = any(4);
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->threads[t];
        thread->device = topology == 3 ? t % 2 : 0;
        thread->block = thread->device * LITMUS_THREADS + (topology == 0 ? 0 : topology == 2 ? any(2) : t);
    }
}

/* Returns a random litmus test with so few reads and writes that the axioms can enumerate all of its
 * executions in a short time. */
static struct litmus any_program(void)
{
    struct litmus test = {.thread_count = 2 + (any(6) + 1) / 4 + (any(6) == 0), .condition = "0 == 0"};
    int locations = 1 + (any(4) + 1) / 2, reads = 0, writes = 0, value = 0, left = 5 + any(4);
    test.location_count = locations;
    for (int l = 0; l < locations; l++)
        test.locations[l][0] = (char)('x' + l);
    for (int tries = 0; left > 0 && tries < 40; tries++) {
        struct litmus_thread *thread = &test.threads[any(test.thread_count)];
        struct litmus_instruction i = any_access(any(locations), thread->register_count, &value);
        bool does_read = i.kind == LITMUS_LOAD || i.kind == LITMUS_ATOMIC;
        bool does_write = i.kind == LITMUS_STORE || i.kind == LITMUS_ATOMIC;
        if (thread->count == 5 || (does_read && reads == 5) || (does_write && writes == 5))
            continue;
        reads += does_read;
        writes += does_write;
        if (does_read)
            thread->registers[thread->register_count++][0] = 'r';
        else
            i.destination = -1;
        thread->code[thread->count++] = i;
        left--;
    }
    place_threads(&test);
    if (any(10) < 3)
        add_barrier(&test, test.threads[0].block);
    return test;
}

/* Adds to a random litmus test what any_access() never makes: other atomic operations, branches, and
 * barriers for some of the threads. */
static void add_features(struct litmus *test)
{
    static const enum litmus_operator operations[] = {
        LITMUS_SUBTRACT, LITMUS_AND,       LITMUS_OR,        LITMUS_XOR,          LITMUS_MINIMUM,
        LITMUS_MAXIMUM,  LITMUS_INCREMENT, LITMUS_DECREMENT, LITMUS_COMPARE_SWAP, LITMUS_COMPARE_SWAP};
    int id = any(2), count = any(2) ? 2 : 0;
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->threads[t];
        for (int i = 0; i < thread->count; i++)
            if (thread->code[i].kind == LITMUS_ATOMIC) {
                thread->code[i].operation = operations[any(10)];
                thread->code[i].a.value = any(4);
                thread->code[i].b.value = 7;
            }
        struct litmus_instruction added = {.kind = any(4) ? LITMUS_BARRIER : LITMUS_ARRIVE,
                                           .location = -1,
                                           .destination = -1,
                                           /* this barrier's number; add_barrier() uses barrier 0 */
                                           .target = 1,
                                           .a.value = any(3) ? id : 1 - id,
                                           .b.value = count};
        /* adds a branch over one or two of the instructions after it */
        if (any(3) == 0 && thread->register_count) {
            int skipped = thread->count < 2 ? thread->count : 2;
            added = (struct litmus_instruction){.kind = LITMUS_BRANCH,
                                                .location = -1,
                                                .destination = -1,
                                                .operation = any(2) ? LITMUS_EQUAL : LITMUS_NOT_EQUAL,
                                                .a = {true, any(thread->register_count)},
                                                .b = {false, any(2)},
                                                .target = thread->count + 1 - any(skipped + 1)};
        } else if (any(4) == 0) {
            continue;
        }
        int at = added.kind == LITMUS_BRANCH ? any(added.target) : any(thread->count + 1);
        memmove(&thread->code[at + 1], &thread->code[at],
                (size_t)(thread->count++ - at) * sizeof *thread->code);
        thread->code[at] = added;
    }
}

struct tally {
    int programs, unsound, complete, unsound_races, races_shown, races_allowed;
    long long shown, allowed;
};

/* Compares the machine's data races with the axioms'. Each race that the machine reports must be a race in
 * some execution that PTX allows, not necessarily in the execution in which it was reported (ANY_ORDER). */
static void compare_races(const struct litmus_races *allowed, const struct litmus_races *shown,
                          struct tally *tally)
{
    const bool *allowed_pair = &allowed->is[0][0][0][0], *shown_pair = &shown->is[0][0][0][0];
    const size_t size = LITMUS_THREADS * LITMUS_INSTRUCTIONS;
    int forbidden = 0;
    for (size_t i = 0; i < sizeof *shown; i++) {
        size_t turned = i % size * size + i / size;
        bool may = allowed_pair[i] || allowed_pair[turned];
        forbidden += shown_pair[i] && !may;
        tally->races_shown += shown_pair[i] || shown_pair[turned];
        tally->races_allowed += may;
    }
    tally->unsound_races += forbidden > 0;
}

/* Returns whether ptx_find_execution() finds an allowed execution with the wanted outcome exactly if the
 * outcome is among the allowed ones, and otherwise only one that violates an axiom. */
static bool finds_execution(const struct litmus *test, const struct litmus_outcomes *allowed)
{
    static struct ptx_execution x;
    bool is_possible = false, wanted = test->quantifier != LITMUS_FOR_ALL;
    for (int i = 0; i < allowed->count; i++)
        is_possible |= litmus_holds(test, &allowed->items[i]) == wanted;
    if (!ptx_find_execution(test, &x) || x.is_allowed != is_possible)
        return false;
    if (!x.found)
        return !is_possible;
    return litmus_holds(test, &x.outcome) == wanted && litmus_has(allowed, &x.outcome) == is_possible &&
           (x.violation.axiom == PTX_NONE) == is_possible;
}

/* What the axioms and the machine say of a litmus test: whether both were asked of all executions, how many
 * outcomes each of them has, whether the test's condition holds by each, and how many outcomes the machine
 * shows that are forbidden. */
struct opinions {
    bool is_judged, is_whole, may, does, has_execution;
    int allowed, shown, forbidden;
};

/* Asks both. The machine shows all executions, or samples of them if there are more than `most`. Adds the
 * races to the tally unless it is NULL. If `shows` is set, looks for an execution that shows the verdict. */
static struct opinions ask_both(const struct litmus *test, unsigned most, bool shows, struct tally *races)
{
    static struct litmus_races allowed_races, shown_races;
    struct litmus_outcomes allowed = {.races = races ? &allowed_races : NULL},
                           shown = {.races = races ? &shown_races : NULL};
    memset(&allowed_races, 0, sizeof allowed_races);
    memset(&shown_races, 0, sizeof shown_races);
    struct opinions o = {.is_judged = ptx_outcomes(test, &allowed)};
    if (!o.is_judged)
        return o;
    o.is_whole = litmus_explore(test, most, &shown);
    if (!o.is_whole)
        litmus_sample(test, most, &(struct random){1}, &shown);
    for (int i = 0; i < shown.count; i++)
        o.forbidden += !litmus_has(&allowed, &shown.items[i]);
    o.allowed = allowed.count;
    o.shown = shown.count;
    o.may = litmus_verdict(test, &allowed);
    o.does = litmus_verdict(test, &shown);
    o.has_execution = shows && finds_execution(test, &allowed);
    if (races)
        compare_races(&allowed_races, &shown_races, races);
    litmus_forget(&allowed);
    litmus_forget(&shown);
    return o;
}

/* Compares random programs, with features or with their races. With both, a compare-and-swap that fails would
 * count as a write for the machine, and not for the axioms. */
static struct tally check_random(int programs, unsigned long long seed, bool with_features, bool with_races)
{
    struct tally tally = {.programs = 0};
    random_state.state = seed;
    for (int p = 0; p < programs; p++) {
        struct litmus test = any_program();
        if (with_features)
            add_features(&test);
        struct opinions o = ask_both(&test, with_races ? 200 : 1000, false, with_races ? &tally : NULL);
        tally.programs += o.is_judged;
        tally.unsound += o.forbidden > 0;
        tally.complete += o.is_judged && o.shown == o.allowed;
        tally.shown += o.shown;
        tally.allowed += o.allowed;
    }
    check(tally.programs > programs * 9 / 10 && tally.unsound == 0 && tally.unsound_races == 0,
          "random programs%s show nothing that PTX forbids (%d programs, %d unsound; %lld of %lld allowed "
          "outcomes shown, all of them in %d; %d unsound races, %d of %d pairs of instructions reported)",
          with_features ? " with branches, other atomics, and barriers of a few threads" : "", tally.programs,
          tally.unsound, tally.shown, tally.allowed, tally.complete, tally.unsound_races,
          tally.races_shown / 2, tally.races_allowed / 2);
    return tally;
}

/* ---- the classic litmus tests, such as message passing and store buffering ---- */

static void check_classic(int classic)
{
    const char *name = litmus_classic_name(classic);
    const bool is_lb = strcmp(name, "lb") == 0, is_cowr = strcmp(name, "cowr") == 0;
    int unsound = 0, hidden = 0, allowed = 0, not_found = 0;
    for (int f = 0; f < litmus_form_count; f++) {
        struct litmus test;
        litmus_make_classic(classic, f, &test);
        const struct opinions o = ask_both(&test, 100000, true, NULL);
        allowed += o.may;
        unsound += !o.is_whole || (o.does && !o.may);
        hidden += o.may && !o.does;
        not_found += !o.has_execution;
        if (o.does != o.may)
            printf("        %s: %s\n", test.name, o.may ? "allowed and not shown" : "FORBIDDEN AND SHOWN");
    }
    check(unsound == 0, "%s, all its executions: of %d forms PTX allows %d, the machine shows %d", name,
          litmus_form_count, allowed, allowed - hidden);
    check(not_found == 0, "%s: an execution shows each verdict", name);
    check(hidden == (is_lb ? 7 : is_cowr ? 4 : 0), "%s hides what the documents say, and no more", name);
}

/* ---- Dat3M's ---- */

static char *read_file(const char *folder, const char *name)
{
    static char text[1 << 16];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void check_dat3m(const char *folder)
{
    char *list = read_file(folder, "expected.csv");
    int tests = 0, not_read = 0, differ = 0, unsound = 0, hidden = 0;
    if (!list) {
        printf("skipped Dat3M's tests: LITMUS_DATA names no folder with an expected.csv\n");
        return;
    }
    char *rest = copy_text(list), *copy = rest;
    for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct litmus test;
        char *comma = strrchr(line, ',');
        if (!comma)
            continue;
        *comma = '\0';
        const char *text = read_file(folder, line), *wrong = text ? litmus_parse(text, &test) : "not there";
        tests++;
        not_read += wrong != NULL;
        if (wrong)
            continue;
        const struct opinions o = ask_both(&test, 3000, false, NULL);
        const bool is_wrong = !o.is_judged || o.may != (comma[1] == '1') || o.forbidden;
        differ += !o.is_judged || o.may != (comma[1] == '1');
        unsound += o.forbidden > 0;
        hidden += o.may && !o.does;
        if (is_wrong || o.may != o.does)
            printf("        %s: expected %c, %d of %d outcomes are FORBIDDEN AND SHOWN\n", line, comma[1],
                   o.forbidden, o.shown);
    }
    free(copy);
    check(tests > not_read && differ == 0, "the axioms agree with Dat3M in %d of %d tests (%d were not read)",
          tests - not_read - differ, tests - not_read, not_read);
    check(unsound == 0, "Dat3M's tests show nothing that PTX forbids (%d unsound, %d allowed and not shown)",
          unsound, hidden);
}

static void check_arithmetic(void)
{
    struct litmus test;
    const char *wrong = litmus_parse(
        "PTX arithmetic\n\"One thread\"\n{ x=1; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n add r1, r0, 2 ;\n"
        " mul r2, r1, 3 ;\nexists\n(P0:r0 == 1 /\\ P0:r1 == 3 /\\ P0:r2 == 9)\n",
        &test);
    const struct opinions o = ask_both(&test, 10, false, NULL);
    check(!wrong && o.may && o.does && !o.forbidden, "results go into the registers that are named");
}

/* ---- synchronization patterns taken from real programs (docs/weak-memory.md) ---- */

/* Checks that the condition in the litmus file holds by the axioms. It must hold on the machine, too,
 * unless it needs load buffering, which the machine never shows. */
static void check_pattern(const char *file)
{
    struct litmus test;
    const char *text = read_file(PATTERNS, file), *wrong = text ? litmus_parse(text, &test) : "is not there";
    check(!wrong, "%s can be read%s%s", file, wrong ? ": " : "", wrong ? wrong : "");
    if (wrong)
        return;
    const bool takes_load_buffering = strcmp(file, "tree-between-counters.litmus") == 0 ||
                                      strcmp(file, "atomic-is-two-events.litmus") == 0 ||
                                      strcmp(file, "grid-barrier-last.litmus") == 0,
               is_possible = test.quantifier == LITMUS_EXISTS;
    const struct opinions o = ask_both(&test, 200000, true, NULL);
    check(o.may && o.has_execution, "%s: %s by PTX, and an execution shows that", file,
          is_possible ? "the outcome is allowed" : "holds");
    check(o.is_whole && o.does != takes_load_buffering, "%s: %s by the machine", file,
          takes_load_buffering ? "not shown"
          : is_possible        ? "the outcome is shown"
                               : "holds");
}

/* Returns how many pairs of instructions of the pattern are reported as races in its first executions. */
static int races_of_pattern(const char *file, unsigned long long executions)
{
    static struct litmus_races races;
    struct litmus_outcomes shown = {.races = &races};
    struct litmus test;
    const char *text = read_file(PATTERNS, file);
    int count = 0;
    memset(&races, 0, sizeof races);
    if (!text || litmus_parse(text, &test))
        return -1;
    litmus_explore(&test, executions, &shown);
    for (size_t i = 0; i < sizeof races; i++)
        count += (&races.is[0][0][0][0])[i];
    litmus_forget(&shown);
    return count;
}

static void check_order_of_fences(void)
{
    check(races_of_pattern("last-block.litmus", 1) == 1,
          "a race is reported if two fences could have come in the other order");
    check(races_of_pattern("fence-order-forced.litmus", 200000) == 0,
          "and none if a value shows that they could not");
}

static void check_patterns(void)
{
    struct dirent **files;
    const int count = scandir(PATTERNS, &files, NULL, alphasort);
    int patterns = 0;
    for (int i = 0; i < count; i++) {
        if (strstr(files[i]->d_name, ".litmus")) {
            check_pattern(files[i]->d_name);
            patterns++;
        }
        free(files[i]);
    }
    free(files);
    check(patterns > 50, "there are patterns (%d)", patterns);
}

int main(int argc, char **argv)
{
    int programs = argc > 1 ? atoi(argv[1]) : 100;
    unsigned long long seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const struct tally plain = check_random(programs, seed, false, false);
    check(programs != 100 || plain.shown * 100 > plain.allowed * 61,
          "and, of the first hundred, more than 61 percent of what it allows");
    check_random(programs, seed, true, false);
    check_random(programs, seed, false, true);
    for (int c = 0; c < litmus_classic_count; c++)
        check_classic(c);
    check_patterns();
    check_order_of_fences();
    check_arithmetic();
    const char *folder = getenv("LITMUS_DATA");
    check_dat3m(folder ? folder : "../shared/data/third-party/litmus-ptx");
    return checks_done();
}
