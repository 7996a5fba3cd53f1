/* CUDA's functions for a warp that machine/cuda/cuda_machine.h lacks (shuffles of any type, matches,
 * reductions, votes), and clocks, conversions of addresses, and named barriers. */
#ifndef GPUSYNC_CHECK_WARP_H
#define GPUSYNC_CHECK_WARP_H

#define SHUFFLE(name, mode, what)                                                                            \
    template <class T>                                                                                       \
    CHECK_DEVICE T name(unsigned mask, T value, what lane, int width = 32)                                   \
    {                                                                                                        \
        static_assert(sizeof(T) <= 8, "CUDA has no shuffle of more than 8 bytes");                           \
        return gpusync_check::bits_as<T>(                                                                    \
            machine_shuffle(mask, gpusync_check::bits_as<uint64_t>(value), mode, (int)lane, width));         \
    }
SHUFFLE(__shfl_sync, SHUFFLE_INDEX, int)
SHUFFLE(__shfl_up_sync, SHUFFLE_UP, unsigned)
SHUFFLE(__shfl_down_sync, SHUFFLE_DOWN, unsigned)
SHUFFLE(__shfl_xor_sync, SHUFFLE_XOR, int)
#undef SHUFFLE

/* check/rewrite replaces __syncthreads() in the program by this function. */
CHECK_DEVICE void gpusync_syncthreads(int place)
{
    machine_barrier_place(place);
    machine_syncthreads();
}

/* Returns only the bit of the calling lane: CUDA does not promise that a lane sees others as active (CUDA
 * C++ Programming Guide, "Warp Vote Functions"). */
CHECK_DEVICE unsigned __activemask()
{
    return 1u << machine_lane();
}
CHECK_DEVICE int __uni_sync(unsigned mask, int predicate)
{
    unsigned long long yes = machine_ballot(mask, predicate), there = machine_ballot(mask, 1);
    return yes == 0 || yes == there;
}

/* Each of these functions calls the machine once, because it is one instruction of a GPU: MATCH or REDUX. */
template <class T>
CHECK_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
    static_assert(sizeof(T) <= 8, "CUDA has no match of more than 8 bytes");
    return (unsigned)machine_match(mask, gpusync_check::bits_as<uint64_t>(value), 0);
}
template <class T>
CHECK_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *all)
{
    static_assert(sizeof(T) <= 8, "CUDA has no match of more than 8 bytes");
    unsigned same = (unsigned)machine_match(mask, gpusync_check::bits_as<uint64_t>(value), 1);
    *all = same != 0;
    return same;
}

#define REDUCE(name, type, operation)                                                                        \
    CHECK_DEVICE type name(unsigned mask, type value)                                                        \
    {                                                                                                        \
        return (type)machine_reduce(mask, (uint32_t)value, operation);                                       \
    }
REDUCE(__reduce_add_sync, unsigned, REDUCTION_ADD)
REDUCE(__reduce_add_sync, int, REDUCTION_ADD)
REDUCE(__reduce_min_sync, unsigned, REDUCTION_MIN)
REDUCE(__reduce_min_sync, int, REDUCTION_SIGNED_MIN)
REDUCE(__reduce_max_sync, unsigned, REDUCTION_MAX)
REDUCE(__reduce_max_sync, int, REDUCTION_SIGNED_MAX)
REDUCE(__reduce_and_sync, unsigned, REDUCTION_AND)
REDUCE(__reduce_or_sync, unsigned, REDUCTION_OR)
REDUCE(__reduce_xor_sync, unsigned, REDUCTION_XOR)
#undef REDUCE

CHECK_DEVICE int __syncthreads_count(int predicate)
{
    return machine_syncthreads_count(predicate);
}
CHECK_DEVICE int __syncthreads_or(int predicate)
{
    return __syncthreads_count(predicate != 0) != 0;
}
CHECK_DEVICE int __syncthreads_and(int predicate)
{
    return __syncthreads_count(predicate == 0) == 0;
}

/* Replaces clock(), which a program may call in a kernel or in host code. */
CHECK_DEVICE clock_t gpusync_clock()
{
    return machine_is_running() ? (clock_t)machine_clock() : clock();
}
#define clock() gpusync_clock()
CHECK_DEVICE void __nanosleep(unsigned nanoseconds)
{
    machine_sleep(nanoseconds);
}
CHECK_DEVICE size_t __cvta_generic_to_shared(const void *address)
{
    return machine_shared_offset(address);
}
/* Converts a generic address to an address in global memory. On the memory machine both are the same
 * number. */
CHECK_DEVICE size_t __cvta_generic_to_global(const void *address)
{
    return (size_t)address;
}
CHECK_DEVICE size_t __cvta_generic_to_local(const void *address)
{
    return (size_t)address;
}
CHECK_DEVICE size_t __cvta_generic_to_constant(const void *address)
{
    return (size_t)address;
}
CHECK_DEVICE void *__cvta_global_to_generic(size_t address)
{
    return (void *)address;
}
CHECK_DEVICE void *__cvta_local_to_generic(size_t address)
{
    return (void *)address;
}
CHECK_DEVICE void *__cvta_constant_to_generic(size_t address)
{
    return (void *)address;
}
CHECK_DEVICE void *__cvta_shared_to_generic(size_t offset)
{
    return machine_shared_address(offset);
}

/* Return whether a generic address is in one of the address spaces. */
CHECK_DEVICE unsigned __isShared(const void *address)
{
    return machine_is_shared(address);
}
CHECK_DEVICE unsigned __isClusterShared(const void *address)
{
    return machine_is_shared(address);
}
CHECK_DEVICE unsigned __isGlobal(const void *address)
{
    return !machine_is_shared(address);
}
CHECK_DEVICE unsigned __isLocal(const void *)
{
    return 0;
}
CHECK_DEVICE unsigned __isConstant(const void *)
{
    return 0;
}
CHECK_DEVICE unsigned __isGridConstant(const void *)
{
    return 0;
}

/* Functions that wait at a named barrier, either for all threads of the block or for `threads` of them. */
CHECK_DEVICE void __barrier_sync(unsigned barrier)
{
    if (barrier == 0)
        machine_syncthreads();
    else
        machine_named_barrier(
            (int)barrier, (int)(machine_block_dim().x * machine_block_dim().y * machine_block_dim().z), 1);
}
CHECK_DEVICE void __barrier_sync_count(unsigned barrier, unsigned threads)
{
    machine_named_barrier((int)barrier, (int)threads, 1);
}

#endif
