/* Each macro below breaks one rule of the functions of a warp: the mask names the caller (NOT_NAMED); lanes
 * that name each other give the same mask (TWO_MASKS, ACTIVE) and call the same function (TWO_FUNCTIONS); a
 * __syncwarp() is between lanes' accesses to volatile words (NO_STEP); no lane uses a value that a shuffle
 * reads from a lane that takes no part (ABSENT, ABSENT_STORED) or has exited (EXITED). Results are not
 * checked. */
// expect: right
// expect -DNOT_NAMED: rule "__shfl_down_sync(0x0000ffff" "not name the caller's lane 16" "mend: give the"
// expect -DTWO_MASKS: rule "__ballot_sync(lane == 20 ?" "0x0010ffff wait for each other" "mend: give one"
// expect -DTWO_FUNCTIONS: rule "__syncwarp(); // by" "__any_sync(0xffffffff, 1)" "wait for each" "mend: move"
// expect -DACTIVE: rule "__any_sync(active, 1)" "what __activemask() returned at warp_rules.cu:"
// expect -DNO_STEP: rule "sum + v[lane + distance]" "v[lane] = sum" "no __syncwarp() is" "mend: __sync"
// expect -DABSENT: rule "best = max_of_row(value" "out[33] = best" "lane 1" "mend: let lane 12 call"
// expect -DABSENT_STORED: rule "__shfl_xor_sync(0xff, value, 8)" "lane 8"
// expect -DEXITED: rule "__shfl_sync(0xffffffff, value, 31)" "lane 31" "mend: let lane 31 call"
#include "tools/bugs/bug.h"

__device__ __forceinline__ int max_of_row(int value, unsigned mask)
{
#pragma unroll
    for (int distance = 8; distance > 0; distance /= 2)
        value = max(value, __shfl_down_sync(mask, value, distance));
    return value;
}

__global__ void functions(int *out)
{
    unsigned lane = threadIdx.x;
    int value = (int)lane * 7 % 11;
    /* Lanes 4 to 7 read lanes that take no part, but do not use what they read. */
    if (lane < 8) {
        int sum = value;
        for (int distance = 4; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xff, sum, distance);
        if (lane == 0)
            out[32] = sum;
        out[lane + 40] = value;
        out[lane + 48] = __shfl_sync(0xff, sum, 0);
    }
    /* A sum by volatile accesses needs __syncwarp() after each of them. */
    __shared__ int tile[64];
    __shared__ int flag, data;
    tile[lane] = tile[lane + 32] = value;
    if (lane == 0)
        flag = 0;
    __syncwarp();
    volatile int *v = tile;
    for (int distance = 32, sum = v[lane]; distance > 0; distance /= 2) {
        sum = sum + v[lane + distance];
#ifndef NO_STEP
        __syncwarp();
#endif
        v[lane] = sum;
#ifndef NO_STEP
        __syncwarp();
#endif
    }
    /* Lanes may wait for a volatile flag, and read what was written before the flag. */
    if (lane == 5) {
        *(volatile int *)&data = value;
        __threadfence_block();
        *(volatile int *)&flag = 1;
    } else if (lane == 6) {
        while (*(volatile int *)&flag == 0) {
        }
        __threadfence_block();
        out[34] = *(volatile int *)&data;
    }
    __syncwarp();
    if (lane == 0)
        out[35] = tile[0];
    /* Each half of the warp has a mask of its own. */
    unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    out[lane] = __shfl_xor_sync(half, value, 1) + (int)__popc(__ballot_sync(half, value > 3));
#ifdef NOT_NAMED
    out[lane] = __shfl_down_sync(0x0000ffff, value, 1, 16);
#elif defined TWO_MASKS
    if (lane < 16 || lane == 20)
        out[lane] = (int)__ballot_sync(lane == 20 ? 0xffffffff : 0x0010ffff, lane);
#elif defined TWO_FUNCTIONS
    if (lane < 16)
        __syncwarp(); // by half of the warp
    else
        out[lane] = __any_sync(0xffffffff, 1);
#elif defined ACTIVE /* the mask names lanes that have gone another way since */
    __syncwarp();
    unsigned active = __activemask();
    if (lane < 16)
        out[lane] = __any_sync(active, 1);
#elif defined ABSENT
    if (lane < 11) {
        int best = max_of_row(value, 0x7ff);
        if (lane == 0)
            out[33] = best;
    }
#elif defined ABSENT_STORED
    if (lane < 8)
        out[lane] = __shfl_xor_sync(0xff, value, 8);
#endif
    if (lane == 31)
        return;
    __syncwarp();
    out[lane] = (int)__reduce_add_sync(0xffffffff, lane);
#ifdef EXITED
    out[lane] = __shfl_sync(0xffffffff, value, 31);
#endif
}

int main()
{
    functions<<<1, 32>>>(new_array(64));
    return ended();
}
