/*
 * Declares for the memory machine what nvcc declares in every CUDA program without an #include.
 * check/program.bash includes this header before the program's first line. machine/cuda/cuda_machine.h
 * declares what the suite's own kernels need; this header declares the rest.
 */
#ifndef GPUSYNC_CHECK_CUDA_H
#define GPUSYNC_CHECK_CUDA_H

/* nvcc's own headers include these headers, so programs use them without including them. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MACHINE_EAGER_ATOMICS
#include "machine/memory/mbarrier.h"
#include "machine/cuda/cuda_machine.h"

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

/* The preprocessor replaces __shared__ by __gpusync_shared__, the name by which check/rewrite finds
 * declarations of shared memory. It replaces the built-in variables, too, which are macros in the suite's own
 * kernels. __noinline__ is no macro here, so that check/rewrite can find and rewrite
 * it, too. */
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#undef warpSize
#undef __shared__
#undef __noinline__
#define __shared__ __gpusync_shared__
#define __managed__
#define __grid_constant__
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __inline_hint__
#define CUDARTAPI
#define CUDART_CB

/* Every device function is inlined into the kernel, so that the address of a call tells which line of the
 * program makes the call. */
#define CHECK_DEVICE static inline __attribute__((always_inline, unused))
#define CHECK_METHOD inline __attribute__((always_inline))

#include "gpusync/guards.h"
#include "gpusync/types.h"
#include "gpusync/arithmetic.h"
#include "gpusync/rounding.h"
#include "gpusync/mathematics.h"
#include "gpusync/simd.h"
#include "gpusync/atomics.h"
#include "gpusync/warp.h"
#include "gpusync/ptx.h"
#include "gpusync/ptx_arithmetic.h"
#include "gpusync/runtime.h"

#endif
