#include "machine/cuda/bounds.h"
#include "machine/cuda/given_back.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/memory/arrays.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/engine/rules.h"
#include "machine/engine/sample.h"
#include "machine/memory/shared_memory.h"
#include "machine/machine.h"
#include "machine/ptx.h"
#include "machine/weak/weak_launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bounds_are_allowed(uintptr_t address, size_t bytes)
{
    const struct array *array = array_of(address);
    if (array)
        return bounds_is_within(address, bytes, array->begin, array->bytes);
    if (shared_memory_has(address))
        return shared_memory_owner(running.warp->block, address) &&
               shared_memory_owner(running.warp->block, address + bytes - 1) ==
                   shared_memory_owner(running.warp->block, address);
    return bounds_is_program(address, bytes) ||
           bounds_is_within(address, bytes, (uintptr_t)running.launch->closure,
                            running.launch->closure_bytes);
}

#define MOST_ELEMENT 16 /* size of the widest access, in bytes; an access with more bytes is a copy */
/* an address at least this far from the block's own shared memory is in another block's shared memory */
#define BEYOND (1 << 24)

#define MOST_PLACE 640 /* size of the text that describes a place, in bytes */

/* the highest address that the lanes of a warp access together with the one that is checked; 0 if none do */
static uintptr_t highest;

void bounds_tell_use(const char *use, const void *instruction)
{
    char line[MOST_MARK], text[MOST_PLACE + 512];
    source_line_of(site_here(instruction), line, sizeof line);
    snprintf(text, sizeof text, "block %u thread %u at %s %s", running.warp->block->index,
             thread_of(running.warp, running.lane), line, use);
    bounds_tell(text);
}

/* Describes memory that kernels have given back. */
static void describe_given_back(const struct given_back *memory, uintptr_t address, size_t bytes, char *text,
                                size_t size)
{
    char taken[MOST_MARK], freed[MOST_MARK];
    source_line(memory->taken_by, taken, sizeof taken);
    source_line_of(memory->freed_by, freed, sizeof freed);
    snprintf(text, size, "[%zu] of " ARRAY_FROM "%s, which was given back at %s",
             (size_t)(address - memory->begin) / bytes, taken, freed);
}

/* Writes what would mend an access outside of memory that begins at `begin` and has room for `count` elements
 * of these bytes. More room is advice only if it need not be more than twice as much. */
static void mend_index(uintptr_t address, uintptr_t begin, size_t count, size_t bytes)
{
    uintptr_t end = highest > address ? highest : address;
    size_t needed = (end - begin) / bytes + 1;
    char *text = the_machine.mend;
    if (address < begin)
        snprintf(text, sizeof the_machine.mend, "an index of at least 0 (an if around the access)");
    else if (!count || needed <= count || needed > 2 * count)
        snprintf(text, sizeof the_machine.mend, "an index below %zu (an if around the access)", count);
    else
        snprintf(text, sizeof the_machine.mend,
                 "an index below %zu (an if around the access), or room for %zu elements of %zu bytes: the "
                 "threads of this warp come to [%zu] here",
                 count, needed, bytes, needed - 1);
}

