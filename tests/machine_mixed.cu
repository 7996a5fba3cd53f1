/*
 * Draws programs whose accesses have different sizes, runs them on the machine with weak memory, and
 * compares what they read and whether they race with an oracle, which knows nothing of the machine.
 *
 *     build/machine/tests/machine_mixed [PROGRAMS [SEED]]     1000 programs, with FULL=1 30000, of a seed
 *                                                             that the commit draws
 *
 * One file because the oracle reads the steps that the kernel runs.
 *
 * Up to three threads, in one block or in several, take turns. A thread accesses some of 16 bytes, by
 * loads, stores and atomics of 1 to 16 bytes, weak ones and strong ones. Then it hands the turn over: by a
 * flag with or without a release and an acquire, by a barrier, or by the end of the kernel. So the accesses
 * have an order in time, and the oracle can tell which of them causality order (PTX ISA, "Memory
 * Consistency Model") orders, from the releases and acquires alone.
 */
#include "base/failure.h"
#include "base/random.h"
#include "harness/launch.cuh"
#include "harness/options.h"
#include "harness/timer.h"
#include "sync/memory_order.cuh"
#include "sync/named_barrier.cuh"
#include "tests/check.h"

#include "machine/machine.h"
#include "machine/scopes.h"
#include "revision.h"

#include <string.h>

enum { ROLES = 3, PROGRAM_STEPS = 32, AREA = 16 };
enum lack { RELEASE, ACQUIRE, BOTH, SCOPES, NOTHING }; /* the part that a hand-over lacks */
enum step_kind { READ, WRITE, ATOMIC, FENCE, SIGNAL, AWAIT, BARRIER, ARRIVE, KERNEL_ENDS };

struct step {
    step_kind kind;
    int role;
    unsigned at, bytes; /* the access covers `bytes` bytes of the area from byte `at` on */
    machine_scope scope;
    machine_order order;
    int flag; /* the flag of SIGNAL and AWAIT, or the barrier's number */
};

struct program {
    int blocks_of[ROLES];         /* the block of each thread */
    unsigned span;                /* the number of bytes that are accessed */
    bool is_weak;                 /* are all accesses weak? */
    unsigned last_at, last_bytes; /* first byte and number of bytes of the last access */
    int count;
    step steps[PROGRAM_STEPS];
};

/* ---- accesses whose size, scope and order are known when the kernel runs ---- */

/* These macros make a statement, MAKE, with the name of an instruction, to which they add the size or the
 * scope. */
#define BY_SIZE(bytes, MAKE, name)                                                                           \
    do {                                                                                                     \
        if (bytes == 1) {                                                                                    \
            MAKE(name "8");                                                                                  \
        } else if (bytes == 2) {                                                                             \
            MAKE(name "16");                                                                                 \
        } else if (bytes == 4) {                                                                             \
            MAKE(name "32");                                                                                 \
        } else {                                                                                             \
            MAKE(name "64");                                                                                 \
        }                                                                                                    \
    } while (0)
#define BY_SCOPE(scope, MAKE, name, type)                                                                    \
    do {                                                                                                     \
        if (scope == SCOPE_BLOCK) {                                                                          \
            MAKE(name ".cta" type);                                                                          \
        } else if (scope == SCOPE_DEVICE) {                                                                  \
            MAKE(name ".gpu" type);                                                                          \
        } else {                                                                                             \
            MAKE(name ".sys" type);                                                                          \
        }                                                                                                    \
    } while (0)

static __device__ void load_bytes(uint64_t value[2], const unsigned char *from, const step *step)
{
#define LOAD(name) asm volatile(name " %0, [%1];" : "=l"(value[0]) : "l"(from) : "memory")
#define LOAD_OF_SIZE(name) BY_SIZE(step->bytes, LOAD, name)
    if (step->bytes == 16)
        asm volatile("ld.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(value[0]), "=l"(value[1])
                     : "l"(from)
                     : "memory");
    else if (step->scope == SCOPE_THREAD)
        LOAD_OF_SIZE("ld.global.u");
    else if (step->order & ORDER_ACQUIRE)
        BY_SCOPE(step->scope, LOAD_OF_SIZE, "ld.acquire", ".global.u");
    else
        BY_SCOPE(step->scope, LOAD_OF_SIZE, "ld.relaxed", ".global.u");
}

