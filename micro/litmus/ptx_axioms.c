/* Enumerates the executions of a litmus test and judges them by PTX's axioms. An execution is made by several
 * choices in turn. One file because the function that makes a choice calls the function that
 * makes the next one, and because all of them use the same relations. */
#include "micro/litmus/ptx_axioms.h"

#include "micro/litmus/ptx_barriers.h"
#include "micro/litmus/ptx_execution.h"

#include <string.h>

/* The path of the litmus test that is judged, and the choices so far: of the writes that reads read from, the
 * order of the fences and the coherence order. Each choice calls the next one with the relations that
 * follow. */
static struct {
    const struct ptx_path *path;
    const struct ptx_event *events;
    int count;
    struct ptx_relation strong; /* pairs of events that are morally strong with each other */
    /* the pairs of base causality that come from program order, or whose first event is the write of an
     * initial value */
    struct ptx_relation base;
    /* pairs of events: the first and the last event of each release pattern, and of each acquire pattern */
    struct ptx_relation release, acquire;
    ptx_set writes, reads, sequential;
    int read_from[PTX_EVENTS]; /* for each read, the write that it reads from, or -1 if none is chosen yet */
    struct {
        const struct ptx_relation *base_with_barriers, *observation, *base, *cause;
    } chosen;
} g;

/* The result of the enumeration: either all outcomes (`out`), or one execution with a wanted outcome
 * (`execution`). The other pointer is NULL. */
static struct {
    struct litmus_outcomes *out;
    struct ptx_execution *execution;
    /* how well the violation of `execution` explains to a reader why PTX forbids the outcome; larger is
     * better */
    int telling;
    bool also_forbidden; /* whether executions that violate an axiom are enumerated, too */
    int tried;           /* the number of executions for which also_forbidden chose a coherence order */
} wanted;

/* The largest number of executions that also_forbidden enumerates; a program of some 20 events has fewer. */
enum { MOST_TRIED = 200000 };

/* ---- Events ---- */

static bool is_memory(int e)
{
    return g.events[e].kind == PTX_READ || g.events[e].kind == PTX_WRITE;
}

static bool same_location(int a, int b)
{
    return is_memory(a) && is_memory(b) && g.events[a].location == g.events[b].location;
}

static bool is_strong(int e)
{
    return g.events[e].kind == PTX_FENCE || (is_memory(e) && g.events[e].scope != SCOPE_THREAD);
}

static bool includes(enum machine_scope scope, int thread, int other)
{
    const struct litmus_thread *threads = g.path->test->threads;
    const struct litmus_thread *a = &threads[thread], *b = &threads[other];
    return scope == SCOPE_SYSTEM || (scope == SCOPE_DEVICE && a->device == b->device) ||
           (scope == SCOPE_BLOCK && a->block == b->block);
}

static bool are_morally_strong(int a, int b)
{
    const struct ptx_event *x = &g.events[a], *y = &g.events[b];
    bool can = a != b && x->thread >= 0 && y->thread >= 0 && (is_strong(a) || is_memory(a)) &&
               (is_strong(b) || is_memory(b));
    if (!can || (is_memory(a) && is_memory(b) && x->location != y->location))
        return false;
    return x->thread == y->thread ||
           (is_strong(a) && is_strong(b) && includes(x->scope, x->thread, y->thread) &&
            includes(y->scope, y->thread, x->thread));
}

static bool in_program_order(int a, int b)
{
    return g.events[a].thread >= 0 && g.events[a].thread == g.events[b].thread && a < b;
}

static bool releases(int e)
{
    return g.events[e].order & ORDER_RELEASE;
}

static bool acquires(int e)
{
    return g.events[e].order & ORDER_ACQUIRE;
}

/* Returns whether events a and b form a release pattern: one release write, a release write before a strong
 * write of its location, or a release fence before a strong write. */
static bool is_release_pattern(int a, int b)
{
    if (g.events[b].kind != PTX_WRITE || !is_strong(b) || !releases(a))
        return false;
    if (g.events[a].kind == PTX_WRITE)
        return a == b || (in_program_order(a, b) && same_location(a, b));
    return g.events[a].kind == PTX_FENCE && in_program_order(a, b);
}

