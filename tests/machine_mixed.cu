/*
 * Draws programs whose accesses have different sizes, runs them on the machine with weak memory, and compares
 * what they read, which pairs of accesses race, and what is reported of each pair, with an oracle.
 *
 *     build/machine/tests/machine_mixed [PROGRAMS [SEED]]     12000 programs, with FULL=1 120000
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

#include <map>
#include <set>
#include <string.h>
#include <string>
#include <vector>

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
    bool is_weak;                 /* are the accesses that are drawn next weak? */
    unsigned last_at, last_bytes; /* first byte and number of bytes of the last access */
    int count;
    step steps[PROGRAM_STEPS];
};

/* ---- accesses whose size, scope and order are known when the kernel runs ---- */

/* These macros make a statement, MAKE, with the name of an instruction, to which they add the size or the
 * scope. */
#define BY_SIZE(bytes, MAKE, name)                                                                           \
    do {                                                                                                     \
        if (bytes == 1)                                                                                      \
            MAKE(name "8");                                                                                  \
        else if (bytes == 2)                                                                                 \
            MAKE(name "16");                                                                                 \
        else if (bytes == 4)                                                                                 \
            MAKE(name "32");                                                                                 \
        else                                                                                                 \
            MAKE(name "64");                                                                                 \
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

/* Makes step `s`. Each thread is lane 0 of a warp, whose other lanes only take part in barriers. A write
 * fills its bytes with the number of its step, from 1 on. */
static __device__ __noinline__ void make_step(memory *m, int s)
{
    const step *step = &m->steps.steps[s];
    unsigned *flag = m->flags + step->flag;
    uint64_t value = 0x0101010101010101 * (uint64_t)(s + 1);
    uint64_t *to = (uint64_t *)(m->seen + s * AREA);
    if (step->kind == BARRIER || step->kind == ARRIVE)
        __syncwarp(); /* only here, because it releases the thread's accesses, too */
    if (step->kind == BARRIER) {
        named_barrier_sync(step->flag, 64);
    } else if (step->kind == ARRIVE) {
        named_barrier_arrive(step->flag, 64);
    } else if (threadIdx.x % 32) {
    } else if (step->kind == READ) {
        load_bytes(to, m->area + step->at, step);
    } else if (step->kind == WRITE) {
        store_bytes(m->area + step->at, value, step);
    } else if (step->kind == ATOMIC) {
        to[0] = exchange(m->area + step->at, value, step);
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
}

/* Each step has a call of its own, because a report of a race names the calls that led to the accesses. */
static __global__ void run_steps(memory *m, int first, int end)
{
    const program *p = &m->steps;
    int role = (int)threadIdx.x / 32;
    if (p->blocks_of[role] != (int)block_in_grid())
        return;
    UNROLL(PROGRAM_STEPS)
    for (int s = 0; s < PROGRAM_STEPS; s++)
        if (first <= s && s < end && p->steps[s].role == role)
            make_step(m, s);
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
    do
        s->bytes = s->kind == ATOMIC ? 4u << any(2) : 1u << any(s->scope == SCOPE_THREAD ? 5 : 4);
    while (s->bytes > p->span);
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

/* Draws a program. Three of four are short: two weak accesses of a thread, and one of each of two others. */
static program any_program()
{
    program p = {};
    bool is_short = any(4) > 0, is_weak = any(4) == 0, lacks = is_short || any(2);
    int role = 0, topology = any(3);
    p.span = 4u << any(is_short ? 2 : 3);
    p.last_bytes = p.span;
    for (int r = 0; r < ROLES; r++)
        p.blocks_of[r] = topology == 0 ? 0 : topology == 1 ? r : any(2);
    for (int turn = 0; p.count < PROGRAM_STEPS - 11 && turn < (is_short ? 2 : 5); turn++) {
        p.is_weak = is_weak || (is_short && turn == 0);
        for (int accesses = is_short ? 2 - turn : 1 + any(3); accesses > 0; accesses--) {
            add_access(&p, role);
            if (any(is_short ? 2 : 4) == 0)
                add_fence(&p, role, SCOPE_DEVICE, ORDER_RELEASE);
        }
        int next = (role + 1 + any(ROLES - 1)) % ROLES;
        if (!is_short && any(8) == 0)
            add(&p, KERNEL_ENDS, role);
        else
            add_turn(&p, role, next, turn, lacks && (is_short || any(2)));
        role = next;
    }
    p.is_weak = is_weak && !is_short;
    add_access(&p, role);
    return p;
}

/* ---- the oracle ---- */

/* Sets of steps are the bits of a number. */
struct oracle {
    uint32_t before[PROGRAM_STEPS]; /* the steps before each step in causality order */
    uint32_t races[PROGRAM_STEPS];  /* the earlier steps with which each step has a data race */
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

/* Returns whether an access covers some of these bytes. */
static bool overlaps(const step *s, unsigned at, unsigned bytes)
{
    return is_access(s) && s->at < at + bytes && at < s->at + s->bytes;
}

/* Returns whether both scopes include both threads. */
static bool is_inclusive(const program *p, const step *a, const step *b)
{
    return a->scope != SCOPE_THREAD && b->scope != SCOPE_THREAD &&
           (p->blocks_of[a->role] == p->blocks_of[b->role] ||
            (a->scope > SCOPE_BLOCK && b->scope > SCOPE_BLOCK));
}

/* Returns whether step i reads what step j wrote: the same bytes, or with `leniently` some of them. */
static bool reads_from(const program *p, int i, int j, const unsigned char *seen, bool leniently)
{
    const step *s = &p->steps[i], *from = &p->steps[j];
    unsigned same = 0;
    if (s->kind == AWAIT)
        return j == i - 1;
    for (unsigned b = 0; b < s->bytes && (s->kind == READ || s->kind == ATOMIC); b++)
        same += seen[i * AREA + (int)b] == j + 1;
    return leniently ? same > 0 : same && same == s->bytes && from->at == s->at && from->bytes == s->bytes;
}

/* Returns the writes that step i observes: it reads them, or an atomic that it observes reads them. */
static uint32_t observed_by(const program *p, int i, const unsigned char *seen, bool leniently)
{
    uint32_t all = 0;
    for (int j = 0; j < i; j++)
        if (reads_from(p, i, j, seen, leniently) && is_inclusive(p, &p->steps[j], &p->steps[i]))
            all |= 1u << j | (p->steps[j].kind == ATOMIC ? observed_by(p, j, seen, leniently) : 0);
    return all;
}

/* Returns whether the release r synchronizes with the acquire q: a step from q's thread before the fence
 * q, or q itself, observes a write of r's thread after the fence r, or r itself. */
static bool synchronizes(const program *p, const uint32_t *observed, int r, int q, bool leniently)
{
    const step *release = &p->steps[r], *acquire = &p->steps[q];
    bool are_fences = release->kind == FENCE && acquire->kind == FENCE;
    if (!is_inclusive(p, release, acquire) || !(release->order & ORDER_RELEASE) ||
        !(acquire->order & ORDER_ACQUIRE))
        return false;
    if (leniently && are_fences && release->order == ORDER_SEQUENTIAL && acquire->order == ORDER_SEQUENTIAL)
        return true;
    for (int w = r; w < q; w++)
        for (int i = w + 1; i <= q; i++)
            if (observed[i] >> w & 1 &&
                (w == r || (p->steps[w].role == release->role && (leniently || release->kind == FENCE))) &&
                (i == q || (p->steps[i].role == acquire->role && acquire->kind == FENCE)))
                return true;
    return false;
}

/* Returns whether the machine takes two accesses of a thread for one, and reports races of both as the
 * later one's: both are weak reads or weak writes in the same aligned group of 8 bytes, and no thread of
 * their block releases anything between the two. With `surely`, no thread does so later either, because
 * the threads of a barrier arrive in any order. */
static bool are_one(const program *p, int earlier, int later, bool surely)
{
    const step *a = &p->steps[earlier], *b = &p->steps[later];
    for (int i = earlier; i < (surely ? p->count : later); i++)
        if (p->blocks_of[p->steps[i].role] == p->blocks_of[a->role] &&
            (p->steps[i].kind > AWAIT || p->steps[i].order & ORDER_RELEASE))
            return false;
    return a->role == b->role && a->kind == b->kind && a->scope == SCOPE_THREAD && b->scope == SCOPE_THREAD &&
           overlaps(a, b->at / 8 * 8, b->bytes < 8 ? 8 : b->bytes);
}

/* Returns the steps before i that the machine may report in place of j. */
static uint32_t taken_for(const program *p, int j, int i)
{
    uint32_t steps = 0;
    for (int k = 0; k < i; k++)
        steps |= (uint32_t)are_one(p, std::min(j, k), std::max(j, k), false) << k;
    return steps | 1u << j;
}

/* Returns whether the machine still has access j on record when the overlapping access i is made. It
 * keeps the newest write of each byte; either of two writes that nothing orders may be the newer one. In
 * each aligned group of 8 bytes it keeps one weak read: the last one, or after a write to a part of the
 * group also an earlier one that has bytes of its own. */
static bool is_remembered(const program *p, const oracle *o, int j, int i)
{
    const step *a = &p->steps[j], *b = &p->steps[i];
    bool is_remembered = false;
    for (unsigned byte = a->at; byte < a->at + a->bytes; byte++) {
        bool is_kept = overlaps(b, byte, 1) && (writes(a) || a->scope == SCOPE_THREAD);
        for (int k = 0; k < i; k++) {
            const step *s = &p->steps[k];
            bool is_newer = k > j || (writes(a) && k != j && !(o->before[j] >> k & 1)),
                 has_own = s->role != a->role && (s->at < a->at || s->at + s->bytes > a->at + a->bytes),
                 is_read = s->kind == READ && s->scope == SCOPE_THREAD && overlaps(s, byte / 8 * 8, 8);
            is_kept = is_kept && !(is_newer && writes(s) && overlaps(s, byte, 1)) &&
                      !(!writes(a) && is_read && (k > j ? !are_one(p, j, k, true) : has_own));
        }
        is_remembered |= is_kept;
    }
    return is_remembered;
}

/* Judges a program whose steps read what is in `seen`, since a read synchronizes with the write that it
 * reads. `leniently` finds the races that the machine must report: each fence.sc synchronizes with later
 * ones, as if no other order were possible, a release counts for all later writes of its thread, and a
 * thread that makes a strong access in an aligned group of 8 bytes knows the earlier writes to the group.
 * */
static oracle judge(const program *p, const unsigned char *seen, bool leniently)
{
    oracle o = {};
    uint32_t known[ROLES] = {}, released[PROGRAM_STEPS], observed[PROGRAM_STEPS];
    for (int i = 0; i < p->count; i++) {
        const step *s = &p->steps[i], *last = s - (i > 0);
        uint32_t *own = &known[s->role];
        o.before[i] = *own;
        observed[i] = observed_by(p, i, seen, leniently);
        for (int j = 0; j < i; j++)
            *own |= synchronizes(p, observed, j, i, leniently) ? released[j] : 0;
        if (s->kind == BARRIER && last != s && last->kind >= BARRIER && last->flag == s->flag) {
            *own |= known[last->role];
            if (last->kind == BARRIER)
                known[last->role] = *own;
        }
        released[i] = *own |= (uint32_t)is_access(s) << i;
        *own |= observed[i]; /* causality order is also observation order followed by base causality order */
        for (int j = 0; j < i && leniently && is_access(s) && s->scope != SCOPE_THREAD; j++)
            *own |= (uint32_t)(writes(&p->steps[j]) && overlaps(&p->steps[j], s->at / 8 * 8, 8)) << j;
        for (int r = 0; r < ROLES && s->kind == KERNEL_ENDS; r++)
            known[r] = ~0u >> (31 - i);
    }
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < i; j++) {
            const step *a = &p->steps[j], *b = &p->steps[i];
            bool same = a->at == b->at && a->bytes == b->bytes;
            if (!is_access(a) || !overlaps(b, a->at, a->bytes) || !(writes(a) || writes(b)) ||
                a->role == b->role || o.before[i] >> j & 1)
                continue;
            o.races[i] |= (uint32_t)(!same || !is_inclusive(p, a, b)) << j;
            o.mixes |= !same;
        }
    return o;
}

/* Returns whether a step may read the bytes that it read, each from a write or the initial one: no other
 * write to the byte is between the two in causality order. */
static bool is_allowed(const program *p, const oracle *o, int i, const unsigned char *seen)
{
    const step *s = &p->steps[i];
    for (unsigned b = 0; b < s->bytes && (s->kind == READ || s->kind == ATOMIC); b++) {
        int from = seen[i * AREA + (int)b] - 1;
        if (from >= i ||
            (from >= 0 && (!writes(&p->steps[from]) || !overlaps(&p->steps[from], s->at + b, 1))))
            return false;
        for (int w = 0; w < i; w++)
            if (w != from && writes(&p->steps[w]) && overlaps(&p->steps[w], s->at + b, 1) &&
                o->before[i] >> w & 1 && (from < 0 || o->before[w] >> from & 1))
                return false;
    }
    return true;
}

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

/* ---- what the machine reports ---- */

/* A report of a race: the steps that made the two accesses, and the rest. */
struct report {
    int first, second;
    machine_race race;
};
using reports = std::map<std::string, report>; /* by the instructions of both accesses */

/* The place of each step's call in the kernel, in ascending order. */
static std::set<unsigned long> calls;

/* Returns the place of the call in a mark. */
static unsigned long call_of(const char *mark)
{
    return strtoul(strrchr(mark, ',') + 1, NULL, 16);
}

static reports reported()
{
    reports all;
    for (size_t i = 0; i < machine_races(); i++) {
        machine_race r;
        machine_describe_race(i, &r);
        auto step_at = [](const char *mark) {
            return (int)std::distance(calls.begin(), calls.find(call_of(mark)));
        };
        all[std::string(r.first_line) + r.first_did + r.second_line + r.second_does] = {
            step_at(r.first_line), step_at(r.second_line), r};
    }
    return all;
}

/* Returns whether the report says who did what, how far apart, and whether both accesses are strong. */
static bool is_right(const program *p, const report *report)
{
    const machine_race *r = &report->race;
    const step *a = &p->steps[report->first], *b = &p->steps[report->second];
    int blocks[] = {p->blocks_of[a->role], p->blocks_of[b->role]};
    const char *does = b->kind == READ ? "reads" : b->kind == WRITE ? "overwrites" : "changes";
    return (int)r->first_block == blocks[0] && (int)r->second_block == blocks[1] &&
           (int)r->first_thread == 32 * a->role && (int)r->second_thread == 32 * b->role &&
           strcmp(r->first_did, writes(a) ? "wrote" : "read") == 0 && strcmp(r->second_does, does) == 0 &&
           r->span == (blocks[0] == blocks[1] ? RACE_IN_BLOCK : RACE_IN_GRID) &&
           r->are_both_strong == (a->scope != SCOPE_THREAD && b->scope != SCOPE_THREAD);
}

/* Finds the calls of all steps: runs a program in which each byte is written by two steps that race. */
static void find_calls(memory *m)
{
    program p = {};
    unsigned char seen[PROGRAM_STEPS * AREA];
    for (int s = 0; s < PROGRAM_STEPS; s++)
        *add(&p, WRITE, 0) = {WRITE, s % 2, (unsigned)s / 2, 1, SCOPE_THREAD, ORDER_RELAXED, 0};
    machine_collect_races(true, false);
    run(&p, m, seen);
    for (size_t i = 0; i < machine_races(); i++) {
        machine_race r;
        machine_describe_race(i, &r);
        calls.insert({call_of(r.first_line), call_of(r.second_line)});
    }
    check(calls.size() == PROGRAM_STEPS, "a report names the step (%zu of %d)", calls.size(), PROGRAM_STEPS);
}

/* ---- races of several runs ---- */

/* The races of the first runs that have some, as the machine saves them and as it reports them. */
static std::vector<std::pair<FILE *, reports>> saved;

/* Adds the saved races of the runs in the order first, first + step, ... (modulo their number). */
static reports merged(size_t first, size_t step)
{
    machine_collect_races(true, false);
    for (size_t i = 0; i < saved.size(); i++) {
        size_t run = (first + step * i) % saved.size();
        rewind(saved[run].first);
        machine_add_races(saved[run].first, (unsigned)run + 1, false);
    }
    return reported();
}

/* Returns the text of all reports. */
static std::string text_of(const reports &all)
{
    std::string text;
    for (const auto &[pair, one] : all)
        text += pair + one.race.first + one.race.second + one.race.place + one.race.nothing +
                std::to_string(one.race.span) + " " + std::to_string(one.race.run) + " " +
                std::to_string(one.race.times);
    return text;
}

/* Checks that runs in any order have each race of one of them, with the largest span, the sum of the
 * times, and the texts of the lowest run, or of the lowest one in which the order of two fences does not
 * hide it. */
static void check_merging()
{
    reports all;
    int differing = 0;
    for (size_t run = 0; run < saved.size(); run++)
        for (auto [pair, further] : saved[run].second) {
            further.race.run = (unsigned)run + 1;
            auto [at, is_new] = all.try_emplace(pair, further);
            machine_race kept = at->second.race;
            at->second.race = strstr(kept.nothing, "fences") && !strstr(further.race.nothing, "fences")
                                  ? further.race
                                  : kept;
            at->second.race.span = std::max(kept.span, further.race.span);
            at->second.race.times = kept.times + (is_new ? 0 : further.race.times);
        }
    for (size_t first = 0; first < saved.size(); first++)
        differing += text_of(merged(first, first % 2 ? 1 : saved.size() - 1)) != text_of(all);
    check(differing == 0 && !all.empty(),
          "the races of %zu runs are merged the same in any order (%d differ)", saved.size(), differing);
}

static int pairs, wrong_values, wrong_reports, false_races, missed_races;

static void compare(const program *p, memory *m, unsigned seed)
{
    static const machine_memory policies[] = {MACHINE_L1, MACHINE_OLDEST, MACHINE_ANY};
    unsigned char seen[PROGRAM_STEPS * AREA];
    machine_set_memory(policies[seed % 3]);
    machine_collect_races(true, false);
    machine_set_schedule(seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL, seed);
    run(p, m, seen);
    oracle o = judge(p, seen, false), sure = judge(p, seen, true);
    uint32_t told[PROGRAM_STEPS] = {};
    int wrong = wrong_values + wrong_reports + false_races + missed_races;
    for (const auto &[pair, report] : reported()) {
        told[report.second] |= 1u << report.first;
        wrong_reports += !is_right(p, &report);
    }
    for (int i = 0; i < p->count; i++) {
        wrong_values += !o.mixes && !is_allowed(p, &o, i, seen);
        for (int j = 0; j < i; j++) {
            uint32_t same = taken_for(p, j, i);
            bool must = sure.races[i] >> j & 1 && is_remembered(p, &o, j, i);
            bool is_missed = must && !(told[i] & same), is_false = told[i] >> j & 1 && !(o.races[i] & same);
            pairs += must;
            missed_races += is_missed;
            false_races += is_false;
            if (is_missed || is_false)
                printf("        steps %d and %d: %s race is told\n", j + 1, i + 1, is_missed ? "no" : "a");
        }
    }
    if (machine_races() > 0 && saved.size() < 24) {
        saved.push_back({tmpfile(), reported()});
        machine_save_races(saved.back().first);
    }
    if (wrong != wrong_values + wrong_reports + false_races + missed_races) {
        printf("        memory %u, program %u\n", seed % 3, seed);
        print_program(p, seen);
        machine_print_races(stdout);
    }
}

int main(int argc, char **argv)
{
    set_program_name("machine_mixed");
    int programs = argc > 1 ? atoi(argv[1]) : getenv("FULL") ? 120000 : 12000;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)strtoul(GPUSYNC_REVISION, NULL, 16);
    options options = {};
    options.device = seed % 2 ? "h100" : "titanx"; /* on which a fence of block scope takes no time */
    device device;
    open_device(&options, &device);
    memory *m;
    CHECK(cudaMalloc((void **)&m, sizeof *m));
    machine_mark_lines(true);
    machine_set_memory(MACHINE_ANY);
    find_calls(m);
    random_state.state = seed;
    for (int p = 0; p < programs; p++) {
        program drawn = any_program();
        compare(&drawn, m, seed + (unsigned)p);
    }
    check(wrong_values == 0, "accesses of all sizes read what PTX allows (%d wrong)", wrong_values);
    check(false_races == 0, "no race is told of a pair of accesses that is ordered (%d told)", false_races);
    check(missed_races == 0, "each racing pair that the machine can know is told (%d, %d not told)", pairs,
          missed_races);
    check(wrong_reports == 0, "with its threads, what they did, and how far apart they are (%d wrong)",
          wrong_reports);
    check_merging();
    return checks_done();
}
