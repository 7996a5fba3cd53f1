/*
 * Draws litmus tests that are cycles of up to six edges, as message passing and store buffering are: accesses
 * of one thread to two locations, with a fence or a barrier between them or nothing, and accesses of two
 * threads to one location. All outcomes of each test are compared with the outcomes that PTX's axioms allow:
 * the machine's memory model must show no other outcome, and it must show all of them unless one takes load
 * buffering or two orders of a location's writes.
 *
 *     build/host/litmus_cycles [CYCLES [SEED]]     60 cycles, with FULL=1 3000, that the commit draws
 */
#include "micro/litmus/litmus_explore.h"
#include "micro/litmus/ptx_axioms.h"
#include "revision.h"
#include "tests/check.h"
#include "tests/random_litmus.h"

#include <string.h>

static void add(struct litmus_thread *thread, struct litmus_instruction instruction)
{
    thread->code[thread->count++] = instruction;
}

/* Adds an access. If it reads, it reads into a register that no other access uses. */
static void add_access(struct litmus_thread *thread, int location, bool writes, int value)
{
    struct litmus_instruction i = {.kind = writes ? LITMUS_STORE : LITMUS_LOAD,
                                   .location = location,
                                   .destination = -1,
                                   .scope = any(4) ? any_scope() : SCOPE_THREAD,
                                   .order = ORDER_RELAXED,
                                   .a.value = value};
    if (writes && any(4) == 0) {
        i.kind = LITMUS_ATOMIC;
        i.operation = LITMUS_EXCHANGE;
        i.scope = any_scope();
    }
    if (i.scope != SCOPE_THREAD && any(3) == 0)
        i.order = writes ? ORDER_RELEASE : ORDER_ACQUIRE;
    if (i.kind != LITMUS_STORE) {
        i.destination = thread->register_count;
        thread->registers[thread->register_count++][0] = 'r';
    }
    add(thread, i);
}

/* Adds what is between two accesses of a thread. A thread without the barrier ends before the others
 * arrive. */
static void add_between(struct litmus_thread *thread)
{
    static const enum machine_order orders[] = {ORDER_RELEASE, ORDER_ACQUIRE, ORDER_ACQUIRE_RELEASE,
                                                ORDER_SEQUENTIAL};
    int what = any(4);
    if (what < 2)
        add(thread, (struct litmus_instruction){.kind = LITMUS_FENCE,
                                                .location = -1,
                                                .destination = -1,
                                                .scope = any_scope(),
                                                .order = orders[any(4)]});
    else if (what == 2)
        add(thread, (struct litmus_instruction){.kind = LITMUS_BARRIER, .location = -1, .destination = -1});
}

/* Returns a random cycle. An edge between two threads joins accesses to one location, at least one of which
 * writes. An edge within a thread joins accesses to two locations. */
static struct litmus any_cycle(void)
{
    int threads = 2 + any(2), within = 0, location = 0, value = 0, topology = any(3);
    /* threads of one block first meet at a barrier, which orders nothing, because no access precedes it */
    bool meets = any(3) == 0;
    bool has_two[3], written = any(2), first_writes = written;
    for (int t = 0; t < threads; t++)
        within += has_two[t] = t < 2 || any(2);
    struct litmus test = {.thread_count = threads, .location_count = within, .condition = "0 == 0"};
    for (int l = 0; l < within; l++)
        test.locations[l][0] = (char)('x' + l);
    for (int t = 0; t < threads; t++) {
        struct litmus_thread *thread = &test.threads[t];
        thread->device = topology == 2 ? t % 2 : 0;
        thread->block = thread->device * LITMUS_THREADS + (meets ? 0 : topology == 1 ? t : any(2));
        /* whether each access writes; at least one of two accesses joined by an edge writes */
        bool writes = t == 0 ? first_writes : written ? any(2) : true;
        if (meets && any(4))
            add(thread,
                (struct litmus_instruction){.kind = LITMUS_BARRIER, .location = -1, .destination = -1});
        add_access(thread, location, writes, ++value);
        if (has_two[t]) {
            add_between(thread);
            location = (location + 1) % within;
            writes = t + 1 == threads && !first_writes ? true : any(2);
            add_access(thread, location, writes, ++value);
        }
        written = writes;
    }
    return test;
}

static bool is_write(const struct litmus_instruction *i)
{
    return i->kind == LITMUS_STORE || i->kind == LITMUS_ATOMIC;
}

