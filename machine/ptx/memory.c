/*
 * Loads, stores and atomics (PTX ISA, "Data Movement and Conversion Instructions", "Parallel
 * Synchronization and Communication Instructions"). An access makes a request, and takes place when the
 * request takes effect. An access to a thread's private memory or to a kernel's parameters is not a request.
 * One file because all of these share addresses, orders and the way a lane makes its access.
 */
#include "base/memory.h"
#include "machine/cuda/bounds.h"
#include "machine/engine/rules.h"
#include "machine/memory/operations.h"
#include "machine/memory/shared_memory.h"
#include "machine/memory/arrays.h"
#include "machine/ptx/access.h"
#include "machine/ptx/arithmetic.h"
#include "machine/ptx/lock.h"
#include "machine/ptx/undefined.h"
#include "machine/weak/weak_memory.h"
#include "machine/weak/weak_policy.h"

#include <string.h>

/* ---- values ---- */

uint64_t ptx_lane_value(const struct ptx_lanes *lanes, ptx_operand operand, char class, unsigned l)
{
    if (class == '8')
        return PTX_AT(const uint64_t, lanes, operand)[l];
    if (class == 'p')
        return *PTX_AT(const uint32_t, lanes, operand) >> l & 1;
    return PTX_AT(const uint32_t, lanes, operand)[l];
}

void ptx_set_lane_value(const struct ptx_lanes *lanes, ptx_operand operand, char class, unsigned l,
                        uint64_t value)
{
    if (operand == PTX_NO_OPERAND)
        return;
    if (class == '8')
        PTX_AT(uint64_t, lanes, operand)[l] = value;
    else
        PTX_AT(uint32_t, lanes, operand)[l] = (uint32_t)value;
}

/* ---- addresses ---- */

/* Returns the address of a place in the shared memory of the block, or of another block of its cluster. */
static uint64_t shared_address(const struct ptx_lanes *lanes, uint32_t offset)
{
    const struct block *block = lanes->warp->block;
    return offset >> 24 ? shared_memory_at(block, offset) : (uintptr_t)block->dynamic + offset;
}

uint64_t ptx_address(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l)
{
    const struct ptx_access *access = code->more;
    if (access->is_of_frame)
        return (uintptr_t)ptx_private(lanes->frame, l) + code->number;
    uint64_t address = access->address_is_wide ? PTX_AT(const uint64_t, lanes, code->a)[l]
                                               : PTX_AT(const uint32_t, lanes, code->a)[l];
    address += code->number;
    return access->space == PTX_SHARED ? shared_address(lanes, (uint32_t)address) : address;
}

void ptx_decode_address(struct ptx_decoder *decoder, struct ptx_code *code, struct ptx_access *access,
                        const struct ptx_argument *argument)
{
    const struct ptx_variable *variable = argument->variable;
    if (argument->kind != PTX_IS_ADDRESS)
        ptx_unsupported(decoder, "an operand is no address");
    code->number = (uint64_t)argument->number;
    if (variable && (variable->space == PTX_LOCAL || variable->space == PTX_PARAMETER)) {
        access->is_of_frame = true;
        code->number += variable->offset;
        return;
    }
    access->address_is_wide =
        ptx_class_of(&(struct ptx_argument){.kind = variable ? PTX_IS_VARIABLE : PTX_IS_NUMBER,
                                            .variable = argument->variable},
                     '8') == '8';
    code->a = ptx_operand_of(decoder, argument, access->address_is_wide ? '8' : '4');
    if (!variable || variable->space != PTX_REGISTER)
        code->number = variable ? 0 : (uint64_t)argument->number; /* the constant in `a` includes it */
}

/* ---- modifiers ---- */

enum ptx_type ptx_type_of(const struct ptx_decoder *decoder)
{
    for (unsigned p = decoder->part_count; p-- > 1;) {
        const enum ptx_type type = ptx_type_named(decoder->parts[p], strlen(decoder->parts[p]));
        if (type != PTX_TYPES)
            return type;
    }
    ptx_unsupported(decoder, "it has no type that is known here");
}

struct strength ptx_strength_of(const struct ptx_decoder *decoder, bool *is_plain)
{
    static const enum machine_order orders[] = {ORDER_ACQUIRE,    ORDER_RELEASE, ORDER_ACQUIRE_RELEASE,
                                                ORDER_SEQUENTIAL, ORDER_RELAXED, ORDER_RELAXED};
    static const enum machine_scope scopes[] = {SCOPE_BLOCK,  SCOPE_CLUSTER, SCOPE_SYSTEM,
                                                SCOPE_SYSTEM, SCOPE_SYSTEM,  SCOPE_DEVICE};
    const unsigned order = ptx_which(decoder, "acquire|release|acq_rel|sc|relaxed");
    *is_plain = order == 5 && !ptx_has(decoder, "volatile|mmio");
    return (struct strength){scopes[ptx_which(decoder, "cta|cluster|sys|volatile|mmio")], orders[order]};
}