static __device__ void store_bytes(unsigned char *to, uint64_t value, const step *step)
{
#define STORE(name) asm volatile(name " [%0], %1;" : : "l"(to), "l"(value) : "memory")
#define STORE_OF_SIZE(name) BY_SIZE(step->bytes, STORE, name)
    if (step->bytes == 16)
        asm volatile("st.global.v2.u64 [%0], {%1, %1};" : : "l"(to), "l"(value) : "memory");
    else if (step->scope == SCOPE_THREAD)
        STORE_OF_SIZE("st.global.u");
    else if (step->order & ORDER_RELEASE)
        BY_SCOPE(step->scope, STORE_OF_SIZE, "st.release", ".global.u");
    else
        BY_SCOPE(step->scope, STORE_OF_SIZE, "st.relaxed", ".global.u");
}

/* Exchanges 4 or 8 bytes. */
static __device__ uint64_t exchange(unsigned char *word, uint64_t value, const step *step)
{
    unsigned old_half, half = (unsigned)value;
    uint64_t old;
#define EXCHANGE(name)                                                                                       \
    if (step->bytes == 8)                                                                                    \
        asm volatile(name ".exch.b64 %0, [%1], %2;" : "=l"(old) : "l"(word), "l"(value) : "memory");         \
    else {                                                                                                   \
        asm volatile(name ".exch.b32 %0, [%1], %2;" : "=r"(old_half) : "l"(word), "r"(half) : "memory");     \
        old = old_half;                                                                                      \
    }
    if (step->order == ORDER_ACQUIRE_RELEASE)
        BY_SCOPE(step->scope, EXCHANGE, "atom.acq_rel", ".global");
    else
        BY_SCOPE(step->scope, EXCHANGE, "atom.relaxed", ".global");
    return old;
}

static __device__ void fence_of(machine_scope scope, machine_order order)
{
#define FENCE_OF(name) asm volatile(name ";" : : : "memory")
    if (order == ORDER_RELEASE)
        BY_SCOPE(scope, FENCE_OF, "fence.release", "");
    else if (order == ORDER_ACQUIRE)
        BY_SCOPE(scope, FENCE_OF, "fence.acquire", "");
    else if (order == ORDER_ACQUIRE_RELEASE)
        BY_SCOPE(scope, FENCE_OF, "fence.acq_rel", "");
    else
        BY_SCOPE(scope, FENCE_OF, "fence.sc", "");
}

/* ---- the kernel ---- */

/* What the kernel accesses: the program, the bytes of its accesses, what each step read, and the flags. */
struct memory {
    program steps;
    alignas(AREA) unsigned char area[AREA], seen[PROGRAM_STEPS * AREA];
    unsigned flags[PROGRAM_STEPS];
};

/* Each thread of a program is lane 0 of a warp, whose other lanes only take part in barriers. A write fills
 * its bytes with the number of its step, from 1 on. */
static __global__ void run_steps(memory *m, int first, int end)
{
    const program *p = &m->steps;
    int role = (int)threadIdx.x / 32;
    bool acts = threadIdx.x % 32 == 0;
    if (p->blocks_of[role] != (int)block_in_grid())
        return;
    for (int s = first; s < end; s++) {
        const step *step = &p->steps[s];
        if (step->role != role)
            continue;
        unsigned *flag = m->flags + step->flag;
        uint64_t value[2] = {0x0101010101010101 * (uint64_t)(s + 1), 0},
                 *to = (uint64_t *)(m->seen + s * AREA);
        if (step->kind == BARRIER) {
            named_barrier_sync(step->flag, 64);
        } else if (step->kind == ARRIVE) {
            named_barrier_arrive(step->flag, 64);
        } else if (!acts) {
        } else if (step->kind == READ) {
            load_bytes(value, m->area + step->at, step);
            to[0] = value[0];
            to[1] = value[1];
        } else if (step->kind == WRITE) {
            store_bytes(m->area + step->at, value[0], step);
        } else if (step->kind == ATOMIC) {
            to[0] = exchange(m->area + step->at, value[0], step);
        } else if (step->kind == FENCE) {
            fence_of(step->scope, step->order);
        } else if (step->kind == SIGNAL) {
            if (step->order == ORDER_RELEASE)
                asm volatile("st.release.gpu.global.u32 [%0], 1;" : : "l"(flag) : "memory");
            else
                store_relaxed(flag, 1);
        } else {
            while ((step->order == ORDER_ACQUIRE ? load_acquire(flag) : load_relaxed(flag)) == 0) {
            }
        }
        __syncwarp();
    }
}

