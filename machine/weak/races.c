/* One file because finding a race again, describing it and carrying it to another process need the same
 * records. */
#include "machine/weak/races.h"
#include "base/map.h"
#include "machine/memory/arrays.h"
#include "machine/code/calls.h"
#include "machine/code/instructions.h"
#include "machine/code/source_line.h"
#include "machine/weak/cells.h"

#include <stdlib.h>
#include <string.h>

/* ---- the races that were found ---- */

/* What is known of a place in memory. */
struct spot {
    uintptr_t address;
    size_t bytes;
    bool is_shared, is_dynamic; /* see struct race */
    /* the host's array that contains the address; its size is 0 if no array is known */
    struct array array;
    uint32_t array_site; /* the instruction that took the array; 0 if no array is known */
    char variable[96];   /* if the kernel is PTX, the variable that contains the address, and its item */
};

/* What a race is found by. */
struct key {
    uint32_t first_site, second_site;
    enum race_kind kind;
};

struct found {
    struct key key;
    struct race race;
    enum race_span span; /* the largest span with which the race was found */
    unsigned run;        /* the number of the run in which the race was found (machine_add_races()) */
    unsigned file;       /* the last call of machine_add_races() that met the race */
    unsigned long long times;
    /* is race.cure final? It is if the run kept views for the what-if worlds, or if the cure was found
     * without these views */
    bool has_cure;
    struct spot spot, heard; /* the place of the race, and the place of race.last */
    /* If the kernels are PTX: the name of each access's kernel, and of the kernel that made race.last's
     * write. The process that reports has no symbols of them. */
    char kernels[3][48];
};
static struct map found = MAP(struct found, key);

#define MOST_FOUND 2048

static struct found *found_at(size_t number)
{
    return (struct found *)found.items + number;
}

enum race_span race_span_of(const struct writer *a, const struct writer *b)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    if (a->party != b->party || a->block != b->block)
        return RACE_IN_GRID;
    bool are_lanes = a->kind == OF_A_THREAD && b->kind == OF_A_THREAD;
    return are_lanes && a->thread / width == b->thread / width ? RACE_IN_WARP : RACE_IN_BLOCK;
}

static enum race_span larger(enum race_span a, enum race_span b)
{
    return a > b ? a : b;
}

bool race_again(uint32_t first_site, uint32_t second_site, enum race_kind kind, enum race_span span)
{
    struct found *again = map_find(&found, &(struct key){first_site, second_site, kind});
    if (!again)
        return false;
    again->times++;
    again->span = larger(again->span, span);
    return true;
}

static void add(const struct found *one)
{
    if (found.count < MOST_FOUND)
        *(struct found *)map_get(&found, &one->key) = *one;
}

static struct spot spot_of(uintptr_t address, size_t bytes, bool is_shared, bool is_dynamic)
{
    struct spot spot = {address, bytes ? bytes : 1, is_shared, is_dynamic, {0}, 0, ""};
    const struct array *array = is_shared ? NULL : array_of(address);
    if (!array && !is_shared)
        array = array_freed_of(address);
    if (array && array->instruction) { /* else a variable of PTX */
        spot.array = *array;
        spot.array_site = site_of(array->instruction, 0);
    } else if (is_dynamic) {
        source_dynamic(address, spot.bytes, spot.variable, sizeof spot.variable);
    } else {
        (is_shared ? source_shared : source_variable)(address, spot.bytes, spot.variable,
                                                      sizeof spot.variable);
    }
    return spot;
}

void race_note(const struct race *race)
{
    if (found.count == MOST_FOUND)
        return;
    uintptr_t heard = race->last.home;
    bool is_of_block = is_shared(heard);
    struct found one = {.key = {race->first_site, race->second_site, race->kind},
                        .race = *race,
                        .span = race_span_of(&race->first, &race->second),
                        .times = 1,
                        .has_cure = the_machine.memory.cures || race->cure != AS_IT_IS,
                        .spot = spot_of(race->address, race->bytes, race->is_shared, race->is_dynamic)};
    if (race->last.reader != NO_THREAD)
        one.heard = spot_of(is_of_block ? home_offset(heard) : heard, 4, is_of_block, home_is_dynamic(heard));
    const struct writer *const who[] = {&race->first, &race->second, &race->last_writer};
    for (unsigned i = 0; i < 3; i++)
        snprintf(one.kernels[i], sizeof one.kernels[i], "%s", who[i]->name ? who[i]->name : "");
    add(&one);
}