enum ptx_space ptx_space_of(const struct ptx_decoder *decoder)
{
    return ptx_has(decoder, "global")                               ? PTX_GLOBAL
           : ptx_has(decoder, "shared|shared::cta|shared::cluster") ? PTX_SHARED
           : ptx_has(decoder, "local")                              ? PTX_LOCAL
           : ptx_has(decoder, "const")                              ? PTX_CONST
           : ptx_has(decoder, "param|param::func|param::entry")     ? PTX_PARAMETER
                                                                    : PTX_GENERIC;
}

/* ---- an access of one lane ---- */

static inline bool is_weak(void)
{
    return __builtin_expect(the_machine.memory.is_weak, false);
}

/* Is the access one of a whole register of 4 or 8 bytes? Most accesses are. */
static inline bool is_of_register(const struct ptx_access *access)
{
    return access->count == 1 && access->item[0] != PTX_NO_OPERAND &&
           ((access->width == 4 && access->class[0] == '4') ||
            (access->width == 8 && access->class[0] == '8'));
}

static inline bool is_load(const struct ptx_access *access)
{
    return access->kind == REQUEST_LOAD;
}

/* Copies the item of a vector between memory and a register. */
static void move_item(const struct ptx_lanes *lanes, const struct ptx_access *access, unsigned l, unsigned i,
                      void *memory)
{
    uint64_t value[2] = {0};
    if (!is_load(access)) {
        if (access->width == 16)
            ptx_get_wide(lanes, access->item[i], l, value);
        else
            *value = ptx_lane_value(lanes, access->item[i], access->class[i], l);
        memcpy(memory, value, access->width);
        return;
    }
    memcpy(value, memory, access->width);
    if (access->width == 16)
        return ptx_set_wide(lanes, access->item[i], l, value);
    if (access->is_signed) {
        unsigned shift = 64 - 8 * access->width;
        *value = (uint64_t)((int64_t)(*value << shift) >> shift);
    }
    if (access->class[i] == '2')
        *value &= UINT16_MAX;
    ptx_set_lane_value(lanes, access->item[i], access->class[i], l, *value);
}

/* Makes the access of a lane: a load or a store. */
static inline void move_lane(const struct ptx_lanes *lanes, const struct ptx_access *access, unsigned l,
                             uint64_t address)
{
    void *const memory = (void *)(uintptr_t)address;
    if (is_of_register(access) && access->width == 4) {
        uint32_t *const slot = &PTX_AT(uint32_t, lanes, access->item[0])[l];
        memcpy(is_load(access) ? (void *)slot : memory, is_load(access) ? memory : slot, sizeof *slot);
    } else if (is_of_register(access)) {
        uint64_t *const slot = &PTX_AT(uint64_t, lanes, access->item[0])[l];
        memcpy(is_load(access) ? (void *)slot : memory, is_load(access) ? memory : slot, sizeof *slot);
    } else {
        for (unsigned i = 0; i < access->count; i++)
            move_item(lanes, access, l, i, (unsigned char *)memory + i * access->width);
    }
}

/* Does the access of each lane at its request's address, in the order of the lanes. */
#define FOR_REQUESTS(lanes, l, address)                                                                      \
    FOR_EACH_LANE(l, (lanes)->mask)                                                                          \
    for (uint64_t address = (lanes)->warp->addresses[l], again_ = 1; again_; again_ = 0)

/* ---- loads and stores ---- */

/* Makes the accesses of coherent memory to one word each, which are the most frequent ones. */
static void move_words(const struct ptx_lanes *lanes, const struct ptx_access *access)
{
    uintptr_t *const addresses = lanes->warp->addresses;
    uint32_t *const slot = PTX_AT(uint32_t, lanes, access->item[0]);
    if (is_load(access))
        FOR_EACH_LANE(l, lanes->mask) memcpy(&slot[l], (const void *)addresses[l], sizeof *slot);
    else
        FOR_EACH_LANE(l, lanes->mask) memcpy((void *)addresses[l], &slot[l], sizeof *slot);
}

/* Notes volatile accesses for the rules of lanes that exchange values. */
static void note_volatile(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    if (access->is_volatile && __builtin_expect(rules_are_checked, false))
        FOR_REQUESTS(lanes, l, address)
        {
            ptx_becomes_running(lanes, l);
            rules_volatile(access->kind, address, code);
        }
}

static bool is_strong_vector(const struct ptx_access *access)
{
    return access->strength.scope != SCOPE_THREAD && access->count > 1;
}

/* The size of the accesses into which the memory model divides a vector access. A strong vector access is one
 * access of each item, in no order (PTX ISA, "Vector Data-types"), but 8 and 16 aligned bytes are one access,
 * or two of 8 bytes, the lower first. A plain vector access is not divided, which is faster. */
static size_t weak_size(const struct ptx_access *access, uintptr_t address, size_t bytes, bool *follows)
{
    *follows = is_strong_vector(access) && weak_is_whole(address, bytes);
    return *follows ? 8 : is_strong_vector(access) ? access->width : bytes;
}

