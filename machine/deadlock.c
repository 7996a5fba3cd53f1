/*
 * A deadlock on this machine: every lane that has not exited waits at a barrier, or polls, that is, repeats
 * the same few loads, again and again while nobody writes, exits or passes a barrier.
 */
#include "machine/state.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* So often must each polling lane have asked in vain. The adversary holds a warp back for less. */
#define REPEATS_IN_VAIN 300

static bool polls(const struct run *run, const struct lane *lane)
{
    return lane->repeats_since == run->changed && lane->repeats >= REPEATS_IN_VAIN;
}

/* In a lockstep warp, lanes that left a loop wait for those at a lower instruction, which still poll. */
static bool waits_for_polling_lanes(const struct run *run, const struct lane *lane)
{
    if (!the_machine.description.lockstep)
        return false;
    for (unsigned i = 0; i < lane->warp->lane_count; i++) {
        const struct lane *other = &lane->warp->lanes[i];
        if (other->request.instruction < lane->request.instruction && polls(run, other))
            return true;
    }
    return false;
}

static bool is_stuck(const struct run *run, const struct lane *lane)
{
    if (lane->state != LANE_READY && lane->state != LANE_IN_MEMORY)
        return true;
    return polls(run, lane) || waits_for_polling_lanes(run, lane);
}

/* Exact, but walks over all lanes: the scheduler asks only when nothing has changed for long. */
bool deadlock_suspected(struct run *run)
{
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned b = 0; b < run->sms[s].block_count; b++)
            for (unsigned i = 0; i < run->launch->block; i++)
                if (!is_stuck(run, &run->sms[s].blocks[b]->lanes[i]))
                    return false;
    return true;
}

static void append(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void append(const char *format, ...)
{
    size_t used = strlen(the_machine.deadlock);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(the_machine.deadlock + used, sizeof the_machine.deadlock - used, format, arguments);
    va_end(arguments);
}

static const char *what(const struct lane *lane)
{
    switch (lane->state) {
    case LANE_AT_BLOCK_BARRIER:
        return "__syncthreads";
    case LANE_AT_WARP_BARRIER:
        return "a warp-wide operation";
    case LANE_AT_NAMED_BARRIER:
        return "a named barrier";
    case LANE_AT_CONVERGENCE:
        return "a convergence point, for the rest of the warp";
    default:
        break;
    }
    if (!polls(&the_machine.run, lane))
        return "a point behind the rest of its lockstep warp";
    switch (lane->request.kind) {
    case REQUEST_ATOMIC:
        return "an atomic, polling";
    case REQUEST_LOCK_LOAD:
    case REQUEST_STORE_UNLOCK:
        return "a lock bit, polling";
    default:
        return "a load, polling";
    }
}

/* "file:line" of an instruction, if binutils are there; else its offset in the program. */
static void where(const void *instruction, char *text, size_t size)
{
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)instruction, &info)) {
        snprintf(text, size, "%p", instruction);
        return;
    }
    unsigned long offset = (unsigned long)((uintptr_t)instruction - (uintptr_t)info.dli_fbase - 1);
    snprintf(text, size, "%s+0x%lx", info.dli_fname, offset);
    char command[512], line[256] = "";
    snprintf(command, sizeof command, "addr2line -i -s -e '%s' 0x%lx 2>/dev/null", info.dli_fname, offset);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    /* Innermost first: the first place that is not one of our own inline functions. */
    while (fgets(line, sizeof line, pipe) && line[0] != '?') {
        line[strcspn(line, " \n")] = '\0';
        snprintf(text, size, "%s", line);
        if (strncmp(line, "cuda_machine.h", 14) != 0)
            break;
    }
    pclose(pipe);
}

/* Who holds the lock bit that the lane polls, and through which word. */
static void describe_lock(const struct lane *lane)
{
    if (lane->request.kind != REQUEST_LOCK_LOAD)
        return;
    size_t word = lock_word(lane, lane->request.address);
    const struct lock_bit *bit = lock_bit_of(lane, lane->request.address);
    if (bit->taken)
        append(", where the bit of word %zu is held by block %u thread %u through word %zu%s", word,
               bit->block, bit->thread, bit->word, bit->word == word ? "" : ", an alias");
}

/* One clause for each place where lanes of this block wait: "threads 1-255 at __syncthreads (file:line)". */
static void describe_block(const struct run *run, const struct block *block)
{
    unsigned threads = run->launch->block;
    for (unsigned i = 0; i < threads;) {
        const struct lane *lane = &block->lanes[i];
        unsigned end = i + 1;
        while (end < threads && block->lanes[end].state == lane->state &&
               block->lanes[end].request.instruction == lane->request.instruction)
            end++;
        if (lane->state != LANE_EXITED) {
            char place[128];
            where(lane->request.instruction, place, sizeof place);
            append("; block %u thread%s %u", block->index, end - i > 1 ? "s" : "", i);
            if (end - i > 1)
                append("-%u", end - 1);
            append(" at %s (%s)", what(lane), place);
            describe_lock(lane);
        }
        i = end;
    }
}

#define BLOCKS_DESCRIBED 3

/* Writes machine_deadlock_report's text. */
void deadlock_describe(struct run *run)
{
    unsigned resident = 0, described = 0;
    for (unsigned s = 0; s < run->sm_count; s++)
        resident += run->sms[s].block_count;
    the_machine.deadlock[0] = '\0';
    append("deadlock after %llu time units: %u of %u blocks are resident and wait, %u wait for a free "
           "multiprocessor",
           (unsigned long long)(run->now - run->start), resident, run->launch->grid,
           run->launch->grid - run->next_block);
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned b = 0; b < run->sms[s].block_count && described < BLOCKS_DESCRIBED; b++, described++)
            describe_block(run, run->sms[s].blocks[b]);
    if (resident > described)
        append("; and so on");
}

const char *machine_deadlock_report(void)
{
    return the_machine.deadlock;
}