/* The barriers to which threads came in runs that say what would order the accesses of races. */
#define MOST_BARRIERS 256
struct barrier {
    uint32_t site;
    enum race_span span;
};
static struct barrier barriers[MOST_BARRIERS];
static size_t barrier_count;

void race_note_barrier(uint32_t site, enum race_span span)
{
    for (size_t i = 0; i < barrier_count; i++)
        if (barriers[i].site == site)
            return;
    if (barrier_count < MOST_BARRIERS)
        barriers[barrier_count++] = (struct barrier){site, span};
}

size_t machine_barriers(void)
{
    return barrier_count;
}

enum race_span machine_describe_barrier(size_t number, char line[MOST_MARK])
{
    source_line_of(barriers[number].site, line, MOST_MARK);
    return barriers[number].span;
}

size_t machine_races(void)
{
    return found.count;
}

/* Returns whether the race exists only by the letter of the PTX ISA: a bulk copy overwrites what threads
 * have read, after a barrier but without a proxy fence between the reads and the copy. Much code leaves
 * this fence out; some code has it (tools/bugs/stage-refilled.cu). */
static bool is_note(const struct race *race)
{
    return race->kind == RACE_WRITES_READ && race->cure == PROXIED_GLOBAL;
}

size_t machine_race_notes(void)
{
    size_t count = 0;
    for (size_t i = 0; i < found.count; i++)
        count += is_note(&found_at(i)->race);
    return count;
}

void races_forget(void)
{
    map_clear(&found);
}

/* ---- reports ---- */

struct line {
    char text[MOST_MARK];
};

static struct line line_of(uint32_t site)
{
    struct line line = {""};
    source_line_of(site, line.text, sizeof line.text);
    return line;
}

static void describe_place(const struct spot *spot, char *text, size_t size)
{
    if (spot->array.bytes) {
        struct line line, named;
        source_line_of(spot->array_site, line.text, sizeof line.text);
        array_text(&spot->array, line.text, named.text, sizeof named.text);
        snprintf(text, size, "[%zu] of %s", (size_t)((spot->address - spot->array.begin) / spot->bytes),
                 named.text);
    } else {
        snprintf(text, size, "%s", spot->variable);
    }
}

void race_describe_place(struct block *block, uintptr_t address, size_t bytes, char *text, size_t size)
{
    uintptr_t home = home_of(block, address);
    struct spot spot =
        spot_of(is_shared(home) ? home_offset(home) : home, bytes, is_shared(home), home_is_dynamic(home));
    describe_place(&spot, text, size);
}

/* Writes the place's array or variable without the index. */
static void describe_array(const struct found *f, const char *place, char *text, size_t size)
{
    const char *of = *place == '[' ? strstr(place, " of ") : NULL;
    if (f->spot.is_dynamic)
        snprintf(text, size, "the dynamic shared memory");
    else if (of)
        snprintf(text, size, "%s", of + strlen(" of "));
    else
        snprintf(text, size, "%.*s", (int)strcspn(place, "["), place);
}

/* Returns advice for a report: what would order an access of a thread and a copy of the asynchronous
 * proxy. */
static const char *mend_of_proxy(const struct race *r)
{
    if (r->kind == RACE_ATOMIC)
        return "fence.mbarrier_init, or a proxy fence, after the mbarrier's init, by the thread that does "
               "it";
    return r->is_shared ? "a proxy fence between the two: fence.proxy.async.shared::cta, by the threads that "
                          "accessed it before they meet the one that copies, or by that one afterwards"
                        : "a proxy fence between the two: fence.proxy.async.global, by the threads that "
                          "accessed it before they meet the one that copies, or by that one afterwards";
}

/* Were the accesses made by two launches, or by other tasks of streams? */
static bool is_between_tasks(const struct race *r)
{
    return r->first.party != r->second.party || r->second.kind == OF_HOST;
}

