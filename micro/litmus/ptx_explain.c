#include "micro/litmus/ptx_shown.h"

/* ---- Why is an outcome allowed: the order that is absent ---- */

static bool is_base_before(int a, int b)
{
    return a == b || ptx_is_before(&ptx_shown.x.base, a, b);
}

static bool is_ordered(int a, int b)
{
    return ptx_is_before(&ptx_shown.x.base, a, b) || ptx_is_before(&ptx_shown.x.base, b, a);
}

/* A write, and a read by another thread that sees its value. A release pattern that ends with the write and
 * an acquire pattern that begins with the read would order the threads. `write` is -1 if there are no two
 * such events. */
struct link {
    int write, read;
    int release,
        acquire; /* the first event of a release pattern, the last one of an acquire pattern, or -1 */
    int lacks;   /* the number of things that the link lacks to make an order */
};

/* Two accesses between which an order is missing, and how well this explains the execution (a later kind is
 * better) */
struct absence {
    int first, second;
    enum { NOT_ABSENT, OF_STRONG, OF_WRITES, OF_EARLY_READ, OF_STALE_READ } kind;
    struct link link; /* the link by which the first access could have been known before the second */
};

/* Writes into `text`, and returns, that a read reads from a write or sees it through atomics. */
static const char *say_sees(int read, int write, char text[48])
{
    bool is_direct = ptx_shown.x.read_from[read] == write;
    snprintf(text, 48, "%s %s %s%s", name_of(read), is_direct ? "reads from" : "sees", name_of(write),
             is_direct ? "" : " through atomics");
    return text;
}

/* Stands for every event, where a link may end anywhere. */
#define ANYWHERE (-1)

static bool precedes(int e, int to)
{
    return to == ANYWHERE || is_base_before(e, to);
}

static struct link judge_link(int from, int to, int write, int read)
{
    struct link link = {write, read, -1, -1, 0};
    for (int e = 0; e < ptx_shown.x.path.count; e++) {
        if (is_base_before(from, e) && ptx_is_before(&ptx_shown.x.release, e, write))
            link.release = e;
        if (precedes(e, to) && ptx_is_before(&ptx_shown.x.acquire, read, e))
            link.acquire = e;
    }
    bool strong = ptx_is_before(&ptx_shown.x.observation, write, read) &&
                  (link.release < 0 || link.acquire < 0 ||
                   ptx_is_before(&ptx_shown.x.strong, link.release, link.acquire));
    link.lacks = (link.release < 0) + (link.acquire < 0) + !strong;
    return link;
}

/* Finds the link that lacks the fewest things to make an order between `from` and `to`, but at least one. Its
 * write is `from` or follows it, and its read is `to` or precedes it. The read is of another thread, and sees
 * the write directly or through atomics. If there is no such link, the result's `write` is -1. */
static struct link find_link(int from, int to)
{
    struct ptx_relation seen = {{0}};
    struct link found = {.write = -1};
    for (int e = 0; e < ptx_shown.x.path.count; e++) {
        if (event(e)->kind != PTX_READ)
            continue;
        ptx_put(&seen, ptx_shown.x.read_from[e], e);
        if (event(e)->written >= 0)
            ptx_put(&seen, e, event(e)->written);
    }
    ptx_close(&seen, ptx_shown.x.path.count);
    for (int w = 0; w < ptx_shown.x.path.count; w++)
        for (int r = 0; r < ptx_shown.x.path.count; r++) {
            if (event(w)->kind != PTX_WRITE || event(r)->kind != PTX_READ || !ptx_is_before(&seen, w, r) ||
                event(w)->thread == event(r)->thread || !is_base_before(from, w) || !precedes(r, to))
                continue;
            struct link next = judge_link(from, to, w, r);
            if (next.lacks && (found.write < 0 || next.lacks < found.lacks))
                found = next;
        }
    return found;
}

/* Judges an access and a write of another thread to its location, which base causality order does not
 * order. */
static struct absence judge_pair(int e, int w)
{
    bool reads = event(e)->kind == PTX_READ, is_strong = ptx_is_before(&ptx_shown.x.strong, e, w);
    if (reads && ptx_shown.x.read_from[e] == w)
        return (struct absence){e, w, is_strong ? NOT_ABSENT : OF_EARLY_READ, find_link(e, w)};
    bool overwritten = reads ? !ptx_is_before(&ptx_shown.x.coherence, w, ptx_shown.x.read_from[e])
                             : ptx_is_before(&ptx_shown.x.coherence, e, w) && !is_strong;
    if (!overwritten)
        return (struct absence){.kind = NOT_ABSENT};
    return (struct absence){w, e,
                            !reads      ? OF_WRITES
                            : is_strong ? OF_STRONG
                                        : OF_STALE_READ,
                            find_link(w, e)};
}

static bool tells_more(const struct absence *a, const struct absence *b)
{
    if (a->kind != b->kind || a->kind == NOT_ABSENT)
        return a->kind > b->kind;
    return a->link.write >= 0 && (b->link.write < 0 || a->link.lacks < b->link.lacks);
}