/* Accesses weak memory for a lane: loads the value that memory gives to it, or stores its value. */
static void access_weakly(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                          uintptr_t address, size_t bytes, void *value)
{
    const struct ptx_access *access = code->more;
    ptx_becomes_running(lanes, l);
    bool follows;
    size_t each = weak_size(access, address, bytes, &follows);
    for (size_t at = 0; at < bytes; at += each) {
        void *const place = (void *)(address + at), *const own = (char *)value + at;
        weak_choices_follow(follows && at);
        (is_load(access) ? weak_load : weak_store)(address + at, each, access->strength, code);
        memcpy(is_load(access) ? own : place, is_load(access) ? place : own, each);
        weak_access_ends();
    }
    weak_choices_follow(false);
    if (is_strong_vector(access))
        weak_is_of_items(address, bytes);
}

/* Begins plain (weak) accesses if the memory model is weak. Else, or if the accesses are strong, returns
 * false. */
static bool begin_plain(struct weak_plain *plain, const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    bool is_plain = is_weak() && access->strength.scope == SCOPE_THREAD;
    if (is_plain)
        weak_plain_begin(plain, lanes->warp, first_lane(lanes->mask), access->bytes, code);
    return is_plain;
}

static void do_accesses(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    struct weak_plain plain;
    if (!is_weak() && access->width == 4 && is_of_register(access))
        return move_words(lanes, access);
    unsigned char value[32];
    bool is_plain = begin_plain(&plain, code, lanes);
    FOR_REQUESTS(lanes, l, address)
    {
        bool at_once =
            !is_weak() ||
            (is_plain && (is_load(access) ? weak_plain_load : weak_plain_store)(&plain, l, address));
        if (!at_once && is_load(access))
            access_weakly(code, lanes, l, address, access->bytes, value);
        move_lane(lanes, access, l, at_once ? address : (uintptr_t)value);
        if (!at_once && !is_load(access))
            access_weakly(code, lanes, l, address, access->bytes, value);
    }
}

void ptx_move(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l, uint64_t address,
              void *value)
{
    const struct ptx_access *access = code->more;
    unsigned bytes = lanes->warp->lanes[lanes->warp->together ? first_lane(lanes->mask) : l].bytes;
    void *const place = (void *)(uintptr_t)address;
    if (is_weak())
        access_weakly(code, lanes, l, address, bytes, value);
    else
        memcpy(is_load(access) ? value : place, is_load(access) ? place : value, bytes);
}

void ptx_request_access(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    const uintptr_t *addresses = lanes->warp->addresses;
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    {
        struct lane *lane = &lanes->warp->lanes[l];
        lane->kind = (uint8_t)access->kind;
        lane->plain = access->plain;
        lane->past_l1 = access->past_l1;
        lane->of_access = false;
        lane->of_mbarrier = access->of_mbarrier;
        lane->address = addresses[l];
        lane->bytes = (uint16_t)access->bytes;
        lane->instruction = code;
    }
    if (__builtin_expect(bounds_are_checked, false) && access->unused < access->bytes)
        bounds_check_lanes(lanes->warp, lanes->mask, addresses, access->first_used,
                           access->bytes - access->unused, access->kind, code);
}

static bool release_is_first(const struct ptx_access *access)
{
    return !access->plain && access->strength.scope > SCOPE_BLOCK && access->strength.order & ORDER_RELEASE;
}

static bool acquire_is_last(const struct ptx_access *access)
{
    return !access->plain && access->strength.scope > SCOPE_BLOCK && access->strength.order & ORDER_ACQUIRE;
}

static void request_fence(const struct ptx_code *code, struct ptx_lanes *lanes, enum request_kind kind,
                          int side)
{
    const struct ptx_access *access = code->more;
    ptx_request_fence(code, lanes, kind, side);
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    lanes->warp->lanes[l].of_system = access->strength.scope == SCOPE_SYSTEM;
}

/* Writes the lanes' addresses. All lanes of the frame run. An address of shared memory has 32 bits: nvcc lets
 * a negative register and a larger constant wrap around. */
static void find_whole(const struct ptx_code *code, const struct ptx_lanes *lanes,
                       uintptr_t *restrict addresses)
{
    const struct ptx_access *access = code->more;
    const uint64_t more = code->number;
    const uint64_t *restrict wide = PTX_AT(const uint64_t, lanes, code->a);
    const uint32_t *restrict narrow = PTX_AT(const uint32_t, lanes, code->a);
    const uintptr_t begin = (uintptr_t)lanes->warp->block->dynamic;
    const bool is_shared = access->space == PTX_SHARED;
    if (access->address_is_wide)
        for (unsigned l = 0; l < PTX_LANES; l++)
            addresses[l] = is_shared ? begin + (uint32_t)(wide[l] + more) : wide[l] + more;
    else
        for (unsigned l = 0; l < PTX_LANES; l++)
            addresses[l] = is_shared ? begin + (uint32_t)(narrow[l] + more) : narrow[l] + more;
}