/* Returns advice that names the missing wait, or NULL if the two accesses were made by one kernel, and the
 * first one not by a copy. */
static const char *mend_of_missing_wait(const struct race *r)
{
    if (r->second.kind == OF_HOST)
        return "a wait of the host between the two: cudaStreamSynchronize(), cudaEventSynchronize() or "
               "cudaDeviceSynchronize(); or a flag that the host reads, before whose write the kernel "
               "releases to the system (__threadfence_system())";
    if (r->first.kind == OF_KERNEL_BEFORE)
        return "griddepcontrol.wait before it, in every kernel of the chain "
               "(cudaGridDependencySynchronize(), or "
               "an asm with \"memory\" among its clobbers)";
    if (is_between_tasks(r))
        return "an order of the two: cudaStreamWaitEvent() on an event that is recorded after the first, "
               "one "
               "stream for both, or a dependency between nodes of a graph";
    if (r->first.kind == OF_A_COPY)
        return r->kind == RACE_WRITES_READ || r->kind == RACE_ATOMIC_READ
                   ? "a wait until the copy has read: cp.async.bulk.wait_group.read (of wgmma: "
                     "wgmma.wait_group), "
                     "and a barrier after it"
                   : "a wait for the copy: for its mbarrier's phase, or for its group (where the program "
                     "has a wait_group, with a smaller number), and a barrier after that";
    return NULL;
}

/* Both accesses belong to one launch. Is the only link between them a word that a thread of another launch
 * wrote, which runs at the same time? */
static bool shares_word(const struct race *r)
{
    return r->last.reader != NO_THREAD && r->last.is_released && r->first.kind == OF_A_THREAD &&
           r->last_writer.kind == OF_A_THREAD && r->first.party == r->second.party &&
           r->last_writer.party != r->second.party;
}

/* Did the second access's block read a value that was released by a thread of the first access's block,
 * though by another thread? Then only a barrier before the release is missing. */
static bool lacks_barrier_before(const struct race *r)
{
    return r->cure == AS_IT_IS && r->last.reader != NO_THREAD && r->last.is_released &&
           r->first.kind == OF_A_THREAD && r->last_writer.kind == OF_A_THREAD &&
           race_span_of(&r->first, &r->last_writer) != RACE_IN_GRID &&
           r->first.thread != r->last_writer.thread;
}

/* Writes advice that names a fault other than a missing barrier or fence. Returns false if it knows none. */
static bool describe_fault(const struct found *f, char *text, size_t size)
{
    const struct race *r = &f->race;
    struct line read = line_of(shares_word(r) ? r->last.reader_site : r->passed.reader_site);
    if (r->passed.reader != NO_THREAD && r->kind != RACE_WRITES_READ && r->kind != RACE_ATOMIC_READ) {
        struct line arrived = line_of(r->passed.writer_site);
        if (!r->passed.is_released)
            snprintf(
                text, size,
                "the other parity in the wait at %s, which is over at once: with this parity it waits for "
                "the phase before the first, that ends with the init at %s",
                read.text, arrived.text);
        else
            snprintf(text, size,
                     "the copy's bytes expected before the arrival at %s, which ends the phase without them, "
                     "so that "
                     "the wait at %s is over too early: mbarrier.arrive.expect_tx, or expect_tx before the "
                     "arrival",
                     arrived.text, read.text);
        return true;
    }
    if (f->span == RACE_IN_GRID && r->cure == AS_IT_IS && r->first_came && r->first_came < r->second_came) {
        char place[512];
        describe_place(&f->heard, place, sizeof place);
        snprintf(text, size,
                 "%s set back after each round, or awaited at %s with a value that grows by the number of "
                 "arrivals in each round: block %u came to %s %u times, and its wait was over although block "
                 "%u had come only %u time%s",
                 place, line_of(r->waited_site).text, r->second.block, line_of(r->counted_site).text,
                 r->second_came, r->first.block, r->first_came, r->first_came == 1 ? "" : "s");
        return true;
    }
    if (f->span == RACE_IN_GRID && r->cure == AS_IT_IS && r->last_reader_knows) {
        snprintf(
            text, size,
            "__syncthreads() between the read at %s and the access at %s: only the thread that reads there "
            "knows of the other access",
            line_of(r->last.reader_site).text, line_of(r->second_site).text);
        return true;
    }
    if (f->span == RACE_IN_GRID && lacks_barrier_before(r)) {
        snprintf(
            text, size,
            "__syncthreads() between the access at %s and the write at %s, which tells others what its own "
            "thread knows",
            line_of(r->first_site).text, line_of(r->last.writer_site).text);
        return true;
    }
    if (shares_word(r)) {
        char place[512], launched[MOST_MARK];
        describe_place(&f->heard, place, sizeof place);
        source_line(r->last_writer.instruction, launched, sizeof launched);
        snprintf(
            text, size,
            "a word for each launch, or one stream for both: what is read at %s from %s was written by a "
            "thread of another launch of %s (launched at %s), which runs at the same time",
            read.text, place, f->kernels[2], launched);
        return true;
    }
    return false;
}