static bool is_acquire_pattern(int a, int b)
{
    if (g.events[a].kind != PTX_READ || !is_strong(a) || !acquires(b))
        return false;
    if (g.events[b].kind == PTX_READ)
        return a == b || (in_program_order(a, b) && same_location(a, b));
    return g.events[b].kind == PTX_FENCE && in_program_order(a, b);
}

static void relate(int a, int b)
{
    bool initial = g.events[a].thread < 0 && g.events[b].thread >= 0;
    if (in_program_order(a, b) || initial)
        ptx_put(&g.base, a, b);
    if (are_morally_strong(a, b))
        ptx_put(&g.strong, a, b);
    if (is_release_pattern(a, b))
        ptx_put(&g.release, a, b);
    if (is_acquire_pattern(a, b))
        ptx_put(&g.acquire, a, b);
}

static void prepare(const struct ptx_path *path)
{
    memset(&g, 0, sizeof g);
    g.path = path;
    g.events = path->events;
    g.count = path->count;
    memset(g.read_from, -1, sizeof g.read_from);
    for (int a = 0; a < g.count; a++) {
        const struct ptx_event *x = &g.events[a];
        g.writes |= x->kind == PTX_WRITE ? PTX_BIT(a) : 0;
        g.reads |= x->kind == PTX_READ ? PTX_BIT(a) : 0;
        g.sequential |= x->kind == PTX_FENCE && x->order == ORDER_SEQUENTIAL ? PTX_BIT(a) : 0;
        for (int b = 0; b < g.count; b++)
            relate(a, b);
    }
}

/* ---- The axioms, applied to the reads whose writes are chosen ---- */

/* Composes two relations: in `out`, a is before c if for some b, a is before b in `first` and b before c in
 * `second`. */
static void compose(struct ptx_relation *out, const struct ptx_relation *first,
                    const struct ptx_relation *second)
{
    for (int a = 0; a < g.count; a++) {
        ptx_set row = 0;
        PTX_FOR_EACH(b, first->after[a]) row |= second->after[b];
        out->after[a] = row;
    }
}

/*
 * Finds the relation "observation" of PTX's model, from writes to reads: a read observes a morally strong
 * write from which it reads, directly or through any number of atomics that read and write again. The pair of
 * an atomic's own write and read is left out: in the formal model an atomic is two events.
 */
static void find_observation(struct ptx_relation *observation)
{
    memset(observation, 0, sizeof *observation);
    PTX_FOR_EACH(r, g.reads)
    {
        int from = g.read_from[r], written = g.events[r].written;
        if (from >= 0 && ptx_is_before(&g.strong, from, r))
            ptx_put(observation, from, r);
        if (written >= 0)
            ptx_put(observation, r, written);
    }
    ptx_close(observation, g.count);
    for (int e = 0; e < g.count; e++)
        observation->after[e] &= g.writes & PTX_BIT(e) ? g.reads : 0;
}

/* Adds to base causality the order between threads that releases and acquires establish. */
static void add_synchronization(struct ptx_relation *base, const struct ptx_relation *observation)
{
    struct ptx_relation observed, synchronizes;
    compose(&observed, &g.release, observation);
    compose(&synchronizes, &observed, &g.acquire);
    for (int a = 0; a < g.count; a++)
        base->after[a] |= synchronizes.after[a] & g.strong.after[a];
}

/* Finds causality between accesses to the same location. `base` is base causality, already transitive. */
static void find_cause(struct ptx_relation *cause, const struct ptx_relation *base,
                       const struct ptx_relation *observation)
{
    struct ptx_relation same = {{0}};
    for (int a = 0; a < g.count; a++)
        for (int b = 0; b < g.count; b++)
            if (ptx_is_before(base, a, b) && same_location(a, b))
                ptx_put(&same, a, b);
    compose(cause, observation, &same);
    for (int a = 0; a < g.count; a++)
        cause->after[a] |= same.after[a];
}

/* Finds the part of the coherence order that causality and the initial values determine. Returns false if
 * this part has a cycle. */
