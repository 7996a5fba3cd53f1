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

#include <string.h>

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

/* Checks that the machine shows only outcomes of the litmus test that the axioms allow and, if `with_races`
 * is set, only such races. It compares all executions, or samples of them if there are more than `most`. */
static void compare(const struct litmus *test, unsigned most, bool with_races, struct tally *tally)
{
    static struct litmus_races allowed_races, shown_races;
    struct litmus_outcomes allowed = {.races = with_races ? &allowed_races : NULL},
                           shown = {.races = with_races ? &shown_races : NULL};
    memset(&allowed_races, 0, sizeof allowed_races);
    memset(&shown_races, 0, sizeof shown_races);
    if (!ptx_outcomes(test, &allowed))
        return;
    if (!litmus_explore(test, most, &shown))
        litmus_sample(test, most, &(struct random){1}, &shown);
    int forbidden = 0;
    for (int i = 0; i < shown.count; i++)
        forbidden += !litmus_has(&allowed, &shown.items[i]);
    tally->programs++;
    tally->unsound += forbidden > 0;
    tally->complete += shown.count == allowed.count;
    tally->shown += shown.count;
    tally->allowed += allowed.count;
    compare_races(&allowed_races, &shown_races, tally);
    litmus_forget(&allowed);
    litmus_forget(&shown);
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
        compare(&test, with_races ? 200 : 1000, with_races, &tally);
    }
    check(tally.programs > programs * 9 / 10 && tally.unsound == 0 && tally.unsound_races == 0,
          "random programs%s show nothing that PTX forbids (%d programs, %d unsound; %lld of %lld allowed "
          "outcomes shown, all of them in %d; %d unsound races, %d of %d pairs of instructions reported)",
          with_features ? " with branches, other atomics, and barriers of a few threads" : "", tally.programs,
          tally.unsound, tally.shown, tally.allowed, tally.complete, tally.unsound_races,
          tally.races_shown / 2, tally.races_allowed / 2);
    return tally;
}

/* ---- the execution that is shown of a test ---- */

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

/* ---- the classic litmus tests, such as message passing and store buffering ---- */

static void check_classic(int classic)
{
    int unsound = 0, hidden = 0, allowed_forms = 0, not_all = 0, not_found = 0;
    for (int f = 0; f < litmus_form_count; f++) {
        struct litmus test;
        struct litmus_outcomes allowed = {.count = 0}, shown = {.count = 0};
        litmus_make_classic(classic, f, &test);
        bool judged = ptx_outcomes(&test, &allowed), all = litmus_explore(&test, 100000, &shown);
        bool may = litmus_verdict(&test, &allowed), does = litmus_verdict(&test, &shown);
        not_all += !judged || !all;
        allowed_forms += may;
        unsound += does && !may;
        hidden += may && !does;
        not_found += !finds_execution(&test, &allowed);
        if (does != may)
            printf("        %s: %s\n", test.name, may ? "allowed and not shown" : "FORBIDDEN AND SHOWN");
        litmus_forget(&allowed);
        litmus_forget(&shown);
    }
    const char *name = litmus_classic_name(classic);
    bool is_lb = strcmp(name, "lb") == 0, is_cowr = strcmp(name, "cowr") == 0;
    check(unsound == 0 && not_all == 0,
          "%s, all its executions: of %d forms PTX allows %d, the machine shows %d", name, litmus_form_count,
          allowed_forms, allowed_forms - hidden);
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

struct opinions {
    int tests, not_judged, differ, unsound, hidden, not_read;
    /* number of outcomes that PTX allows, and number of those outcomes that the machine never shows */
    int outcomes, outcomes_hidden;
};

/* Compares the outcomes of a litmus test that the machine shows with the outcomes that the axioms allow. Also
 * compares whether the test's condition holds on the machine and by the axioms. */
static void compare_with_axioms(const char *name, const struct litmus *test,
                                const struct litmus_outcomes *allowed, struct opinions *n)
{
    struct litmus_outcomes shown = {.count = 0};
    if (!litmus_explore(test, 10000, &shown))
        litmus_sample(test, 3000, &(struct random){1}, &shown);
    int forbidden = 0;
    for (int i = 0; i < shown.count; i++)
        forbidden += !litmus_has(allowed, &shown.items[i]);
    n->unsound += forbidden > 0;
    n->outcomes += allowed->count;
    n->outcomes_hidden += allowed->count - (shown.count - forbidden);
    bool differs = litmus_verdict(test, &shown) != litmus_verdict(test, allowed);
    n->hidden += differs && forbidden == 0;
    if (differs || forbidden)
        printf("        %s: %s\n", name, forbidden ? "FORBIDDEN AND SHOWN" : "allowed and not shown");
    litmus_forget(&shown);
}

static void ask_both(const char *name, bool expected, const char *text, struct opinions *n)
{
    struct litmus test;
    struct litmus_outcomes allowed = {.count = 0};
    const char *wrong = litmus_parse(text, &test);
    if (wrong) {
        n->not_read++;
        printf("        %s: %s\n", name, wrong);
        return;
    }
    n->tests++;
    if (ptx_outcomes(&test, &allowed)) {
        bool differs = litmus_verdict(&test, &allowed) != expected;
        n->differ += differs;
        if (differs)
            printf("        %s: the axioms differ from the expected %d\n", name, expected);
        compare_with_axioms(name, &test, &allowed, n);
    } else {
        n->not_judged++;
        printf("        %s: too long for the axioms\n", name);
    }
    litmus_forget(&allowed);
}

static void check_dat3m(const char *folder)
{
    char *list = read_file(folder, "expected.csv");
    if (!list) {
        printf("skipped Dat3M's tests: LITMUS_DATA names no folder with an expected.csv\n");
        return;
    }
    struct opinions n = {.tests = 0};
    char *rest = copy_text(list), *copy = rest;
    for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *comma = strrchr(line, ',');
        if (!comma)
            continue;
        *comma = '\0';
        char *text = read_file(folder, line);
        if (text)
            ask_both(line, comma[1] == '1', text, &n);
    }
    free(copy);
    check(n.tests > 0 && n.differ == 0 && n.not_judged == 0,
          "the axioms agree with Dat3M in %d of %d tests (%d were not read)",
          n.tests - n.differ - n.not_judged, n.tests, n.not_read);
    check(n.tests > 0 && n.unsound == 0,
          "Dat3M's tests show nothing that PTX forbids (%d tests, %d unsound, %d verdicts allowed and not "
          "shown; "
          "of %d allowed outcomes %d are not shown)",
          n.tests, n.unsound, n.hidden, n.outcomes, n.outcomes_hidden);
}