/* Returns whether the scope of an access includes another thread. A weak access has no scope, so it includes
 * none. */
static bool includes(const struct litmus_instruction *i, const struct litmus_thread *own,
                     const struct litmus_thread *other)
{
    return i->scope == SCOPE_SYSTEM || (i->scope == SCOPE_DEVICE && own->device == other->device) ||
           (i->scope == SCOPE_BLOCK && own->block == other->block);
}

/* Returns whether two threads write to one location without being morally strong. PTX then does not order the
 * two writes: two readers may see them in different orders, and one of the writes may come between the two
 * events of an atomic. On the machine, all writes to a location have one order. */
static bool has_unordered_writes(const struct litmus *test)
{
    for (int t = 0; t < test->thread_count; t++)
        for (int u = 0; u < test->thread_count; u++)
            for (int i = 0; t != u && i < test->threads[t].count; i++)
                for (int j = 0; j < test->threads[u].count; j++) {
                    const struct litmus_instruction *a = &test->threads[t].code[i],
                                                    *b = &test->threads[u].code[j];
                    if (is_write(a) && is_write(b) && a->location == b->location &&
                        !includes(a, &test->threads[t], &test->threads[u]))
                        return true;
                }
    return false;
}

/* Returns whether a thread reads and later writes. PTX may let the write come first, which the machine
 * never shows. */
static bool takes_load_buffering(const struct litmus *test)
{
    for (int t = 0; t < test->thread_count; t++) {
        bool has_read = false;
        for (int i = 0; i < test->threads[t].count; i++) {
            const struct litmus_instruction *n = &test->threads[t].code[i];
            if (has_read && is_write(n))
                return true;
            has_read |= n->kind == LITMUS_LOAD || n->kind == LITMUS_ATOMIC;
        }
    }
    return false;
}

static bool may_hide(const struct litmus *test)
{
    return takes_load_buffering(test) || has_unordered_writes(test);
}

static void print_cycle(const char *what, const struct litmus *test)
{
    static const char *const kinds[] = {"load", "store", "exchange", "fence", "barrier", "arrive"};
    printf("        %s\n", what);
    for (int t = 0; t < test->thread_count; t++) {
        printf("            thread %d of block %d:", t, test->threads[t].block);
        for (int i = 0; i < test->threads[t].count; i++) {
            const struct litmus_instruction *n = &test->threads[t].code[i];
            printf(" %s.%s%s%s %s;", kinds[n->kind],
                   n->kind == LITMUS_BARRIER ? "" : litmus_order_name(n->order, n->scope),
                   n->scope ? "." : "", litmus_scope_name(n->scope),
                   n->location < 0 ? "" : test->locations[n->location]);
        }
        puts("");
    }
}

int main(int argc, char **argv)
{
    int cycles = argc > 1 ? atoi(argv[1]) : getenv("FULL") ? 3000 : 60;
    int judged = 0, wrong = 0, complete = 0, hiding = 0;
    random_state.state = argc > 2 ? strtoull(argv[2], NULL, 10) : strtoull(GPUSYNC_REVISION, NULL, 16);
    for (int c = 0; c < cycles; c++) {
        struct litmus test = any_cycle();
        struct litmus_outcomes allowed = {.count = 0}, shown = {.count = 0};
        bool is_judged = ptx_outcomes(&test, &allowed), all = litmus_explore(&test, 100000, &shown);
        int forbidden = 0;
        for (int i = 0; i < shown.count; i++)
            forbidden += !litmus_has(&allowed, &shown.items[i]);
        bool hides = is_judged && all && shown.count < allowed.count && !may_hide(&test);
        judged += is_judged;
        wrong += is_judged && forbidden > 0;
        complete += is_judged && all && !may_hide(&test);
        hiding += hides;
        if (is_judged && forbidden)
            print_cycle("FORBIDDEN AND SHOWN", &test);
        if (hides)
            print_cycle("allowed and not shown", &test);
        litmus_forget(&allowed);
        litmus_forget(&shown);
    }
    check(judged == cycles && wrong == 0, "cycles show nothing that PTX forbids (%d cycles, %d wrong)",
          judged, wrong);
    check(hiding == 0,
          "and all that it allows, but for load buffering and several orders of writes (%d cycles, %d hide "
          "an outcome)",
          complete, hiding);
    return checks_done();
}
