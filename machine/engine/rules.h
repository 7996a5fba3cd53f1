/*
 * Checks rules of CUDA and PTX whose breach need not cause a race or a hang: which threads must reach a
 * barrier, which lanes may call a warp-wide function, and which memory may be read. machine_check_rules()
 * (machine/machine.h) turns the checks on. There is one report for each rule and pair of instructions.
 */
#ifndef MACHINE_RULES_H
#define MACHINE_RULES_H

#include "machine/state.h"

enum rule {
    RULE_ONE_PLACE,    /* all threads of a block reach the same __syncthreads() */
    RULE_WHOLE_BLOCK,  /* a __syncthreads() is reached by each thread that reaches the code after it */
    RULE_CALLER_NAMED, /* the mask of a warp's function names the lane that calls it */
    RULE_EQUAL_MASKS,  /* lanes that wait for each other give the same mask to the same function */
    /* lanes of a warp that exchange values through volatile shared memory have a __syncwarp() in between */
    RULE_NO_STEP,
    /* no lane uses the value that a shuffle reads from a lane which does not take part in the shuffle */
    RULE_LANE_IS_THERE,
    RULE_ONE_ARRIVAL, /* a thread arrives only once in a phase of a named barrier */
    RULE_COUNT,       /* a named barrier's number of threads is one that PTX allows */
    RULE_WRITTEN      /* memory is written before it is read */
};

extern bool rules_are_checked;

/* Do deadlocks count as hangs (machine_watch_hangs())? Then a lane polls only if it never leaves its loop by
 * itself. */
extern bool hangs_are_watched;

/* Does a lane poll only if its whole state returns, and not just its request? */
static inline bool states_are_compared(void)
{
    return rules_are_checked || hangs_are_watched;
}

/* Notes that the instruction at `site` broke the rule, together with the one at `other` (NULL if the rule is
 * about one instruction). Returns true if this is the first time; then the caller calls rule_say(). */
bool rule_is_newly_broken(enum rule rule, const void *site, const void *other);

/* Writes the report of the breach that was noted last. */
void rule_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends to this report's advice: what to do, with lines. */
void rule_mend(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds to this report the memory that was accessed. */
void rule_say_place(const char *place);

/* These functions return a source line as "FILE:LINE": rule_line() for an instruction, rule_line_of_site()
 * for a site (machine/code/calls.h), rule_line_of_lane() for the instruction at which a lane is. A returned
 * text is valid until four more calls. */
const char *rule_line(const void *instruction);
const char *rule_line_of_site(uint32_t site);
const char *rule_line_of_lane(const struct warp *warp, unsigned lane);

/* Ends the run, after a breach with which it cannot go on. */
void __attribute__((noreturn)) rules_stop(void);

/* ---- barriers of a block (block_rules.c) ---- */

void rules_block_begins(struct block *block);
void rules_block_ends(struct block *block);

/* Notes that lanes of the warp have reached the instruction of this group. */
void rules_come_to(struct warp *warp, const struct group *group);

/* Called when the block's __syncthreads() opens, while its threads still wait. */
void rules_block_barrier_opens(struct block *block);

/* rules_arrive() is called when lanes arrive at a named barrier, before they are counted, and
 * rules_named_barrier_opens() when its phase is complete. */
void rules_arrive(const struct warp *warp, lane_set lanes, unsigned barrier);
void rules_named_barrier_opens(struct block *block, unsigned barrier);

/* Adds to the advice which of the block's threads did not come to the __syncthreads() that opened last, if
 * there are any. They should have written the shared memory that is read although nobody has written it, as
 * in a collective of CUB that a part of the block calls. */
void rules_tell_part(const struct block *block);

/* Reports a named barrier whose number or number of threads is wrong, as `text` says, and ends the run. */
void rules_count_is_wrong(const struct warp *warp, unsigned lane, const char *text);

/* ---- functions of a warp (warp_rules.c) ---- */

/* Called when lanes have reached a warp-wide function, at which they now wait. */
void rules_warp_call(const struct warp *warp, lane_set lanes);

/* rules_volatile() is called when the running lane loads or stores a volatile word. rules_order() is called
 * when lanes execute a barrier, a fence or an atomic, or have passed a __syncwarp(): from then on they know
 * what other lanes have written. */
void rules_volatile(enum request_kind kind, uintptr_t address, const void *instruction);
void rules_order(struct warp *warp, lane_set lanes);

/* Called for a shuffle of these lanes, before any of them has its result. */
void rules_shuffle(struct warp *warp, lane_set together);

/* Called when lanes store or change memory: checks whether they use a value that a shuffle read from a lane
 * which did not take part in it. */
void rules_store(const struct warp *warp, const struct group *group);

#endif
