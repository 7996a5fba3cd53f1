/* CUDA's cooperative groups on the memory machine: the grid, the block, the cluster, tiles of a warp, and
 * coalesced threads. */
#ifndef GPUSYNC_CHECK_COOPERATIVE_GROUPS_H
#define GPUSYNC_CHECK_COOPERATIVE_GROUPS_H

#include "machine/cuda/cooperative_groups.h" /* grid_group */

namespace cooperative_groups
{

struct thread_block {
    CHECK_METHOD void sync() const { __syncthreads(); }
    CHECK_METHOD unsigned thread_rank() const { return machine_thread_in_block(); }
    CHECK_METHOD unsigned size() const { return machine_threads_in_block(); }
    CHECK_METHOD unsigned num_threads() const { return size(); }
    CHECK_METHOD dim3 group_index() const { return blockIdx; }
    CHECK_METHOD dim3 thread_index() const { return threadIdx; }
    CHECK_METHOD dim3 group_dim() const { return blockDim; }
    CHECK_METHOD dim3 dim_threads() const { return blockDim; }
};
CHECK_DEVICE thread_block this_thread_block()
{
    return thread_block();
}

struct cluster_group {
    CHECK_METHOD void sync() const
    {
        barrier_arrive();
        barrier_wait();
    }
    CHECK_METHOD void barrier_arrive() const { machine_cluster_arrive(ORDER_RELEASE); }
    CHECK_METHOD void barrier_wait() const { machine_cluster_wait(ORDER_ACQUIRE); }
    CHECK_METHOD unsigned block_rank() const { return machine_cluster_rank(); }
    CHECK_METHOD unsigned num_blocks() const { return machine_cluster_blocks(); }
    CHECK_METHOD dim3 block_index() const { return dim3(machine_cluster_rank()); }
    CHECK_METHOD dim3 dim_blocks() const { return dim3(machine_cluster_blocks()); }
    CHECK_METHOD unsigned num_threads() const { return num_blocks() * machine_threads_in_block(); }
    CHECK_METHOD unsigned size() const { return num_threads(); }
    CHECK_METHOD unsigned thread_rank() const
    {
        return block_rank() * machine_threads_in_block() + machine_thread_in_block();
    }
    template <class T>
    CHECK_METHOD T *map_shared_rank(T *address, unsigned rank) const
    {
        return (T *)machine_cluster_address(address, rank);
    }
};
CHECK_DEVICE cluster_group this_cluster()
{
    return cluster_group();
}

/* A cooperative group of lanes of one warp. */
struct lanes_group {
    unsigned mask;  /* set of the lanes of the group, one bit for each */
    unsigned rank;  /* this thread's number in the group */
    unsigned lanes; /* number of lanes in the group */

    CHECK_METHOD void sync() const { __syncwarp(mask); }
    CHECK_METHOD unsigned thread_rank() const { return rank; }
    CHECK_METHOD unsigned size() const { return lanes; }
    CHECK_METHOD unsigned num_threads() const { return lanes; }
    CHECK_METHOD int any(int predicate) const { return __any_sync(mask, predicate); }
    CHECK_METHOD int all(int predicate) const { return __all_sync(mask, predicate); }
    CHECK_METHOD unsigned ballot(int predicate) const { return packed(__ballot_sync(mask, predicate)); }
    template <class T>
    CHECK_METHOD T shfl(T value, unsigned of) const
    {
        return exchanged(value, lane_of(of % lanes));
    }
    template <class T>
    CHECK_METHOD T shfl_up(T value, unsigned delta) const
    {
        return exchanged(value, lane_of(rank < delta ? rank : rank - delta));
    }
    template <class T>
    CHECK_METHOD T shfl_down(T value, unsigned delta) const
    {
        return exchanged(value, lane_of(rank + delta < lanes ? rank + delta : rank));
    }
    template <class T>
    CHECK_METHOD T shfl_xor(T value, unsigned with) const
    {
        return exchanged(value, lane_of((rank ^ with) < lanes ? rank ^ with : rank));
    }
    template <class T>
    CHECK_METHOD unsigned match_any(T value) const
    {
        return packed(__match_any_sync(mask, value));
    }