static void describe_place(uintptr_t address, size_t bytes, char *text, size_t size)
{
    const struct array *array = array_nearest(address);
    const struct given_back *given_back = given_back_at(address);
    uintptr_t dynamic =
        (uintptr_t)running.warp->block->dynamic + ptx_static_shared_bytes(running.launch->program);
    if (bytes > MOST_ELEMENT)
        bytes = 1; /* the report gives a position within an asynchronous copy in bytes, not in elements */
    if (shared_memory_is_nowhere(address) || (shared_memory_has(address) && address - dynamic > BEYOND)) {
        snprintf(text, size, "shared memory of a block that has ended, or is not of this cluster");
        snprintf(the_machine.mend, sizeof the_machine.mend,
                 "a barrier of the cluster after this access, to which each block comes before it ends "
                 "(cluster.sync())");
    } else if (shared_memory_has(address)) {
        size_t variables = ptx_static_shared_bytes(running.launch->program),
               has = running.launch->shared_bytes - variables;
        char named[MOST_ARRAY_TEXT];
        if (!has && address >= dynamic && variables >= bytes) {
            source_shared(variables - bytes, bytes, named, sizeof named);
            snprintf(text, size, "byte %lld after the __shared__ variables, which end with %s",
                     (long long)(address - dynamic), named);
            const char *index = strchr(named, '[');
            if (index && (address - dynamic) % bytes == 0) {
                size_t count = strtoul(index + 1, NULL, 10) + 1;
                mend_index(address, dynamic - count * bytes, count, bytes);
            }
        } else if (address >= dynamic && source_dynamic(address - dynamic, bytes, named, sizeof named))
            snprintf(text, size, "%s, which has %zu of %zu bytes", named, has / bytes, bytes);
        else
            snprintf(text, size, "byte %lld of the dynamic shared memory, which has %zu",
                     (long long)(address - dynamic), has);
        if (has && address >= dynamic + has)
            mend_index(address, dynamic, has / bytes, bytes);
    } else if (given_back) {
        describe_given_back(given_back, address, bytes, text, size);
        snprintf(the_machine.mend, sizeof the_machine.mend, "give the memory back after this access");
    } else if (array) {
        char named[MOST_ARRAY_TEXT];
        bounds_array_text(array, named, sizeof named);
        snprintf(text, size, "[%lld] of %s, which has %zu of %zu bytes",
                 (long long)(address - array->begin) / (long long)bytes, named, array->bytes / bytes, bytes);
        if (!bounds_is_within(address, bytes, array->begin, array->bytes))
            mend_index(address, array->begin, array->bytes / bytes, bytes);
    } else {
        snprintf(text, size, "%p, which is no memory of the device (of the host, or given back)",
                 (void *)address);
        snprintf(the_machine.mend, sizeof the_machine.mend,
                 "a pointer to memory of cudaMalloc() or cudaMallocManaged() that has not been given back");
    }
}

/* Reports a read of memory that has never been written. */
static void check_written(uintptr_t address, size_t bytes, const void *instruction)
{
    struct block *block = running.warp->block;
    char place[MOST_PLACE];
    enum content content = written_content(block, address, bytes);
    if (content != CONTENT_WRITTEN)
        sample_reads(block, content, instruction);
    if (content != CONTENT_NONE || running.warp->ends ||
        !rule_is_newly_broken(RULE_WRITTEN, instruction, NULL))
        return;
    struct block *owner = array_of(address) ? NULL : shared_memory_owner(block, address);
    size_t offset = owner ? shared_memory_offset(owner, address) : 0;
    if (owner && offset < ptx_static_shared_bytes(running.launch->program))
        source_shared(offset, bytes, place, sizeof place);
    else
        describe_place(address, bytes, place, sizeof place);
    char line[MOST_MARK];
    source_line_of(site_here(instruction), line, sizeof line);
    rule_say("block %u thread %u at %s reads %zu bytes at %s, which nobody has written", block->index,
             thread_of(running.warp, running.lane), line, bytes, place);
    if (owner == block)
        rules_tell_part(block);
    char *length = strstr(place, ", which has ");
    if (length)
        *length = '\0';
    rule_say_place(place);
}

void bounds_check(uintptr_t address, size_t bytes, enum request_kind kind, const void *instruction)
{
    bool writes = kind != REQUEST_LOAD, reads = kind != REQUEST_STORE && kind != REQUEST_STORE_UNLOCK;
    if (bounds_are_allowed(address, bytes)) {
        if (reads && written_is_noted)
            check_written(address, bytes, instruction);
        if (writes && written_is_noted)
            written_note(running.warp->block, address, bytes);
        return;
    }
    char place[MOST_PLACE], use[MOST_PLACE + 64];
    describe_place(address, bytes, place, sizeof place);
    snprintf(use, sizeof use, "%s %zu bytes at %s", writes ? "writes" : "reads", bytes, place);
    bounds_tell_use(use, instruction);
}

/* Finds the array, or the shared memory of the warp's block, in which all these bytes are. Returns false
 * if there is none. *written is NULL if it is not noted which bytes are written; otherwise it has a mark for
 * each byte from *begin on. */
static bool is_in_one(const struct warp *warp, uintptr_t low, uintptr_t high, uintptr_t *begin,
                      struct written **written)
{
    const struct array *array = array_of(low);
    const struct block *block = warp->block;
    if (array) {
        *begin = array->begin;
        *written = array->written;
        return high - array->begin <= array->bytes;
    }
    *begin = (uintptr_t)block->dynamic;
    *written = block->written;
    return low - *begin < block->kernel->launch.shared_bytes &&
           high - *begin <= block->kernel->launch.shared_bytes;
}