static bool begin_coherence(struct ptx_relation *coherence, const struct ptx_relation *cause)
{
    memset(coherence, 0, sizeof *coherence);
    PTX_FOR_EACH(a, g.writes)
    PTX_FOR_EACH(b, g.writes)
    if (a != b && same_location(a, b) &&
        (ptx_is_before(cause, a, b) || (g.events[a].thread < 0 && g.events[b].thread >= 0)))
        ptx_put(coherence, a, b);
    ptx_close(coherence, g.count);
    PTX_FOR_EACH(w, g.writes)
    if (ptx_is_before(coherence, w, w))
        return false;
    return true;
}

/* Returns a violation of the axioms Causality and Atomicity, if there is one. A violated axiom stays violated
 * if pairs are added to the relations. */
static struct ptx_violation find_violation(const struct ptx_relation *cause,
                                           const struct ptx_relation *coherence)
{
    PTX_FOR_EACH(r, g.reads)
    {
        int from = g.read_from[r], written = g.events[r].written;
        if (from < 0)
            continue;
        if (ptx_is_before(cause, r, from))
            return (struct ptx_violation){PTX_CAUSALITY, r, from};
        PTX_FOR_EACH(later, coherence->after[from])
        {
            if (ptx_is_before(cause, later, r))
                return (struct ptx_violation){PTX_CAUSALITY, later, r};
            if (written >= 0 && ptx_is_before(&g.strong, r, later) &&
                ptx_is_before(&g.strong, later, written) && ptx_is_before(coherence, later, written))
                return (struct ptx_violation){PTX_ATOMICITY, later, r};
        }
    }
    return (struct ptx_violation){.axiom = PTX_NONE};
}

static bool is_consistent(const struct ptx_relation *cause, const struct ptx_relation *coherence)
{
    return find_violation(cause, coherence).axiom == PTX_NONE;
}

/* ---- The choices: coherence order, order of fence.sc, threads that open barriers, writes that reads read
 * from ---- */

/* Returns how well a violation explains to a reader why PTX forbids the outcome: a violation between threads
 * is better than one within a thread. */
static int telling(struct ptx_violation v)
{
    return 2 * (int)v.axiom + (g.events[v.first].thread != g.events[v.second].thread);
}

/* Copies the execution whose choices were made last to wanted.execution. */
static void copy_execution(const struct litmus_outcome *outcome, const struct ptx_relation *coherence,
                           struct ptx_violation violation)
{
    struct ptx_execution *x = wanted.execution;
    x->path = *g.path;
    memcpy(x->read_from, g.read_from, sizeof x->read_from);
    x->strong = g.strong;
    x->release = g.release;
    x->acquire = g.acquire;
    x->observation = *g.chosen.observation;
    memset(&x->barriers, 0, sizeof x->barriers);
    for (int e = 0; e < g.count; e++)
        x->barriers.after[e] = g.chosen.base_with_barriers->after[e] & ~g.base.after[e];
    memset(&x->synchronizes, 0, sizeof x->synchronizes);
    add_synchronization(&x->synchronizes, &x->observation);
    x->base = *g.chosen.base;
    x->coherence = *coherence;
    x->outcome = *outcome;
    x->violation = violation;
    wanted.telling = telling(violation);
}

/* Returns a violation of the axioms Coherence, Causality and Atomicity, if there is one. */
static struct ptx_violation find_any_violation(const struct ptx_relation *cause,
                                               const struct ptx_relation *coherence)
{
    struct ptx_violation found = find_violation(cause, coherence);
    PTX_FOR_EACH(a, g.writes)
    PTX_FOR_EACH(b, g.writes & cause->after[a])
    if (found.axiom != PTX_CAUSALITY && ptx_is_before(coherence, b, a))
        found = (struct ptx_violation){PTX_COHERENCE, a, b};
    return found;
}

/* Takes an execution whose choices were all made. Among several wanted executions it keeps one with the
 * fewest events, and among those one whose violation explains most. */
