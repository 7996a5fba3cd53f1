/* As CUDA's own libraries begin: their inline PTX is the program's all the same. */
#pragma once
#pragma GCC system_header

__device__ inline unsigned lane_of_library()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