void bounds_check_lanes(struct warp *warp, lane_set lanes, const uintptr_t *addresses, size_t first,
                        size_t bytes, enum request_kind kind, const void *instruction)
{
    uintptr_t low = UINTPTR_MAX, high = 0, begin = 0;
    struct written *written = NULL;
    bool writes = kind != REQUEST_LOAD, reads = kind != REQUEST_STORE && kind != REQUEST_STORE_UNLOCK;
    FOR_EACH_LANE(l, lanes)
    {
        low = addresses[l] < low ? addresses[l] : low;
        high = addresses[l] > high ? addresses[l] : high;
    }
    bool are_allowed = high < UINTPTR_MAX / 2 && bytes <= MOST_ELEMENT &&
                       is_in_one(warp, low + first, high + first + bytes, &begin, &written);
    bool looks = written || (reads && sample_has_gaps());
    if (are_allowed && (!written_is_noted || !looks))
        return;
    FOR_EACH_LANE(l, lanes)
    {
        unsigned char *marks = written ? written->marks + (addresses[l] + first - begin) : NULL;
        if (!are_allowed || !marks || (reads && *marks < written->least)) {
            running.warp = warp;
            running.lane = l;
            highest = high + first;
            bounds_check(addresses[l] + first, bytes, kind, instruction);
        } else if (writes) {
            written->latest = written_mark;
            for (size_t b = 0; b < bytes; b++)
                marks[b] = written_mark;
        }
    }
    highest = 0;
}

void bounds_tell_free(uintptr_t address, const void *instruction)
{
    char place[MOST_PLACE], use[MOST_PLACE + 64];
    describe_place(address, 1, place, sizeof place);
    snprintf(use, sizeof use, "frees %s; it is not what malloc() or new returned", place);
    bounds_tell_use(use, instruction);
}

/* alignment of addresses, and unit of the size, of a bulk copy, in bytes (PTX ISA, cp.async.bulk) */
#define BULK 16

void bounds_check_copy(uintptr_t to, uintptr_t from, unsigned bytes, bool bulk, uintptr_t mbarrier,
                       const void *instruction)
{
    char use[128];
    if (bulk && (to % BULK || from % BULK || bytes % BULK)) {
        snprintf(use, sizeof use,
                 "copies %u bytes in bulk, and not all of source, destination and size are multiples of %d",
                 bytes, BULK);
        bounds_tell_use(use, instruction);
    }
    if (from && bytes)
        bounds_check(from, bytes, REQUEST_LOAD, instruction);
    if (to && bytes)
        bounds_check(to, bytes, REQUEST_STORE, instruction);
    if (mbarrier)
        bounds_check(mbarrier, 8, REQUEST_ATOMIC, instruction);
}

void bounds_check_host(uintptr_t address, size_t bytes, bool writes, bool is_strong, const void *instruction)
{
    if (!writes && address - unwritten_span.begin < unwritten_span.end - unwritten_span.begin &&
        bytes <= MOST_ELEMENT && written_is_noted)
        bounds_check_unwritten(address, bytes, instruction);
    const struct array *found = one_thread_is_only() ? array_of(address) : NULL;
    /* most accesses of a host that fills arrays before its first launch end here, without the lock */
    if (!found || (found->is_of_host && !is_strong && !weak_host_is_checked()))
        return;
    ONE_THREAD_UNTIL_RETURN(
        false) /* another thread may have called CUDA, and changed the arrays, meanwhile */
    const struct array *array = one_thread_is_only() ? array_of(address) : NULL;
    if (!array)
        return;
    if (array->is_of_host) {
        if (is_strong)
            one_thread_polls();
        if (is_strong && queues_are_on)
            queue_go_on_to_end();
        weak_host_accesses(address, bytes, writes, is_strong, instruction);
        return;
    }
    char name[MOST_ARRAY_TEXT], line[MOST_MARK], text[1024];
    bounds_array_text(array, name, sizeof name);
    source_line(instruction, line, sizeof line);
    snprintf(text, sizeof text, "the host at %s %s %s, which is memory of the device", line,
             writes ? "writes" : "reads", name);
    snprintf(the_machine.mend, sizeof the_machine.mend,
             "cudaMemcpy() between this memory and memory of the host, or cudaMallocManaged()");
    bounds_tell(text);
}

void bounds_check_call(const void *memory, const void *instruction)
{
    const struct array *array = array_of((uintptr_t)memory);
    if (!bounds_are_checked || !array || !array->is_of_heap)
        return;
    char from[MOST_MARK], line[MOST_MARK], text[1024];
    source_line(array->instruction, from, sizeof from);
    source_line(instruction, line, sizeof line);
    snprintf(text, sizeof text,
             "the host at %s gives the runtime memory that a kernel has taken from the device's heap at %s",
             line, from);
    bounds_tell(text);
}
