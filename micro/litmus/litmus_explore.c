#include "micro/litmus/litmus_explore.h"

#include "machine/weak/memory_model.h"

#include <string.h>

#define MOST_STEPS 200
#define MOST_CHOICES 1024
#define MOST_MEETINGS 32

/* ---- The choices of an execution, at least one of which differs from the execution before ---- */

static struct {
    unsigned made[MOST_CHOICES], of[MOST_CHOICES];
    unsigned count, at;
    struct random *random; /* source of random choices, or NULL to enumerate all choices */
} choices;

static unsigned choose(unsigned alternatives)
{
    if (alternatives < 2)
        return 0;
    if (choices.random)
        return (unsigned)(random_next(choices.random) % alternatives);
    if (choices.at == choices.count) {
        choices.of[choices.count] = alternatives;
        choices.made[choices.count++] = 0;
    }
    return choices.made[choices.at++];
}

/* Prepares the choices of the next execution: advances the last choice that has another alternative. Returns
 * false if no choice has one. */
static bool next_choices(void)
{
    choices.at = 0;
    while (choices.count && choices.made[choices.count - 1] + 1 == choices.of[choices.count - 1])
        choices.count--;
    if (!choices.count)
        return false;
    choices.made[choices.count - 1]++;
    return true;
}

/* ---- One execution ---- */

/* One phase of a barrier, which ends when the barrier opens. A thread that arrives again takes part in the
 * next phase. */
struct meeting {
    int block, instance, id;
    /* number of arrivals that open the barrier, or 0 if it waits for all threads that still can arrive */
    int count;
    uint64_t came, waiting;
    struct gathering gathering;
    bool is_open;
};

static struct {
    const struct litmus *test;
    struct model_block *blocks[LITMUS_THREADS * LITMUS_THREADS];
    struct model_thread *threads[LITMUS_THREADS];
    struct history *histories[LITMUS_LOCATIONS];
    struct litmus_outcome now; /* the present values of the registers; at the end also the values in memory */
    int at[LITMUS_THREADS], turns[LITMUS_THREADS];
    struct meeting meetings[MOST_MEETINGS];
    int meeting_count;
    bool notes_races;          /* are races noted? */
    struct litmus_races races; /* the races of this execution */
    struct {
        int thread, instruction; /* the thread is -1 if there was no weak read */
        uint32_t time;
    } read[LITMUS_LOCATIONS]; /* the last weak read of each location */
} x;

static void begin(const struct litmus *test)
{
    x.test = test;
    model_begin((struct model_shape){.blocks = LITMUS_THREADS * LITMUS_THREADS,
                                     .threads = LITMUS_THREADS,
                                     .warp = LITMUS_THREADS,
                                     .blocks_per_device = LITMUS_THREADS,
                                     .orders = x.notes_races,
                                     .what_ifs = x.notes_races});
    model_join(&(struct model_party){.blocks = LITMUS_THREADS * LITMUS_THREADS, .threads = LITMUS_THREADS});
    x.now = (struct litmus_outcome){0};
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        if (!x.blocks[thread->block])
            x.blocks[thread->block] = model_block_begin(0, (unsigned)thread->block);
        x.threads[t] = model_thread(x.blocks[thread->block], (unsigned)t);
        for (int r = 0; r < thread->register_count; r++)
            x.now.registers[t][r] = thread->initial[r];
        x.at[t] = x.turns[t] = 0;
    }
    x.meeting_count = 0;
    if (x.notes_races)
        memset(&x.races, 0, sizeof x.races);
    for (int l = 0; l < test->location_count; l++)
        x.read[l].thread = -1;
    for (int l = 0; l < test->location_count; l++)
        x.histories[l] = history_begin((uintptr_t)l, 4, (uint64_t)(int64_t)test->initial[l]);
}

