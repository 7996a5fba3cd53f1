/* Functions of CUDA that have no effect here, are not supported, or do the same as another function; the
 * forms of all functions for programs compiled with --default-stream per-thread; and the driver's functions
 * by name. */
#include "machine/ptx/images.h"

#include <stdio.h>
#include <string.h>

static void say_missing(const char *name)
{
    fprintf(stderr, "%s() is not there: the memory machine does not support it\n", name);
}

static cudaError_t refuse(const char *name)
{
    say_missing(name);
    return machine_note_error(cudaErrorNotSupported);
}

/* The parameters of these functions do not matter: all are passed in registers or on the caller's stack. */
#define DEFINED(name, value)                                                                                 \
    cudaError_t name(void)                                                                                   \
    {                                                                                                        \
        return value;                                                                                        \
    }
#define NO_EFFECT(name) DEFINED(name, cudaSuccess)
#define NOT_THERE(name) DEFINED(name, refuse(#name))

/* Defines a function that executes the instructions `what` and jumps to another function with the caller's
 * arguments. */
#define JUMP(name, what, to)                                                                                 \
    __asm__(".globl " name "\n.type " name ", @function\n" name ":\n" what "\tjmp " to "\n.size " name       \
            ", . - " name);
#define SAME(name, as) JUMP(#name, "", #as)

/* A program compiled with --default-stream per-thread calls each function that may take a stream by a name
 * that ends in _ptsz or, for functions without a stream, _ptds. It passes the same arguments, so these
 * functions only note that NULL means the thread's own stream, and jump. */
#define OF_THREAD(name, end) JUMP(#name end, "\tmovb $1, null_is_stream_of_thread(%rip)\n", #name)
#define WITH_STREAM(name) OF_THREAD(name, "_ptsz")
#define WITHOUT_STREAM(name) OF_THREAD(name, "_ptds")
#define DRIVER(name) extern const char code_of_##name[] __asm__(#name);
#define DRIVER_2(name) extern const char code_of_##name[] __asm__(#name "_v2");
#define DRIVER_SAME(name, as) SAME(name, as) DRIVER(name)
#define DRIVER_2_SAME(name, as) SAME(name##_v2, as) DRIVER_2(name)
#include "machine/ptx/calls.def"
#undef NO_EFFECT
#undef NOT_THERE
#undef SAME
#undef WITH_STREAM
#undef WITHOUT_STREAM
#undef DRIVER
#undef DRIVER_2

/* ---- the driver's functions by their names ---- */

int cuGetProcAddress_v2(const char *name, const void **function, int version, unsigned long long flags,
                        int *status);

/* If there is no such function, prints its name, and sets *function to NULL and *status to 1
 * (CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND). */
int cuGetProcAddress_v2(const char *name, const void **function, int version, unsigned long long flags,
                        int *status)
{
#define NO_EFFECT(f)
#define NOT_THERE(f)
#define SAME(f, as)
#define WITH_STREAM(f)
#define WITHOUT_STREAM(f)
#define DRIVER(f) {#f, code_of_##f},
#define DRIVER_2(f) DRIVER(f)
    static const struct {
        const char *name;
        const void *function;
    } functions[] = {
#include "machine/ptx/calls.def"
    };
    (void)version, (void)flags;
    *function = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            *function = functions[i].function;
    if (!*function)
        say_missing(name);
    if (status)
        *status = !*function;
    return *function ? 0 : (int)cudaErrorSymbolNotFound;
}

/* The runtime's functions return success even if there is no such function, and say so in *status. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, const void **function, unsigned version,
                                             unsigned long long flags, int *status)
{
    int error = cuGetProcAddress_v2(name, function, (int)version, flags, status);
    return error && !status ? machine_note_error(cudaErrorSymbolNotFound) : cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, const void **function, unsigned long long flags,
                                    int *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, 0, flags, status);
}
