#include "micro/progress/graph.h"
#include "base/failure.h"

#include <string.h>

/* The largest number of states. Only a program whose numbers grow for ever reaches it: the largest of Dat3M's
 * programs that was tried has 42 states. */
enum { MOST_STATES = 1 << 20 };

/* An unpacked state. Its packed form has the same words one after the other, but leaves out the registers
 * that the program does not use. */
struct state {
    int at[PROGRESS_THREADS]; /* index of each thread's next instruction */
    int memory[PROGRESS_LOCATIONS];
    int registers[PROGRESS_THREADS][PROGRESS_REGISTERS];
    int came[PROGRESS_BARRIERS]; /* for each barrier, the set of the threads that have arrived */
    /* set of the threads that have begun, and set of the threads that wait at a barrier */
    int started, waiting;
};

static int words_of(const struct progress_program *p)
{
    int words = p->thread_count + p->location_count + p->barrier_count + 2;
    for (int t = 0; t < p->thread_count; t++)
        words += p->threads[t].register_count;
    return words;
}

/* Copies `count` words of a state to the packed state at *words, or from it if `unpack` is true. Advances
 * *words by `count`. */
static void copy_part(int *part, int **words, int count, bool unpack)
{
    size_t bytes = (size_t)count * sizeof(int);
    if (unpack)
        memcpy(part, *words, bytes);
    else
        memcpy(*words, part, bytes);
    *words += count;
}

static void copy_state(const struct progress_program *p, struct state *s, int *words, bool unpack)
{
    copy_part(s->at, &words, p->thread_count, unpack);
    copy_part(s->memory, &words, p->location_count, unpack);
    for (int t = 0; t < p->thread_count; t++)
        copy_part(s->registers[t], &words, p->threads[t].register_count, unpack);
    copy_part(s->came, &words, p->barrier_count, unpack);
    copy_part(&s->started, &words, 1, unpack);
    copy_part(&s->waiting, &words, 1, unpack);
}

static struct state state_of(const struct progress_graph *g, int state)
{
    struct state s = {.started = 0};
    copy_state(g->program, &s, graph_known(g, state) - g->words, true);
    return s;
}

/* ---- a step ---- */

static int value_of(const struct state *s, int thread, struct progress_operand operand)
{
    return operand.is_register ? s->registers[thread][operand.value] : operand.value;
}

static bool jumps(const struct state *s, int thread, const struct progress_instruction *i)
{
    bool equal =
        i->kind != PROGRESS_GOTO && s->registers[thread][i->destination] == value_of(s, thread, i->operand);
    return i->kind == PROGRESS_GOTO || equal == (i->kind == PROGRESS_BRANCH_EQUAL);
}

/* Lets the thread execute branches until its next instruction is a step. Branches change no register, so a
 * thread that executes more branches than it has instructions is in an endless loop; it then stays in this
 * loop. */
static void pass_branches(const struct progress_program *p, struct state *s, int thread)
{
    const struct progress_thread *code = &p->threads[thread];
    for (int passed = 0; passed <= code->count; passed++) {
        int at = s->at[thread];
        if (at == code->count || code->code[at].kind < PROGRESS_GOTO)
            return;
        s->at[thread] = jumps(s, thread, &code->code[at]) ? code->code[at].target : at + 1;
    }
}

static void go_on(const struct progress_program *p, struct state *s, int thread)
{
    s->at[thread]++;
    pass_branches(p, s, thread);
}

/* Lets the threads that wait at the barrier go on. */
static void open_barrier(const struct progress_program *p, struct state *s, int barrier)
{
    for (int t = 0; t < p->thread_count; t++) {
        const struct progress_instruction *i = &p->threads[t].code[s->at[t]];
        if (s->waiting & (int)THREAD(t) && i->location == barrier) {
            s->waiting &= ~(int)THREAD(t);
            go_on(p, s, t);
        }
    }
}

/* Lets a thread arrive at a barrier. The barrier opens when as many threads as its quorum have arrived, and
 * lets threads that arrive later pass at once. It closes when the last thread of the workgroup has
 * arrived. */
static void arrive(const struct progress_program *p, struct state *s, int thread, int barrier)
{
    const struct progress_barrier *b = &p->barriers[barrier];
    s->came[barrier] |= (int)THREAD(thread);
    s->waiting |= (int)THREAD(thread);
    if (__builtin_popcount((unsigned)s->came[barrier]) < b->quorum)
        return;
    open_barrier(p, s, barrier);
    if (s->came[barrier] == b->threads)
        s->came[barrier] = 0;
}

