/* Functions that stand for inline PTX: check/rewrite/ptx.c translates PTX to C++ that calls them. In this
 * C++, every register is a number of 64 bits. */
#ifndef GPUSYNC_CHECK_PTX_H
#define GPUSYNC_CHECK_PTX_H

namespace gpusync_check
{

/* Returns the value of an asm statement's input operand as a register. The value of an array is its
 * address. */
template <class T>
CHECK_DEVICE uint64_t in(T value)
{
    static_assert(sizeof(T) <= 8, "an operand of at most 8 bytes");
    return bits_as<uint64_t>(value);
}
/* Sets an output operand of an asm statement to the value of a register. */
template <class T>
CHECK_DEVICE void out(T &variable, uint64_t bits)
{
    variable = bits_as<T>(bits);
}
CHECK_DEVICE float f32(uint64_t bits)
{
    return bits_as<float>((uint32_t)bits);
}
CHECK_DEVICE double f64(uint64_t bits)
{
    return bits_as<double>(bits);
}
CHECK_DEVICE uint64_t of_f32(float value)
{
    return bits_as<uint64_t>(value);
}
CHECK_DEVICE uint64_t of_f64(double value)
{
    return bits_as<uint64_t>(value);
}

/* Returns the pointer for an address in PTX. An address of shared memory has 32 bits. An address with more
 * bits is a generic one, which is a pointer already. */
CHECK_DEVICE void *place(uint64_t address, bool is_shared)
{
    return is_shared && address >> 32 == 0 ? machine_shared_address(address) : (void *)address;
}
template <unsigned Bytes, unsigned Count>
CHECK_DEVICE void ptx_load(uint64_t *to, uint64_t address, bool is_shared, machine_scope scope,
                           machine_order order)
{
    unsigned char bytes[Bytes * Count];
    machine_load_bytes(bytes, place(address, is_shared), Bytes * Count, scope, order);
    for (unsigned i = 0; i < Count; i++) {
        to[i] = 0;
        __builtin_memcpy(&to[i], bytes + i * Bytes, Bytes);
    }
}
template <unsigned Bytes, unsigned Count>
CHECK_DEVICE void ptx_store(const uint64_t *from, uint64_t address, bool is_shared, machine_scope scope,
                            machine_order order)
{
    unsigned char bytes[Bytes * Count];
    for (unsigned i = 0; i < Count; i++)
        __builtin_memcpy(bytes + i * Bytes, &from[i], Bytes);
    machine_store_bytes(place(address, is_shared), bytes, Bytes * Count, scope, order);
}
CHECK_DEVICE uint64_t ptx_atomic(machine_operation operation, unsigned bytes, uint64_t address,
                                 bool is_shared, uint64_t value, uint64_t expected, machine_scope scope,
                                 machine_order order)
{
    return machine_atomic(operation, place(address, is_shared), bytes, value, expected, scope, order);
}

/* ---- functions for mbarriers and for asynchronous copies ---- */

CHECK_DEVICE void mbarrier_init(void *word, unsigned count)
{
    store((unsigned long long *)word, (unsigned long long)mbarrier_at_first(count), SCOPE_THREAD,
          ORDER_RELAXED);
    machine_mbarrier_begins(word);
}
CHECK_DEVICE bool mbarrier_has_passed(const void *word, unsigned parity, machine_scope scope,
                                      machine_order order)
{
    machine_use_mbarrier();
    return machine_load_64(word, scope, order) >> 63 != parity;
}
/* Changes the counts of the mbarrier at `word`, and returns the word as it was before the change. */
CHECK_DEVICE uint64_t mbarrier_change(void *word, int bytes, unsigned arrivals, bool drops,
                                      machine_scope scope, machine_order order)
{
    machine_use_mbarrier();
    return machine_mbarrier_change(word, bytes, arrivals, drops ? arrivals : 0, scope, order);
}

/* Returns the scope that stands for a cluster, because the machine has no cluster scope: that of the block if
 * the cluster has one block, otherwise that of the device. */
CHECK_DEVICE machine_scope cluster_scope()
{
    return machine_cluster_blocks() > 1 ? SCOPE_DEVICE : SCOPE_BLOCK;
}

/* Executes a bulk copy by calling `copy`. If `mask` is 0, the copy goes into the shared memory of this block,
 * otherwise into that of each block of the cluster whose bit is set in `mask`. Each copy signals the mbarrier
 * of the block into which it copies. */
template <class Copy>
CHECK_DEVICE void bulk_copy(Copy copy, void *to, void *mbarrier, unsigned mask)
{
    if (!mask)
        copy(to, mbarrier);
    for (; mask; mask &= mask - 1) {
        unsigned rank = (unsigned)__builtin_ctz(mask);
        copy(machine_cluster_address(to, rank), machine_cluster_address(mbarrier, rank));
    }
}
template <class T, class... Values>
CHECK_DEVICE void store_async(void *to, void *mbarrier, Values... values)
{
    T all[] = {(T)values...};
    machine_store_async(to, all, sizeof all, mbarrier);
}

/* ---- special registers ---- */

CHECK_DEVICE unsigned linear_thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

} // namespace gpusync_check

#endif
