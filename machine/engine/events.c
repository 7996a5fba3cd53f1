#include "machine/engine/events.h"
#include "machine/time/work.h"

static uint64_t earliest(const uint64_t *times, unsigned count)
{
    /* four chains of comparisons, because one would wait for each of its own */
    uint64_t first[4] = {NEVER, NEVER, NEVER, NEVER};
    unsigned i = 0;
    for (; i + 4 <= count; i += 4)
        for (unsigned c = 0; c < 4; c++)
            first[c] = times[i + c] < first[c] ? times[i + c] : first[c];
    for (; i < count; i++)
        first[0] = times[i] < first[0] ? times[i] : first[0];
    first[0] = first[1] < first[0] ? first[1] : first[0];
    first[2] = first[3] < first[2] ? first[3] : first[2];
    return first[2] < first[0] ? first[2] : first[0];
}

static uint64_t next_event(struct sm *sm)
{
    uint64_t effect = sm->first_effect = earliest(sm->next_effect, sm->warp_count);
    uint64_t issue = earliest(sm->issue_at, sm->warp_count);
    if (issue != NEVER && issue_slots_at(issue) < sm->issue_slot && issue < issue_slot_begins(sm))
        issue = issue_slot_begins(sm);
    return effect < issue ? effect : issue;
}

void events_note(struct run *run, struct sm *sm)
{
    unsigned first = sm->index & ~(SMS_OF_BUNDLE - 1), left = run->sm_count - first;
    unsigned bundle = first / SMS_OF_BUNDLE, count = left < SMS_OF_BUNDLE ? left : SMS_OF_BUNDLE;
    uint64_t before = run->next_event[sm->index], next = run->next_event[sm->index] = next_event(sm);
    if (next <= run->next_of_bundle[bundle])
        run->next_of_bundle[bundle] = next;
    else if (before == run->next_of_bundle[bundle]) /* another multiprocessor may now be the first */
        run->next_of_bundle[bundle] = earliest(&run->next_event[first], count);
}

/* Returns the first of the multiprocessors [from, to) whose next event is at this time, or NULL if none
 * is. */
static struct sm *first_at(struct run *run, uint64_t time, unsigned from, unsigned to)
{
    for (unsigned at = from; at < to; at++) {
        if (run->next_event[at] == time)
            return &run->sms[at];
        if (run->next_of_bundle[at / SMS_OF_BUNDLE] != time)
            at |= SMS_OF_BUNDLE - 1; /* continues the search with the next bundle */
    }
    return NULL;
}

struct sm *events_next_sm(struct run *run)
{
    bool in_turn = the_machine.schedule == MACHINE_ROUND_ROBIN || the_machine.schedule == MACHINE_DELAYS;
    unsigned offset =
        in_turn || run->sm_count == 1 ? 0 : (unsigned)(random_next(&the_machine.random) % run->sm_count);
    uint64_t time = NEVER;
    for (unsigned i = 0; i * SMS_OF_BUNDLE < run->sm_count; i++)
        time = run->next_of_bundle[i] < time ? run->next_of_bundle[i] : time;
    struct sm *sm = first_at(run, time, offset, run->sm_count), *plain = first_at(run, time, 0, offset);
    return !sm || (plain && !departs()) ? plain : sm;
}