/* ---- random programs ---- */

static struct random random_state;

static int any(int count)
{
    return (int)(random_next(&random_state) % (unsigned)count);
}

static step *add(program *p, step_kind kind, int role)
{
    step *s = &p->steps[p->count++];
    *s = {kind, role, 0, 0, SCOPE_DEVICE, ORDER_RELAXED, 0};
    return s;
}

static void add_access(program *p, int role)
{
    static const machine_scope scopes[] = {SCOPE_THREAD, SCOPE_THREAD, SCOPE_BLOCK, SCOPE_DEVICE,
                                           SCOPE_SYSTEM};
    /* most accesses after a read are reads, too, because the machine keeps reads in a row together */
    bool is_next = p->count && p->steps[p->count - 1].kind == READ;
    int kind = any(is_next ? 4 : 8);
    step *s = add(p, kind < 3 ? READ : kind < 7 || p->is_weak ? WRITE : ATOMIC, role);
    s->scope = p->is_weak || (is_next && any(2)) ? SCOPE_THREAD : scopes[any(5)];
    s->bytes = s->kind == ATOMIC ? 4u << any(2) : 1u << any(s->scope == SCOPE_THREAD ? 5 : 4);
    if (s->bytes > p->span)
        s->bytes = p->span;
    /* half of the accesses overlap the previous one */
    unsigned place = any(2) ? (unsigned)any((int)p->span) : p->last_at + (unsigned)any((int)p->last_bytes);
    s->at = place / s->bytes * s->bytes;
    p->last_at = s->at;
    p->last_bytes = s->bytes;
    if (s->kind == ATOMIC && s->scope == SCOPE_THREAD)
        s->scope = SCOPE_DEVICE;
    if (s->scope != SCOPE_THREAD && any(3) == 0)
        s->order = s->kind == READ ? ORDER_ACQUIRE : s->kind == WRITE ? ORDER_RELEASE : ORDER_ACQUIRE_RELEASE;
}

static void add_fence(program *p, int role, machine_scope scope, machine_order order)
{
    step *s = add(p, FENCE, role);
    s->scope = scope;
    s->order = order;
}

/* Lets thread `from` hand the turn over to thread `to`. If `lacks` is true, the hand-over has no release, no
 * acquire, neither of them, or a scope that is too narrow. */
static void add_turn(program *p, int from, int to, int number, bool lacks)
{
    bool together = p->blocks_of[from] == p->blocks_of[to];
    lack lack = lacks ? (enum lack)any(together ? SCOPES : NOTHING) : NOTHING;
    bool narrow = lack == SCOPES || (together && any(3) == 0);
    machine_scope scope = narrow ? SCOPE_BLOCK : any(2) ? SCOPE_DEVICE : SCOPE_SYSTEM;
    if (!lacks && together &&
        any(3) == 0) { /* a barrier of both, or one that `from` passes without waiting */
        add(p, any(2) ? BARRIER : ARRIVE, from)->flag = 1 + number;
        add(p, BARRIER, to)->flag = 1 + number;
        return;
    }
    bool releases = lack != RELEASE && lack != BOTH, acquires = lack != ACQUIRE && lack != BOTH;
    bool fences = any(2) || narrow;
    if (releases && fences)
        add_fence(p, from, scope, any(2) ? ORDER_RELEASE : ORDER_SEQUENTIAL);
    step *signal = add(p, SIGNAL, from);
    signal->flag = number;
    signal->order = releases && !fences ? ORDER_RELEASE : ORDER_RELAXED;
    step *await = add(p, AWAIT, to);
    await->flag = number;
    await->order = acquires && !fences ? ORDER_ACQUIRE : ORDER_RELAXED;
    if (acquires && fences)
        add_fence(p, to, scope, any(2) ? ORDER_ACQUIRE : ORDER_ACQUIRE_RELEASE);
}

static program any_program()
{
    program p = {};
    int role = 0, topology = any(3), lacking = any(8);
    p.span = 4u << any(3);
    p.is_weak = any(4) == 0;
    p.last_bytes = p.span;
    for (int r = 0; r < ROLES; r++)
        p.blocks_of[r] = topology == 0 ? 0 : topology == 1 ? r : any(2);
    for (int turn = 0; p.count < PROGRAM_STEPS - 9 && turn < 5; turn++) {
        for (int accesses = 1 + any(3); accesses > 0; accesses--)
            add_access(&p, role);
        int next = (role + 1 + any(ROLES - 1)) % ROLES;
        if (any(8) == 0)
            add(&p, KERNEL_ENDS, role);
        else
            add_turn(&p, role, next, turn, turn == lacking);
        role = next;
    }
    add_access(&p, role);
    return p;
}

