/* Barriers, fences, and operations of a warp (PTX ISA, "Parallel Synchronization and Communication
 * Instructions"). The engine lets lanes meet (machine/engine/rendezvous.h). One file because all of them
 * make requests without addresses. */
#include "machine/engine/clusters.h"
#include "machine/engine/rules.h"
#include "machine/ptx/access.h"
#include "machine/ptx/arithmetic.h"
#include "machine/ptx.h"
#include "machine/ptx/undefined.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

#include <string.h>

/* ---- barriers of a block ---- */

/* `a` is the barrier's number, `b` the number of threads or PTX_NO_OPERAND, `number` the request's kind,
 * `e` the number of its place in the source. The reduction has its predicate in `c`. */
enum { REDUCES_POPC = 1, REDUCES_AND, REDUCES_OR };

static bool is_whole_block(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    unsigned first = (unsigned)__builtin_ctz(lanes->mask);
    if (PTX_AT(const uint32_t, lanes, code->a)[first])
        return false;
    return code->b == PTX_NO_OPERAND;
}

unsigned ptx_barrier_place(const void *instruction)
{
    return ((const struct ptx_code *)instruction)->e;
}

static const struct ptx_code *run_barrier(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct warp *warp = lanes->warp;
    if (is_whole_block(code, lanes)) {
        ptx_request(lanes, code, REQUEST_BLOCK_BARRIER);
        if (code->c != PTX_NO_OPERAND) {
            uint32_t predicate = *PTX_AT(const uint32_t, lanes, code->c);
            warp->voting |= lanes->mask;
            warp->votes |= lanes->mask & (code->number >> 32 & 1 ? ~predicate : predicate);
        }
        return ptx_stop(lanes, code);
    }
    ptx_request(lanes, code, (enum request_kind)(uint32_t)code->number);
    unsigned whole = (warp->block->threads + (unsigned)the_machine.description.warp_size - 1) /
                     (unsigned)the_machine.description.warp_size *
                     (unsigned)the_machine.description.warp_size;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint32_t barrier = PTX_AT(const uint32_t, lanes, code->a)[l];
        warp->more[l].value = barrier;
        warp->more[l].mask = code->b == PTX_NO_OPERAND ? whole : PTX_AT(const uint32_t, lanes, code->b)[l];
    }
    return ptx_stop(lanes, code);
}

static const struct ptx_code *finish_barrier(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct block *block = lanes->warp->block;
    uint32_t count = block->counted;
    switch (code->f) {
    case REDUCES_POPC:
        FOR_EACH_LANE(l, lanes->mask) PTX_AT(uint32_t, lanes, code->d)[l] = count;
        break;
    case REDUCES_AND:
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes,
                          count == block->threads - block->exited ? PTX_ALL_LANES : 0);
        break;
    case REDUCES_OR:
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, count ? PTX_ALL_LANES : 0);
        break;
    default:
        break;
    }
    return code + 1;
}

/* A barrier, from its number on, which is the argument number `first` of all `count` arguments. */
static void decode_from(struct ptx_decoder *decoder, struct ptx_code *code, unsigned first, unsigned count)
{
    code->c = PTX_NO_OPERAND;
    code->e = ptx_source_number(decoder->routine->function, decoder->statement);
    code->a = ptx_operand_at(decoder, first, '4');
    code->b = first + 1 < count ? ptx_operand_at(decoder, first + 1, '4') : PTX_NO_OPERAND;
    code->number = ptx_has(decoder, "arrive") ? REQUEST_NAMED_ARRIVAL : REQUEST_NAMED_BARRIER;
}

static void decode_barrier(struct ptx_decoder *decoder, struct ptx_code *code)
{
    decode_from(decoder, code, 0, decoder->statement->argument_count);
}