  private:
    /* Shuffles a value of up to 32 bytes, in words if it has more than 8 bytes (CUDA C++ Programming
     * Guide, "Thread Block Tile"). */
    template <class T>
    CHECK_METHOD T exchanged(T value, int lane) const
    {
        static_assert(__is_trivially_copyable(T) && sizeof(T) <= 32,
                      "groups shuffle trivial types of at most 32 bytes");
        if constexpr (sizeof(T) <= 8) {
            return __shfl_sync(mask, value, lane);
        } else {
            unsigned words[(sizeof(T) + 3) / 4] = {};
            __builtin_memcpy(words, &value, sizeof value);
            for (unsigned &word : words)
                word = __shfl_sync(mask, word, lane);
            __builtin_memcpy(&value, words, sizeof value);
            return value;
        }
    }
    /* Returns the lane that is the group's member number `member`; members are numbered from 0 in the order
     * of lanes. */
    CHECK_METHOD int lane_of(unsigned member) const
    {
        int lane = 0;
        for (unsigned left = mask, i = 0; left; left &= left - 1, i++)
            lane = i == member ? __builtin_ctz(left) : lane;
        return lane;
    }
    /* Converts a set of lanes of the warp into a set of members of the group: bit i of the result stands for
     * the group's member number i. */
    CHECK_METHOD unsigned packed(unsigned of_lanes) const
    {
        unsigned members = 0, i = 0;
        for (unsigned left = mask; left; left &= left - 1, i++)
            members |= (of_lanes >> __builtin_ctz(left) & 1u) << i;
        return members;
    }
};

/* Memory for tiles of several warps. GPUs since compute capability 8.0 do not use it, because a block has
 * memory of its own for them. */
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
};
template <unsigned MaxBlockSize>
CHECK_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

/* Memory for the words through which the warps of a tile tell each other something: one for each warp of the
 * block. */
CHECK_DEVICE unsigned long long *words_of_warps()
{
    __shared__ unsigned long long words[32];
    return words;
}

/* A tile of 2, 4, 8 or 16 warps. */
template <unsigned Size>
struct warps_group {
    unsigned rank; /* this thread's number in the tile */

    CHECK_METHOD unsigned thread_rank() const { return rank; }
    CHECK_METHOD unsigned size() const { return Size; }
    CHECK_METHOD unsigned num_threads() const { return Size; }
    CHECK_METHOD void sync() const
    {
        /* the tiles of 64 threads have the first 16 barriers, those of 128 threads the next 8, and so on */
        unsigned first = this_thread_block().thread_rank() - rank;
        machine_tile_barrier((int)(32 - 2048 / Size + first / Size), (int)threads(first));
    }
    template <class T>
    CHECK_METHOD T shfl(T value, unsigned of) const
    {
        static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange values of at most 8 bytes");
        T *word = (T *)&words_of_warps()[(this_thread_block().thread_rank() - rank + of) / 32];
        if (rank == of)
            *word = value;
        sync();
        T got = *word;
        sync();
        return got;
    }
    CHECK_METHOD int any(int predicate) const
    {
        return combined((int)__any_sync(0xffffffffu, predicate), [](int a, int b) { return a | b; });
    }
    CHECK_METHOD int all(int predicate) const
    {
        return combined((int)__all_sync(0xffffffffu, predicate), [](int a, int b) { return a & b; });
    }
    /* Combines values that are the same in all threads of a warp. */
    template <class T, class Operation>
    CHECK_METHOD T combined(T of_warp, Operation operation) const
    {
        static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange values of at most 8 bytes");
        unsigned first = this_thread_block().thread_rank() - rank;
        unsigned long long *words = words_of_warps() + first / 32;
        if (rank % 32 == 0)
            *(T *)&words[rank / 32] = of_warp;
        sync();
        T all = *(T *)&words[0];
        for (unsigned i = 1; i < threads(first) / 32; i++)
            all = operation(all, *(T *)&words[i]);
        sync();
        return all;
    }

  private:
    /* Returns the number of threads of the tile that begins with this thread, in whole warps. */
    CHECK_METHOD unsigned threads(unsigned first) const
    {
        unsigned left = (this_thread_block().size() - first + 31) / 32 * 32;
        return left < Size ? left : Size;
    }
};

template <unsigned Size, class Parent = void>
struct thread_block_tile : std::conditional_t<(Size > 32), warps_group<Size>, lanes_group> {
    /* this tile's number among the tiles of its parent, and the number of these tiles */
    unsigned number, count;

    thread_block_tile() = default;
    template <class Other>
    CHECK_METHOD thread_block_tile(const thread_block_tile<Size, Other> &other)
        : std::conditional_t<(Size > 32), warps_group<Size>, lanes_group>(other), number(other.number),
          count(other.count)
    {
    }
    CHECK_METHOD unsigned meta_group_rank() const { return number; }
    CHECK_METHOD unsigned meta_group_size() const { return count; }
};
template <unsigned Size, class Parent>
CHECK_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    static_assert(Size <= 512 && (Size & (Size - 1)) == 0, "the size of a tile is a power of 2, up to 512");
    thread_block_tile<Size, Parent> tile;
    tile.number = parent.thread_rank() / Size;
    tile.count = (parent.size() + Size - 1) / Size;
    if constexpr (Size > 32) {
        tile.rank = this_thread_block().thread_rank() % Size;
        parent.sync(); /* CUDA's header waits here, too, after it has set the barrier */
    } else {
        unsigned lane = (unsigned)machine_lane(), first = lane / Size * Size;
        unsigned block = this_thread_block().size();
        unsigned left = block - (this_thread_block().thread_rank() - lane);
        unsigned in_warp = left < 32 ? left : 32, lanes = first + Size <= in_warp ? Size : in_warp - first;
        tile.mask = (lanes == 32 ? 0xffffffffu : (1u << lanes) - 1) << first;
        tile.rank = lane - first;
        tile.lanes = Size;
    }
    return tile;
}

