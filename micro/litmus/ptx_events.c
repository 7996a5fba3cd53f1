#include "micro/litmus/ptx_events.h"

#include <string.h>

/* A position in the enumeration of paths. Each choice of a branch or compare-and-swap continues with copies
 * of the position and of the path so far. */
struct walk {
    int thread, at, turns;
    ptx_set decided_by; /* the read events on which the thread's branches so far depend */
};

static struct {
    void (*take)(const struct ptx_path *path);
    bool too_long;
} walks;

/* ---- Sources ---- */

static int new_source(struct ptx_path *p, struct ptx_source source)
{
    if (p->source_count == PTX_SOURCES) {
        walks.too_long = true;
        return 0;
    }
    p->sources[p->source_count] = source;
    return p->source_count++;
}

static int constant(struct ptx_path *p, int value)
{
    return new_source(p, (struct ptx_source){PTX_CONSTANT, value, 0, 0});
}

static int source_of(struct ptx_path *p, int thread, struct litmus_operand operand)
{
    return operand.is_register ? p->registers[thread][operand.value] : constant(p, operand.value);
}

static int computed(struct ptx_path *p, enum litmus_operator operation, int a, int b)
{
    return new_source(p, (struct ptx_source){PTX_COMPUTED, (int)operation, a, b});
}

/* Returns the read events on which the value of a source depends, whatever its operator computes from
 * them. */
static ptx_set reads_of(const struct ptx_path *p, int source)
{
    const struct ptx_source *s = &p->sources[source];
    if (s->kind == PTX_COMPUTED)
        return reads_of(p, s->a) | reads_of(p, s->b);
    return s->kind == PTX_FROM_READ ? PTX_BIT(s->value) : 0;
}

bool ptx_value(const struct ptx_path *path, int source, const int *read_from, int *value)
{
    const struct ptx_source *s = &path->sources[source];
    int a, b;
    *value = s->value;
    if (s->kind == PTX_CONSTANT)
        return true;
    if (s->kind == PTX_FROM_READ)
        return read_from[s->value] >= 0 &&
               ptx_value(path, path->events[read_from[s->value]].source, read_from, value);
    if (!ptx_value(path, s->a, read_from, &a) || !ptx_value(path, s->b, read_from, &b))
        return false;
    *value = litmus_compute((enum litmus_operator)s->value, a, b);
    return true;
}

bool ptx_may_be_taken(const struct ptx_path *path, const int *read_from)
{
    for (int i = 0; i < path->condition_count; i++) {
        const struct ptx_condition *c = &path->conditions[i];
        int a, b;
        if (ptx_value(path, c->a, read_from, &a) && ptx_value(path, c->b, read_from, &b) &&
            (litmus_compute(c->operation, a, b) != 0) != c->holds)
            return false;
    }
    return true;
}

/* ---- Events ---- */

static int add_event(struct ptx_path *p, struct ptx_event event)
{
    if (p->count == PTX_EVENTS) {
        walks.too_long = true;
        return 0;
    }
    p->events[p->count] = event;
    return p->count++;
}

static int add_read(struct ptx_path *p, const struct walk *w, const struct litmus_instruction *i)
{
    return add_event(p, (struct ptx_event){.kind = PTX_READ,
                                           .thread = w->thread,
                                           .instruction = i,
                                           .location = i->location,
                                           .scope = i->scope,
                                           .order = i->order & ORDER_ACQUIRE,
                                           .written = -1,
                                           .needs = w->decided_by});
}

static int add_write(struct ptx_path *p, const struct walk *w, const struct litmus_instruction *i, int source)
{
    return add_event(p, (struct ptx_event){.kind = PTX_WRITE,
                                           .thread = w->thread,
                                           .instruction = i,
                                           .location = i->location,
                                           .scope = i->scope,
                                           .order = i->order & ORDER_RELEASE,
                                           .source = source,
                                           .written = -1,
                                           .needs = w->decided_by | reads_of(p, source)});
}

static void set(struct ptx_path *p, int thread, int destination, int source)
{
    if (destination >= 0)
        p->registers[thread][destination] = source;
}

static void add_atomic(struct ptx_path *p, const struct walk *w, const struct litmus_instruction *i)
{
    int operand = source_of(p, w->thread, i->a), read = add_read(p, w, i);
    int old = new_source(p, (struct ptx_source){PTX_FROM_READ, read, 0, 0});
    int new = i->operation == LITMUS_EXCHANGE ? operand : computed(p, i->operation, old, operand);
    p->events[read].written = add_write(p, w, i, new);
    set(p, w->thread, i->destination, old);
}

static void add_barrier(struct ptx_path *p, const struct walk *w, const struct litmus_instruction *i)
{
    int id = source_of(p, w->thread, i->a);
    add_event(p, (struct ptx_event){.kind = i->kind == LITMUS_BARRIER ? PTX_BARRIER : PTX_ARRIVAL,
                                    .thread = w->thread,
                                    .instruction = i,
                                    .location = -1,
                                    .source = id,
                                    .written = -1,
                                    .instance = i->target,
                                    .count = i->b.value,
                                    .needs = w->decided_by | reads_of(p, id)});
}