static void decode_block_reduction(struct ptx_decoder *decoder, struct ptx_code *code)
{
    unsigned last = decoder->statement->argument_count - 1;
    decode_from(decoder, code, 1, last);
    const struct ptx_argument *number = ptx_argument_of(decoder, 1),
                              *predicate = ptx_argument_of(decoder, last);
    if (number->kind != PTX_IS_NUMBER || number->number != 0 || code->b != PTX_NO_OPERAND)
        ptx_unsupported(decoder, "a reduction is known at barrier 0 of all threads alone");
    code->f = ptx_has(decoder, "popc") ? REDUCES_POPC : ptx_has(decoder, "and") ? REDUCES_AND : REDUCES_OR;
    code->d = ptx_operand_at(decoder, 0, code->f == REDUCES_POPC ? '4' : 'p');
    code->c = ptx_operand_of(decoder, predicate, 'p');
    code->number |= (uint64_t)predicate->is_not << 32;
}

/* ---- barriers of a cluster ---- */

/* Returns the word of the barrier at which the lane arrives or waits, by which weak memory knows of it.
 * Phases use two words in turn, because a thread that still waits for one phase must not learn of arrivals at
 * the next one. */
static uint32_t *cluster_word_of(const struct ptx_lanes *lanes, unsigned l)
{
    return &lanes->warp->block->cluster->words[lanes->warp->more[l].cluster_phase % 2];
}

/* On weak memory, orders the cluster's threads by an atomic of the running lane on the barrier's word: an
 * arrival publishes the thread's knowledge, and a wait acquires the knowledge of the threads that have
 * arrived. */
static void cluster_synchronize(uint32_t *word, enum machine_order order, bool arrives,
                                const void *instruction)
{
    const struct strength strength = {SCOPE_CLUSTER, arrives ? order | ORDER_ARRIVAL : order};
    weak_atomic_begins((uintptr_t)word, sizeof *word, strength, instruction);
    *word += arrives;
    weak_atomic_ends(arrives);
    if (!arrives)
        running_block()->weak->last.is_cluster_barrier = true;
}

/* On weak memory, an arrival is an atomic on the barrier's word, and a wait loads it until the barrier
 * opens. */
static const struct ptx_code *request_cluster_word(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    ptx_request(lanes, code, code->b ? REQUEST_LOAD : REQUEST_ATOMIC);
    FOR_EACH_LANE(l, lanes->mask)
    {
        struct lane *lane = &lanes->warp->lanes[l];
        lane->address = lanes->warp->addresses[l] = (uintptr_t)cluster_word_of(lanes, l);
        lane->bytes = sizeof(uint32_t);
    }
    return ptx_stop(lanes, code);
}

static const struct ptx_code *finish_cluster_word(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct cluster *cluster = lanes->warp->block->cluster;
    bool waits = code->b;
    uint32_t waiting = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        if (waits && cluster->phase < lanes->warp->more[l].cluster_phase) {
            waiting |= UINT32_C(1) << l;
            continue;
        }
        ptx_becomes_running(lanes, l);
        cluster_synchronize(cluster_word_of(lanes, l), (enum machine_order)code->number, !waits, code);
        weak_access_ends();
        if (!waits)
            cluster_arrive(cluster, 1);
    }
    if (waiting && waiting != lanes->mask)
        ptx_part(lanes, lanes->mask & ~waiting, code + 1);
    return waiting ? request_cluster_word(code, lanes) : code + 1;
}

static const struct ptx_code *run_cluster_barrier(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    bool waits = code->b;
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->more[l].cluster_phase += !waits;
    if (the_machine.memory.is_weak)
        return request_cluster_word(code, lanes);
    if (!waits && code->number & ORDER_RELEASE)
        ptx_request_fence(code, lanes, REQUEST_FENCE_RELEASE, -1);
    else
        ptx_request(lanes, code, waits ? REQUEST_CLUSTER_WAIT : REQUEST_CLUSTER_ARRIVAL);
    return ptx_stop(lanes, code);
}

static const struct ptx_code *finish_cluster_barrier(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    bool waits = code->b;
    if (the_machine.memory.is_weak)
        return finish_cluster_word(code, lanes);
    if (lanes->stage == 1 && !waits && code->number & ORDER_RELEASE) {
        ptx_request(lanes, code, REQUEST_CLUSTER_ARRIVAL);
        return ptx_stop(lanes, code);
    }
    if (lanes->stage == 1 && waits && code->number & ORDER_ACQUIRE) {
        ptx_request_fence(code, lanes, REQUEST_FENCE_ACQUIRE, 1);
        return ptx_stop(lanes, code);
    }
    return code + 1;
}