struct coalesced_group : lanes_group {
};
/* Any group of threads of a block: the block itself, or lanes of a warp. */
struct thread_group {
    lanes_group of_lanes;
    bool is_block;

    CHECK_METHOD thread_group(const thread_block &) : of_lanes(), is_block(true) {}
    CHECK_METHOD thread_group(const lanes_group &lanes) : of_lanes(lanes), is_block(false) {}
    CHECK_METHOD void sync() const
    {
        if (is_block)
            __syncthreads();
        else
            of_lanes.sync();
    }
    CHECK_METHOD unsigned thread_rank() const
    {
        return is_block ? this_thread_block().thread_rank() : of_lanes.rank;
    }
    CHECK_METHOD unsigned size() const { return is_block ? this_thread_block().size() : of_lanes.lanes; }
    CHECK_METHOD unsigned num_threads() const { return size(); }
};
/* Makes a tile whose size is known only when the program runs. */
CHECK_DEVICE thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    unsigned lane = (unsigned)machine_lane(), first = lane - parent.thread_rank() % size;
    unsigned left = parent.size() - parent.thread_rank() / size * size, lanes = left < size ? left : size;
    lanes_group tile;
    tile.mask = (lanes == 32 ? 0xffffffffu : (1u << lanes) - 1) << first;
    tile.rank = lane - first;
    tile.lanes = size;
    return thread_group(tile);
}
CHECK_DEVICE coalesced_group group_of_lanes(unsigned mask)
{
    coalesced_group group;
    group.mask = mask;
    group.rank = (unsigned)__popc(mask & ((1u << machine_lane()) - 1));
    group.lanes = (unsigned)__popc(mask);
    return group;
}
CHECK_DEVICE coalesced_group coalesced_threads()
{
    return group_of_lanes(__activemask());
}
/* Returns the group of the lanes whose predicate, or label, equals the calling lane's. */
CHECK_DEVICE coalesced_group binary_partition(const lanes_group &group, bool predicate)
{
    unsigned yes = __ballot_sync(group.mask, predicate);
    return group_of_lanes(predicate ? yes : group.mask & ~yes);
}
template <class Label>
CHECK_DEVICE coalesced_group labeled_partition(const lanes_group &group, Label label)
{
    return group_of_lanes(__match_any_sync(group.mask, label));
}

template <class Group>
CHECK_DEVICE unsigned thread_rank(const Group &group)
{
    return (unsigned)group.thread_rank();
}
template <class Group>
CHECK_DEVICE unsigned group_size(const Group &group)
{
    return (unsigned)group.size();
}
template <class Group>
CHECK_DEVICE void sync(const Group &group)
{
    group.sync();
}

/* Copies memory by cp.async in chunks of 16 bytes. In a group of n threads, thread r copies the chunks r, r +
 * n, r + 2 n, ... */
template <class Group, class Size>
CHECK_DEVICE void memcpy_async(const Group &group, void *to, const void *from, Size bytes)
{
    unsigned all = (unsigned)(size_t)bytes;
    for (unsigned at = 16 * (unsigned)group.thread_rank(); at < all; at += 16 * (unsigned)group.size()) {
        unsigned piece = all - at < 16 ? all - at : 16;
        machine_copy_small((char *)to + at, (const char *)from + at, piece, piece);
    }
    machine_copies_commit(0);
}
template <unsigned Left, class Group>
CHECK_DEVICE void wait_prior(const Group &group)
{
    machine_copies_wait(0, Left, 0);
    group.sync();
}
template <class Group>
CHECK_DEVICE void wait(const Group &group)
{
    wait_prior<0>(group);
}

template <class T>
struct plus {
    CHECK_METHOD T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
    CHECK_METHOD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    CHECK_METHOD T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned Size, class Parent, class T, class Operation>
CHECK_DEVICE T reduce(const thread_block_tile<Size, Parent> &group, T value,
                      Operation operation) requires(Size > 32)
{
    return group.combined(reduce(tiled_partition<32>(this_thread_block()), value, operation), operation);
}
template <class Group, class T, class Operation>
CHECK_DEVICE T reduce(const Group &group, T value, Operation operation)
{
    T all = group.shfl(value, 0);
    /* a tile at the end of a block may have fewer lanes than its size */
    for (unsigned i = 1; i < (unsigned)__popc(group.mask); i++)
        all = operation(all, group.shfl(value, i));
    return all;
}

/* CUDA 11 has these names in the namespace `experimental` */
namespace experimental
{
template <unsigned Communication = 8, unsigned MaxBlockSize = 1024>
using block_tile_memory = cooperative_groups::block_tile_memory<MaxBlockSize>;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
} // namespace experimental

} // namespace cooperative_groups

#endif