/* ---- the oracle ---- */

/* Sets of steps, as bits. A thread knows a step if the step precedes the thread's next access in causality
 * order. */
struct knowledge {
    /* The steps that are known. Release fences of scope cta have published the steps `published_narrow`,
     * release fences of wider scopes the steps `published_wide`. An acquire fence of any scope adds the steps
     * `unasked`. Only an acquire fence of a wider scope than cta adds the steps `unasked_wide`. */
    uint32_t known, published_narrow, published_wide, unasked, unasked_wide;
};

/* What a strong write carries to those who read it: in the writer's block, and elsewhere. */
struct carried {
    uint32_t to_block, to_all;
};

struct oracle {
    uint32_t before[PROGRAM_STEPS]; /* the steps before each step in causality order */
    bool races;                     /* does the program have a data race? */
    bool is_seen;                   /* does the program have a race that the machine must report? */
    /* does the program have a race between accesses that overlap only in part? Then no values are defined. */
    bool mixes;
};

static bool is_access(const step *s)
{
    return s->kind == READ || s->kind == WRITE || s->kind == ATOMIC;
}

static bool writes(const step *s)
{
    return s->kind == WRITE || s->kind == ATOMIC;
}

static bool covers(const step *s, unsigned byte)
{
    return is_access(s) && byte - s->at < s->bytes;
}

/* Returns whether a weak read covers some of the 8 bytes from this one on. */
static bool touches(const step *s, unsigned byte)
{
    return s->kind == READ && s->scope == SCOPE_THREAD && s->at < byte + 8 && byte < s->at + s->bytes;
}

/* Returns whether both scopes include both threads. */
static bool is_inclusive(const program *p, const step *a, const step *b)
{
    return a->scope != SCOPE_THREAD && b->scope != SCOPE_THREAD &&
           (p->blocks_of[a->role] == p->blocks_of[b->role] ||
            (a->scope > SCOPE_BLOCK && b->scope > SCOPE_BLOCK));
}

/* Updates the knowledge `to` of a thread whose step `read` reads from `write`. If the scope of each includes
 * the thread of the other, the reader gets what the write carries: at once if the read acquires, and in any
 * case at the next acquire fence. */
static void read_from(const program *p, const step *write, const carried *what, const step *read,
                      knowledge *to)
{
    bool together = p->blocks_of[write->role] == p->blocks_of[read->role];
    uint32_t gets = together ? what->to_block : what->to_all;
    if (!is_inclusive(p, write, read))
        return;
    if (read->order & ORDER_ACQUIRE)
        to->known |= gets;
    *(together ? &to->unasked : &to->unasked_wide) |= gets;
}

static carried carried_by(const step *write, const knowledge *own)
{
    uint32_t known = write->order & ORDER_RELEASE ? own->known : 0;
    return {own->published_wide | own->published_narrow | known,
            own->published_wide | (write->scope > SCOPE_BLOCK ? known : 0)};
}

static void fence(const step *s, knowledge *k)
{
    bool wide = s->scope > SCOPE_BLOCK;
    if (s->order & ORDER_ACQUIRE)
        k->known |= k->unasked | (wide ? k->unasked_wide : 0);
    if (s->order & ORDER_RELEASE)
        *(wide ? &k->published_wide : &k->published_narrow) |= k->known;
}

/* Returns the step whose write a step read, if both cover the same bytes, or -1. */
static int source_of(const program *p, int i, const unsigned char *seen)
{
    const step *s = &p->steps[i];
    int from = s->kind == AWAIT ? i - 1 : s->kind == READ || s->kind == ATOMIC ? seen[i * AREA] - 1 : -1;
    if (from < 0 || s->kind == AWAIT)
        return from;
    for (unsigned b = 1; b < s->bytes; b++)
        if (seen[i * AREA + (int)b] != seen[i * AREA])
            return -1;
    return from < i && p->steps[from].at == s->at && p->steps[from].bytes == s->bytes ? from : -1;
}