static void end(void)
{
    for (int m = 0; m < x.meeting_count; m++)
        model_gathering_end(&x.meetings[m].gathering);
    for (int t = 0; t < x.test->thread_count; t++) {
        int block = x.test->threads[t].block;
        if (x.blocks[block])
            model_block_end(x.blocks[block]);
        x.blocks[block] = NULL;
    }
    for (int l = 0; l < x.test->location_count; l++) {
        x.now.memory[l] = (int)(int64_t)history_newest(x.histories[l])->value;
        history_end(x.histories[l]);
    }
    model_end();
}

static bool is_done(int t)
{
    return x.at[t] == x.test->threads[t].count;
}

static int value_of(int t, struct litmus_operand operand)
{
    return operand.is_register ? x.now.registers[t][operand.value] : operand.value;
}

static void set(int t, int destination, int value)
{
    if (destination >= 0)
        x.now.registers[t][destination] = value;
}

/* Executes the next instruction of thread t and returns true if it accesses no memory: such an instruction
 * needs no scheduling. Otherwise returns false. */
static bool run_locally(int t)
{
    const struct litmus_instruction *i = &x.test->threads[t].code[x.at[t]];
    if (i->kind == LITMUS_SET)
        set(t, i->destination, litmus_compute(i->operation, value_of(t, i->a), value_of(t, i->b)));
    else if (i->kind != LITMUS_BRANCH)
        return false;
    bool jumps =
        i->kind == LITMUS_BRANCH && litmus_compute(i->operation, value_of(t, i->a), value_of(t, i->b));
    x.turns[t] += jumps && i->target <= x.at[t];
    x.at[t] = jumps ? i->target : x.at[t] + 1;
    return true;
}

/* Notes the races of thread t's next access with the newest write and the last weak read of its location, as
 * the machine does (machine/weak/race_checks.h). */
static void check_races(int t, const struct litmus_instruction *i, bool writes)
{
    const struct history *history = x.histories[i->location];
    const struct message *newest = history_newest(history);
    const struct model_thread *thread = x.threads[t];
    int read = x.read[i->location].thread;
    if (!x.notes_races)
        return;
    if (newest->thread != NO_THREAD && !model_orders_message(thread, history, history->count - 1) &&
        !model_morally_strong(thread, i->scope, newest))
        x.races.is[newest->thread % LITMUS_THREADS][newest->site][t][x.at[t]] = true;
    if (writes && read >= 0 && read != t &&
        !model_orders(thread, model_thread_number(x.threads[read]), x.read[i->location].time))
        x.races.is[read][x.read[i->location].instruction][t][x.at[t]] = true;
    if (!writes && i->scope == SCOPE_THREAD) {
        x.read[i->location].thread = t;
        x.read[i->location].instruction = x.at[t];
        x.read[i->location].time = model_write_time(x.threads[t]);
    }
}

/* Adds the execution's races to the test's. */
static void add_races(struct litmus_races *to)
{
    const bool *from = &x.races.is[0][0][0][0];
    for (size_t i = 0; to && i < sizeof x.races; i++)
        (&to->is[0][0][0][0])[i] |= from[i];
}

static void load(int t, const struct litmus_instruction *i)
{
    struct history *history = x.histories[i->location];
    check_races(t, i, false);
    unsigned oldest = model_oldest(x.threads[t], history);
    unsigned position = oldest + choose(history->count - oldest);
    model_read(x.threads[t], history, position, (struct strength){i->scope, i->order}, false);
    set(t, i->destination, (int)(int64_t)history->messages[position].value);
}

static void store(int t, const struct litmus_instruction *i)
{
    struct history *history = x.histories[i->location];
    unsigned places[MOST_STEPS], count = 0;
    check_races(t, i, true);
    for (unsigned p = model_oldest(x.threads[t], history) + 1; p <= history->count; p++)
        if (model_may_write(x.threads[t], history, p, i->scope))
            places[count++] = p;
    model_write(x.threads[t], history, places[choose(count)], (uint64_t)(int64_t)value_of(t, i->a),
                (struct strength){i->scope, i->order}, -1, (uint32_t)x.at[t]);
}

/* Finds the positions in a location's history at which an atomic may write its message, if the atomic reads
 * the message at `read`. Only messages that are not morally strong with the atomic may lie between them. */