static void decode_cluster_barrier(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->b = ptx_has(decoder, "wait");
    code->number = ptx_has(decoder, "relaxed") ? ORDER_RELAXED : code->b ? ORDER_ACQUIRE : ORDER_RELEASE;
}

/* ---- fences ---- */

static const struct ptx_code *run_fence(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    struct strength strength = access->strength;
    enum request_kind kind = strength.order == ORDER_RELEASE   ? REQUEST_FENCE_RELEASE
                             : strength.order == ORDER_ACQUIRE ? REQUEST_FENCE_ACQUIRE
                                                               : REQUEST_FENCE_FULL;
    if (strength.scope <= SCOPE_BLOCK) {
        if (!the_machine.description.fence_block_latency)
            return code->finish(code, lanes);
        kind = REQUEST_FENCE_BLOCK;
    }
    ptx_request(lanes, code, kind);
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    lanes->warp->lanes[l].of_system = strength.scope == SCOPE_SYSTEM;
    return ptx_stop(lanes, code);
}

static const struct ptx_code *finish_fence(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    if (rules_are_checked)
        rules_order(lanes->warp, lanes->mask);
    if (the_machine.memory.is_weak)
        FOR_EACH_LANE(l, lanes->mask)
        {
            ptx_becomes_running(lanes, l);
            weak_fence(access->strength);
        }
    return code + 1;
}

/* A proxy fence takes time as a read of the clock does. */
static const struct ptx_code *finish_proxy_fence(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (the_machine.memory.is_weak)
        FOR_EACH_LANE(l, lanes->mask)
        {
            ptx_becomes_running(lanes, l);
            model_proxy_fence(running_thread(), (unsigned)code->number);
        }
    return code + 1;
}

static void decode_fence(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct ptx_access *access = ptx_allocate(decoder->routine->function->module, sizeof *access);
    bool is_plain;
    access->strength = ptx_strength_of(decoder, &is_plain);
    bool is_old = strcmp(decoder->parts[0], "membar") == 0; /* membar.gl is fence.sc.gpu (PTX ISA, membar) */
    if (is_plain)
        access->strength.order = is_old ? ORDER_SEQUENTIAL : ORDER_ACQUIRE_RELEASE;
    code->more = access;
    bool is_of_mbarrier = ptx_has(decoder, "mbarrier_init");
    if (!is_of_mbarrier && !strstr(decoder->statement->opcode, ".proxy"))
        return;
    code->run = ptx_request_clock;
    code->finish = finish_proxy_fence;
    /* The generic proxy and that of tensor maps or of other addresses are one here. */
    if (ptx_has(decoder, "proxy::alias|proxy::tensormap::generic"))
        return;
    code->number = is_of_mbarrier                                    ? PROXY_OWN_WRITES
                   : ptx_has(decoder, "shared::cta|shared::cluster") ? PROXY_SHARED
                   : ptx_has(decoder, "global")                      ? PROXY_GLOBAL
                                                                     : PROXY_SHARED | PROXY_GLOBAL;
}

/* ---- operations of a warp ---- */

/* Begins a warp-wide operation of the lanes in the operand `mask`: fills in each lane's mask, its value, and
 * what else the operation needs. */
static const struct ptx_code *begin(const struct ptx_code *code, struct ptx_lanes *lanes,
                                    enum request_kind kind, ptx_operand mask, char class, int besides)
{
    ptx_request(lanes, code, kind);
    FOR_EACH_LANE(l, lanes->mask)
    {
        struct lane_more *more = &lanes->warp->more[l];
        more->mask = PTX_AT(const uint32_t, lanes, mask)[l];
        if (class)
            more->value = ptx_lane_value(lanes, code->a, class, l);
        more->source_lane = besides;
    }
    return ptx_stop(lanes, code);
}