/* Returns whether the machine still has access j on record when the overlapping access i is made: the machine
 * keeps the newest write of each byte, and the last weak read in each aligned group of 8 bytes. A thread that
 * makes a strong access in such a group knows the earlier writes to the group. */
static bool is_remembered(const program *p, int j, int i)
{
    const step *a = &p->steps[j], *b = &p->steps[i];
    if (!writes(a) && a->scope != SCOPE_THREAD)
        return false;
    for (int k = j + 1; k < i; k++)
        if (p->steps[k].role == b->role && is_access(&p->steps[k]) && p->steps[k].scope != SCOPE_THREAD &&
            p->steps[k].at / 8 == a->at / 8)
            return false;
    for (unsigned byte = a->at; byte < a->at + a->bytes; byte++) {
        bool is_last = covers(b, byte);
        for (int k = j + 1; k < i; k++)
            is_last = is_last && !(covers(&p->steps[k], byte) && writes(&p->steps[k])) &&
                      (writes(a) || !touches(&p->steps[k], byte & ~7u));
        if (is_last)
            return true;
    }
    return false;
}

/* Judges a program whose steps read what is in `seen`, since a read synchronizes with the write that it
 * reads. `leniently` finds the races that the machine must report: each fence.sc synchronizes with later
 * ones, as if no other order were possible, and a release counts for all later writes of its thread. */
static oracle judge(const program *p, const unsigned char *seen, bool leniently)
{
    oracle o = {};
    knowledge of[ROLES] = {};
    carried all[PROGRAM_STEPS] = {};
    uint32_t chains[PROGRAM_STEPS] =
        {}; /* each write, with the writes that it overwrites if it is an atomic */
    for (int i = 0; i < p->count; i++) {
        const step *s = &p->steps[i], *last = s - (i > 0);
        knowledge *own = &of[s->role];
        int from = source_of(p, i, seen);
        o.before[i] = own->known;
        if (from >= 0)
            read_from(p, &p->steps[from], &all[from], s, own);
        for (int j = 0; j < i && leniently && s->kind == FENCE && s->order == ORDER_SEQUENTIAL; j++)
            if (p->steps[j].kind == FENCE && p->steps[j].order == ORDER_SEQUENTIAL &&
                is_inclusive(p, &p->steps[j], s))
                own->known |= o.before[j];
        if (s->kind == FENCE || (leniently && writes(s) && s->order & ORDER_RELEASE)) {
            step releases = *s;
            releases.order = (machine_order)(s->kind == FENCE ? s->order : ORDER_RELEASE);
            own->known |= is_access(s) ? 1u << i : 0;
            fence(&releases, own);
        }
        if (s->kind == BARRIER && last != s && (last->kind == BARRIER || last->kind == ARRIVE) &&
            last->flag == s->flag) {
            own->known |= of[last->role].known;
            if (last->kind == BARRIER)
                of[last->role].known = own->known;
        }
        if (writes(s) || s->kind == SIGNAL)
            all[i] = carried_by(s, own);
        if (s->kind == ATOMIC && from >= 0 && p->blocks_of[p->steps[from].role] == p->blocks_of[s->role])
            all[i].to_block |= all[from].to_block;
        if (s->kind == ATOMIC && from >= 0)
            all[i].to_all |= all[from].to_all, all[i].to_block |= all[from].to_all;
        if (is_access(s))
            own->known |= 1u << i;
        bool observes = from >= 0 && is_inclusive(p, &p->steps[from], s);
        chains[i] = 1u << i | (s->kind == ATOMIC && observes ? chains[from] : 0);
        if (observes) /* causality order includes observation order followed by base causality order */
            own->known |= chains[from];
        if (s->kind == KERNEL_ENDS)
            for (int r = 0; r < ROLES; r++)
                of[r] = {~0u >> (31 - i), 0, 0, 0, 0};
    }
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < i; j++) {
            const step *a = &p->steps[j], *b = &p->steps[i];
            bool overlap =
                is_access(a) && is_access(b) && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
            bool same = a->at == b->at && a->bytes == b->bytes;
            if (!overlap || !(writes(a) || writes(b)) || a->role == b->role || o.before[i] >> j & 1)
                continue;
            o.races |= !same || !is_inclusive(p, a, b);
            o.is_seen |= (!same || !is_inclusive(p, a, b)) && is_remembered(p, j, i);
            o.mixes |= !same;
        }
    return o;
}

/* Returns whether step `i` may read the byte that step `j` wrote, or with j = -1 the initial one: no other
 * write is between the two in causality order. */
