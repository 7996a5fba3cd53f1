/* Barriers, fences, and operations of a warp (PTX ISA, "Parallel Synchronization and Communication
 * Instructions"). The engine lets lanes meet (machine/engine/rendezvous.h). One file because all of them
 * make requests without addresses. */
#include "machine/engine/clusters.h"
#include "machine/engine/rules.h"
#include "machine/ptx/access.h"
#include "machine/ptx/builtin.h"
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

static void decode_warp_barrier(struct ptx_decoder *decoder, struct ptx_code *code);
static void decode_cluster_barrier(struct ptx_decoder *decoder, struct ptx_code *code);

static void decode_barrier(struct ptx_decoder *decoder, struct ptx_code *code)
{
    if (ptx_has(decoder, "warp"))
        return decode_warp_barrier(decoder, code);
    if (ptx_has(decoder, "cluster"))
        return decode_cluster_barrier(decoder, code);
    bool reduces = ptx_has(decoder, "red"), arrives = ptx_has(decoder, "arrive");
    unsigned first = reduces, count = decoder->statement->argument_count, last = count - reduces;
    code->run = run_barrier;
    code->finish = finish_barrier;
    code->parts = true;
    code->c = PTX_NO_OPERAND;
    code->e = ptx_source_number(decoder->routine->function, decoder->statement);
    code->a = ptx_operand_of(decoder, ptx_argument_of(decoder, first), '4');
    code->b =
        first + 1 < last ? ptx_operand_of(decoder, ptx_argument_of(decoder, first + 1), '4') : PTX_NO_OPERAND;
    code->number = arrives ? REQUEST_NAMED_ARRIVAL : REQUEST_NAMED_BARRIER;
    if (!reduces)
        return;
    const struct ptx_argument *number = ptx_argument_of(decoder, 1),
                              *predicate = ptx_argument_of(decoder, count - 1);
    if (number->kind != PTX_IS_NUMBER || number->number != 0 || code->b != PTX_NO_OPERAND)
        ptx_unsupported(decoder, "a reduction is known at barrier 0 of all threads alone");
    code->f = ptx_has(decoder, "popc") ? REDUCES_POPC : ptx_has(decoder, "and") ? REDUCES_AND : REDUCES_OR;
    code->d = ptx_operand_of(decoder, ptx_argument_of(decoder, 0), code->f == REDUCES_POPC ? '4' : 'p');
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
    /* The block's last observation of another thread's write. An arrival is no observation, so this value is
     * restored after it. */
    struct observation heard = running_block()->weak->last;
    weak_atomic_begins((uintptr_t)word, sizeof *word, (struct strength){SCOPE_CLUSTER, order}, instruction);
    *word += arrives;
    weak_atomic_ends(arrives);
    if (arrives)
        running_block()->weak->last = heard;
    else
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
    code->run = run_cluster_barrier;
    code->finish = finish_cluster_barrier;
    code->parts = true;
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
    code->run = run_fence;
    code->finish = finish_fence;
    code->parts = true;
    for (unsigned p = 1; p < decoder->part_count; p++)
        if (strncmp(decoder->parts[p], "proxy", 5) == 0) {
            bool is_shared = ptx_has(decoder, "shared::cta") || ptx_has(decoder, "shared::cluster");
            bool is_global = ptx_has(decoder, "global");
            code->number = is_shared ? PROXY_SHARED : is_global ? PROXY_GLOBAL : PROXY_SHARED | PROXY_GLOBAL;
            code->run = ptx_request_clock;
            code->finish = finish_proxy_fence;
        } else if (strcmp(decoder->parts[p], "mbarrier_init") == 0) {
            code->number = PROXY_OWN_WRITES;
            code->run = ptx_request_clock;
            code->finish = finish_proxy_fence;
        }
}

/* ---- operations of a warp ---- */

/* Begins a warp-wide operation: fills in each lane's mask, its value, and what else the operation needs. */
static const struct ptx_code *begin(const struct ptx_code *code, struct ptx_lanes *lanes,
                                    enum request_kind kind, char class, int besides)
{
    ptx_request(lanes, code, kind);
    FOR_EACH_LANE(l, lanes->mask)
    {
        struct lane_more *more = &lanes->warp->more[l];
        more->mask = PTX_AT(const uint32_t, lanes, code->f)[l];
        if (class)
            more->value = ptx_lane_value(lanes, code->a, class, l);
        more->source_lane = besides;
    }
    return ptx_stop(lanes, code);
}

static const struct ptx_code *run_warp_barrier(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return begin(code, lanes, REQUEST_WARP_BARRIER, 0, 0);
}