/* Writes the advice to release what was written before the write that the last observation returned. If this
 * write has a release, then the first access's thread lacks a release. */
static void describe_release(const struct found *f, const char *wrote, const char *scope, const char *fence,
                             char *text, size_t size)
{
    if (f->race.last.is_cluster_barrier)
        snprintf(text, size, "barrier.cluster.arrive.release in place of the relaxed arrival at %s", wrote);
    else if (f->race.last.is_released)
        snprintf(
            text, size,
            "a release after the access at %s (fence.release.%s, or %s()), before its thread's next write "
            "for others",
            line_of(f->race.first_site).text, scope, fence);
    else
        snprintf(text, size, "a release before the write at %s (fence.release.%s, or %s())", wrote, scope,
                 fence);
}

/* Is the first access a write, and did the second thread's block last learn of the first thread by an earlier
 * write of it? */
static bool is_told_too_early(const struct race *r)
{
    return r->last.reader != NO_THREAD && r->kind <= RACE_ATOMIC && r->first.kind == OF_A_THREAD &&
           r->last_writer.kind == OF_A_THREAD && r->last_writer.party == r->first.party &&
           r->last_writer.block == r->first.block && r->last_writer.thread == r->first.thread;
}

/* If one access is strong, writes which other one is plain; "" if not. A plain access races with an atomic
 * one even where the program needs no order of the two. */
static void describe_strong_mend(const struct race *r, char *text, size_t size)
{
    bool is_first = r->only_second_strong;
    bool is_read = is_first ? r->kind > RACE_ATOMIC : r->kind == RACE_READS;
    *text = '\0';
    if (r->only_first_strong || r->only_second_strong)
        snprintf(text, size,
                 "; or an atomic or volatile access, as the other one is, in place of the plain %s at %s",
                 is_read ? "read" : "write", line_of(is_first ? r->first_site : r->second_site).text);
}

/* Writes advice: what would order the two accesses. `last` tells how the second thread's block last learned
 * of another thread. Returns false if the advice is only that something must order them. */
