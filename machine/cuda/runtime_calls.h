/* Functions by which the files of the CUDA runtime (machine/cuda/, machine/ptx/) call each other. */
#ifndef MACHINE_RUNTIME_CALLS_H
#define MACHINE_RUNTIME_CALLS_H

#include "machine/runtime_api.h"

/* A copy of planes of rows. The pitches are the distances in bytes between rows, and the planes are the
 * distances between planes. */
struct machine_copy {
    void *to;
    const void *from;
    size_t to_pitch, to_plane, from_pitch, from_plane;
    size_t width, height, depth; /* bytes of a row, number of rows in a plane, number of planes */
    enum cudaMemcpyKind kind;
};
/* A setting of rows of elements of 1, 2 or 4 bytes. */
struct machine_setting {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; /* number of elements in a row, and of rows */
};

/* Returns the copy of one row. */
static inline struct machine_copy runtime_row(void *to, const void *from, size_t bytes,
                                              enum cudaMemcpyKind kind)
{
    return (struct machine_copy){
        .to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
}

/* Notes an error of a function for cudaGetLastError(), and returns it. */
cudaError_t machine_note_error(cudaError_t error);
/* Returns the error's text as CUDA has it (machine/ptx/driver.c). */
const char *machine_error_text(cudaError_t error);

/* number of multiprocessors that the program is shown */
int machine_multiprocessors(void);
/* Sets the value of a device's attribute by its number in enum cudaDeviceAttr. An attribute of something that
 * the machine does not have is 0 (machine/ptx/device.c). */
cudaError_t machine_attribute(int number, int *value);
/* Returns the size in bytes of the kernel's static shared memory (machine/ptx/images.c). */
size_t ptx_static_shared(const void *kernel);
/* Returns the number of registers of each of the kernel's threads, in the machine code that its fat binary
 * has for the newest architecture. 0 means that there is no machine code, that it is compressed, or that nvcc
 * makes none for a GPU as old as the machine. */
unsigned ptx_registers_of(const void *kernel);

/* Enqueue a copy or a memset in the stream, for a call at `instruction`, which reports name. `waits` means
 * that the host waits, as it does in the function without Async in its name. */
cudaError_t runtime_copy_rows(const struct machine_copy *copy, cudaStream_t stream, bool waits,
                              const void *instruction);
cudaError_t runtime_set_rows(const struct machine_setting *setting, cudaStream_t stream, bool waits,
                             const void *instruction);

/* Checks a copy of `bytes` bytes to or from a variable of `size` bytes, for a call at `instruction`. */
void machine_check_symbol(const void *symbol, size_t size, size_t offset, size_t bytes,
                          const void *instruction);
/* Lets kernels access this memory of the host. */
cudaError_t machine_host_register(void *pointer, size_t bytes);
/* Makes the stream call a function of the host. */
cudaError_t machine_call_host(void (*function)(void *), void *argument, cudaStream_t stream);
/* Allocates the memory of a graph's allocation node now; it is freed only when the program ends. */
cudaError_t machine_malloc_of_graph(void **pointer, size_t bytes);
cudaError_t machine_malloc_async(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *state);

/* The program's call that launches a kernel, for reports; NULL means the call of machine_launch_kernel(). */
extern const void *runtime_launch_site;
/* The program's call of a function of machine/ptx/ that calls others, for reports; NULL while there is
 * none. */
extern const void *runtime_call_site;
/* The program's call, for a function that the program has called directly or through machine/ptx/. */
#define RUNTIME_CALLER (runtime_call_site ? runtime_call_site : __builtin_return_address(0))
/* Ends a call, and notes its error. */
static inline cudaError_t runtime_ends(cudaError_t error)
{
    runtime_call_site = NULL;
    return machine_note_error(error);
}
/* Evaluates `call` within a function that the program has called. */
#define RUNTIME_AT_CALL(call) (runtime_call_site = RUNTIME_CALLER, runtime_ends(call))
/* Notes that the launch of this kernel at `site` failed, and returns the error. */
cudaError_t runtime_launch_fails(cudaError_t error, const char *kernel, const void *site);

/* Does NULL mean the thread's own default stream (nvcc --default-stream per-thread)? */
extern bool null_is_stream_of_thread;

#endif
