#include "machine/cuda/tasks.h"
#include "machine/engine/sample.h"
#include "base/memory.h"
#include "machine/cuda/copy_bounds.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/one_thread.h"
#include "machine/memory/arrays.h"

#include <stdlib.h>
#include <string.h>

bool task_copy(struct task *to, const struct task *from)
{
    *to = *from;
    if (from->kind != TASK_KERNEL)
        return true;
    void *closure = malloc(from->launch.closure_bytes);
    if (!closure)
        return false;
    memcpy(closure, from->launch.closure, from->launch.closure_bytes);
    to->launch.closure = closure;
    return true;
}

void task_end(struct task *task)
{
    if (task->kind == TASK_KERNEL)
        free((void *)(uintptr_t)task->launch.closure);
    if (task->kind == TASK_COPY)
        free(task->memory);
    task->kind = TASK_NOTHING;
}

bool task_stage(struct task *task)
{
    struct machine_copy *copy = &task->copy;
    char *bytes = malloc(copy->width * copy->height * copy->depth + 1), *to = bytes;
    if (!bytes)
        return false;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++, to += copy->width)
            memcpy(to, (const char *)copy->from + z * copy->from_plane + y * copy->from_pitch, copy->width);
    task->memory = bytes;
    copy->from = bytes;
    copy->from_pitch = copy->width;
    copy->from_plane = copy->width * copy->height;
    return true;
}

/* Copies and memsets are done in pieces of this many bytes, which stay in a CPU's cache. It is a multiple of
 * every size that a memset's element has. */
#define PIECE ((size_t)1 << 15)

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void write_piece(void *to, const void *from, size_t bytes)
{
    weak_task_writes(to, from, bytes);
    if (written_is_noted)
        written_note(NULL, (uintptr_t)to, bytes);
}

static void copy_row(char *to, const char *from, size_t bytes, bool is_staged, char *piece)
{
    for (size_t at = 0, count; at < bytes; at += count) {
        count = smaller(bytes - at, PIECE);
        if (is_staged)
            memcpy(piece, from + at, count);
        else
            weak_task_reads(piece, from + at, count);
        write_piece(to + at, piece, count);
    }
}

static bool is_of_device(const void *memory)
{
    const struct array *array = array_of((uintptr_t)memory);
    return array && !array->is_of_host;
}

enum cudaMemcpyKind task_kind_of_copy(const struct machine_copy *copy)
{
    bool from = is_of_device(copy->from), to = is_of_device(copy->to);
    return copy->kind != cudaMemcpyDefault ? copy->kind
           : from == to                    ? cudaMemcpyDeviceToDevice
           : from                          ? cudaMemcpyDeviceToHost
                                           : cudaMemcpyHostToDevice;
}

static void do_copy(const struct task *task)
{
    const struct machine_copy *copy = &task->copy;
    /* a copy that is a graph's node is checked here only */
    bounds_check_rows(copy, task->memory != NULL, task->instruction);
    char *piece = allocate(smaller(copy->width, PIECE) + 1);
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++) {
            bool to_host = task_kind_of_copy(copy) == cudaMemcpyDeviceToHost;
            char *to = (char *)copy->to + z * copy->to_plane + y * copy->to_pitch;
            const char *from = (const char *)copy->from + z * copy->from_plane + y * copy->from_pitch;
            copy_row(to, from, copy->width, task->memory != NULL, piece);
            if (sample_has_gaps() && sample_copies((uintptr_t)to, (uintptr_t)from, copy->width, to_host))
                one_thread_is_last_call();
            if (to_host && written_is_noted && !sample_has_gaps())
                bounds_note_unwritten((uintptr_t)to, (uintptr_t)from, copy->width, task->instruction);
            if (to_host)
                fault_apply(to, copy->width);
        }
    free(piece);
}

static void do_setting(const struct task *task)
{
    const struct machine_setting *setting = &task->setting;
    bounds_check_setting(setting, task->instruction);
    size_t bytes = setting->width * setting->element_bytes, filled = smaller(bytes, PIECE);
    char *piece = allocate(filled + 1);
    for (size_t at = 0; at < filled; at += setting->element_bytes)
        memcpy(piece + at, &setting->value, setting->element_bytes);
    for (size_t y = 0; y < setting->height; y++)
        for (size_t at = 0; at < bytes; at += PIECE)
            write_piece((char *)setting->to + y * setting->pitch + at, piece, smaller(bytes - at, PIECE));
    free(piece);
}

/* Makes a stream-ordered allocation or free count as a write to the whole array, so that an access by another
 * stream that is not ordered with it is a race (CUDA Programming Guide, "Stream-Ordered Memory Allocator").
 * The bytes written are the pattern of unwritten memory. */
static void change_all(const struct task *task, bool is_tracked)
{
    const struct array *array = array_at(task->memory);
    unsigned char piece[4096];
    memset(piece, WRITTEN_PATTERN, sizeof piece);
    for (size_t at = 0, bytes = is_tracked && array ? array->bytes : 0; at < bytes; at += sizeof piece)
        weak_task_writes((char *)task->memory + at, piece, smaller(bytes - at, sizeof piece));
}

/* A copy or memset of more bytes is not tracked, because this would take many times as much memory. */
#define MOST_TRACKED ((size_t)64 << 20)

bool task_is_large(const struct machine_copy *copy)
{
    return copy->width * copy->height * copy->depth > MOST_TRACKED;
}

static bool is_large(const struct task *task)
{
    const struct machine_setting *setting = &task->setting;
    const struct array *array = array_at(task->memory);
    if (task->kind == TASK_COPY)
        return task_is_large(&task->copy);
    if (task->kind == TASK_SETTING)
        return setting->width * setting->element_bytes * setting->height > MOST_TRACKED;
    return array && array->bytes > MOST_TRACKED;
}

void task_do(const struct task *task, const struct task_order *order, bool is_tracked)
{
    static const char *const names[] = {[TASK_COPY] = "a stream's copy",
                                        [TASK_SETTING] = "a stream's memset",
                                        [TASK_ALLOCATION] = "a stream's cudaMallocAsync()",
                                        [TASK_FREE] = "a stream's cudaFreeAsync()"};
    is_tracked = is_tracked && names[task->kind] && !is_large(task);
    weak_task_begins(is_tracked ? order : NULL, names[task->kind], task->instruction);
    switch (task->kind) {
    case TASK_COPY:
        do_copy(task);
        break;
    case TASK_SETTING:
        do_setting(task);
        break;
    case TASK_CALL:
        task->function(task->argument);
        break;
    case TASK_ALLOCATION:
        change_all(task, is_tracked);
        break;
    case TASK_FREE:
        change_all(task, is_tracked);
        machine_free_now(task->memory, task->instruction);
        break;
    default:
        break;
    }
    weak_task_ends();
}

bool task_shares_memory(const struct task *task)
{
    if (task->kind == TASK_COPY)
        return array_of_host(task->copy.to) || array_of_host(task->copy.from);
    return task->kind == TASK_SETTING && array_of_host(task->setting.to);
}
