/* Cooperative groups whose kind or size is known only when the program runs, partitions of a group, and
 * shuffles, which exchange whole values, also of more than 8 bytes. */
// expect: right
// expect -DNO_SYNC: race "sum += box["
#include "tools/bugs/bug.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ int sum_of(const cg::thread_group &group, int *box, int value)
{
    box[group.thread_rank()] = value;
#ifndef NO_SYNC
    group.sync();
#endif
    int sum = 0;
    for (unsigned i = 0; i < group.size(); i++)
        sum += box[i];
    group.sync();
    return sum;
}

__global__ void sums(int *out, unsigned size)
{
    __shared__ int box[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, size);
    int of_block = sum_of(block, box, 1);
    int of_tile = sum_of(tile, box + threadIdx.x / size * size, threadIdx.x);
    auto half = cg::binary_partition(cg::tiled_partition<32>(block), threadIdx.x & 1);
    auto third = cg::labeled_partition(cg::tiled_partition<32>(block), threadIdx.x % 3);
    out[threadIdx.x] = of_block * 1000 + of_tile +
                       (half.size() == 16 && half.thread_rank() == threadIdx.x % 32 / 2) +
                       (cg::group_size(third) - 10) * 100000;
}

struct triple {
    int a, b, c;
};

__global__ void exchange(int *right)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = threadIdx.x, from = i ^ 1, later = i + 3 < 32 ? i + 3 : i;
    int second = (int)(i / 8 * 8 + 2);
    uint4 other = tile.shfl_xor(make_uint4(i, i + 100, i + 200, i + 300), 1);
    double2 next = tile.shfl_down(make_double2(i, 0.5 * i), 3);
    auto quarter = cg::tiled_partition<8>(tile);
    triple third = quarter.shfl(triple{(int)i, -(int)i, 7}, 2);
    int4 all = cg::reduce(tile, make_int4(1, (int)i, 0, 2), [](int4 a, int4 b) {
        return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    });
    right[i] = other.x == from && other.y == from + 100 && other.z == from + 200 && other.w == from + 300 &&
               next.x == later && next.y == 0.5 * later && third.a == second && third.b == -second &&
               third.c == 7 && all.x == 32 && all.y == 31 * 16 && all.w == 64;
}

int main()
{
    int *out = new_array(64), *right = new_array(32);
    exchange<<<1, 32>>>(right);
    sums<<<1, 64>>>(out, 8);
    return is_wrong(right, 32, [](int) { return 1; }) ||
           is_wrong(out + 9, 1, [](int) { return 64000 + 92 + 1 + 100000; }) ||
           is_wrong(out + 2, 1, [](int) { return 64000 + 28 + 1; });
}
