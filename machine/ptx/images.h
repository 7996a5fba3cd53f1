/*
 * The device code of a program that nvcc compiled, and of modules that a program loads: which kernel or
 * variable belongs to an address of the host. The PTX of an image is read when it is first needed.
 */
#ifndef MACHINE_PTX_IMAGES_H
#define MACHINE_PTX_IMAGES_H

#include "machine/cuda/runtime_calls.h"
#include "machine/ptx/abi.h"

/* The program's call of a function of CUDA, which reports name. */
#define CALLER __builtin_return_address(0)
/* These macros define functions of CUDA. The first makes a function of an expression, which returns an error
 * that is noted. The second makes a function that sets a number or pointer. The third makes a function that
 * copies or sets memory, and its form for a stream, whose name ends in Async. There `call` may use the
 * variables `stream` and `waits`: does the function wait until it is done? */
#define CALL(name, parameters, call)                                                                         \
    cudaError_t name parameters                                                                              \
    {                                                                                                        \
        return machine_note_error(call);                                                                     \
    }
#define SETS(name, parameters, place, value) CALL(name, parameters, (*(place) = (value), cudaSuccess))
#define PARAMETERS(...) __VA_ARGS__
#define WITH_ASYNC(name, parameters, call)                                                                   \
    cudaError_t name(PARAMETERS parameters)                                                                  \
    {                                                                                                        \
        cudaStream_t stream = NULL;                                                                          \
        const bool waits = true;                                                                             \
        return call;                                                                                         \
    }                                                                                                        \
    cudaError_t name##Async(PARAMETERS parameters, cudaStream_t stream)                                      \
    {                                                                                                        \
        const bool waits = false;                                                                            \
        return call;                                                                                         \
    }

struct ptx_image;
struct ptx_function;

#define PORTABLE_CLUSTER 8 /* number of blocks in the largest cluster that every GPU has */

/* A kernel: what cudaKernel_t, cudaFunction_t, CUkernel and CUfunction point to. */
struct ptx_kernel {
    const void *stub; /* the function of the host that launches it, or NULL */
    const char *name; /* the kernel's name in PTX */
    struct ptx_image *image;
    struct ptx_function *function; /* NULL until the image is read */
    int dynamic_shared;            /* limit that cudaFuncSetAttribute() has set, or -1 if it has set none */
    bool has_large_clusters;       /* has cudaFuncSetAttribute() allowed more blocks than PORTABLE_CLUSTER? */
    int registers;                 /* what ptx_registers_of() returns, or -1 before it is called */
    struct ptx_kernel *next;       /* the next one in the list of all kernels */
};

/* Makes an image from PTX text or a fat binary, for a module that the program loads. */
struct ptx_image *ptx_image_of(const void *data);
/* Reads the image's PTX, if this has not been done. Prints why it cannot be read. */
cudaError_t ptx_image_read(struct ptx_image *image);
void ptx_image_end(struct ptx_image *image);

/* Sets *kernel to the image's kernel with this name, or returns cudaErrorSymbolNotFound. */
cudaError_t ptx_kernel_named(struct ptx_image *image, const char *name, struct ptx_kernel **kernel);
/* Sets the address and size of the image's variable with this name, or returns cudaErrorSymbolNotFound. */
cudaError_t ptx_variable_named(struct ptx_image *image, const char *name, void **memory, size_t *bytes);

/* Returns the kernel for a stub of the host or a kernel's handle, or NULL if there is none. */
struct ptx_kernel *ptx_kernel_of(const void *function);
/* Returns the kernel's function. Ends the program if the program's image cannot be read. Returns NULL if the
 * kernel is NULL or the image lacks it. */
struct ptx_function *ptx_function_of(struct ptx_kernel *kernel);
/* Sets the address and size of the variable that the host names by this address, or returns
 * cudaErrorInvalidSymbol. */
cudaError_t ptx_symbol(const void *host, void **memory, size_t *bytes);

/* Returns the size in bytes of the dynamic shared memory with which the kernel may be launched. */
size_t ptx_most_dynamic_shared(struct ptx_kernel *kernel);

/* Launches a kernel for a call at `caller`, which reports name unless `<<<>>>` makes the launch. The
 * arguments are at these addresses, or in `extra` as for cuLaunchKernel(), if this is not NULL. Returns
 * cudaErrorInvalidDeviceFunction if the kernel is NULL. */
cudaError_t ptx_launch_kernel(struct ptx_kernel *kernel, void *const *arguments, void *const *extra,
                              struct machine_launch launch, cudaStream_t stream, const void *caller);
/* Makes a launch of a grid, with the attributes of cudaLaunchKernelExC(). */
struct machine_launch ptx_launch_of(struct machine_index grid, struct machine_index block, size_t bytes,
                                    const struct cuda_launch_attribute *attributes, unsigned count);

/* Copies bytes for a call at `caller`, which reports name. */
cudaError_t ptx_copy_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                         cudaStream_t stream, bool waits, const void *caller);
/* Finds the place in a variable for a copy of this kind, for a call at `caller`: `allowed` is the only kind
 * for the copy's direction besides a copy within the device and cudaMemcpyDefault. Notes an error. */
cudaError_t ptx_place_in(char **place, const void *symbol, size_t bytes, size_t offset,
                         enum cudaMemcpyKind kind, enum cudaMemcpyKind allowed, const void *caller);
/* Returns what cudaMemcpy3D() copies. */
struct machine_copy ptx_copy_of(const struct cuda_copy_3d *p);

#endif