static bool describe_cure(const struct found *f, char *text, size_t size)
{
    const struct race *r = &f->race;
    bool same_block = f->span != RACE_IN_GRID;
    /* what a block learned of another one is no way for two threads of a block to meet */
    bool has_last = r->last.reader != NO_THREAD &&
                    (!same_block || race_span_of(&r->first, &r->last_writer) != RACE_IN_GRID);
    char strong[MOST_MARK + 128];
    struct line wrote = {""}, read = {""};
    describe_strong_mend(r, strong, sizeof strong);
    if (has_last) {
        wrote = line_of(r->last.writer_site);
        read = line_of(r->last.reader_site);
    }
    const char *scope = same_block ? "cta" : "gpu",
               *fence = same_block ? "__threadfence_block" : "__threadfence";
    const char *always =
        r->both_strong && r->sizes_differ
            ? "accesses of one size: of different sizes they are not morally strong, whatever their scopes"
        : r->cure == PROXIED_GLOBAL            ? mend_of_proxy(r)
        : r->cure == AS_IT_IS && !r->is_refill ? mend_of_missing_wait(r)
                                               : NULL;
    if (describe_fault(f, text, size))
        return true;
    if (always) {
        snprintf(text, size, "%s", always);
        return true;
    }
    switch (has_last || r->both_strong ? r->cure : AS_IT_IS) {
    case RELEASED:
        describe_release(f, wrote.text, scope, fence, text, size);
        break;
    case ACQUIRED:
        snprintf(text, size, "an acquire after the read at %s (fence.acquire.%s, or %s())", read.text, scope,
                 fence);
        break;
    case RELEASED_ACQUIRED:
        snprintf(text, size,
                 "a release before the write at %s and an acquire after the read at %s (two "
                 "fences, each a %s())",
                 wrote.text, read.text, fence);
        break;
    case WIDE:
        snprintf(text, size, "%s",
                 r->both_strong
                     ? "a wider scope of both accesses (their scopes do not include each other's thread)"
                     : "a wider scope of the fences or accesses between the two");
        break;
    case WIDE_AND_BOTH:
        snprintf(
            text, size,
            "a release before the write at %s and an acquire after the read at %s, both of a wider scope",
            wrote.text, read.text);
        break;
    default:
        if (f->span == RACE_IN_GRID && is_told_too_early(r)) {
            snprintf(text, size,
                     "the access at %s before the write at %s, which others wait for, and a release between "
                     "the two (%s()); or a barrier or another flag after it",
                     line_of(r->first_site).text, wrote.text, fence);
            break;
        }
        snprintf(text, size, "%s between the two: nothing leads from the one to the other%s",
                 f->span == RACE_IN_WARP    ? "__syncwarp()"
                 : f->span == RACE_IN_BLOCK ? "__syncthreads(), or a flag,"
                                            : "a barrier or a flag",
                 strong);
        return false;
    }
    return true;
}

/* Writes who made an access; `names_kernel` says whether the text names the kernel of a thread. */
static void describe_who(const struct writer *who, const char *kernel_name, bool names_kernel,
                         char text[MOST_WHO])
{
    char launched[MOST_MARK] = "";
    if (who->kind == OF_HOST || who->kind == OF_KERNEL_BEFORE || who->kind == OF_A_TASK) {
        snprintf(text, MOST_WHO, "%s",
                 who->kind == OF_HOST     ? "the host"
                 : who->kind == OF_A_TASK ? kernel_name
                                          : "the kernel before");
        return;
    }
    if (names_kernel && who->instruction)
        source_line(who->instruction, launched, sizeof launched);
    snprintf(text, MOST_WHO, "%sblock %u thread %u%s%.36s%s%s%s", who->kind == OF_A_COPY ? "a copy of " : "",
             who->block, who->thread, names_kernel ? " of " : "", names_kernel ? kernel_name : "",
             *launched ? " (launched at " : "", launched, *launched ? ")" : "");
}

void machine_describe_race(size_t number, struct machine_race *race)
{
    static const char *const does[] = {"reads", "overwrites", "changes", "overwrites", "changes"};
    static const char *const did[] = {"wrote", "wrote", "wrote", "read", "read"};
    const struct found *f = found_at(number);
    const struct race *r = &f->race;
    *race = (struct machine_race){.first_block = r->first.block,
                                  .first_thread = r->first.thread,
                                  .second_block = r->second.block,
                                  .second_thread = r->second.thread,
                                  .is_note = is_note(r),
                                  .is_between_tasks = is_between_tasks(r),
                                  .is_refill = r->is_refill,
                                  .are_both_strong = r->both_strong,
                                  .nothing = r->cure == PROXIED_GLOBAL ? "no proxy fence is between them"
                                             : r->is_hidden
                                                 ? "nothing orders them but which of two fences came first"
                                                 : "nothing orders them",
                                  .first_did = did[r->kind],
                                  .second_does = does[r->kind],
                                  .span = f->span,
                                  .are_both_writes = r->kind == RACE_WRITES || r->kind == RACE_ATOMIC,
                                  .times = f->times,
                                  .run = f->run};
    describe_strong_mend(r, race->strong_mend, sizeof race->strong_mend);
    source_line_of(r->first_site, race->first_line, sizeof race->first_line);
    source_line_of(r->second_site, race->second_line, sizeof race->second_line);
    describe_who(&r->first, f->kernels[0], is_between_tasks(r), race->first);
    describe_who(&r->second, f->kernels[1], is_between_tasks(r), race->second);
    describe_place(&f->spot, race->place, sizeof race->place);
    describe_array(f, race->place, race->array, sizeof race->array);
    if (the_machine.memory.cures && f->has_cure)
        race->is_cure_known = describe_cure(f, race->mend, sizeof race->mend);
}

