/* Shuffles of cooperative groups exchange whole values, also of more than 8 bytes. */
// expect: right
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct triple {
    int a, b, c;
};

__global__ void exchange(uint4 *out, double2 *next, triple *third, int *sums)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = threadIdx.x;
    out[i] = tile.shfl_xor(make_uint4(i, i + 100, i + 200, i + 300), 1);
    next[i] = tile.shfl_down(make_double2(i, 0.5 * i), 3);
    auto quarter = cg::tiled_partition<8>(tile);
    third[i] = quarter.shfl(triple{(int)i, -(int)i, 7}, 2);
    int4 mine = make_int4(1, (int)i, 0, 2);
    int4 all = cg::reduce(
        tile, mine, [](int4 a, int4 b) { return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); });
    if (i == 0) {
        sums[0] = all.x;
        sums[1] = all.y;
        sums[2] = all.w;
    }
}

int main()
{
    uint4 *out;
    double2 *next;
    triple *third;
    int *sums;
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMallocManaged(&next, 32 * sizeof *next);
    cudaMallocManaged(&third, 32 * sizeof *third);
    cudaMallocManaged(&sums, 3 * sizeof *sums);
    exchange<<<1, 32>>>(out, next, third, sums);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (unsigned i = 0; i < 32; i++) {
        unsigned from = i ^ 1;
        if (out[i].x != from || out[i].y != from + 100 || out[i].z != from + 200 || out[i].w != from + 300)
            return 1;
        unsigned later = i + 3 < 32 ? i + 3 : i;
        if (next[i].x != later || next[i].y != 0.5 * later)
            return 1;
        int second = (int)(i / 8 * 8 + 2);
        if (third[i].a != second || third[i].b != -second || third[i].c != 7)
            return 1;
    }
    return sums[0] != 32 || sums[1] != 31 * 16 || sums[2] != 64;
}
