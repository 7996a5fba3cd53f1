/* Stands for CUDA's own libraries: they are system headers, too, but their inline PTX is part of the
 * program. */
#pragma once
#pragma GCC system_header

__device__ inline unsigned lane_of_library()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
