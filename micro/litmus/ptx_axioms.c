#include "micro/litmus/ptx_axioms.h"

#include <stdint.h>
#include <string.h>

enum { MOST_EVENTS = 32, MOST_PAIRS = 24 };

enum event_kind { READ, WRITE, FENCE, BARRIER };

/* The source of a value: a constant, what an event read, or a sum or difference of two. */
struct source {
    enum { CONSTANT, FROM_READ, COMPUTED } kind;
    int value; /* or the event, or the operator */
    int a, b;  /* other sources */
};

struct event {
    enum event_kind kind;
    int thread; /* -1: the initial value of a location */
    int location;
    enum machine_scope scope;
    enum machine_order order;
    int source;  /* of what a write writes */
    int barrier; /* which one */
};

/* A relation: bit b of row a says that a is before b. */
typedef uint32_t relation[MOST_EVENTS];

static struct {
    const struct litmus *test;
    struct event events[MOST_EVENTS];
    int count;
    struct source sources[8 * MOST_EVENTS];
    int source_count;
    int registers[LITMUS_THREADS][LITMUS_REGISTERS]; /* the source of each at the end */
    relation program, atomic, strong; /* program order; from an atomic's read to its write; morally strong */
    relation
        base; /* the part of base causality that no choice changes: program order, initial values, barriers */
    relation release, acquire; /* patterns: from their first event to their last */
    uint32_t writes, reads, sequential;
    int read_from[MOST_EVENTS]; /* of the reads, as chosen */
    struct litmus_outcomes *out;
} g;