/* Finds the order whose absence tells most about the execution. */
static struct absence find_absence(void)
{
    struct absence found = {.kind = NOT_ABSENT};
    for (int e = 0; e < ptx_shown.x.path.count; e++)
        for (int w = 0; w < ptx_shown.x.path.count; w++) {
            bool accesses = event(e)->kind <= PTX_WRITE && event(w)->kind == PTX_WRITE &&
                            event(e)->location == event(w)->location;
            if (!accesses || event(e)->thread < 0 || event(w)->thread < 0 ||
                event(e)->thread == event(w)->thread || is_ordered(e, w))
                continue;
            struct absence next = judge_pair(e, w);
            if (tells_more(&next, &found))
                found = next;
        }
    return found;
}

/* Says why two events of different threads are not morally strong with each other. */
static void say_why_not_strong(int a, int b)
{
    for (int turned = 0; turned < 2; turned++) {
        int e = turned ? b : a, other = turned ? a : b;
        if (event(e)->scope == SCOPE_THREAD)
            return ptx_say(4, "%s and %s are not morally strong with each other: %s is weak", name_of(a),
                           name_of(b), name_of(e));
        const struct litmus_thread *one = &ptx_shown.x.path.test->threads[event(e)->thread],
                                   *two = &ptx_shown.x.path.test->threads[event(other)->thread];
        if ((event(e)->scope == SCOPE_BLOCK && one->block != two->block) ||
            (event(e)->scope == SCOPE_DEVICE && one->device != two->device))
            return ptx_say(4,
                           "%s and %s are not morally strong with each other: the scope of %s (%s) "
                           "does not include P%d",
                           name_of(a), name_of(b), name_of(e), litmus_scope_name(event(e)->scope),
                           event(other)->thread);
    }
}

/* Says what a link lacks. `to` is the event that it should precede, or ANYWHERE. */
static void explain_link(const struct link *link, int from, int to)
{
    const char *write = name_of(link->write), *read = name_of(link->read);
    char sees[48];
    ptx_say(4, "%s", say_sees(link->read, link->write, sees));
    if (link->release < 0 && (from == link->write || event(from)->written == link->write))
        ptx_say(4, "%s does not release", write);
    else if (link->release < 0)
        ptx_say(4, "no release pattern leads from %s to %s: %s %s, and no release fence is between them",
                name_of(from), write, write,
                event(link->write)->scope == SCOPE_THREAD ? "is weak" : "does not release");
    const char *acquires = event(link->read)->scope == SCOPE_THREAD ? "is weak" : "does not acquire";
    if (link->acquire < 0 && to == ANYWHERE)
        ptx_say(4, "no acquire pattern begins with %s: %s %s, and no acquire fence follows it", read, read,
                acquires);
    else if (link->acquire < 0)
        ptx_say(4, "no acquire pattern leads from %s to %s: %s %s, and no acquire fence is between them",
                read, name_of(to), read, acquires);
    if (!ptx_is_before(&ptx_shown.x.observation, link->write, link->read))
        say_why_not_strong(link->write, link->read);
    else if (link->release >= 0 && link->acquire >= 0)
        say_why_not_strong(link->release, link->acquire);
}

void ptx_explain_absence(void)
{
    struct absence absence = find_absence();
    int from = absence.first, to = absence.second;
    if (absence.kind == NOT_ABSENT)
        return ptx_say(2, "Each read returns the last write that is before it, so no axiom is touched.");
    char may[64];
    if (absence.kind == OF_WRITES)
        snprintf(may, sizeof may, "%s may be overwritten by %s", name_of(to), name_of(from));
    else if (absence.kind == OF_EARLY_READ)
        snprintf(may, sizeof may, "%s may already read what %s writes", name_of(from), name_of(to));
    else
        snprintf(may, sizeof may, "%s may return what %s overwrites", name_of(to), name_of(from));
    ptx_say(2, "%s is not before %s in base causality order%s, so %s:", name_of(from), name_of(to),
            absence.kind == OF_STRONG ? "" : " (a data race)", may);
    if (absence.link.write >= 0)
        return explain_link(&absence.link, from, to);
    struct link first = find_link(from, ANYWHERE);
    if (first.write >= 0)
        explain_link(&first, from, ANYWHERE);
    else
        ptx_say(4,
                "after %s, P%d comes to no barrier, and writes nothing that another thread reads before %s",
                name_of(from), event(from)->thread, name_of(to));
}

/* ---- Why is an outcome forbidden: the order that exists ---- */

enum step { NO_STEP, PROGRAM_ORDER, BARRIER, SYNCHRONIZES, FENCE_ORDER };