static unsigned places_behind(const struct model_thread *thread, const struct history *history, unsigned read,
                              enum machine_scope scope, unsigned *places)
{
    unsigned count = 0;
    for (unsigned p = read + 1; p <= history->count; p++) {
        if (p > read + 1 && model_morally_strong(thread, scope, &history->messages[p - 1]))
            break;
        if (model_may_write(thread, history, p, scope))
            places[count++] = p;
    }
    return count;
}

static void atomic(int t, const struct litmus_instruction *i)
{
    struct history *history = x.histories[i->location];
    unsigned oldest = model_oldest(x.threads[t], history), places[MOST_STEPS] = {0};
    unsigned reads[MOST_STEPS] = {0}, count = 0;
    check_races(t, i, true);
    for (unsigned r = oldest; r < history->count; r++)
        if (places_behind(x.threads[t], history, r, i->scope, places))
            reads[count++] = r;
    unsigned read = reads[choose(count)];
    int old = (int)(int64_t)history->messages[read].value, a = value_of(t, i->a);
    bool fails = i->operation == LITMUS_COMPARE_SWAP && old != a;
    int new = i->operation == LITMUS_COMPARE_SWAP ? value_of(t, i->b)
              : i->operation == LITMUS_EXCHANGE   ? a
                                                  : litmus_compute(i->operation, old, a);
    unsigned place = places[fails ? 0 : choose(places_behind(x.threads[t], history, read, i->scope, places))];
    model_read(x.threads[t], history, read, (struct strength){i->scope, i->order & ORDER_ACQUIRE}, !fails);
    if (!fails)
        model_write(x.threads[t], history, place, (uint64_t)(int64_t) new,
                    (struct strength){i->scope, i->order & ORDER_RELEASE}, (int)read, (uint32_t)x.at[t]);
    set(t, i->destination, old);
}

/* ---- Barriers ---- */

static bool waits(int t)
{
    for (int m = 0; m < x.meeting_count; m++)
        if (x.meetings[m].waiting >> t & 1)
            return true;
    return false;
}

static struct meeting *meeting_of(int t, const struct litmus_instruction *i)
{
    int block = x.test->threads[t].block, id = value_of(t, i->a);
    for (int m = 0; m < x.meeting_count; m++) {
        struct meeting *o = &x.meetings[m];
        if (o->block == block && o->instance == i->target && o->id == id && !(o->came >> t & 1))
            return o;
    }
    if (x.meeting_count == MOST_MEETINGS)
        return NULL;
    struct meeting *new = &x.meetings[x.meeting_count++];
    *new = (struct meeting){.block = block, .instance = i->target, .id = id, .count = i->b.value};
    return new;
}

/* Marks in `reached` the instructions that a thread at instruction `at` may still reach. Every branch counts
 * as one that may jump or not, even a goto, so instructions that cannot be reached may be marked, too. */
static void reach(const struct litmus_thread *thread, int at, bool *reached)
{
    for (; at < thread->count && !reached[at]; at++) {
        reached[at] = true;
        if (thread->code[at].kind == LITMUS_BRANCH)
            reach(thread, thread->code[at].target, reached);
    }
}

/* Returns whether thread t can still arrive in this phase of a barrier. If an instruction takes the barrier's
 * id from a register, any id is possible. */
static bool may_come(int t, const struct meeting *m)
{
    const struct litmus_thread *thread = &x.test->threads[t];
    bool reached[LITMUS_INSTRUCTIONS] = {false};
    if (thread->block != m->block || m->came >> t & 1)
        return false;
    reach(thread, x.at[t] + waits(t), reached);
    for (int i = 0; i < thread->count; i++) {
        const struct litmus_instruction *o = &thread->code[i];
        if (reached[i] && (o->kind == LITMUS_BARRIER || o->kind == LITMUS_ARRIVE) &&
            o->target == m->instance && (o->a.is_register || o->a.value == m->id))
            return true;
    }
    return false;
}