static void note(struct litmus_outcome *outcome, const struct ptx_relation *coherence)
{
    if (wanted.out) {
        litmus_note(wanted.out, outcome);
    } else if (litmus_holds(g.path->test, outcome) != (g.path->test->quantifier == LITMUS_FOR_ALL)) {
        const struct ptx_execution *kept = wanted.execution;
        struct ptx_violation violation = find_any_violation(g.chosen.cause, coherence);
        if (!wanted.execution->found++ || g.count < kept->path.count ||
            (g.count == kept->path.count && telling(violation) > wanted.telling))
            copy_execution(outcome, coherence, violation);
    }
}

/* Notes the outcomes that the coherence order allows: an outcome for each choice of the last write of the
 * locations from number `location` on. */
static void note_outcomes(const struct ptx_relation *coherence, struct litmus_outcome *outcome, int location)
{
    if (location == g.path->test->location_count) {
        note(outcome, coherence);
        return;
    }
    PTX_FOR_EACH(w, g.writes)
    if (g.events[w].location == location && !coherence->after[w]) {
        ptx_value(g.path, g.events[w].source, g.read_from, &outcome->memory[location]);
        note_outcomes(coherence, outcome, location + 1);
    }
}

/* Returns the number of the access's instruction in its thread's code. */
static int number_of(const struct ptx_event *access)
{
    return (int)(access->instruction - g.path->test->threads[access->thread].code);
}

/* Notes the data races of an execution: accesses of two threads to one location, at least one of which
 * writes, that are not morally strong and not in causality order. */
static void note_races(const struct ptx_relation *cause)
{
    struct litmus_races *races = wanted.out ? wanted.out->races : NULL;
    for (int a = 0; races && a < g.count; a++)
        for (int b = 0; b < g.count; b++) {
            const struct ptx_event *x = &g.events[a], *y = &g.events[b];
            if (same_location(a, b) && x->thread >= 0 && y->thread >= 0 && x->thread != y->thread &&
                (x->kind == PTX_WRITE || y->kind == PTX_WRITE) && !ptx_is_before(&g.strong, a, b) &&
                !ptx_is_before(cause, a, b) && !ptx_is_before(cause, b, a))
                races->is[x->thread][number_of(x)][y->thread][number_of(y)] = true;
        }
}

static void note_execution(const struct ptx_relation *coherence)
{
    const struct litmus *test = g.path->test;
    struct litmus_outcome outcome = {0};
    for (int t = 0; t < test->thread_count; t++)
        for (int r = 0; r < test->threads[t].register_count; r++)
            ptx_value(g.path, g.path->registers[t][r], g.read_from, &outcome.registers[t][r]);
    note_outcomes(coherence, &outcome, 0);
}

/* Finds the first two events of the set that are morally strong and that the relation does not order. Returns
 * false if there are none. */
static bool find_unordered(ptx_set set, const struct ptx_relation *relation, int *a, int *b)
{
    PTX_FOR_EACH(x, set)
    PTX_FOR_EACH(y, set & g.strong.after[x])
    if (!ptx_is_before(relation, x, y) && !ptx_is_before(relation, y, x)) {
        *a = x;
        *b = y;
        return true;
    }
    return false;
}

static void choose_coherence(const struct ptx_relation *cause, const struct ptx_relation *coherence)
{
    int a, b;
    if (!is_consistent(cause, coherence))
        return;
    if (!find_unordered(g.writes, coherence, &a, &b)) {
        note_races(cause);
        return note_execution(coherence);
    }
    for (int turned = 0; turned < 2; turned++) {
        struct ptx_relation next = *coherence;
        ptx_put_closed(&next, g.count, turned ? b : a, turned ? a : b);
        choose_coherence(cause, &next);
    }
}

/* Chooses, for an execution that may violate the axioms, a total order of the writes to each location. No
 * outcome is lost: if a partial order violates no axiom, neither does a total order that contains it. */
static void choose_any_coherence(const struct ptx_relation *coherence)
{
    PTX_FOR_EACH(a, g.writes)
    PTX_FOR_EACH(b, g.writes)
    if (a < b && same_location(a, b) && !ptx_is_before(coherence, a, b) && !ptx_is_before(coherence, b, a)) {
        for (int turned = 0; turned < 2; turned++) {
            struct ptx_relation next = *coherence;
            ptx_put_closed(&next, g.count, turned ? b : a, turned ? a : b);
            choose_any_coherence(&next);
        }
        return;
    }
    wanted.tried++;
    note_execution(coherence);
}

