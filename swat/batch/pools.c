#include "swat/batch/pools.h"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/memory.h"
#include "swat/batch/back_trace.h"

#include <stdlib.h>
#include <string.h>

void sw_pools_open(const struct sw_tasks *tasks, struct sw_pools *out)
{
    size_t count = tasks->task_count;
    *out = (struct sw_pools){.places = device_memory(count * sizeof *out->places)};
    out->host.letters = memcpy(pinned_memory(tasks->letter_count), tasks->letters, tasks->letter_count);
    out->host.tasks = pinned_memory(count * sizeof *out->host.tasks);
    out->host.found = pinned_memory(count * sizeof *out->host.found);
    out->device.letters = device_memory(tasks->letter_count);
    out->device.tasks = device_memory(count * sizeof *out->device.tasks);
    out->device.found = device_memory(count * sizeof *out->device.found);
}

void sw_pools_close(struct sw_pools *p)
{
    CHECK(cudaFree(p->places));
    CHECK(cudaFreeHost(p->host.letters));
    CHECK(cudaFreeHost(p->host.tasks));
    CHECK(cudaFreeHost(p->host.found));
    CHECK(cudaFree(p->device.letters));
    CHECK(cudaFree(p->device.tasks));
    CHECK(cudaFree(p->device.found));
}

/* ---- the memory in which kernels work: back-traces, borders and alignment elements ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Chooses where a part's tasks have their back-traces and borders in the memory of SW1 and SW2; returns the
 * end of the memory that the part uses. */
static struct sw_place place_part(const struct sw_task *tasks, const struct sw_part *part,
                                  struct sw_place *places)
{
    struct sw_place end = {0, 0};
    for (size_t i = part->range.first + part->blocked; i < part->range.first + part->range.tasks; i++) {
        places[i] = end;
        end.back += sw_back_words(tasks[i].reference_length, tasks[i].alternate_length);
        end.border += 2 * ((size_t)tasks[i].alternate_length + 1);
    }
    return end;
}

/* Chooses where all tasks have their back-traces and borders in the memory of SW1 and SW2, which all parts
 * share; returns the end of the memory that the largest part uses. */
static struct sw_place place_all(const struct sw_pools *p, size_t count, const struct sw_plan *plan)
{
    struct sw_place *places = allocate(count * sizeof *places), end = {0, 0};
    for (size_t i = 0; i < plan->part_count; i++) {
        struct sw_place of_part = place_part(p->host.tasks, &plan->parts[i], places);
        end = (struct sw_place){larger(end.back, of_part.back), larger(end.border, of_part.border)};
    }
    CHECK(cudaMemcpy(p->places, places, count * sizeof *places, cudaMemcpyHostToDevice));
    free(places);
    return end;
}

static struct sw_side make_side(struct sw_place end, size_t warps, size_t blocked_words, size_t pool_words)
{
    return (struct sw_side){.back = device_memory(end.back * sizeof(uint32_t)),
                            .borders = device_memory(end.border * sizeof(int)),
                            .blocked_back = device_memory(warps * blocked_words * sizeof(uint32_t)),
                            .ends = device_memory(warps * BLOCKED_MOST_TASKS * sizeof(struct blocked_ends)),
                            .next = device_memory(sizeof(unsigned)),
                            .pool = device_memory(pool_words * sizeof(unsigned)),
                            .host_pool = pinned_memory(pool_words * sizeof(unsigned))};
}

void sw_pools_arrange(struct sw_pools *p, const struct sw_tasks *tasks, const struct sw_plan *plan, int sides,
                      size_t warps)
{
    for (size_t i = 0; i < tasks->task_count; i++)
        p->host.tasks[plan->place[i]] = tasks->tasks[i];
    struct sw_place end = place_all(p, tasks->task_count, plan);
    p->pool_words = plan->pool_words;
    p->side_count = sides;
    for (int i = 0; i < sides; i++)
        p->sides[i] = make_side(end, warps, plan->room.back_words, plan->pool_words);
    for (size_t i = 0; i < plan->part_count; i++)
        sw_copy_in(p, &plan->parts[i], harness_stream());
    CHECK(cudaMemset(p->device.found, 0xff, tasks->task_count * sizeof *p->device.found));
}

void sw_pools_clear(struct sw_pools *p)
{
    for (int i = 0; i < p->side_count; i++) {
        const struct sw_side *s = &p->sides[i];
        void *const device[] = {s->back, s->borders, s->blocked_back, s->ends, s->next, s->pool};
        for (size_t k = 0; k < sizeof device / sizeof *device; k++)
            CHECK(cudaFree(device[k]));
        CHECK(cudaFreeHost(s->host_pool));
    }
    p->side_count = 0;
}

/* ---- copies ---- */

void sw_copy_in(const struct sw_pools *p, const struct sw_part *part, cudaStream_t stream)
{
    const struct sw_batch *r = &part->range;
    CHECK(cudaMemcpyAsync(p->device.letters + r->letter_at, p->host.letters + r->letter_at, r->letters,
                          cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(p->device.tasks + r->first, p->host.tasks + r->first,
                          r->tasks * sizeof *p->host.tasks, cudaMemcpyHostToDevice, stream));
}

void sw_copy_out(const struct sw_pools *p, const struct sw_part *part, const struct sw_side *side,
                 cudaStream_t stream)
{
    const struct sw_batch *r = &part->range;
    CHECK(cudaMemcpyAsync(p->host.found + r->first, p->device.found + r->first,
                          r->tasks * sizeof *p->host.found, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(side->host_pool, side->pool, sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
}

void sw_copy_elements_out(const struct sw_pools *p, const struct sw_side *side, cudaStream_t stream)
{
    CHECK(cudaStreamSynchronize(stream));
    /* if the kernel stored a wrong number of words, copying must not overrun the pool */
    size_t used = side->host_pool[0], most = p->pool_words - 1;
    CHECK(cudaMemcpyAsync(side->host_pool + 1, side->pool + 1, (used < most ? used : most) * sizeof(unsigned),
                          cudaMemcpyDeviceToHost, stream));
}