void machine_print_races(FILE *file)
{
    for (size_t i = 0; i < found.count; i++) {
        struct machine_race r;
        machine_describe_race(i, &r);
        fprintf(file, "%s: %s at %s %s %s, which %s %s at %s; %s (%llu times)\n", r.is_note ? "note" : "race",
                r.second, r.second_line, r.second_does, r.place, r.first, r.first_did, r.first_line,
                r.nothing, r.times);
        if (*r.mend)
            fprintf(file, "    mend: %s\n", r.mend);
    }
}

/* ---- races of a forked process ---- */

void machine_save_races(FILE *file)
{
    sites_save(file);
    fwrite(&barrier_count, sizeof barrier_count, 1, file);
    fwrite(barriers, sizeof *barriers, barrier_count, file);
    fwrite(&found.count, sizeof found.count, 1, file);
    if (found.count)
        fwrite(found.items, found.item_bytes, found.count, file);
}

static void use_own_sites(struct found *one)
{
    struct race *race = &one->race;
    race->first_site = site_added(race->first_site);
    race->second_site = site_added(race->second_site);
    race->last.reader_site = site_added(race->last.reader_site);
    race->last.writer_site = site_added(race->last.writer_site);
    race->counted_site = site_added(race->counted_site);
    race->waited_site = site_added(race->waited_site);
    race->passed.reader_site = site_added(race->passed.reader_site);
    race->passed.writer_site = site_added(race->passed.writer_site);
    one->key = (struct key){race->first_site, race->second_site, race->kind};
}

bool machine_lacks_cures(unsigned run)
{
    for (size_t i = 0; i < found.count; i++)
        if (found_at(i)->run == run && !found_at(i)->has_cure)
            return true;
    return false;
}

static unsigned files; /* number of calls of machine_add_races() */

bool machine_race_came_again(size_t number)
{
    return found_at(number)->file == files;
}

void machine_add_races(FILE *file, unsigned run, bool only_cures)
{
    files++;
    size_t count = 0;
    struct found one;
    struct barrier barrier;
    sites_add(file);
    if (fread(&count, sizeof count, 1, file) != 1)
        return;
    for (; count && fread(&barrier, sizeof barrier, 1, file) == 1; count--)
        race_note_barrier(site_added(barrier.site), barrier.span);
    if (fread(&count, sizeof count, 1, file) != 1)
        return;
    for (; count && fread(&one, sizeof one, 1, file) == 1; count--) {
        use_own_sites(&one);
        one.run = run;
        one.file = files;
        struct found *same = map_find(&found, &one.key);
        if (same)
            same->file = files;
        if (only_cures) {
            if (same && !same->has_cure && same->run == run) {
                same->race.cure = one.race.cure;
                same->race.last = one.race.last;
                same->race.last_writer = one.race.last_writer;
                same->race.last_reader_knows = one.race.last_reader_knows;
                same->race.counted_site = one.race.counted_site;
                same->race.waited_site = one.race.waited_site;
                same->race.first_came = one.race.first_came;
                same->race.second_came = one.race.second_came;
                same->race.passed = one.race.passed;
                same->heard = one.heard;
                same->has_cure = true;
            }
            continue;
        }
        if (!same) {
            add(&one);
            continue;
        }
        /* Keeps the race of the lowest run, so that the report does not depend on which run ends first. But
         * one that is not hidden comes before, because the what-if worlds show its cure. */
        bool is_better = same->race.is_hidden == one.race.is_hidden ? run < same->run : same->race.is_hidden;
        struct found kept = is_better ? one : *same;
        kept.times = same->times + one.times;
        kept.span = larger(same->span, one.span);
        *same = kept;
    }
}
