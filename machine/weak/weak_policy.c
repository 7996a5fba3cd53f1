#include "machine/weak/weak_policy.h"
#include "machine/weak/cells.h"
#include "machine/weak/l1_cache.h"
#include "machine/weak/weak_block.h"

/* On average at least one in this number of strong loads gets the newest message, even if the policy would
 * choose an older one. */
#define PROGRESS 4

static struct random random_numbers; /* random numbers of the policy, separate from the schedule's */

static uint64_t draw(void)
{
    return random_next(&random_numbers);
}

static bool is(enum machine_memory policy)
{
    return the_machine.memory.policy == policy;
}

void weak_policy_launch_begins(const struct kernel *kernel)
{
    static uint64_t launches;
    const struct machine_description *d = &the_machine.description;
    random_numbers.state = the_machine.random.state ^ ++launches;
    size_t shared = kernel->launch.shared_bytes * kernel->per_sm;
    if (is(MACHINE_L1))
        l1_open(the_machine.run.sm_count, l1_bytes(d->compute_capability, (unsigned)shared));
}

void weak_policy_launch_ends(void)
{
    l1_close();
}

/* ---- the cache ---- */

/* Returns a word of memory. A sector of the cache can contain words before or after an array, which
 * AddressSanitizer does not allow to read. */
__attribute__((no_sanitize_address)) static uint32_t word_at(uintptr_t address)
{
    uint32_t word;
    __builtin_memcpy(&word, (const void *)address, sizeof word);
    return word;
}

static uint32_t load_from_cache(uintptr_t word)
{
    return l1_load(running_block()->sm->index, word, word_at);
}

/* Returns whether the running lane's accesses to this home go through the L1 cache. Asynchronous copies
 * bypass it. */
static bool has_cache(uintptr_t home)
{
    return is(MACHINE_L1) && !is_shared(home) && !weak_actor.block;
}

void weak_cache_load(uintptr_t word)
{
    if (has_cache(word))
        load_from_cache(word);
}

void weak_cache_store(uintptr_t home)
{
    if (has_cache(home))
        l1_drop(running_block()->sm->index, home);
}

void weak_cache_acquire(struct strength strength)
{
    if (strength.order & ORDER_ACQUIRE && strength.scope > SCOPE_BLOCK && has_cache(0))
        l1_empty(running_block()->sm->index);
}

/* ---- choices between a word's newest value and the value before it ---- */

/* Returns whether a load gets an older value than the newest, or a store becomes older than another, as the
 * policy has chosen. */
static bool gets_old(void)
{
    bool is_old = departs();
    if (is_old && the_machine.memory.got_old)
        the_machine.memory.got_old();
    return is_old;
}

bool weak_chooses_previous_byte(void)
{
    return (is(MACHINE_OLDEST) || (is(MACHINE_ANY) && draw() & 1)) && gets_old();
}

bool weak_chooses_previous(uintptr_t home)
{
    if (is(MACHINE_L1))
        return has_cache(home) && load_from_cache(home) != word_at(home) && gets_old();
    return weak_chooses_previous_byte();
}

/* ---- messages ---- */

/* Returns the position of the newest message that a weak load may get and whose value equals the value in
 * the cache. If no message has this value, returns the position of the oldest one. */
static unsigned cached_message(const struct history *history, unsigned oldest)
{
    uint32_t cached = load_from_cache(history->address);
    unsigned position = history->count - 1;
    while (position > oldest && (uint32_t)history->messages[position].value != cached)
        position--;
    return position;
}

static struct {
    bool is_on;
    unsigned older; /* by how many messages the last choice was older than the newest */
} following;

void weak_choices_follow(bool follow)
{
    following.is_on = follow;
}

static unsigned draw_for_load(const struct history *history, struct strength strength)
{
    unsigned oldest = model_oldest(running_thread(), history), newest = history->count - 1;
    bool is_strong = strength.scope != SCOPE_THREAD;
    if (following.is_on)
        return newest - (following.older < newest - oldest ? following.older : newest - oldest);
    if (oldest == newest || (is_strong && draw() % PROGRESS == 0))
        return newest;
    switch (the_machine.memory.policy) {
    case MACHINE_OLDEST:
        return oldest;
    case MACHINE_ANY:
        return oldest + (unsigned)(draw() % (newest - oldest + 1));
    case MACHINE_L1:
        return is_strong || !has_cache(history->address) ? newest : cached_message(history, oldest);
    default:
        return newest;
    }
}

unsigned weak_choose_for_load(const struct history *history, struct strength strength)
{
    unsigned position = draw_for_load(history, strength);
    if (position != history->count - 1 && !gets_old())
        position = history->count - 1;
    following.older = history->count - 1 - position;
    return position;
}

unsigned weak_choose_for_atomic(const struct history *history, enum machine_scope scope)
{
    unsigned position = history->count - 1, oldest;
    if (is(MACHINE_L1) ||
        model_morally_strong(running_thread(), scope, &history->messages[position])) /* the usual case */
        return position;
    oldest = model_oldest(running_thread(), history);
    while (position > oldest &&
           !model_morally_strong(running_thread(), scope, &history->messages[position]) &&
           (is(MACHINE_OLDEST) || draw() & 1))
        position--;
    return position == history->count - 1 || gets_old() ? position : history->count - 1;
}

unsigned weak_choose_for_store(const struct history *history, enum machine_scope scope)
{
    unsigned position = history->count, seen = 0;
    if (following.is_on) {
        unsigned wanted = position > following.older ? position - following.older : position;
        return model_may_write(running_thread(), history, wanted, scope) ? wanted : position;
    }
    following.older = 0;
    if (!is(MACHINE_ANY) || draw() % 4)
        return position;
    for (unsigned p = model_oldest(running_thread(), history) + 1; p <= history->count; p++)
        if (model_may_write(running_thread(), history, p, scope) && draw() % ++seen == 0)
            position = p;
    if (position != history->count && !gets_old())
        position = history->count;
    following.older = history->count - position;
    return position;
}