/* Returns the kind of the step by which base causality order leads directly from a to b. */
static enum step step_of(int a, int b)
{
    if (event(a)->thread >= 0 && event(a)->thread == event(b)->thread && a < b)
        return PROGRAM_ORDER;
    if (ptx_is_before(&ptx_shown.x.barriers, a, b))
        return BARRIER;
    if (ptx_is_before(&ptx_shown.x.synchronizes, a, b))
        return SYNCHRONIZES;
    bool fences = event(a)->kind == PTX_FENCE && event(b)->kind == PTX_FENCE &&
                  event(a)->order == ORDER_SEQUENTIAL && event(b)->order == ORDER_SEQUENTIAL;
    return fences && ptx_is_before(&ptx_shown.x.strong, a, b) && ptx_is_before(&ptx_shown.x.base, a, b)
               ? FENCE_ORDER
               : NO_STEP;
}

static void say_synchronizes(int a, int b)
{
    for (int w = 0; w < ptx_shown.x.path.count; w++)
        for (int r = 0; r < ptx_shown.x.path.count; r++) {
            if (!ptx_is_before(&ptx_shown.x.release, a, w) ||
                !ptx_is_before(&ptx_shown.x.observation, w, r) || !ptx_is_before(&ptx_shown.x.acquire, r, b))
                continue;
            char acquire[48];
            if (b == r)
                snprintf(acquire, sizeof acquire, "%s acquires", name_of(b));
            else
                snprintf(acquire, sizeof acquire, "%s and %s are an acquire pattern", name_of(r), name_of(b));
            char sees[48];
            say_sees(r, w, sees);
            if (a == w)
                return ptx_say(4, "%s -> %s  synchronizes: %s releases, %s, %s", name_of(a), name_of(b),
                               name_of(a), sees, acquire);
            return ptx_say(4, "%s -> %s  synchronizes: %s and %s are a release pattern, %s, %s", name_of(a),
                           name_of(b), name_of(a), name_of(w), sees, acquire);
        }
}

/* Prints a path from a to b in causality order with the smallest number of steps. Steps by the order of
 * fence.sc are used only if there is no path without them, because this order is a choice. */
static void show_way(int from, int to)
{
    int before[PTX_EVENTS], way[PTX_EVENTS], length = 0;
    ptx_set reached = PTX_BIT(from), last = reached;
    for (enum step most = SYNCHRONIZES; most <= FENCE_ORDER && !(reached & PTX_BIT(to)); most++)
        for (reached = last = PTX_BIT(from); last && !(reached & PTX_BIT(to));) {
            ptx_set next = 0;
            PTX_FOR_EACH(a, last)
            for (int e = 0; e < ptx_shown.x.path.count; e++) {
                enum step step = step_of(a, e);
                if (step == NO_STEP || step > most || (reached | next) & PTX_BIT(e))
                    continue;
                before[e] = a;
                next |= PTX_BIT(e);
            }
            reached |= next;
            last = next;
        }
    if (!(reached & PTX_BIT(to)))
        return;
    for (int e = to; e != from; e = before[e])
        way[length++] = e;
    for (int a = from; length--; a = way[length]) {
        int b = way[length];
        enum step step = step_of(a, b);
        if (step == SYNCHRONIZES)
            say_synchronizes(a, b);
        else
            ptx_say(4, "%s -> %s  %s", name_of(a), name_of(b),
                    step == PROGRAM_ORDER ? "program order"
                    : step == BARRIER     ? "barrier"
                                          : "order of fence.sc");
    }
}

/* Prints a way by which causality order leads from a to b: in base causality order, or after a read that
 * observes a. */
static void show_cause(int a, int b)
{
    if (ptx_is_before(&ptx_shown.x.base, a, b))
        return show_way(a, b);
    PTX_FOR_EACH(r, ptx_shown.x.observation.after[a])
    if (ptx_is_before(&ptx_shown.x.base, r, b) && event(r)->location == event(b)->location) {
        ptx_say(4, "%s -> %s  observation", name_of(a), name_of(r));
        return show_way(r, b);
    }
}

void ptx_explain_violation(void)
{
    int first = ptx_shown.x.violation.first, second = ptx_shown.x.violation.second;
    const char *a = name_of(first), *b = name_of(second);
    if (ptx_shown.x.violation.axiom == PTX_ATOMICITY)
        return ptx_say(2, "The axiom Atomicity forbids it: %s writes between the read and the write of %s.",
                       a, b);
    if (ptx_shown.x.violation.axiom == PTX_COHERENCE)
        ptx_say(2,
                "The axiom Coherence forbids it: %s is before %s in causality order, so %s cannot be the "
                "later write.",
                a, b, a);
    else if (event(first)->kind == PTX_READ)
        ptx_say(2,
                "The axiom Causality forbids it: %s is before %s in causality order, so %s cannot read what "
                "%s writes.",
                a, b, a, b);
    else
        ptx_say(
            2,
            "The axiom Causality forbids it: %s is before %s in causality order, so %s cannot return what "
            "%s overwrites.",
            a, b, b, a);
    show_cause(first, second);
}
