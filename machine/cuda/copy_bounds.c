#include "machine/cuda/copy_bounds.h"
#include "machine/cuda/runtime_calls.h"
#include "base/failure.h"
#include "machine/code/source_line.h"
#include "machine/engine/rules.h"
#include "machine/memory/arrays.h"
#include "machine/machine.h"
#include "machine/state.h"

#include <stdio.h>
#include <stdlib.h>

/* The first byte of the program in memory and the first byte after it; the linker defines the symbols. */
extern const char __executable_start[], _end[];

bool bounds_are_checked;
static void (*on_fault)(const char *text);

void machine_check_bounds(void (*fault)(const char *text))
{
    on_fault = fault;
    bounds_are_checked = fault != NULL;
}

void bounds_tell(const char *text)
{
    running.warp = NULL; /* running.warp is NULL while host code runs, and the fault handler is host code */
    if (!on_fault)
        fail(EXIT_CANNOT, "%s", text);
    on_fault(text);
    abort();
}

bool bounds_is_within(uintptr_t address, size_t bytes, uintptr_t begin, size_t size)
{
    return address >= begin && address - begin + bytes <= size;
}

bool bounds_is_program(uintptr_t address, size_t bytes)
{
    return bounds_is_within(address, bytes, (uintptr_t)__executable_start,
                            (uintptr_t)_end - (uintptr_t)__executable_start);
}

void bounds_array_text(const struct array *array, char *text, size_t size)
{
    char line[MOST_MARK];
    if (!array->instruction) { /* a variable of PTX */
        source_variable(array->begin, 1, text, size);
        return;
    }
    source_line(array->instruction, line, sizeof line);
    array_text(array, line, text, size);
}

/* ---- copies of what nobody has written ---- */

#define MOST_UNWRITTEN 256
static struct unwritten {
    uintptr_t begin;
    size_t bytes;
    struct array array;
    const void *instruction; /* the copy */
} unwritten[MOST_UNWRITTEN]; /* a ring */
static size_t unwritten_count;
struct unwritten_span unwritten_span = {UINTPTR_MAX, 0};

void bounds_note_unwritten(uintptr_t to, uintptr_t from, size_t bytes, const void *instruction)
{
    bool is_written;
    for (size_t at = 0, count; at < bytes; at += count) {
        count = written_run(from + at, bytes - at, &is_written);
        if (is_written)
            continue;
        array_watch(to + at, count);
        unwritten[unwritten_count++ % MOST_UNWRITTEN] =
            (struct unwritten){to + at, count, *array_of(from), instruction};
        unwritten_span.begin = to + at < unwritten_span.begin ? to + at : unwritten_span.begin;
        unwritten_span.end = to + at + count > unwritten_span.end ? to + at + count : unwritten_span.end;
    }
}

void bounds_check_unwritten(uintptr_t address, size_t bytes, const void *instruction)
{
    for (size_t b = 0; b < bytes; b++)
        if (((const unsigned char *)address)[b] != WRITTEN_PATTERN)
            return;
    for (size_t i = unwritten_count; i-- > 0 && i + MOST_UNWRITTEN >= unwritten_count;) {
        const struct unwritten *u = &unwritten[i % MOST_UNWRITTEN];
        if (!bounds_is_within(address, bytes, u->begin, u->bytes))
            continue;
        char name[MOST_ARRAY_TEXT];
        bounds_array_text(&u->array, name, sizeof name);
        if (rule_is_newly_broken(RULE_WRITTEN, instruction, u->instruction))
            rule_say("the host at %s reads %zu bytes that the copy at %s took from %s, and that nobody has "
                     "written",
                     rule_line(instruction), bytes, rule_line(u->instruction), name);
        return;
    }
}

/* What a copy or a memset does to the bytes [address, address + extent). */
struct side {
    const char *task; /* "copy" or "memset" */
    uintptr_t address;
    size_t extent;
    bool writes, is_of_device;
};

static void check_side(const struct side *side, const void *instruction)
{
    const struct array *array = array_of(side->address);
    char line[MOST_MARK], name[MOST_ARRAY_TEXT], text[1024];
    if (!array && !bounds_is_program(side->address, side->extent)) {
        /* The memory directly after an array of cudaMalloc() belongs to no other array of the program. The
         * memory after a variable of PTX may belong to the host. */
        const struct array *before = array_nearest(side->address);
        bool is_behind = before && before->instruction && !before->is_of_host && !before->is_of_heap &&
                         side->address >= before->begin;
        array = is_behind && side->address - before->begin - before->bytes < BETWEEN_ARRAYS ? before : NULL;
        if (!array && !side->is_of_device)
            return;
    } else if (!array || bounds_is_within(side->address, side->extent, array->begin, array->bytes)) {
        return;
    }
    source_line(instruction, line, sizeof line);
    int used =
        snprintf(text, sizeof text, "the %s at %s %s ", side->task, line, side->writes ? "writes" : "reads");
    if (array) {
        size_t first = side->address - array->begin;
        bounds_array_text(array, name, sizeof name);
        snprintf(text + used, sizeof text - (size_t)used, "bytes %zu to %zu of %s, which has %zu bytes",
                 first, first + side->extent - 1, name, array->bytes);
    } else {
        snprintf(text + used, sizeof text - (size_t)used,
                 "%zu bytes at %p, which is no memory of the device (of the host, or given back)",
                 side->extent, (void *)side->address);
    }
    bounds_tell(text);
}

/* Returns the number of bytes from the first to the last of all rows. */
static size_t extent_of(size_t width, size_t height, size_t depth, size_t pitch, size_t plane)
{
    return (depth - 1) * plane + (height - 1) * pitch + width;
}

void bounds_check_setting(const struct machine_setting *s, const void *instruction)
{
    size_t width = s->width * s->element_bytes;
    if (!bounds_are_checked || !width || !s->height)
        return;
    check_side(
        &(struct side){"memset", (uintptr_t)s->to, extent_of(width, s->height, 1, s->pitch, 0), true, true},
        instruction);
}

void bounds_check_rows(const struct machine_copy *c, bool is_taken, const void *instruction)
{
    if (!bounds_are_checked || !c->width || !c->height || !c->depth)
        return;
    size_t to = extent_of(c->width, c->height, c->depth, c->to_pitch, c->to_plane),
           from = extent_of(c->width, c->height, c->depth, c->from_pitch, c->from_plane);
    bool to_device = c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice,
         from_device = c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;
    check_side(&(struct side){"copy", (uintptr_t)c->to, to, true, to_device}, instruction);
    if (!is_taken)
        check_side(&(struct side){"copy", (uintptr_t)c->from, from, false, from_device}, instruction);
}

void machine_check_symbol(const void *symbol, size_t size, size_t offset, size_t bytes,
                          const void *instruction)
{
    char line[MOST_MARK], name[256], text[1024];
    if (!bounds_are_checked || (offset <= size && bytes <= size - offset))
        return;
    source_line(instruction, line, sizeof line);
    source_variable((uintptr_t)symbol, size, name, sizeof name);
    snprintf(text, sizeof text, "the copy at %s accesses bytes %zu to %zu of %s, which has %zu bytes", line,
             offset, offset + bytes - 1, name, size);
    bounds_tell(text);
}