static void check_arithmetic(void)
{
    static const char text[] =
        "PTX arithmetic\n\"One thread\"\n{ x=1; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n"
        " add r1, r0, 2 ;\n mul r2, r1, 3 ;\nexists\n"
        "(P0:r0 == 1 /\\ P0:r1 == 3 /\\ P0:r2 == 9)\n";
    struct opinions n = {.tests = 0};
    ask_both("arithmetic", true, text, &n);
    check(n.tests == 1 && n.differ == 0 && n.unsound == 0 && n.outcomes_hidden == 0,
          "results go into the registers that are named");
}

/* ---- synchronization patterns taken from real programs (docs/weak-memory.md) ---- */

/* Checks that the condition in the litmus file `name` holds by the axioms. It must hold on the machine, too,
 * unless it needs load buffering, which the machine never shows. */
static void check_pattern(const char *name)
{
    char path[128];
    struct litmus test;
    struct litmus_outcomes allowed = {.count = 0}, shown = {.count = 0};
    snprintf(path, sizeof path, "%s.litmus", name);
    const char *text = read_file("micro/litmus/patterns", path),
               *wrong = text ? litmus_parse(text, &test) : "is not there";
    check(!wrong, "%s can be read%s%s", path, wrong ? ": " : "", wrong ? wrong : "");
    if (wrong)
        return;
    bool takes_load_buffering = strcmp(name, "tree-between-counters") == 0 ||
                                strcmp(name, "atomic-is-two-events") == 0 ||
                                strcmp(name, "grid-barrier-last") == 0;
    bool is_possible = test.quantifier == LITMUS_EXISTS;
    check(ptx_outcomes(&test, &allowed) && litmus_verdict(&test, &allowed), "%s: %s by PTX", name,
          is_possible ? "the outcome is allowed" : "holds");
    check(finds_execution(&test, &allowed), "%s: an execution shows that", name);
    check(litmus_explore(&test, 200000, &shown) && litmus_verdict(&test, &shown) != takes_load_buffering,
          "%s: %s by the machine", name,
          takes_load_buffering ? "not shown"
          : is_possible        ? "the outcome is shown"
                               : "holds");
    litmus_forget(&allowed);
    litmus_forget(&shown);
}

/* Returns how many pairs of instructions of the pattern are reported as races in its first executions. */
static int races_of_pattern(const char *file, unsigned long long executions)
{
    static struct litmus_races races;
    struct litmus_outcomes shown = {.races = &races};
    struct litmus test;
    const char *text = read_file("micro/litmus/patterns", file);
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
    static const char *const names[] = {
        "megakernel-counter", "megakernel-counter-mended", "all-reduce-scope", "all-reduce-scope-mended",
        "relaxed-spin", "relaxed-spin-mended", "block-fence", "block-fence-mended", "flag-in-the-data",
        "look-back", "look-back-mended", "grid-barrier-relaxed", "grid-barrier-relaxed-mended",
        "grid-barrier-last", "lock-before-all", "lock-before-all-mended", "publish-by-cas",
        "publish-by-cas-mended", "narrow-scope", "narrow-scope-mended", "fence-behind", "fence-behind-mended",
        "histogram-arrival", "histogram-arrival-mended", "lamport-counter", "lamport-counter-mended",
        "no-exit-barrier", "no-exit-barrier-mended", "tree-between-counters", "tree-between-counters-mended",
        "release-sequence", "write-after-release", "later-store", "earlier-load",
        /* the tests from here on show what the reader of litmus files and the axioms support */
        "block-shared-in-part", "block-shared-in-part-scope", "block-shared-in-part-fence", "barrier-twice",
        "barrier-twice-between", "barrier-count", "barrier-too-few", "barrier-late", "barrier-late-unknown",
        "barrier-late-keeps", "barrier-id", "barrier-id-differs", "barrier-arrive",
        "barrier-arrive-takes-nothing", "barrier-crossed", "barrier-crossed-arrive", "branch-flag",
        "branch-flag-relaxed", "branch-thin-air", "spin", "loop", "barrier-of-a-block",
        "barrier-id-registers", "compare-and-swap", "compare-and-swap-scope", "lock", "lock-relaxed",
        "five-threads", "atomics-of-bits", "atomics-that-wrap", "atomic-is-two-events", "fence-order-forced",
        "last-block"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_pattern(names[i]);
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