/* Does an address of shared memory belong to another block of the cluster? */
static bool leaves_block(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    return ((const struct ptx_access *)code->more)->space == PTX_SHARED &&
           lanes->warp->block->cluster->count > 1;
}

/* Finds the lanes' addresses and stores them as the addresses of their requests. Lanes with an address in
 * private memory make their access at once, and go on at the next instruction as a separate fragment. Returns
 * false if no lane is left. */
static bool find_addresses(const struct ptx_code *code, struct ptx_lanes *lanes,
                           void (*at_once)(const struct ptx_code *, const struct ptx_lanes *))
{
    const struct ptx_access *access = code->more;
    uintptr_t *addresses = lanes->warp->addresses;
    uint32_t private = 0;
    /* other fragments have addresses, too */
    bool is_alone = lanes->mask == (uint32_t)(all_lanes(lanes->warp) & ~lanes->warp->exited);
    if (is_alone && !access->is_of_frame && !leaves_block(code, lanes))
        find_whole(code, lanes, addresses);
    else
        FOR_EACH_LANE(l, lanes->mask) addresses[l] = ptx_address(code, lanes, l);
    if (access->space != PTX_GENERIC)
        return true;
    uint64_t low = UINT64_MAX, high = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        low = addresses[l] < low ? addresses[l] : low;
        high = addresses[l] > high ? addresses[l] : high;
    }
    if (ptx_may_be_private(lanes, low, high))
        FOR_EACH_LANE(l, lanes->mask) private |= (uint32_t)ptx_is_private(lanes, addresses[l]) << l;
    if (!private)
        return true;
    if (__builtin_expect(bounds_are_checked, false))
        FOR_EACH_LANE(l, private) ptx_check_private(code, lanes, l, addresses[l]);
    struct ptx_lanes some = *lanes;
    some.mask = private;
    at_once(code, &some);
    if (private == lanes->mask)
        return false;
    ptx_part(lanes, private, code + 1);
    return true;
}

static void move_at_once(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    FOR_REQUESTS(lanes, l, address) move_lane(lanes, code->more, l, address);
}

const struct ptx_code *ptx_run_load(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (!find_addresses(code, lanes, move_at_once))
        return code + 1;
    ptx_request_access(code, lanes);
    return ptx_stop(lanes, code);
}

const struct ptx_code *ptx_finish_load(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (lanes->stage == 1) {
        note_volatile(code, lanes);
        do_accesses(code, lanes);
        if (acquire_is_last(code->more)) {
            request_fence(code, lanes, REQUEST_FENCE_ACQUIRE, 1);
            return ptx_stop(lanes, code);
        }
    }
    return code + 1;
}

const struct ptx_code *ptx_run_store(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (!find_addresses(code, lanes, move_at_once))
        return code + 1;
    if (release_is_first(code->more))
        request_fence(code, lanes, REQUEST_FENCE_RELEASE, -1);
    else
        ptx_request_access(code, lanes);
    return ptx_stop(lanes, code);
}

const struct ptx_code *ptx_finish_store(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (lanes->stage == 1 && release_is_first(code->more)) {
        FOR_EACH_LANE(l, lanes->mask) lanes->warp->addresses[l] = ptx_address(code, lanes, l);
        ptx_request_access(code, lanes);
        return ptx_stop(lanes, code);
    }
    note_volatile(code, lanes);
    do_accesses(code, lanes);
    return code + 1;
}

/* An access to private memory: no lane stops. */
static const struct ptx_code *run_private_access(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        uint64_t address = ptx_address(code, lanes, l);
        if (__builtin_expect(bounds_are_checked, false))
            ptx_check_private(code, lanes, l, address);
        move_lane(lanes, code->more, l, address);
    }
    return code + 1;
}

/* A load of a kernel's parameter, which is equal in all lanes. */
static const struct ptx_code *run_parameter_load(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint64_t address = (uintptr_t)lanes->warp->block->kernel->launch.closure + code->number;
    FOR_EACH_LANE(l, lanes->mask) move_lane(lanes, code->more, l, address);
    return code + 1;
}

void ptx_decode_items(struct ptx_decoder *decoder, struct ptx_access *access,
                      const struct ptx_argument *argument)
{
    const struct ptx_argument *items = ptx_items_of(argument, &access->count);
    char class = access->width == 8 ? '8' : access->width == 16 ? 'Q' : '4';
    if (access->count > PTX_MOST_ITEMS)
        ptx_unsupported(decoder, "its vector is too long");
    access->is_signed = IS(ptx_type_of(decoder), PTX_SIGNED);
    access->bytes = access->width * access->count;
    uint32_t used = ~decoder->statement->unused_bytes;
    if (access->bytes < 32) /* the size of the longest load */
        used &= (UINT32_C(1) << access->bytes) - 1;
    access->first_used = used ? (unsigned)__builtin_ctz(used) : 0;
    access->unused = access->bytes - (used ? 32 - (unsigned)__builtin_clz(used) - access->first_used : 0);
    for (unsigned i = 0; i < access->count; i++) {
        access->class[i] = ptx_class_of(&items[i], class);
        access->item[i] = ptx_operand_of(decoder, &items[i], access->class[i]);
        if (access->class[i] == '4' && items[i].variable && items[i].variable->width == 2)
            access->class[i] = '2';
    }
}

