#include "micro/litmus/ptx_barriers.h"

#include <string.h>

/* One phase of a barrier. */
struct meeting {
    int block, instance, id, turn;
    int count;                /* number of arrivals that open the barrier, or 0 if all members must arrive */
    ptx_set members, openers; /* the events at the barrier, and the arrivals among them that open it */
    bool opens;               /* false if too few threads arrive to open the barrier */
};

static struct {
    const struct ptx_path *path;
    const struct ptx_relation *base;
    void (*take)(const struct ptx_relation *base);
    struct meeting meetings[PTX_EVENTS];
    int count;
    /* for each event, the index in `meetings` of its phase of a barrier, or -1 if it is at no barrier */
    int meeting_of[PTX_EVENTS];
} b;

static bool is_barrier(const struct ptx_event *e)
{
    return e->kind == PTX_BARRIER || e->kind == PTX_ARRIVAL;
}

static bool has_come(const struct meeting *m, int thread)
{
    PTX_FOR_EACH(e, m->members)
    if (b.path->events[e].thread == thread)
        return true;
    return false;
}

/* Adds an event to a phase of its barrier. A thread that arrives at a barrier again takes part in the next
 * phase. */
static void join(int event, int id)
{
    const struct ptx_event *e = &b.path->events[event];
    int block = b.path->test->threads[e->thread].block, turn = 0, m = 0;
    for (; m < b.count; m++) {
        const struct meeting *other = &b.meetings[m];
        if (other->block != block || other->instance != e->instance || other->id != id)
            continue;
        if (!has_come(other, e->thread))
            break;
        turn++;
    }
    if (m == b.count)
        b.meetings[b.count++] = (struct meeting){block, e->instance, id, turn, e->count, 0, 0, false};
    b.meetings[m].members |= PTX_BIT(event);
    b.meeting_of[event] = m;
}

/* Returns the barrier events that have happened when the threads have passed the barriers in `passed`: the
 * events of `passed`, and each thread's arrival at its next barrier. */
static ptx_set come_when(ptx_set passed)
{
    ptx_set come = passed;
    int last_thread = -1;
    for (int e = 0; e < b.path->count; e++)
        if (is_barrier(&b.path->events[e]) && !(passed & PTX_BIT(e)) &&
            b.path->events[e].thread != last_thread) {
            come |= PTX_BIT(e);
            last_thread = b.path->events[e].thread;
        }
    return come;
}

/* Returns whether every thread passes all its barriers with the chosen openers. */
static bool all_pass(void)
{
    ptx_set all = 0, passed = 0, before;
    for (int e = 0; e < b.path->count; e++)
        all |= is_barrier(&b.path->events[e]) ? PTX_BIT(e) : 0;
    do {
        ptx_set come = come_when(passed);
        before = passed;
        PTX_FOR_EACH(e, come)
        {
            const struct meeting *m = &b.meetings[b.meeting_of[e]];
            bool opens = m->opens && (m->openers & come) == m->openers;
            bool waits = b.path->events[e].kind == PTX_BARRIER && !opens;
            passed |= waits ? 0 : PTX_BIT(e);
        }
    } while (passed != before);
    return passed == all;
}

/* Orders the events that open a barrier before all events that pass it, and continues. An arrival without a
 * wait passes nothing. */
static void meet(void)
{
    struct ptx_relation base = *b.base;
    if (!all_pass())
        return;
    for (int m = 0; m < b.count; m++)
        PTX_FOR_EACH(o, b.meetings[m].opens ? b.meetings[m].openers : 0)
    PTX_FOR_EACH(e, b.meetings[m].members)
    if (e != o && b.path->events[e].kind == PTX_BARRIER)
        ptx_put(&base, o, e);
    b.take(&base);
}

static void choose_openers(int m)
{
    if (m == b.count)
        return meet();
    struct meeting *now = &b.meetings[m];
    int members = __builtin_popcountll(now->members), count = now->count ? now->count : members;
    now->opens = count <= members;
    if (!now->opens)
        return choose_openers(m + 1);
    /* enumerates the subsets of the members, in the order of their binary numbers */
    ptx_set subset = 0;
    do {
        subset = (subset - now->members) & now->members;
        now->openers = subset;
        if (__builtin_popcountll(subset) == count)
            choose_openers(m + 1);
    } while (subset);
}

void ptx_for_each_meeting(const struct ptx_path *path, const int *read_from, const struct ptx_relation *base,
                          void (*take)(const struct ptx_relation *base))
{
    b.path = path;
    b.base = base;
    b.take = take;
    b.count = 0;
    memset(b.meeting_of, -1, sizeof b.meeting_of);
    for (int e = 0; e < path->count; e++) {
        int id;
        if (is_barrier(&path->events[e]) && ptx_value(path, path->events[e].source, read_from, &id))
            join(e, id);
    }
    choose_openers(0);
}