static bool may_read(const program *p, const oracle *o, int i, int j, unsigned byte)
{
    if (j >= i || (j >= 0 && (!writes(&p->steps[j]) || !covers(&p->steps[j], byte))))
        return false;
    for (int w = 0; w < i; w++)
        if (w != j && writes(&p->steps[w]) && covers(&p->steps[w], byte) && o->before[i] >> w & 1 &&
            (j < 0 || o->before[w] >> j & 1))
            return false;
    return true;
}

/* ---- comparison ---- */

static void run(const program *p, memory *m, unsigned char *seen)
{
    CHECK(cudaMemset(m, 0, sizeof *m));
    CHECK(cudaMemcpy(&m->steps, p, sizeof *p, cudaMemcpyHostToDevice));
    for (int first = 0, end; first < p->count; first = end + 1) {
        end = first;
        while (end < p->count && p->steps[end].kind != KERNEL_ENDS)
            end++;
        CHECK(launch(run_steps, {ROLES, 32 * ROLES}, harness_stream(), m, first, end));
        wait_for_device();
    }
    CHECK(cudaMemcpy(seen, m->seen, sizeof m->seen, cudaMemcpyDeviceToHost));
}

static void print_program(const program *p, const unsigned char *seen)
{
    static const char *const names[] = {"read",  "write",   "atomic", "fence",      "signal",
                                        "await", "barrier", "arrive", "kernel ends"};
    for (int i = 0; i < p->count; i++) {
        const step *s = &p->steps[i];
        printf("        %2d: thread %d of block %d: %s [%u..%u] scope %d order %d flag %d", i + 1, s->role,
               p->blocks_of[s->role], names[s->kind], s->at, s->at + s->bytes - 1, s->scope, s->order,
               s->flag);
        for (unsigned b = 0; b < s->bytes && s->kind != WRITE; b++)
            printf(" %d", seen[i * AREA + (int)b]);
        puts("");
    }
}

/* Returns whether the step may read the bytes that it read. */
static bool is_allowed(const program *p, const oracle *o, int i, const unsigned char *seen)
{
    const step *s = &p->steps[i];
    if (s->kind != READ && s->kind != ATOMIC)
        return true;
    for (unsigned b = 0; b < s->bytes; b++)
        if (!may_read(p, o, i, seen[i * AREA + (int)b] - 1, s->at + b))
            return false;
    return true;
}

/* ---- races of several runs ---- */

enum { MOST_RUNS = 24 };
static FILE *saved[MOST_RUNS]; /* the races of the first runs that have some */
static int saved_count;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the saved races of the runs in the order first, first + step, ... (modulo their number), and returns
 * what the machine tells of them, with a sorted line for each race. The caller frees it. */
static char *merged(int first, int step)
{
    char *text = NULL, *lines[64];
    size_t bytes, count = 0;
    machine_collect_races(true, false);
    for (int i = 0; i < saved_count; i++) {
        int run = (first + step * i) % saved_count;
        rewind(saved[run]);
        machine_add_races(saved[run], (unsigned)run + 1, false);
    }
    for (; count < machine_races() && count < 64; count++) {
        machine_race r;
        machine_describe_race(count, &r);
        if (asprintf(&lines[count], "%s %s %s, %s %s %s, %s, %s, span %d, run %u, %llu times\n", r.first,
                     r.first_did, r.first_line, r.second, r.second_does, r.second_line, r.nothing, r.place,
                     r.span, r.run, r.times) < 0)
            fail(EXIT_CANNOT, "out of memory");
    }
    qsort(lines, count, sizeof *lines, by_text);
    FILE *file = open_memstream(&text, &bytes);
    for (size_t i = 0; i < count; i++) {
        fputs(lines[i], file);
        free(lines[i]);
    }
    fclose(file);
    return text;
}

/* Returns how many races of the run are not among the merged ones, or are there with a smaller span, and
 * subtracts the run's times from *times. */
static int lost_of(int run, const machine_race *merged_races, size_t count, unsigned long long *times)
{
    int lost = 0;
    machine_collect_races(true, false);
    rewind(saved[run]);
    machine_add_races(saved[run], 1, false);
    for (size_t i = 0; i < machine_races(); i++) {
        machine_race r;
        bool is_there = false;
        machine_describe_race(i, &r);
        for (size_t m = 0; m < count; m++)
            is_there |= strcmp(r.first_line, merged_races[m].first_line) == 0 &&
                        strcmp(r.second_line, merged_races[m].second_line) == 0 &&
                        strcmp(r.first_did, merged_races[m].first_did) == 0 && r.span <= merged_races[m].span;
        lost += !is_there;
        *times -= r.times;
    }
    return lost;
}