static void take_step(const struct progress_program *p, struct state *s, int thread)
{
    const struct progress_instruction *i = &p->threads[thread].code[s->at[thread]];
    int *word = &s->memory[i->location], old = *word, value = value_of(s, thread, i->operand);
    s->started |= (int)THREAD(thread);
    if (i->kind == PROGRESS_BARRIER) {
        arrive(p, s, thread, i->location);
        return;
    }
    if (i->kind >= PROGRESS_GOTO)
        return; /* the thread is in a loop of branches that nothing ends */
    if (i->kind == PROGRESS_ADD)
        *word = (int)((unsigned)old + (unsigned)value);
    else if (i->kind != PROGRESS_LOAD)
        *word = value;
    if (i->kind != PROGRESS_STORE)
        s->registers[thread][i->destination] = old;
    go_on(p, s, thread);
}

static thread_set ended(const struct progress_program *p, const struct state *s)
{
    thread_set set = 0;
    for (int t = 0; t < p->thread_count; t++)
        set |= s->at[t] == p->threads[t].count ? THREAD(t) : 0;
    return set;
}

static thread_set able(const struct progress_program *p, const struct state *s)
{
    return (THREAD(p->thread_count) - 1) & ~ended(p, s) & ~(thread_set)s->waiting;
}

/* ---- the set of all states ---- */

/* Returns the number of a state. A new state gets the next free number, and the graph notes that a step of
 * the thread `step` leads to it from the state `parent`. */
static int number_of(struct progress_graph *g, struct state *s, int parent, int step)
{
    int words[PROGRESS_THREADS * (PROGRESS_REGISTERS + 1) + PROGRESS_LOCATIONS + PROGRESS_BARRIERS + 2];
    copy_state(g->program, s, words, false);
    const int *known = map_find(&g->states, words);
    if (known)
        return (int)(known - (int *)g->states.items) / (int)(g->states.item_bytes / sizeof(int));
    if (g->count == MOST_STATES)
        fail(EXIT_CANNOT, "%s has more than %d states; does a number grow for ever?", g->program->path,
             MOST_STATES);
    map_get(&g->states, words);
    graph_known(g, g->count)[GRAPH_PARENT] = parent;
    graph_known(g, g->count)[GRAPH_PARENT_STEP] = step;
    return g->count++;
}

static struct state first_state(const struct progress_program *p)
{
    struct state s = {.started = 0};
    memcpy(s.memory, p->initial, sizeof s.memory);
    for (int t = 0; t < p->thread_count; t++) {
        memcpy(s.registers[t], p->threads[t].initial, sizeof s.registers[t]);
        pass_branches(p, &s, t);
    }
    return s;
}

struct progress_graph graph_of(const struct progress_program *program)
{
    struct progress_graph g = {.program = program, .words = words_of(program)};
    size_t words = (size_t)g.words + GRAPH_NEXT + (size_t)program->thread_count;
    g.states = (struct map){.key_bytes = (size_t)g.words * sizeof(int), .item_bytes = words * sizeof(int)};
    struct state first = first_state(program);
    number_of(&g, &first, NO_STATE, 0);
    for (int from = 0; from < g.count; from++) {
        const struct state s = state_of(&g, from);
        for (int t = 0; t < program->thread_count; t++) {
            int to = NO_STATE;
            if (able(program, &s) & THREAD(t)) {
                struct state after = s;
                take_step(program, &after, t);
                to = number_of(&g, &after, from, t);
            }
            graph_known(&g, from)[GRAPH_NEXT + t] = to;
        }
    }
    return g;
}

void graph_forget(struct progress_graph *g)
{
    map_end(&g->states);
}

/* ---- functions that tell something about a state ---- */

int graph_at(const struct progress_graph *g, int state, int thread)
{
    return state_of(g, state).at[thread];
}

thread_set graph_able(const struct progress_graph *g, int state)
{
    const struct state s = state_of(g, state);
    return able(g->program, &s);
}

thread_set graph_started(const struct progress_graph *g, int state)
{
    return (thread_set)state_of(g, state).started;
}

thread_set graph_waiting(const struct progress_graph *g, int state)
{
    return (thread_set)state_of(g, state).waiting;
}

thread_set graph_ended(const struct progress_graph *g, int state)
{
    const struct state s = state_of(g, state);
    return ended(g->program, &s);
}