/* Chooses the order of fence.sc (axiom Fence-SC): base causality must contain one order of every two that are
 * morally strong. */
static void choose_fences(const struct ptx_relation *base, const struct ptx_relation *observation)
{
    int a, b;
    PTX_FOR_EACH(f, g.sequential)
    if (ptx_is_before(base, f, f))
        return;
    if (find_unordered(g.sequential, base, &a, &b)) {
        for (int turned = 0; turned < 2; turned++) {
            struct ptx_relation next = *base;
            ptx_put_closed(&next, g.count, turned ? b : a, turned ? a : b);
            choose_fences(&next, observation);
        }
        return;
    }
    struct ptx_relation cause, coherence;
    find_cause(&cause, base, observation);
    g.chosen.observation = observation;
    g.chosen.base = base;
    g.chosen.cause = &cause;
    if (wanted.also_forbidden) {
        static const struct ptx_relation none;
        begin_coherence(&coherence, &none);
        choose_any_coherence(&coherence);
    } else if (begin_coherence(&coherence, &cause)) {
        choose_coherence(&cause, &coherence);
    }
}

static void take_meeting(const struct ptx_relation *base)
{
    struct ptx_relation closed = *base, observation;
    g.chosen.base_with_barriers = base;
    find_observation(&observation);
    add_synchronization(&closed, &observation);
    ptx_close(&closed, g.count);
    choose_fences(&closed, &observation);
}

/* Returns false if the writes that are chosen so far for some reads violate an axiom, whichever writes the
 * other reads read from. */
static bool may_stand(void)
{
    struct ptx_relation base = g.base, observation, cause, coherence;
    if (!ptx_may_be_taken(g.path, g.read_from))
        return false;
    if (wanted.also_forbidden)
        return wanted.tried < MOST_TRIED;
    find_observation(&observation);
    add_synchronization(&base, &observation);
    ptx_close(&base, g.count);
    find_cause(&cause, &base, &observation);
    return begin_coherence(&coherence, &cause) && is_consistent(&cause, &coherence);
}

/* Chooses the writes that the reads in `left` read from. By the axiom No-Thin-Air, no event may depend on
 * itself through the path and the chosen reads. `needed_by` contains this dependence and is transitive. */
static void choose_reads(ptx_set left, const struct ptx_relation *needed_by)
{
    if (!left)
        return ptx_for_each_meeting(g.path, g.read_from, &g.base, take_meeting);
    int r = __builtin_ctzll(left);
    PTX_FOR_EACH(w, g.writes)
    if (g.events[w].location == g.events[r].location && !ptx_is_before(needed_by, r, w)) {
        struct ptx_relation next = *needed_by;
        ptx_put_closed(&next, g.count, w, r);
        g.read_from[r] = w;
        if (may_stand())
            choose_reads(left & (left - 1), &next);
        g.read_from[r] = -1;
    }
}

static void judge(const struct ptx_path *path)
{
    struct ptx_relation needed_by = {{0}};
    prepare(path);
    for (int e = 0; e < g.count; e++)
        PTX_FOR_EACH(r, g.events[e].needs) ptx_put(&needed_by, r, e);
    ptx_close(&needed_by, g.count);
    choose_reads(g.reads, &needed_by);
}

bool ptx_outcomes(const struct litmus *test, struct litmus_outcomes *out)
{
    wanted.out = out;
    wanted.execution = NULL;
    wanted.also_forbidden = false;
    if (ptx_for_each_path(test, judge))
        return true;
    litmus_forget(out);
    return false;
}

bool ptx_find_execution(const struct litmus *test, struct ptx_execution *execution)
{
    wanted.out = NULL;
    wanted.execution = execution;
    wanted.tried = 0;
    for (int forbidden = 0; forbidden < 2; forbidden++) {
        wanted.also_forbidden = forbidden;
        *execution = (struct ptx_execution){.is_allowed = !forbidden};
        if (!ptx_for_each_path(test, judge))
            return false;
        if (execution->found)
            break;
    }
    execution->are_all_found = !wanted.also_forbidden || wanted.tried < MOST_TRIED;
    return true;
}