/* Adds the races of two runs. Returns how many are lost, or do not have the larger span of both; 1 more if
 * the times are not the sum. */
static int lost_of_two(int a, int b)
{
    static machine_race races[64];
    unsigned long long times = 0;
    size_t count = 0;
    machine_collect_races(true, false);
    for (int run : {a, b}) {
        rewind(saved[run]);
        machine_add_races(saved[run], run == a ? 1 : 2, false);
    }
    for (; count < machine_races() && count < 64; count++) {
        machine_describe_race(count, &races[count]);
        times += races[count].times;
    }
    int lost = lost_of(a, races, count, &times) + lost_of(b, races, count, &times);
    return lost + (times != 0);
}

/* Checks that the order in which the runs' races are added makes no difference, and that nothing is lost. */
static void check_merging()
{
    int differing = 0, lost = 0;
    char *forward = merged(0, 1);
    for (int first = 0; first < saved_count; first++) {
        char *other = merged(first, first % 2 ? 1 : saved_count - 1);
        differing += strcmp(forward, other) != 0;
        free(other);
        for (int further : {1, 7})
            lost += lost_of_two(first, (first + further) % saved_count);
    }
    check(differing == 0 && *forward, "races of %d runs are the same whatever run is added first (%d differ)",
          saved_count, differing);
    check(lost == 0, "two runs have the larger span and the sum of the times (%d are lost)", lost);
    free(forward);
}

struct tally {
    int programs, racing, seen, wrong_values, false_races, missed_races;
};

static void compare(const program *p, memory *m, unsigned seed, tally *t)
{
    static const machine_memory policies[] = {MACHINE_L1, MACHINE_OLDEST, MACHINE_ANY};
    unsigned char seen[PROGRAM_STEPS * AREA];
    machine_set_memory(policies[seed % 3]);
    machine_collect_races(true, false);
    machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, seed);
    run(p, m, seen);
    oracle o = judge(p, seen, false);
    bool must_tell = judge(p, seen, true).is_seen;
    bool told = machine_races() > 0, right = true;
    for (int i = 0; i < p->count && !o.mixes; i++)
        right = right && is_allowed(p, &o, i, seen);
    if (told && saved_count < MOST_RUNS) {
        saved[saved_count] = tmpfile();
        machine_save_races(saved[saved_count++]);
    }
    t->programs++;
    t->racing += o.races;
    t->seen += must_tell;
    t->wrong_values += !right;
    t->false_races += told && !o.races;
    t->missed_races += !told && must_tell;
    if (!right || (told && !o.races) || (!told && must_tell)) {
        printf("        %s: memory %u, the oracle says %s\n",
               !right ? "a value is not allowed"
               : told ? "a race is told"
                      : "no race is told",
               seed % 3, o.races ? "that there is a race" : "that there is no race");
        print_program(p, seen);
        machine_print_races(stdout);
    }
}

int main(int argc, char **argv)
{
    set_program_name("machine_mixed");
    int programs = argc > 1 ? atoi(argv[1]) : getenv("FULL") ? 30000 : 1000;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)strtoul(GPUSYNC_REVISION, NULL, 16);
    options options = {};
    options.device = seed % 2 ? "h100" : "titanx"; /* on which a fence of block scope takes no time */
    device device;
    open_device(&options, &device);
    tally t = {};
    memory *m;
    CHECK(cudaMalloc((void **)&m, sizeof *m));
    random_state.state = seed;
    for (int p = 0; p < programs; p++) {
        program drawn = any_program();
        compare(&drawn, m, seed + (unsigned)p, &t);
    }
    check(t.wrong_values == 0, "accesses of all sizes read what PTX allows (%d programs, %d wrong)",
          t.programs, t.wrong_values);
    check(t.false_races == 0,
          "no race is told of accesses that are ordered (%d programs without a race, %d told)",
          t.programs - t.racing, t.false_races);
    check(t.missed_races == 0,
          "each program with a race that the machine can know has one told (%d programs, %d "
          "not told)",
          t.seen, t.missed_races);
    check_merging();
    return checks_done();
}