struct ptx_access *ptx_begin_access(struct ptx_decoder *decoder, struct ptx_code *code,
                                    enum request_kind kind)
{
    struct ptx_access *access = ptx_allocate(decoder->routine->function->module, sizeof *access);
    access->kind = kind;
    access->space = ptx_space_of(decoder);
    access->width = ptx_width_of(ptx_type_of(decoder)) / 8;
    access->strength = ptx_strength_of(decoder, &access->plain);
    access->is_volatile = ptx_has(decoder, "volatile");
    access->past_l1 = kind == REQUEST_LOAD && ptx_has(decoder, "cg|cv");
    if (access->plain && kind != REQUEST_ATOMIC)
        access->strength.scope = SCOPE_THREAD;
    code->more = access;
    return access;
}

static void decode_access(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const bool loads = decoder->operation->writes;
    struct ptx_access *access = ptx_begin_access(decoder, code, loads ? REQUEST_LOAD : REQUEST_STORE);
    const struct ptx_argument *address = ptx_argument_of(decoder, loads ? 1 : 0);
    const struct ptx_function *function = decoder->routine->function;
    ptx_decode_items(decoder, access, ptx_argument_of(decoder, loads ? 0 : 1));
    ptx_decode_address(decoder, code, access, address);
    if (!loads || !access->is_of_frame || access->space != PTX_PARAMETER || !function->is_kernel)
        return;
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (address->variable == &function->parameters[i])
            code->run = run_parameter_load;
}

/* ---- atomics ---- */

/* Returns the result of an arithmetic instruction on two numbers in registers of 32 bits. */
static uint32_t computed(const struct ptx_form *form, uint32_t a, uint32_t b)
{
    uint32_t slots[3][PTX_LANES] = {{0}, {a}, {b}};
    struct ptx_lanes lanes = {.base = {(unsigned char *)slots}, .mask = 1};
    const struct ptx_code code = {
        .a = sizeof slots[0], .b = 2 * sizeof slots[0], .number = form->number, .more = form->parts};
    form->run(&code, &lanes);
    return slots[0][0];
}

/* Operations on f16 and bf16: on one number in 16 bits, or on two of them in 32 bits. They do not flush
 * subnormal numbers (.noftz). */