#define BIT(e) (UINT32_C(1) << (e))
#define FOR_EACH(e, set)                                                                                     \
    for (uint32_t left_##e = (set); left_##e; left_##e &= left_##e - 1)                                      \
        for (int e = __builtin_ctz(left_##e), once_##e = 1; once_##e; once_##e = 0)

/* ---- relations ---- */

static void copy(relation to, const relation from)
{
    memcpy(to, from, sizeof(relation));
}

static void unite(relation to, const relation other)
{
    for (int a = 0; a < g.count; a++)
        to[a] |= other[a];
}

/* The transitive closure, in place. */
static void close_transitively(relation r)
{
    for (int through = 0; through < g.count; through++)
        for (int a = 0; a < g.count; a++)
            if (r[a] & BIT(through))
                r[a] |= r[through];
}

static bool is_cyclic(const relation closed)
{
    for (int a = 0; a < g.count; a++)
        if (closed[a] & BIT(a))
            return true;
    return false;
}

/* a before c if a is before b in the first and b before c in the second. */
static void compose(relation out, const relation first, const relation second)
{
    for (int a = 0; a < g.count; a++) {
        uint32_t row = 0;
        FOR_EACH(b, first[a]) row |= second[b];
        out[a] = row;
    }
}

static bool holds(const relation r, int a, int b)
{
    return r[a] & BIT(b);
}

/* ---- events ---- */

static bool is_memory(int e)
{
    return g.events[e].kind == READ || g.events[e].kind == WRITE;
}

static bool same_location(int a, int b)
{
    return is_memory(a) && is_memory(b) && g.events[a].location == g.events[b].location;
}

static bool is_strong(int e)
{
    return g.events[e].kind == FENCE || (is_memory(e) && g.events[e].scope != SCOPE_THREAD);
}

static bool includes(enum machine_scope scope, int thread, int other)
{
    const struct litmus_thread *a = &g.test->threads[thread], *b = &g.test->threads[other];
    return scope == SCOPE_SYSTEM || (scope == SCOPE_DEVICE && a->device == b->device) ||
           (scope == SCOPE_BLOCK && a->block == b->block);
}

static bool are_morally_strong(int a, int b)
{
    const struct event *x = &g.events[a], *y = &g.events[b];
    if (a == b || x->thread < 0 || y->thread < 0 || x->kind == BARRIER || y->kind == BARRIER)
        return false;
    if (is_memory(a) && is_memory(b) && x->location != y->location)
        return false;
    return x->thread == y->thread ||
           (is_strong(a) && is_strong(b) && includes(x->scope, x->thread, y->thread) &&
            includes(y->scope, y->thread, x->thread));
}

static int new_source(struct source source)
{
    g.sources[g.source_count] = source;
    return g.source_count++;
}

static int source_of(int thread, struct litmus_operand operand)
{
    return operand.is_register ? g.registers[thread][operand.value]
                               : new_source((struct source){CONSTANT, operand.value, 0, 0});
}

static int add_event(struct event event)
{
    g.events[g.count] = event;
    return g.count++;
}

static bool add_instruction(int t, const struct litmus_instruction *i)
{
    struct event e = {.thread = t, .location = i->location, .scope = i->scope, .order = i->order};
    if (g.count + 2 > MOST_EVENTS)
        return false;
    switch (i->kind) {
    case LITMUS_LOAD:
        e.kind = READ;
        g.registers[t][i->destination] = new_source((struct source){FROM_READ, add_event(e), 0, 0});
        return true;
    case LITMUS_STORE:
        e.kind = WRITE;
        e.source = source_of(t, i->a);
        add_event(e);
        return true;
    case LITMUS_ATOMIC: {
        if (i->operation == LITMUS_COMPARE_SWAP)
            return false;
        int operand = source_of(t, i->a);
        e.kind = READ;
        e.order = i->order & ORDER_ACQUIRE;
        int read = add_event(e), old = new_source((struct source){FROM_READ, read, 0, 0});
        e.kind = WRITE;
        e.order = i->order & ORDER_RELEASE;
        e.source = i->operation == LITMUS_EXCHANGE
                       ? operand
                       : new_source((struct source){COMPUTED, (int)i->operation, old, operand});
        g.atomic[read] |= BIT(add_event(e));
        if (i->destination >= 0)
            g.registers[t][i->destination] = old;
        return true;
    }
    case LITMUS_FENCE:
        e.kind = FENCE;
        add_event(e);
        return true;
    case LITMUS_BARRIER:
        e.kind = BARRIER;
        e.barrier = i->a.value;
        add_event(e);
        return true;
    case LITMUS_SET: {
        int a = source_of(t, i->a), b = source_of(t, i->b);
        g.registers[t][i->destination] = i->operation == LITMUS_EXCHANGE
                                             ? a
                                             : new_source((struct source){COMPUTED, (int)i->operation, a, b});
        return true;
    }
    default:
        return false;
    }
}

static bool make_events(const struct litmus *test)
{
    memset(&g, 0, sizeof g);
    g.test = test;
    for (int l = 0; l < test->location_count; l++)
        add_event((struct event){.kind = WRITE,
                                 .thread = -1,
                                 .location = l,
                                 .source = new_source((struct source){CONSTANT, test->initial[l], 0, 0})});
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        for (int r = 0; r < LITMUS_REGISTERS; r++)
            g.registers[t][r] = new_source((struct source){CONSTANT, thread->initial[r], 0, 0});
        for (int i = 0; i < thread->count; i++)
            if (g.source_count + 4 > (int)(sizeof g.sources / sizeof *g.sources) ||
                !add_instruction(t, &thread->code[i]))
                return false;
    }
    return true;
}

static bool releases(int e)
{
    return g.events[e].order & ORDER_RELEASE;
}

static bool acquires(int e)
{
    return g.events[e].order & ORDER_ACQUIRE;
}

/* A release write, or one before a strong write of its location; a release fence before a strong write. */
static bool is_release_pattern(int a, int b)
{
    if (g.events[b].kind != WRITE || !is_strong(b) || !releases(a))
        return false;
    if (g.events[a].kind == WRITE)
        return a == b || (holds(g.program, a, b) && same_location(a, b));
    return g.events[a].kind == FENCE && holds(g.program, a, b);
}

static bool is_acquire_pattern(int a, int b)
{
    if (g.events[a].kind != READ || !is_strong(a) || !acquires(b))
        return false;
    if (g.events[b].kind == READ)
        return a == b || (holds(g.program, a, b) && same_location(a, b));
    return g.events[b].kind == FENCE && holds(g.program, a, b);
}

static bool meet_at_barrier(int a, int b)
{
    const struct event *x = &g.events[a], *y = &g.events[b];
    return x->kind == BARRIER && y->kind == BARRIER && x->barrier == y->barrier && x->thread != y->thread &&
           g.test->threads[x->thread].block == g.test->threads[y->thread].block;
}

static void relate(void)
{
    for (int a = 0; a < g.count; a++) {
        const struct event *x = &g.events[a];
        g.writes |= x->kind == WRITE ? BIT(a) : 0;
        g.reads |= x->kind == READ ? BIT(a) : 0;
        g.sequential |= x->kind == FENCE && x->order == ORDER_SEQUENTIAL ? BIT(a) : 0;
        for (int b = 0; b < g.count; b++) {
            bool before = x->thread >= 0 && x->thread == g.events[b].thread && a < b;
            bool initial = x->thread < 0 && g.events[b].thread >= 0;
            g.program[a] |= before ? BIT(b) : 0;
            g.base[a] |= before || initial || meet_at_barrier(a, b) ? BIT(b) : 0;
            g.strong[a] |= are_morally_strong(a, b) ? BIT(b) : 0;
        }
    }
    for (int a = 0; a < g.count; a++)
        for (int b = 0; b < g.count; b++) {
            g.release[a] |= is_release_pattern(a, b) ? BIT(b) : 0;
            g.acquire[a] |= is_acquire_pattern(a, b) ? BIT(b) : 0;
        }
}

/* ---- one execution ---- */

/* The value of a source; *cyclic if it depends on itself (out of thin air). */
static int value_of(int source, int depth, bool *cyclic)
{
    const struct source *s = &g.sources[source];
    if (depth > 2 * MOST_EVENTS || *cyclic) {
        *cyclic = true;
        return 0;
    }
    if (s->kind == CONSTANT)
        return s->value;
    if (s->kind == FROM_READ)
        return value_of(g.events[g.read_from[s->value]].source, depth + 1, cyclic);
    int a = value_of(s->a, depth + 1, cyclic), b = value_of(s->b, depth + 1, cyclic);
    return litmus_compute((enum litmus_operator)s->value, a, b);
}

static bool has_values(void)
{
    bool cyclic = false;
    FOR_EACH(r, g.reads) value_of(g.events[g.read_from[r]].source, 0, &cyclic);
    return !cyclic;
}

/* Every choice of a last write for each location, where the coherence order leaves several. */
static void note_outcomes(const relation coherence, struct litmus_outcome *outcome, int location)
{
    bool cyclic = false;
    if (location == g.test->location_count) {
        litmus_note(g.out, outcome);
        return;
    }
    FOR_EACH(w, g.writes)
    {
        uint32_t later = 0;
        FOR_EACH(o, coherence[w]) later |= g.events[o].location == location ? BIT(o) : 0;
        if (g.events[w].location == location && !later) {
            outcome->memory[location] = value_of(g.events[w].source, 0, &cyclic);
            note_outcomes(coherence, outcome, location + 1);
        }
    }
}

/* From each read to the writes that come after the one it reads from. */
static void from_reads(relation out, const relation coherence)
{
    memset(out, 0, sizeof(relation));
    FOR_EACH(r, g.reads) out[r] = coherence[g.read_from[r]];
}

static bool is_consistent(const relation cause, const relation coherence)
{
    relation from_read;
    from_reads(from_read, coherence);
    FOR_EACH(r, g.reads) /* Causality */
    {
        if (holds(cause, r, g.read_from[r]))
            return false;
        FOR_EACH(w, from_read[r])
        if (holds(cause, w, r))
            return false;
    }
    FOR_EACH(r, g.reads) /* Atomicity */
    FOR_EACH(w, g.atomic[r])
    FOR_EACH(between, from_read[r])
    if (holds(g.strong, r, between) && holds(g.strong, between, w) && holds(coherence, between, w))
        return false;
    return true;
}

struct pairs {
    int a[MOST_PAIRS], b[MOST_PAIRS], count;
};

/* Orders the pairs as the bits of `choice` say. */
static void orient(relation r, const struct pairs *pairs, unsigned choice)
{
    for (int p = 0; p < pairs->count; p++) {
        bool turned = choice >> p & 1;
        r[turned ? pairs->b[p] : pairs->a[p]] |= BIT(turned ? pairs->a[p] : pairs->b[p]);
    }
}

static void try_coherence_orders(const relation cause, const struct pairs *writes)
{
    relation base = {0};
    FOR_EACH(a, g.writes)
    FOR_EACH(b, g.writes)
    if (a != b && same_location(a, b) &&
        (holds(cause, a, b) || (g.events[a].thread < 0 && g.events[b].thread >= 0)))
        base[a] |= BIT(b);
    for (unsigned choice = 0; choice < 1u << writes->count; choice++) {
        relation coherence;
        copy(coherence, base);
        orient(coherence, writes, choice);
        close_transitively(coherence);
        if (is_cyclic(coherence) || !is_consistent(cause, coherence))
            continue;
        struct litmus_outcome outcome = {0};
        bool cyclic = false;
        for (int t = 0; t < g.test->thread_count; t++)
            for (int r = 0; r < g.test->threads[t].register_count; r++)
                outcome.registers[t][r] = value_of(g.registers[t][r], 0, &cyclic);
        note_outcomes(coherence, &outcome, 0);
    }
}

static void try_fence_orders(const struct pairs *fences, const struct pairs *writes)
{
    relation observation = {0}, synchronizes, through, both;
    FOR_EACH(r, g.reads)
    {
        observation[g.read_from[r]] |= g.strong[g.read_from[r]] & BIT(r);
        observation[r] |= g.atomic[r];
    }
    close_transitively(observation);
    compose(through, g.release, observation);
    compose(both, through, g.acquire);
    for (int a = 0; a < g.count; a++)
        synchronizes[a] = both[a] & g.strong[a];
    for (unsigned choice = 0; choice < 1u << fences->count; choice++) {
        relation order = {0}, closed, base, cause;
        orient(order, fences, choice);
        copy(closed, order);
        close_transitively(closed);
        if (is_cyclic(closed))
            continue;
        copy(base, g.base);
        unite(base, synchronizes);
        unite(base, order);
        close_transitively(base);
        bool contradicts = false; /* Fence-SC */
        FOR_EACH(a, g.sequential)
        FOR_EACH(b, g.sequential)
        contradicts = contradicts || (holds(base, a, b) && holds(order, b, a));
        if (contradicts)
            continue;
        relation same = {0}, observed;
        for (int a = 0; a < g.count; a++)
            for (int b = 0; b < g.count; b++)
                same[a] |= holds(base, a, b) && same_location(a, b) ? BIT(b) : 0;
        compose(observed, observation, same);
        copy(cause, same);
        unite(cause, observed);
        try_coherence_orders(cause, writes);
    }
}

static bool add_pair(struct pairs *pairs, int a, int b)
{
    if (pairs->count == MOST_PAIRS)
        return false;
    pairs->a[pairs->count] = a;
    pairs->b[pairs->count++] = b;
    return true;
}

static bool find_pairs(struct pairs *fences, struct pairs *writes)
{
    for (int a = 0; a < g.count; a++)
        for (int b = a + 1; b < g.count; b++) {
            uint32_t both = BIT(a) | BIT(b);
            if (!holds(g.strong, a, b))
                continue;
            if ((g.sequential & both) == both && !add_pair(fences, a, b))
                return false;
            if ((g.writes & both) == both && same_location(a, b) &&
                g.events[a].thread != g.events[b].thread && !add_pair(writes, a, b))
                return false;
        }
    return fences->count + writes->count <= 20;
}

static void try_reads(uint32_t reads, const struct pairs *fences, const struct pairs *writes)
{
    if (!reads) {
        if (has_values())
            try_fence_orders(fences, writes);
        return;
    }
    int r = __builtin_ctz(reads);
    FOR_EACH(w, g.writes)
    if (g.events[w].location == g.events[r].location) {
        g.read_from[r] = w;
        try_reads(reads & (reads - 1), fences, writes);
    }
}

bool ptx_outcomes(const struct litmus *test, struct litmus_outcomes *out)
{
    struct pairs fences = {.count = 0}, writes = {.count = 0};
    if (!make_events(test))
        return false;
    g.out = out;
    relate();
    if (!find_pairs(&fences, &writes))
        return false;
    try_reads(g.reads, &fences, &writes);
    return true;
}
