#include "micro/litmus/litmus_explore.h"

#include "machine/weak/memory_model.h"

#define MOST_STEPS 200
#define MOST_CHOICES 1024

/* ---- choices, which one execution after the other makes differently ---- */

static struct {
    unsigned made[MOST_CHOICES], of[MOST_CHOICES];
    unsigned count, at;
    struct random *random; /* not NULL: by chance */
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

/* The last choice that has an alternative left takes it; false: there is none. */
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

/* ---- one execution ---- */

static struct {
    const struct litmus *test;
    struct model_block *blocks[LITMUS_THREADS * LITMUS_THREADS];
    struct model_thread *threads[LITMUS_THREADS];
    struct history *histories[LITMUS_LOCATIONS];
    struct litmus_outcome now; /* registers; memory at the end */
    int at[LITMUS_THREADS];
    bool waits[LITMUS_THREADS]; /* at a barrier of its block */
} x;

static void begin(const struct litmus *test)
{
    x.test = test;
    model_begin((struct model_shape){.blocks = LITMUS_THREADS * LITMUS_THREADS,
                                     .threads = LITMUS_THREADS,
                                     .warp = LITMUS_THREADS,
                                     .blocks_per_device = LITMUS_THREADS});
    x.now = (struct litmus_outcome){0};
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        if (!x.blocks[thread->block])
            x.blocks[thread->block] = model_block_begin((unsigned)thread->block);
        x.threads[t] = model_thread(x.blocks[thread->block], (unsigned)t);
        for (int r = 0; r < thread->register_count; r++)
            x.now.registers[t][r] = thread->initial[r];
        x.at[t] = 0;
        x.waits[t] = false;
    }
    for (int l = 0; l < test->location_count; l++)
        x.histories[l] = history_begin((uintptr_t)l, 4, (uint64_t)(int64_t)test->initial[l]);
}

static void end(void)
{
    for (int l = 0; l < x.test->location_count; l++) {
        x.now.memory[l] = (int)(int64_t)history_newest(x.histories[l])->value;
        history_end(x.histories[l]);
    }
    for (int t = 0; t < x.test->thread_count; t++) {
        int block = x.test->threads[t].block;
        if (x.blocks[block])
            model_block_end(x.blocks[block]);
        x.blocks[block] = NULL;
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

/* Instructions that touch no memory need no turn. */
static bool run_locally(int t)
{
    const struct litmus_instruction *i = &x.test->threads[t].code[x.at[t]];
    if (i->kind == LITMUS_SET)
        set(t, i->destination, litmus_compute(i->operation, value_of(t, i->a), value_of(t, i->b)));
    else if (i->kind != LITMUS_BRANCH)
        return false;
    bool jumps =
        i->kind == LITMUS_BRANCH && litmus_compute(i->operation, value_of(t, i->a), value_of(t, i->b));
    x.at[t] = jumps ? i->target : x.at[t] + 1;
    return true;
}

static void load(int t, const struct litmus_instruction *i)
{
    struct history *history = x.histories[i->location];
    unsigned oldest = model_oldest(x.threads[t], history);
    unsigned position = oldest + choose(history->count - oldest);
    model_read(x.threads[t], history, position, (struct strength){i->scope, i->order}, false);
    set(t, i->destination, (int)(int64_t)history->messages[position].value);
}

static void store(int t, const struct litmus_instruction *i)
{
    struct history *history = x.histories[i->location];
    unsigned places[MOST_STEPS], count = 0;
    for (unsigned p = model_oldest(x.threads[t], history) + 1; p <= history->count; p++)
        if (model_may_write(x.threads[t], history, p, i->scope))
            places[count++] = p;
    model_write(x.threads[t], history, places[choose(count)], (uint64_t)(int64_t)value_of(t, i->a),
                (struct strength){i->scope, i->order}, -1, 0);
}

/* Where what it writes may go, behind the message at `read` and with nothing between that is morally strong with it. */
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
                    (struct strength){i->scope, i->order & ORDER_RELEASE}, (int)read, 0);
    set(t, i->destination, old);
}

/* The last of its block to come opens the barrier; threads that have ended are not waited for. */
static void come_to_barrier(int t, const struct litmus_instruction *barrier)
{
    int block = x.test->threads[t].block;
    uint64_t lanes = 0;
    x.waits[t] = true;
    for (int o = 0; o < x.test->thread_count; o++) {
        if (x.test->threads[o].block != block || is_done(o))
            continue;
        if (!x.waits[o] || x.test->threads[o].code[x.at[o]].a.value != barrier->a.value)
            return;
        lanes |= UINT64_C(1) << o;
    }
    struct gathering gathering = {{NULL}};
    model_gather(&gathering, x.blocks[block], 0, lanes);
    model_learn(&gathering, x.blocks[block], 0, lanes);
    model_gathering_end(&gathering);
    for (int o = 0; o < x.test->thread_count; o++)
        if (lanes >> o & 1) {
            x.waits[o] = false;
            x.at[o]++;
        }
}

static void step(int t)
{
    const struct litmus_instruction *i = &x.test->threads[t].code[x.at[t]];
    if (i->kind == LITMUS_BARRIER)
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

/* True if it came to its end. */
static bool execute(void)
{
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        int ready[LITMUS_THREADS], done = 0;
        unsigned count = 0;
        for (int t = 0; t < x.test->thread_count; t++) {
            for (int local = 0; !is_done(t) && local < MOST_STEPS && run_locally(t); local++) {
            }
            done += is_done(t);
            if (!is_done(t) && !x.waits[t])
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
    choices.random = NULL;
    choices.count = 0;
    do {
        if (!most--)
            return false;
        choices.at = 0;
        begin(test);
        bool ended = execute();
        end();
        if (ended)
            litmus_note(out, &x.now);
    } while (next_choices());
    return true;
}

void litmus_sample(const struct litmus *test, unsigned long long executions, struct random *random,
                   struct litmus_outcomes *out)
{
    choices.random = random;
    while (executions--) {
        begin(test);
        bool ended = execute();
        end();
        if (ended)
            litmus_note(out, &x.now);
    }
}