static void add_instruction(struct ptx_path *p, const struct walk *w, const struct litmus_instruction *i)
{
    int t = w->thread;
    if (i->kind == LITMUS_LOAD) {
        int read = add_read(p, w, i);
        set(p, t, i->destination, new_source(p, (struct ptx_source){PTX_FROM_READ, read, 0, 0}));
    } else if (i->kind == LITMUS_STORE) {
        add_write(p, w, i, source_of(p, t, i->a));
    } else if (i->kind == LITMUS_ATOMIC) {
        add_atomic(p, w, i);
    } else if (i->kind == LITMUS_FENCE) {
        add_event(p, (struct ptx_event){.kind = PTX_FENCE,
                                        .thread = t,
                                        .instruction = i,
                                        .location = -1,
                                        .scope = i->scope,
                                        .order = i->order,
                                        .written = -1,
                                        .needs = w->decided_by});
    } else if (i->kind == LITMUS_SET) {
        int a = source_of(p, t, i->a);
        set(p, t, i->destination,
            i->operation == LITMUS_EXCHANGE ? a : computed(p, i->operation, a, source_of(p, t, i->b)));
    } else {
        add_barrier(p, w, i);
    }
}

/* ---- Paths ---- */

static void walk_on(const struct ptx_path *so_far, struct walk w);

static void require(struct ptx_path *p, enum litmus_operator operation, int a, int b, bool holds)
{
    if (p->condition_count == PTX_CONDITIONS)
        walks.too_long = true;
    else
        p->conditions[p->condition_count++] = (struct ptx_condition){operation, a, b, holds};
}

/* Returns whether the path can still be taken. It cannot if a branch on constants would go the other way. */
static bool is_open(const struct ptx_path *p)
{
    int nothing_read[PTX_EVENTS];
    memset(nothing_read, -1, sizeof nothing_read);
    return !walks.too_long && ptx_may_be_taken(p, nothing_read);
}

static void walk_branch(const struct ptx_path *so_far, struct walk w, const struct litmus_instruction *i)
{
    for (int jumps = 0; jumps < 2; jumps++) {
        struct ptx_path p = *so_far;
        struct walk next = w;
        int a = source_of(&p, w.thread, i->a), b = source_of(&p, w.thread, i->b);
        require(&p, i->operation, a, b, jumps);
        next.decided_by |= reads_of(&p, a) | reads_of(&p, b);
        next.at = jumps ? i->target : w.at + 1;
        next.turns += next.at <= w.at;
        if (next.turns <= LITMUS_TURNS && is_open(&p))
            walk_on(&p, next);
    }
}

static void walk_compare_swap(const struct ptx_path *so_far, struct walk w,
                              const struct litmus_instruction *i)
{
    for (int finds = 0; finds < 2; finds++) {
        struct ptx_path p = *so_far;
        struct walk next = w;
        int compared = source_of(&p, w.thread, i->a), new = source_of(&p, w.thread, i->b);
        int read = add_read(&p, &w, i), old = new_source(&p, (struct ptx_source){PTX_FROM_READ, read, 0, 0});
        require(&p, LITMUS_EQUAL, old, compared, finds);
        if (finds) {
            int write = add_write(&p, &w, i, new);
            p.events[read].written = write;
            p.events[write].needs |= PTX_BIT(read) | reads_of(&p, compared);
        }
        set(&p, w.thread, i->destination, old);
        next.at++;
        if (!walks.too_long)
            walk_on(&p, next);
    }
}

static void walk_on(const struct ptx_path *so_far, struct walk w)
{
    struct ptx_path p = *so_far;
    const struct litmus *test = p.test;
    for (; w.thread < test->thread_count; w = (struct walk){.thread = w.thread + 1})
        for (; w.at < test->threads[w.thread].count; w.at++) {
            const struct litmus_instruction *i = &test->threads[w.thread].code[w.at];
            if (i->kind == LITMUS_BRANCH)
                return walk_branch(&p, w, i);
            if (i->kind == LITMUS_ATOMIC && i->operation == LITMUS_COMPARE_SWAP)
                return walk_compare_swap(&p, w, i);
            add_instruction(&p, &w, i);
        }
    if (!walks.too_long)
        walks.take(&p);
}

bool ptx_for_each_path(const struct litmus *test, void (*take)(const struct ptx_path *path))
{
    struct ptx_path p = {.test = test};
    walks.take = take;
    walks.too_long = false;
    for (int l = 0; l < test->location_count; l++) {
        int value = constant(&p, test->initial[l]);
        add_event(&p, (struct ptx_event){
                          .kind = PTX_WRITE, .thread = -1, .location = l, .source = value, .written = -1});
    }
    for (int t = 0; t < test->thread_count; t++)
        for (int r = 0; r < LITMUS_REGISTERS; r++)
            p.registers[t][r] = constant(&p, test->threads[t].initial[r]);
    walk_on(&p, (struct walk){.thread = 0});
    return !walks.too_long;
}
