/* The CUDA Toolkit's own cuda_fp6.h, with the code that it has for hosts. */
#if !__has_include_next(<cuda_fp6.h>)
#error gpusync: cuda_fp6.h is the CUDA Toolkit's, and no toolkit is found here (scripts/find-nvcc)
#endif
#include "gpusync/host_code_begins.h"
#include_next <cuda_fp6.h>
#include "gpusync/host_code_ends.h"
