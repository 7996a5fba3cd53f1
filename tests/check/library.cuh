/* This header stands for CUDA's own libraries. Like them it is a system header, but the inline PTX of such
 * headers is part of the program. */
#pragma once
#pragma GCC system_header

__device__ inline unsigned lane_of_library()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