static const struct ptx_code *run_warp_barrier(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return begin(code, lanes, REQUEST_WARP_BARRIER, code->a, 0, 0);
}

enum { SHUFFLES_UP, SHUFFLES_DOWN, SHUFFLES_BUTTERFLY, SHUFFLES_INDEX };

/* The lane that a shuffle reads (PTX ISA, shfl.sync): `b` and `c` are its operands. Sets whether the
 * lane is in range; if it is not, the lane reads its own value. */
static unsigned source_of(unsigned own, uint32_t b, uint32_t c, unsigned mode, bool *in_range)
{
    unsigned segment = c >> 8 & 31, clamp = c & 31, most = (own & segment) | (clamp & ~segment);
    unsigned least = own & segment, step = b & 31, source = own;
    switch (mode) {
    case SHUFFLES_UP:
        source = own - step;
        *in_range = (int)source >= (int)most;
        break;
    case SHUFFLES_DOWN:
        source = own + step;
        *in_range = source <= most;
        break;
    case SHUFFLES_BUTTERFLY:
        source = own ^ step;
        *in_range = source <= most;
        break;
    default:
        source = least | (step & ~segment & 31);
        *in_range = source <= most;
        break;
    }
    return *in_range ? source : own;
}

static const struct ptx_code *run_shuffle(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    begin(code, lanes, REQUEST_SHUFFLE, code->f, '4', 0);
    uint32_t valid = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        bool in_range;
        lanes->warp->more[l].source_lane =
            (int)source_of(l, PTX_AT(const uint32_t, lanes, code->b)[l],
                           PTX_AT(const uint32_t, lanes, code->c)[l], (unsigned)code->number, &in_range);
        lanes->warp->more[l].source_is_named = code->number == SHUFFLES_INDEX;
        valid |= (uint32_t)in_range << l;
    }
    if (code->e != PTX_NO_OPERAND)
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->e), lanes, valid);
    return NULL;
}

static const struct ptx_code *finish_word(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (code->d != PTX_NO_OPERAND)
        FOR_EACH_LANE(l, lanes->mask)
    PTX_AT(uint32_t, lanes, code->d)[l] = (uint32_t)lanes->warp->more[l].result;
    return code + 1;
}

static const struct ptx_code *finish_shuffle(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t undefined = 0;
    if (rules_are_checked)
        FOR_EACH_LANE(l, lanes->mask) undefined |= (uint32_t)(lanes->warp->more[l].undefined != 0) << l;
    ptx_undefined_result(code, lanes, undefined);
    return finish_word(code, lanes);
}

static void decode_shuffle(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->keeps_undefined = true;
    code->number = ptx_which(decoder, "up|down|bfly");
}

enum { VOTES_ALL, VOTES_ANY, VOTES_UNIFORM, VOTES_BALLOT };

static const struct ptx_code *run_vote(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    begin(code, lanes, REQUEST_BALLOT, code->b, 'p', 0);
    if (code->number & PTX_NOT)
        FOR_EACH_LANE(l, lanes->mask) lanes->warp->more[l].value ^= 1;
    return NULL;
}

static const struct ptx_code *finish_vote(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t bits = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        const struct lane_more *more = &lanes->warp->more[l];
        uint32_t ballot = (uint32_t)more->result, all = (uint32_t)(more->mask & all_lanes(lanes->warp) &
                                                                   ~(lanes->warp->exited & ~lanes->mask));
        bool result = false;
        switch (code->number & ~PTX_NOT) {
        case VOTES_ALL:
            result = (ballot & all) == all;
            break;
        case VOTES_ANY:
            result = ballot != 0;
            break;
        case VOTES_UNIFORM:
            result = !ballot || (ballot & all) == all;
            break;
        default:
            PTX_AT(uint32_t, lanes, code->d)[l] = ballot;
            break;
        }
        bits |= (uint32_t)result << l;
    }
    if ((code->number & ~PTX_NOT) != VOTES_BALLOT)
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, bits);
    return code + 1;
}

static void decode_vote(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->number |= ptx_which(decoder, "all|any|uni");
}

