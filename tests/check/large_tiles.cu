/* Tiles of more than one warp: their barriers, what they compute together, and tiles of tiles. NVIDIA's code
 * for what they compute together relies on lanes of a warp that go together and on shuffles that order
 * memory, neither of which PTX promises. */
// expect: right
// expect -DTOGETHER: hang "cooperative_groups/details/reduce.h"
// expect -DNO_SYNC: race "sum += box[i + own]"
// expect -DOTHER_TILE: race "sum += box[(i"
// expect -DHALF: hang "polling" "cooperative_groups/details/sync.h"
#include "tools/bugs/bug.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <unsigned Size>
__device__ void sums(const cg::thread_block &block, int *box, int *out)
{
    auto tile = cg::tiled_partition<Size>(block);
    auto warp = cg::tiled_partition<32>(tile);
    int sum = 0, own = tile.meta_group_rank() * Size, me = block.thread_rank();
    box[me] = me;
#ifndef NO_SYNC
#ifdef HALF
    if (tile.thread_rank() < 32)
#endif
        tile.sync();
#endif
    for (int i = 0; i < Size; i++)
#ifdef OTHER_TILE
        sum += box[(i + own + Size) % 256];
#else
        sum += box[i + own];
#endif
    bool fits = warp.meta_group_rank() == tile.thread_rank() / 32 && warp.meta_group_size() == Size / 32 &&
                tile.meta_group_size() == block.size() / Size;
#ifdef TOGETHER
    int most = cg::reduce(tile, me, cg::greater<int>());
    int third = tile.shfl(me, 2);
    bool some = tile.any(tile.thread_rank() == Size - 1), every = tile.all(warp.meta_group_rank() == 0);
    fits = fits && most == own + (int)Size - 1 && third == own + 2 && some && !every;
    fits = fits && sum == cg::reduce(tile, me, cg::plus<int>());
#endif
    out[me] = fits && sum == (2 * own + (int)Size - 1) * (int)Size / 2;
}

__global__ void all_sums(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int box[256];
    cg::thread_block block = cg::this_thread_block(memory);
    sums<64>(block, box, out);
    block.sync();
    sums<128>(block, box, out + 256);
}

int main()
{
    int *right = new_array(512);
    all_sums<<<1, 256>>>(right);
    return is_wrong(right, 512, [](int) { return 1; });
}
