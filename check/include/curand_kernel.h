/* The CUDA Toolkit's own curand_kernel.h: cuRAND's functions for kernels, which are all in headers. */
#if !__has_include_next(<curand_kernel.h>)
#error gpusync: curand_kernel.h is the CUDA Toolkit's, and no toolkit is found here (scripts/find-nvcc)
#endif
#include <library_types.h>
#include_next <curand_kernel.h>
