/* Functions of the CUDA runtime that have no effect here, functions that are not there, and the forms of all
 * functions for programs compiled with --default-stream per-thread. */
#include "machine/ptx/images.h"

#include <stdio.h>

static cudaError_t refuse(const char *name)
{
    fprintf(stderr, "%s() is not there: the memory machine does not support it\n", name);
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

/* A program compiled with --default-stream per-thread calls each function that may take a stream by a name
 * that ends in _ptsz or, for functions without a stream, _ptds. It passes the same arguments, so that these
 * functions only note what NULL means, and jump. */
#define OF_THREAD(name, end)                                                                                 \
    __asm__(".globl " #name end "\n.type " #name end ", @function\n" #name end ":\n"                         \
            "\tmovb $1, null_is_stream_of_thread(%rip)\n\tjmp " #name "\n.size " #name end                   \
            ", . - " #name end);
#define WITH_STREAM(name) OF_THREAD(name, "_ptsz")
#define WITHOUT_STREAM(name) OF_THREAD(name, "_ptds")
#define DRIVER(name)
#define DRIVER_2(name)
#include "machine/ptx/calls.def"