static void decode_warp_barrier(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->f = ptx_operand_of(decoder, ptx_argument_of(decoder, 0), '4');
    code->run = run_warp_barrier;
    code->finish = ptx_nothing;
    code->parts = true;
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
    begin(code, lanes, REQUEST_SHUFFLE, '4', 0);
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

/* Decodes the result, which may be a pair with a predicate, and the operands that all operations have. */
static void decode_operation(struct ptx_decoder *decoder, struct ptx_code *code, ptx_handler *run,
                             ptx_handler *finish, char class)
{
    const struct ptx_argument *result = ptx_argument_of(decoder, 0);
    code->e = PTX_NO_OPERAND;
    if (result->kind == PTX_IS_PAIR) {
        code->e = ptx_operand_of(decoder, &result->items[1], 'p');
        result = &result->items[0];
    }
    code->d = ptx_operand_of(decoder, result, class);
    code->run = run;
    code->finish = finish;
    code->parts = true;
}

static void require_sync(const struct ptx_decoder *decoder)
{
    if (!ptx_has(decoder, "sync"))
        ptx_unsupported(decoder, "sm_70 and later do not have it without .sync");
}

static void decode_shuffle(struct ptx_decoder *decoder, struct ptx_code *code)
{
    require_sync(decoder);
    decode_operation(decoder, code, run_shuffle, finish_shuffle, '4');
    code->keeps_undefined = true;
    code->number = ptx_has(decoder, "up")     ? SHUFFLES_UP
                   : ptx_has(decoder, "down") ? SHUFFLES_DOWN
                   : ptx_has(decoder, "bfly") ? SHUFFLES_BUTTERFLY
                                              : SHUFFLES_INDEX;
    code->a = ptx_operand_of(decoder, ptx_argument_of(decoder, 1), '4');
    code->b = ptx_operand_of(decoder, ptx_argument_of(decoder, 2), '4');
    code->c = ptx_operand_of(decoder, ptx_argument_of(decoder, 3), '4');
    code->f = ptx_operand_of(decoder, ptx_argument_of(decoder, 4), '4');
}

enum { VOTES_BALLOT, VOTES_ALL, VOTES_ANY, VOTES_UNIFORM, NEGATED = 16 };

static const struct ptx_code *run_vote(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    begin(code, lanes, REQUEST_BALLOT, 'p', 0);
    if (code->number & NEGATED)
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
        switch (code->number & ~(uint64_t)NEGATED) {
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
    if ((code->number & ~(uint64_t)NEGATED) != VOTES_BALLOT)
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, bits);
    return code + 1;
}

static void decode_vote(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool is_ballot = ptx_has(decoder, "ballot");
    const struct ptx_argument *predicate = ptx_argument_of(decoder, 1);
    require_sync(decoder);
    decode_operation(decoder, code, run_vote, finish_vote, is_ballot ? '4' : 'p');
    code->number = is_ballot                 ? VOTES_BALLOT
                   : ptx_has(decoder, "all") ? VOTES_ALL
                   : ptx_has(decoder, "any") ? VOTES_ANY
                                             : VOTES_UNIFORM;
    code->number |= predicate->is_not ? NEGATED : 0;
    code->a = ptx_operand_of(decoder, predicate, 'p');
    code->f = ptx_operand_of(decoder, ptx_argument_of(decoder, 2), '4');
}

static const struct ptx_code *run_match(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return begin(code, lanes, REQUEST_MATCH, (char)code->b, (int)code->number);
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
    require_sync(decoder);
    decode_operation(decoder, code, run_match, finish_match, '4');
    code->b = ptx_has(decoder, "b64") ? '8' : '4';
    code->number = ptx_has(decoder, "all");
    code->a = ptx_operand_of(decoder, ptx_argument_of(decoder, 1), (char)code->b);
    code->f = ptx_operand_of(decoder, ptx_argument_of(decoder, 2), '4');
}

static const struct ptx_code *run_reduction(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    return begin(code, lanes, REQUEST_REDUCTION, '4', (int)code->number);
}

static void decode_reduction(struct ptx_decoder *decoder, struct ptx_code *code)
{
    require_sync(decoder);
    if (ptx_has(decoder, "f32"))
        ptx_unsupported(decoder, "a reduction of floating-point numbers is not known");
    decode_operation(decoder, code, run_reduction, finish_word, '4');
    code->number = ptx_operation_of(decoder, ptx_type_of(decoder));
    code->a = ptx_operand_of(decoder, ptx_argument_of(decoder, 1), '4');
    code->f = ptx_operand_of(decoder, ptx_argument_of(decoder, 2), '4');
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

static void decode_active_mask(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->d = ptx_operand_of(decoder, ptx_argument_of(decoder, 0), '4');
    code->run = run_active_mask;
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

static void decode_elect(struct ptx_decoder *decoder, struct ptx_code *code)
{
    decode_operation(decoder, code, run_warp_barrier, finish_elect, '4');
    code->f = ptx_operand_of(decoder, ptx_argument_of(decoder, 1), '4');
}

/* ---- sleep ---- */

static const struct ptx_code *run_sleep(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    ptx_request(lanes, code, REQUEST_SLEEP);
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->more[l].mask = PTX_AT(const uint32_t, lanes, code->a)[l];
    return ptx_stop(lanes, code);
}

static void decode_sleep(struct ptx_decoder *decoder, struct ptx_code *code)
{
    code->a = ptx_operand_of(decoder, ptx_argument_of(decoder, 0), '4');
    code->run = run_sleep;
    code->finish = ptx_nothing;
    code->parts = true;
}

const struct ptx_operation ptx_warp_operations[] = {
    {"bar", 0, decode_barrier},     {"barrier", 0, decode_barrier}, {"fence", 0, decode_fence},
    {"membar", 0, decode_fence},    {"shfl", 1, decode_shuffle},    {"vote", 1, decode_vote},
    {"match", 1, decode_match},     {"redux", 1, decode_reduction}, {"activemask", 1, decode_active_mask},
    {"nanosleep", 0, decode_sleep}, {"elect", 1, decode_elect},     {NULL, 0, NULL}};