static bool may_open(const struct meeting *m)
{
    if (m->count)
        return __builtin_popcountll(m->came) >= m->count;
    for (int t = 0; t < x.test->thread_count; t++)
        if (may_come(t, m))
            return false;
    return true;
}

/* Opens a barrier for the waiting threads, which learn what all arrived threads know. */
static void let_pass(struct meeting *m)
{
    m->is_open = true;
    model_learn(&m->gathering, x.blocks[m->block], 0, m->waiting);
    for (int t = 0; t < x.test->thread_count; t++)
        x.at[t] += (int)(m->waiting >> t & 1);
    m->waiting = 0;
}

/* Opens the barriers at which all threads have arrived, or at which no other thread can arrive any more.
 * Returns whether a barrier opened. */
static bool open_barriers(void)
{
    bool opened = false;
    for (int m = 0; m < x.meeting_count; m++)
        if (!x.meetings[m].is_open && may_open(&x.meetings[m])) {
            let_pass(&x.meetings[m]);
            opened = true;
        }
    return opened;
}

/* Lets thread t arrive at a barrier. If the barrier is open already, the thread learns what the arrived
 * threads know; threads that have passed do not learn from it. */
static void come_to_barrier(int t, const struct litmus_instruction *i)
{
    struct meeting *m = meeting_of(t, i);
    uint64_t lane = UINT64_C(1) << t;
    if (!m)
        return;
    m->came |= lane;
    /* gathers the thread's knowledge before let_pass, which replaces it */
    model_gather(&m->gathering, x.blocks[m->block], 0, lane);
    if (i->kind == LITMUS_ARRIVE) {
        x.at[t]++;
        return;
    }
    m->waiting |= lane;
    if (m->is_open)
        let_pass(m);
}

static void step(int t)
{
    const struct litmus_instruction *i = &x.test->threads[t].code[x.at[t]];
    if (i->kind == LITMUS_BARRIER || i->kind == LITMUS_ARRIVE)
        return come_to_barrier(t, i);
    if (i->kind == LITMUS_LOAD)
        load(t, i);
    else if (i->kind == LITMUS_STORE)
        store(t, i);
    else if (i->kind == LITMUS_ATOMIC)
        atomic(t, i);
    else
        model_fence(x.blocks[x.test->threads[t].block], 0, UINT64_C(1) << t,
                    (struct strength){i->scope, i->order});
    x.at[t]++;
}

/* Executes the instructions of each thread up to its next memory access. Returns false if a thread has
 * branched back too often. */
static bool run_all_locally(void)
{
    for (int t = 0; t < x.test->thread_count; t++)
        while (!is_done(t) && !waits(t) && run_locally(t))
            if (x.turns[t] > LITMUS_TURNS)
                return false;
    return true;
}

/* Executes the test once. Returns true if all threads reached their end. */
static bool execute(void)
{
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        int ready[LITMUS_THREADS], done = 0;
        unsigned count = 0;
        do {
            if (!run_all_locally())
                return false;
        } while (open_barriers());
        for (int t = 0; t < x.test->thread_count; t++) {
            done += is_done(t);
            if (!is_done(t) && !waits(t))
                ready[count++] = t;
        }
        if (!count)
            return done == x.test->thread_count;
        step(ready[choose(count)]);
    }
    return false;
}

bool litmus_explore(const struct litmus *test, unsigned long long most, struct litmus_outcomes *out)
{
    x.notes_races = out->races != NULL;
    choices.random = NULL;
    choices.count = 0;
    do {
        if (!most--)
            return false;
        choices.at = 0;
        begin(test);
        bool ended = execute();
        end();
        if (ended) {
            add_races(out->races);
            litmus_note(out, &x.now);
        }
    } while (next_choices());
    return true;
}

void litmus_sample(const struct litmus *test, unsigned long long executions, struct random *random,
                   struct litmus_outcomes *out)
{
    x.notes_races = out->races != NULL;
    choices.random = random;
    while (executions--) {
        begin(test);
        bool ended = execute();
        end();
        if (ended) {
            add_races(out->races);
            litmus_note(out, &x.now);
        }
    }
}
