/* The part of the CUDA runtime API on the machine for devices and memory; streams.c has the other
 * functions. */
#include "machine/code/calls.h"
#include "machine/cuda/at_once.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/given_back.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/cuda/runtime_calls.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/rules.h"
#include "machine/machine.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/memory/cache_tags.h"
#include "machine/memory/l2_halves.h"
#include "machine/time/launch.h"
#include "machine/weak/weak_launches.h"

#include <stdlib.h>
#include <string.h>

const char *cudaGetErrorString(cudaError_t error)
{
    if (error == cudaErrorInvalidClusterSize)
        return "invalid cluster size";
    if (error == cudaErrorLaunchTimeout && !hangs_are_watched)
        return the_machine.deadlock;
    /* If hangs are watched, the text on a deadlock must not be shown, because it can have marks in place of
     * lines. */
    return machine_error_text(error);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = (int)device_chosen();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device >= 0 && device_choose((unsigned)device) ? cudaSuccess
                                                          : machine_note_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize(void)
{
    ONE_THREAD
    if (queues_are_on)
        return queue_wait_for_device();
    cudaError_t error = device_wait();
    return error == cudaSuccess ? hang_host_waits(NULL, UINT64_MAX) : error;
}

static int shown_multiprocessors;

void machine_show_multiprocessors(int count)
{
    shown_multiprocessors = count;
}

int machine_multiprocessors(void)
{
    return shown_multiprocessors ? shown_multiprocessors : machine_installed()->sm_count;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device < 0 || (unsigned)device >= devices_shown())
        return machine_note_error(cudaErrorInvalidDevice);
    return machine_attribute((int)attribute, value);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared_bytes)
{
    machine_installed();
    *blocks = machine_resident_blocks_per_sm(threads, shared_bytes + ptx_static_shared(kernel),
                                             ptx_registers_of(kernel));
    return cudaSuccess;
}