static const struct ptx_code *run_match(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return begin(code, lanes, REQUEST_MATCH, code->b, (char)code->c, (int)code->number);
}

static const struct ptx_code *finish_match(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (code->e != PTX_NO_OPERAND) {
        uint32_t bits = 0;
        FOR_EACH_LANE(l, lanes->mask) bits |= (uint32_t)(lanes->warp->more[l].result != 0) << l;
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->e), lanes, bits);
    }
    return finish_word(code, lanes);
}

static void decode_match(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->c = ptx_has(decoder, "b64") ? '8' : '4';
    code->number = ptx_has(decoder, "all");
}

static const struct ptx_code *run_reduction(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return begin(code, lanes, REQUEST_REDUCTION, code->b, '4', (int)code->number);
}

static void decode_reduction(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->number = ptx_reduction_of(decoder).operation;
}

/* activemask: the lanes that are together now */
static const struct ptx_code *run_active_mask(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        PTX_AT(uint32_t, lanes, code->d)[l] = lanes->mask;
        lanes->warp->more[l].active_mask = lanes->mask;
        lanes->warp->more[l].active_at = code;
    }
    return code + 1;
}

/* elect.sync d|p, mask: d is the number of the mask's lowest lane, and p is true in this lane alone */
static const struct ptx_code *finish_elect(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t bits = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint32_t set = (uint32_t)(lanes->warp->more[l].mask & all_lanes(lanes->warp)),
                 leader = set ? (uint32_t)__builtin_ctz(set) : 0;
        bits |= (uint32_t)(leader == l) << l;
        if (code->d != PTX_NO_OPERAND)
            PTX_AT(uint32_t, lanes, code->d)[l] = leader;
    }
    if (code->e != PTX_NO_OPERAND)
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->e), lanes, bits);
    return code + 1;
}

/* ---- sleep ---- */

static const struct ptx_code *run_sleep(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    ptx_request(lanes, code, REQUEST_SLEEP);
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->more[l].mask = PTX_AT(const uint32_t, lanes, code->a)[l];
    return ptx_stop(lanes, code);
}

#define BARRIER .run = run_barrier, .finish = finish_barrier, .is_barrier = true
#define WARP_BARRIER .run = run_warp_barrier, .finish = ptx_nothing
#define MATCH .run = run_match, .finish = finish_match, .decode = decode_match, .writes = true
#define VOTE .run = run_vote, .finish = finish_vote, .decode = decode_vote, .writes = true
const struct ptx_operation ptx_warp_operations[] = {
    {"bar|barrier", "warp", .operands = ":4", WARP_BARRIER, .is_barrier = true},
    {"bar|barrier", "cluster", .run = run_cluster_barrier, .finish = finish_cluster_barrier,
     .decode = decode_cluster_barrier, .is_barrier = true},
    {"bar|barrier", "red", BARRIER, .decode = decode_block_reduction, .writes = true},
    {"bar|barrier", BARRIER, .decode = decode_barrier},
    {"fence|membar", .run = run_fence, .finish = finish_fence, .decode = decode_fence},
    {"shfl|vote|match|redux", .without = "sync", .refusal = "sm_70 and later do not have it without .sync"},
    {"shfl", .operands = "4|p:4444", .run = run_shuffle, .finish = finish_shuffle, .decode = decode_shuffle,
     .writes = true},
    {"vote", "ballot", .operands = "4:p4", VOTE},
    {"vote", .operands = "p:p4", VOTE},
    {"match", "b64", .operands = "4|p:84", MATCH},
    {"match", .operands = "4|p:44", MATCH},
    {"redux", "f32", .refusal = "a reduction of floating-point numbers is not known"},
    {"redux", .operands = "4:44", .run = run_reduction, .finish = finish_word, .decode = decode_reduction,
     .writes = true},
    {"activemask", .operands = "4:", .run = run_active_mask, .writes = true},
    {"nanosleep", .operands = ":4", .run = run_sleep, .finish = ptx_nothing},
    {"elect", .operands = "4|p:4", .run = run_warp_barrier, .finish = finish_elect, .writes = true},
    {.names = NULL}};