#define COMBINE(operation, type)                                                                             \
    static uint64_t operation##_##type(uint64_t old, uint64_t value)                                         \
    {                                                                                                        \
        return computed(ptx_arithmetic(#operation "." #type), (uint32_t)old, (uint32_t)value);               \
    }
COMBINE(add, f16x2)
COMBINE(min, f16x2)
COMBINE(max, f16x2)
COMBINE(add, bf16x2)
COMBINE(min, bf16x2)
COMBINE(max, bf16x2)

static struct ptx_reduction reduction_of_halves(const struct ptx_decoder *decoder, bool is_brain)
{
    static ptx_combine *const known[2][3] = {{add_f16x2, min_f16x2, max_f16x2},
                                             {add_bf16x2, min_bf16x2, max_bf16x2}};
    const unsigned operation = ptx_which(decoder, "add|min|max");
    if (operation == 3)
        return (struct ptx_reduction){.why_not = "its operation is not known"};
    return (struct ptx_reduction){.operation = OPERATION_ADD_FLOAT, .combine = known[is_brain][operation]};
}

/* Returns the new value of an atomic's word. */
static uint64_t value_after(const struct ptx_access *access, uint64_t old, uint64_t value, uint64_t other)
{
    if (access->combine)
        return access->combine(old, value);
    if (access->operation == OPERATION_COMPARE_SWAP)
        return operation_result(access->operation, old, other, value, access->width);
    return operation_result(access->operation, old, value, other, access->width);
}

/* Does an item of an atomic. */
static void do_item(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l, unsigned item,
                    uint64_t address, bool weak)
{
    const struct ptx_access *access = code->more;
    char class = access->class[item];
    uint64_t value = access->after ? 0 : ptx_lane_value(lanes, access->value[item], class, l), old = 0,
             other = access->after || access->other == PTX_NO_OPERAND
                         ? 0
                         : ptx_lane_value(lanes, access->other, class, l);
    void *word = (void *)(uintptr_t)address;
    if (weak)
        weak_atomic_begins(address, access->width, access->strength, code);
    memcpy(&old, word, access->width);
    uint64_t new =
        access->after ? access->after(code, lanes, l, old) : value_after(access, old, value, other);
    memcpy(word, &new, access->width);
    if (weak) {
        weak_atomic_ends(access->operation != OPERATION_COMPARE_SWAP ||
                         old == operation_low_bytes(value, access->width));
        weak_access_ends();
    }
    if (new != old)
        note_change();
    ptx_set_lane_value(lanes, access->item[item], class, l, old);
}

/* Reads one half of the 128-bit word of an atomic, and writes it if *to is not NULL. The word is accessed in
 * halves because the weak memory model has words of at most 64 bits. No other access occurs between the two
 * halves. */
static uint64_t do_half(const struct ptx_code *code, uint64_t address, const uint64_t *to, bool weak)
{
    const struct ptx_access *access = code->more;
    uint64_t old;
    if (weak)
        weak_atomic_begins(address, sizeof old, access->strength, code);
    memcpy(&old, (const void *)(uintptr_t)address, sizeof old);
    if (to)
        memcpy((void *)(uintptr_t)address, to, sizeof old);
    if (weak) {
        weak_atomic_ends(to != NULL);
        weak_access_ends();
    }
    return old;
}

/* An exchange or a compare-and-swap of 128 bits. */
static void do_wide_atomic(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                           uint64_t address, bool weak)
{
    const struct ptx_access *access = code->more;
    bool compares = access->operation == OPERATION_COMPARE_SWAP;
    uint64_t old[2], value[2], new[2];
    ptx_get_wide(lanes, access->value[0], l, value);
    ptx_get_wide(lanes, compares ? access->other : access->value[0], l, new);
    for (unsigned h = 0; h < 2; h++)
        old[h] = do_half(code, address + 8 * h, compares ? NULL : &new[h], weak);
    if (compares && memcmp(old, value, sizeof old) == 0)
        for (unsigned h = 0; h < 2; h++)
            do_half(code, address + 8 * h, &new[h], weak);
    if ((!compares || memcmp(old, value, sizeof old) == 0) && memcmp(old, new, sizeof old) != 0)
        note_change();
    ptx_set_wide(lanes, access->item[0], l, old);
}

static void do_atomic(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                      uint64_t address, bool weak)
{
    const struct ptx_access *access = code->more;
    if (access->width == 16)
        do_wide_atomic(code, lanes, l, address, weak);
    else
        for (unsigned i = 0; i < access->count; i++)
            do_item(code, lanes, l, i, address + i * access->width, weak);
}

static void atomic_at_once(const struct ptx_code *code, const struct ptx_lanes *lanes)
{
    FOR_REQUESTS(lanes, l, address) do_atomic(code, lanes, l, address, false);
}

/* An exchange may be the first access to memory, because its old value need not have a meaning. */
static void note_exchanges(const struct ptx_access *access, const struct ptx_lanes *lanes)
{
    const uintptr_t *addresses = lanes->warp->addresses;
    FOR_EACH_LANE(l, lanes->mask)
    {
        ptx_becomes_running(lanes, l);
        if (bounds_are_allowed(addresses[l], access->width))
            written_note(lanes->warp->block, addresses[l], access->width);
    }
}

void ptx_request_atomic(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct ptx_access *access = code->more;
    const uintptr_t *addresses = lanes->warp->addresses;
    if (access->operation == OPERATION_EXCHANGE && __builtin_expect(written_is_noted, false))
        note_exchanges(access, lanes);
    ptx_request_access(code, lanes);
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    {
        struct lane *lane = &lanes->warp->lanes[l];
        lane->plain = false;
        lane->unused = access->item[0] == PTX_NO_OPERAND;
        lane->way = access->way & 3;
    }
    if (ptx_has_lock_bit(addresses[first_lane(lanes->mask)]))
        ptx_lock_request(lanes);
}

/* Separates lanes whose addresses have lock bits from the other lanes, which execute the atomic
 * separately. */
static void part_unlocked(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t unlocked = 0;
    FOR_EACH_LANE(l, lanes->mask) unlocked |= (uint32_t)!ptx_has_lock_bit(lanes->warp->addresses[l]) << l;
    if (unlocked && unlocked != lanes->mask)
        ptx_part(lanes, unlocked, code);
}

const struct ptx_code *ptx_run_atomic(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (!find_addresses(code, lanes, atomic_at_once))
        return code + 1;
    if (__builtin_expect(the_machine.description.lock_bits != 0, false))
        part_unlocked(code, lanes);
    if (release_is_first(code->more))
        request_fence(code, lanes, REQUEST_FENCE_RELEASE, -1);
    else
        ptx_request_atomic(code, lanes);
    return ptx_stop(lanes, code);
}

/* Does an operation of each lane on a word of 32 bits: `new` is computed from `old` and `value`. */
#define CHANGE_WORDS(operation, new)                                                                         \
    case operation:                                                                                          \
        FOR_EACH_LANE(l, lanes->mask)                                                                        \
        {                                                                                                    \
            uint32_t *word = (uint32_t *)addresses[l], old = *word, value = values[l];                       \
            *word = (new);                                                                                   \
            changed |= *word ^ old;                                                                          \
            if (results)                                                                                     \
                results[l] = old;                                                                            \
        }                                                                                                    \
        break;

/* Does the most frequent atomics of coherent memory, those on aligned words of 32 bits. Returns false
 * for any other. */
static bool change_words(const struct ptx_lanes *lanes, const struct ptx_access *access)
{
    const uintptr_t *addresses = lanes->warp->addresses;
    uint32_t changed = 0;
    uintptr_t misplaced = 0;
    if (is_weak() || access->after || access->width != 4 || access->count != 1 || access->combine)
        return false;
    FOR_EACH_LANE(l, lanes->mask) misplaced |= addresses[l];
    if (misplaced % sizeof(uint32_t))
        return false;
    const uint32_t *values = PTX_AT(const uint32_t, lanes, access->value[0]);
    uint32_t *results = access->item[0] == PTX_NO_OPERAND ? NULL : PTX_AT(uint32_t, lanes, access->item[0]);
    switch (access->operation) {
        CHANGE_WORDS(OPERATION_ADD, old + value)
        CHANGE_WORDS(OPERATION_EXCHANGE, value)
        CHANGE_WORDS(OPERATION_AND, old & value)
        CHANGE_WORDS(OPERATION_OR, old | value)
        CHANGE_WORDS(OPERATION_MIN, old < value ? old : value)
        CHANGE_WORDS(OPERATION_MAX, old > value ? old : value)
    default:
        return false;
    }
    if (changed)
        note_change();
    return true;
}

const struct ptx_code *ptx_finish_atomic(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    bool has_release = release_is_first(code->more);
    if (lanes->stage == 1 && has_release) {
        FOR_EACH_LANE(l, lanes->mask) lanes->warp->addresses[l] = ptx_address(code, lanes, l);
        ptx_request_atomic(code, lanes);
        return ptx_stop(lanes, code);
    }
    unsigned first = first_lane(lanes->mask);
    enum request_kind kind = (enum request_kind)lanes->warp->lanes[first].kind;
    if (kind == REQUEST_LOCK_LOAD)
        return ptx_lock_take(code, lanes);
    if (kind == REQUEST_ATOMIC || kind == REQUEST_STORE_UNLOCK) {
        if (kind == REQUEST_STORE_UNLOCK)
            ptx_lock_free(lanes);
        if (!change_words(lanes, code->more))
            FOR_REQUESTS(lanes, l, address)
            {
                ptx_becomes_running(lanes, l);
                do_atomic(code, lanes, l, address, is_weak());
            }
        if (acquire_is_last(code->more)) {
            request_fence(code, lanes, REQUEST_FENCE_ACQUIRE, 1);
            return ptx_stop(lanes, code);
        }
    }
    return code + 1;
}

struct ptx_reduction ptx_reduction_on(const struct ptx_decoder *decoder, enum ptx_type type)
{
    static const enum machine_operation operations[] = {
        OPERATION_ADD, OPERATION_EXCHANGE, OPERATION_COMPARE_SWAP, OPERATION_AND,       OPERATION_OR,
        OPERATION_XOR, OPERATION_MIN,      OPERATION_MAX,          OPERATION_INCREMENT, OPERATION_DECREMENT};
    const unsigned which = ptx_which(decoder, "add|exch|cas|and|or|xor|min|max|inc|dec");
    if (IS(type, PTX_BIT(f16) | PTX_BIT(f16x2) | PTX_BIT(bf16) | PTX_BIT(bf16x2)))
        return reduction_of_halves(decoder, type == PTX_bf16 || type == PTX_bf16x2);
    if (which == sizeof operations / sizeof *operations)
        return (struct ptx_reduction){.why_not = "its operation is not known"};
    struct ptx_reduction r = {.operation = operations[which]};
    const bool is_real = IS(type, PTX_BIT(f16) | PTX_BIT(bf16) | PTX_BIT(f32) | PTX_BIT(f64) | PAIRS);
    if (IS(type, PTX_SIGNED) && r.operation == OPERATION_MIN)
        r.operation = OPERATION_MIN_SIGNED;
    else if (IS(type, PTX_SIGNED) && r.operation == OPERATION_MAX)
        r.operation = OPERATION_MAX_SIGNED;
    else if (is_real && r.operation == OPERATION_ADD)
        r.operation = OPERATION_ADD_FLOAT;
    else if (is_real)
        r.why_not = "atomics on this type are not known";
    return r;
}

struct ptx_reduction ptx_reduction_of(const struct ptx_decoder *decoder)
{
    const struct ptx_reduction reduction = ptx_reduction_on(decoder, ptx_type_of(decoder));
    if (reduction.why_not)
        ptx_unsupported(decoder, reduction.why_not);
    return reduction;
}

/* Returns how a GPU does the operation on shared memory: nvcc 13's code for sm_90. */
static enum atomic_way way_of(const struct ptx_access *access)
{
    if (access->operation == OPERATION_COMPARE_SWAP)
        return ATOMIC_SWAPS;
    if (access->operation == OPERATION_EXCHANGE ||
        (access->width == 4 && access->operation != OPERATION_ADD_FLOAT))
        return ATOMIC_CHANGES;
    return ATOMIC_LOOPS;
}

static bool is_one(const struct ptx_argument *argument)
{
    return argument->kind == PTX_IS_NUMBER && argument->number == 1;
}

/* Is the old value of the atomic used? nvcc names a register for it even if it is not; only ptxas removes
 * this. */
static bool is_asked_for(const struct ptx_decoder *decoder)
{
    unsigned count;
    const struct ptx_argument *results = ptx_items_of(ptx_argument_of(decoder, 0), &count);
    for (unsigned i = 0; i < count; i++)
        if (results[i].variable && decoder->graph.uses[results[i].variable->number].occurs > 1)
            return true;
    return false;
}

/* Decodes the operands and results of an atomic, one of each for each item of a vector. */
static void decode_operands(struct ptx_decoder *decoder, struct ptx_access *access, bool has_result)
{
    const struct ptx_argument *result = ptx_argument_of(decoder, 0),
                              *value = ptx_argument_of(decoder, has_result + 1u);
    bool is_asked = has_result && is_asked_for(decoder);
    unsigned result_count;
    const struct ptx_argument *values = ptx_items_of(value, &access->count),
                              *results = ptx_items_of(result, &result_count);
    access->bytes = access->width * access->count;
    if (access->bytes > 16)
        ptx_unsupported(decoder, "it has more than 16 bytes");
    if (has_result && result->kind == PTX_IS_GROUP && result->count != access->count)
        ptx_unsupported(decoder, "its vectors have different lengths");
    for (unsigned i = 0; i < access->count; i++) {
        char class = access->width == 16 ? 'Q' : access->width == 8 ? '8' : access->width == 2 ? '2' : '4';
        access->class[i] = class;
        access->item[i] = is_asked ? ptx_operand_of(decoder, &results[i], class) : PTX_NO_OPERAND;
        access->value[i] = ptx_operand_of(decoder, &values[i], class);
    }
    access->other = PTX_NO_OPERAND;
    if (access->operation == OPERATION_COMPARE_SWAP)
        access->other = ptx_operand_at(decoder, has_result + 2u, access->class[0]);
}

static void decode_atomic(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct ptx_access *access = ptx_begin_access(decoder, code, REQUEST_ATOMIC);
    bool has_result = decoder->operation->writes;
    const struct ptx_reduction reduction = ptx_reduction_of(decoder);
    access->combine = reduction.combine;
    access->operation = reduction.operation;
    bool swaps = access->operation == OPERATION_COMPARE_SWAP || access->operation == OPERATION_EXCHANGE;
    bool is_small = access->width == 2 && !access->combine && access->operation != OPERATION_COMPARE_SWAP;
    if (access->width < 2 || is_small || (access->width == 16 && !swaps))
        ptx_unsupported(decoder, "atomics of this size are not known");
    decode_operands(decoder, access, has_result);
    access->way = way_of(access);
    if (access->operation == OPERATION_ADD && access->width == 4 && access->item[0] == PTX_NO_OPERAND &&
        is_one(ptx_argument_of(decoder, has_result + 1u)))
        access->way = ATOMIC_COUNTS;
    access->plain = false; /* an atomic without an order is relaxed */
    if (access->item[0] == PTX_NO_OPERAND)
        access->strength.order |= ORDER_ARRIVAL;
    ptx_decode_address(decoder, code, access, ptx_argument_of(decoder, has_result));
}

/* createpolicy: the result is a hint that ld and st ignore here. */
static const struct ptx_code *run_policy(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    PTX_FOR_LANES(lanes, l, PTX_AT(uint64_t, lanes, code->d)[l] = 0;);
    return code + 1;
}

#define PRIVATE_LOAD .run = run_private_access, .decode = decode_access, .hands = PTX_HANDS_IN, .writes = true
#define PRIVATE_STORE .run = run_private_access, .decode = decode_access, .hands = PTX_HANDS_OUT
#define ATOMIC                                                                                               \
    .run = ptx_run_atomic, .finish = ptx_finish_atomic, .decode = decode_atomic, .hands = PTX_HANDS_CHANGED
const struct ptx_operation ptx_memory_operations[] = {
    {"ld", "param|param::func|param::entry", PRIVATE_LOAD, .is_free = true},
    {"ld", "local", PRIVATE_LOAD},
    {"ld|ldu", .run = ptx_run_load, .finish = ptx_finish_load, .decode = decode_access,
     .hands = PTX_HANDS_LOADED, .writes = true},
    {"st|red", "async", .run = ptx_request_clock, .finish = ptx_finish_issue,
     .decode = ptx_decode_store_async},
    {"st", "param|param::func|param::entry", PRIVATE_STORE, .is_free = true},
    {"st", "local", PRIVATE_STORE},
    {"st", .run = ptx_run_store, .finish = ptx_finish_store, .decode = decode_access,
     .hands = PTX_HANDS_STORED},
    {"atom", ATOMIC, .writes = true},
    {"red", ATOMIC},
    {"createpolicy", .operands = "8:*", .run = run_policy, .writes = true},
    /* hints */
    {"prefetch|prefetchu|applypriority|discard|pmevent|setmaxnreg", .run = ptx_nothing},
    {.names = NULL}};