static cudaError_t allocate_array(void **pointer, size_t bytes, const void *instruction)
{
    ONE_THREAD
    /* Arrays are aligned to 256 bytes, as in CUDA, so that they begin with an address group. */
    size_t whole = (bytes + 256) / 256 * 256;
    if (bounds_are_checked)
        whole += BETWEEN_ARRAYS;
    *pointer = fault_reuse(whole);
    if (!*pointer)
        *pointer = aligned_alloc(256, whole);
    if (*pointer)
        array_note(*pointer, bytes, device_chosen(), instruction);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t allocate_on_device(void **pointer, size_t bytes, const void *instruction)
{
    cudaError_t error = allocate_array(pointer, bytes, instruction);
    if (error == cudaSuccess && written_is_noted)
        written_begin_array(*pointer);
    return error;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return allocate_on_device(pointer, bytes, RUNTIME_CALLER);
}

/* Memory of the device is kept for a while, so that a later access to it is found. */
void machine_free_now(void *pointer, const void *instruction)
{
    const struct array *array = array_at(pointer);
    if (!array || array->is_kept)
        return;
    struct given_back entry = {array->begin, array->bytes, array->instruction, site_of(instruction, 0)};
    bool is_of_host = array->is_of_host;
    array_forget(pointer);
    l2_halves_forget();
    l2_tags_forget();
    if (fault_keep(pointer))
        weak_forget(pointer, entry.bytes);
    else if (bounds_are_checked && !is_of_host)
        given_back_add(&entry);
    else
        given_back_end(&entry);
}

/* The host waits for all streams, as the CUDA runtime does without promising it. */
cudaError_t cudaFree(void *pointer)
{
    ONE_THREAD
    bounds_check_call(pointer, RUNTIME_CALLER);
    if (pointer && !array_at(pointer))
        return machine_note_error(cudaErrorInvalidValue);
    const void *instruction = RUNTIME_CALLER;
    cudaError_t error = queues_are_on && pointer ? queue_wait_for_all() : cudaSuccess;
    machine_free_now(pointer, instruction);
    return error;
}

static cudaError_t allocate_for_graph(void **pointer, size_t bytes, const void *instruction)
{
    cudaError_t error = allocate_on_device(pointer, bytes, instruction);
    struct array *array = error == cudaSuccess ? array_at(*pointer) : NULL;
    if (array)
        array->is_kept = true;
    return error;
}

cudaError_t machine_malloc_of_graph(void **pointer, size_t bytes)
{
    return allocate_for_graph(pointer, bytes, RUNTIME_CALLER);
}

cudaError_t machine_malloc_async(void **pointer, size_t bytes, cudaStream_t stream)
{
    const void *instruction = RUNTIME_CALLER;
    if (stream_or_default(stream)->capturing)
        return allocate_for_graph(pointer, bytes, instruction);
    cudaError_t error = allocate_on_device(pointer, bytes, instruction);
    if (error != cudaSuccess || !queues_are_on)
        return error;
    error = stream_give(
        stream, &(struct task){.kind = TASK_ALLOCATION, .memory = *pointer, .instruction = instruction});
    return error == cudaSuccess ? queue_go_on() : error;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    ONE_THREAD
    struct machine_stream *of = stream_or_default(stream);
    /* a captured graph may be launched again, and then needs this memory */
    if (of->capturing)
        return cudaSuccess;
    cudaError_t error = stream_give(
        stream, &(struct task){.kind = TASK_FREE, .memory = memory, .instruction = RUNTIME_CALLER});
    return error == cudaSuccess && queues_are_on ? queue_go_on() : error;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    ONE_THREAD
    cudaError_t error = allocate_array(pointer, bytes, RUNTIME_CALLER);
    array_share_with_host(*pointer);
    return error;
}

cudaError_t machine_host_register(void *pointer, size_t bytes)
{
    ONE_THREAD
    array_note(pointer, bytes, device_chosen(), RUNTIME_CALLER);
    array_share_with_host(pointer);
    return cudaSuccess;
}

/* ---- copies and settings ---- */

/* What a copy means for the host: what happens during the call. */
struct manner {
    bool takes;        /* are the bytes taken from the host's pageable memory when the copy is called? */
    bool waits;        /* does the host wait for the copy's end? */
    bool waits_before; /* does the host wait for the stream's earlier tasks? */
};

/* Is this a copy from pageable memory to an array of the device, which may be overlapped? */
static bool is_upload(const struct machine_copy *copy)
{
    return queues_are_on && queue_overlaps() && !array_of((uintptr_t)copy->from) &&
           !array_of_host(copy->to) && task_kind_of_copy(copy) == cudaMemcpyHostToDevice &&
           !task_is_large(copy);
}

/* Returns the copy's kind. That of cudaMemcpyDefault follows from where the memory is. */
static enum cudaMemcpyKind kind_of(const struct machine_copy *copy)
{
    enum cudaMemcpyKind kind = task_kind_of_copy(copy);
    bool is_of_host = copy->kind == cudaMemcpyDefault && kind == cudaMemcpyDeviceToDevice &&
                      (array_of_host(copy->from) || !array_of((uintptr_t)copy->from));
    return is_of_host ? cudaMemcpyHostToHost : kind;
}

/* The host waits for a copy to pageable memory, and for one within the host's memory. For cudaMemcpy() from
 * pageable memory it waits for the stream, and then only until the bytes are staged: "the DMA to final
 * destination may not have completed" (CUDA Runtime API, "API synchronization behavior"). */
static struct manner manner_of(const struct machine_copy *copy, bool is_sync)
{
    bool from_array = array_of((uintptr_t)copy->from), to_array = array_of((uintptr_t)copy->to);
    bool waits = is_sync && (array_of_host(copy->from) || array_of_host(copy->to));
    if (is_sync && is_upload(copy))
        return (struct manner){.takes = true, .waits_before = true};
    switch (kind_of(copy)) {
    case cudaMemcpyHostToDevice:
        return (struct manner){.takes = !from_array, .waits = is_sync};
    case cudaMemcpyDeviceToHost:
        return (struct manner){.waits = is_sync || !to_array};
    case cudaMemcpyDeviceToDevice:
        return (struct manner){.waits = waits};
    default:
        return (struct manner){.waits = true};
    }
}

/* Waits for the stream's last task if `waits` is true; otherwise lets tasks go on. */
static cudaError_t go_on(cudaStream_t stream, bool waits)
{
    if (!queues_are_on)
        return waits ? hang_host_waits(stream_or_default(stream), UINT64_MAX) : cudaSuccess;
    return waits ? queue_wait(stream_or_default(stream)->last) : queue_go_on();
}

cudaError_t runtime_copy_rows(const struct machine_copy *copy, cudaStream_t stream, bool is_sync,
                              const void *instruction)
{
    ONE_THREAD
    bounds_check_call(copy->from, instruction);
    bounds_check_call(copy->to, instruction);
    struct task task = {.kind = TASK_COPY, .copy = *copy, .instruction = instruction};
    bounds_check_rows(copy, false, instruction);
    struct manner manner = manner_of(copy, is_sync);
    bool captures = stream_or_default(stream)->capturing != NULL;
    if (manner.waits_before && !captures) {
        cudaError_t error = cudaStreamSynchronize(stream);
        if (error != cudaSuccess)
            return error;
    }
    if (queues_are_on && manner.takes && !manner.waits && !captures && !task_stage(&task))
        return cudaErrorMemoryAllocation;
    cudaError_t error = stream_give(stream, &task);
    return error == cudaSuccess && !captures ? go_on(stream, manner.waits) : error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct machine_copy copy = runtime_row(to, from, bytes, kind);
    return runtime_copy_rows(&copy, NULL, true, RUNTIME_CALLER);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    struct machine_copy copy = runtime_row(to, from, bytes, kind);
    return runtime_copy_rows(&copy, stream, false, RUNTIME_CALLER);
}

cudaError_t runtime_set_rows(const struct machine_setting *setting, cudaStream_t stream, bool is_sync,
                             const void *instruction)
{
    ONE_THREAD
    bounds_check_call(setting->to, instruction);
    struct task task = {.kind = TASK_SETTING, .setting = *setting, .instruction = instruction};
    bounds_check_setting(setting, instruction);
    cudaError_t error = stream_give(stream, &task);
    return error == cudaSuccess ? go_on(stream, is_sync && array_of_host(setting->to)) : error;
}

static struct machine_setting one_row_of(void *to, int value, size_t bytes)
{
    return (struct machine_setting){
        .to = to, .value = (unsigned char)value, .element_bytes = 1, .width = bytes, .height = 1};
}

/* The host does not wait for a memset of device memory, so one in the default stream overlaps with the
 * tasks of non-blocking streams (CUDA Runtime API, "API synchronization behavior"). */
cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    ONE_THREAD
    struct machine_setting setting = one_row_of(to, value, bytes);
    if (queues_are_on)
        return runtime_set_rows(&setting, NULL, true, RUNTIME_CALLER);
    hang_task_begins(stream_or_default(NULL));
    weak_host_waits();
    task_do(&(struct task){.kind = TASK_SETTING, .setting = setting}, NULL, false);
    return hang_task_ends(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    struct machine_setting setting = one_row_of(to, value, bytes);
    return runtime_set_rows(&setting, stream, false, RUNTIME_CALLER);
}

cudaError_t machine_call_host(void (*function)(void *), void *argument, cudaStream_t stream)
{
    ONE_THREAD
    struct task task = {.kind = TASK_CALL, .function = function, .argument = argument};
    cudaError_t error = stream_give(stream, &task);
    return error == cudaSuccess ? go_on(stream, false) : error;
}

double machine_clock_hz(void)
{
    return machine_installed()->clock_hz;
}
