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

/* Conversions between 16-bit floating-point numbers and float, in which they are computed. */
CHECK_DEVICE float f16(uint64_t bits)
{
    return (float)bits_as<_Float16>((uint16_t)bits);
}
CHECK_DEVICE uint64_t of_f16(double value)
{
    return bits_as<uint16_t>((_Float16)value);
}

/* A number of bfloat16: the upper half of a float's bits. It is rounded to the nearest, and to even if two
 * are equally near. */
struct bf16 {
    uint16_t bits;
    CHECK_METHOD explicit bf16(double value)
    {
        uint32_t all = bits_as<uint32_t>((float)value);
        bits = (uint16_t)(value != value ? 0x7fff : (all + 0x7fff + (all >> 16 & 1)) >> 16);
    }
    CHECK_METHOD explicit operator double() const { return bits_as<float>((uint32_t)bits << 16); }
};
template <class Half>
CHECK_DEVICE double half_at(uint64_t bits, unsigned number)
{
    uint16_t one = (uint16_t)(bits >> 16 * number);
    Half half(0);
    __builtin_memcpy((void *)&half, &one, sizeof one);
    return (double)half;
}
/* Returns operation(x, y, z) of each of `Count` 16-bit numbers. */
template <class Half, unsigned Count, class Operation>
CHECK_DEVICE uint64_t halves(Operation operation, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t all = 0;
    for (unsigned n = 0; n < Count; n++) {
        Half result(operation(half_at<Half>(a, n), half_at<Half>(b, n), half_at<Half>(c, n)));
        all |= bits_as<uint64_t>(result) << 16 * n;
    }
    return all;
}
CHECK_DEVICE double saturated(double value)
{
    return value > 0 ? value < 1 ? value : 1 : 0;
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
    /* the value goes through a register, so that the machine sees which instructions wait for it
     * (machine/code/dependence.h) */
    if constexpr (Count == 1 && Bytes == 4) {
        to[0] = machine_load_any_32(place(address, is_shared), scope, order);
        return;
    }
    if constexpr (Count == 1 && Bytes == 8) {
        to[0] = machine_load_any_64(place(address, is_shared), scope, order);
        return;
    }
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

/* Adds 16-bit numbers in memory, by compare-and-swap because the machine has no such operation. */
template <class Half, unsigned Count>
CHECK_DEVICE uint64_t add_halves(uint64_t address, bool is_shared, uint64_t value, machine_scope scope,
                                 machine_order order)
{
    uint64_t old = 0;
    machine_load_bytes(&old, place(address, is_shared), 2 * Count, scope, ORDER_RELAXED);
    for (;;) {
        uint64_t sum = halves<Half, Count>([](double x, double y, double) { return x + y; }, old, value, 0);
        uint64_t found =
            ptx_atomic(OPERATION_COMPARE_SWAP, 2 * Count, address, is_shared, sum, old, scope, order);
        if (found == old)
            return old;
        old = found;
    }
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
    return machine_load_any_64(word, scope, order) >> 63 != parity;
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

/* ---- functions of PTX's instructions of the same names ---- */

/* PTX's shfl, with its last operand unchanged: bits 0 to 4 of `limits` are the highest lane of a segment;
 * bits 8 to 12 mark the bits of a lane's number that identify the segment. */
CHECK_DEVICE uint64_t ptx_shuffle(machine_shuffle_mode mode, uint32_t value, uint32_t lanes, uint32_t limits,
                                  uint32_t mask, bool &in_range)
{
    int own = machine_lane(), segment = (int)(limits >> 8 & 31), by = (int)(lanes & 31);
    int first = own & segment, last = first | ((int)(limits & 31) & ~segment);
    int source = mode == SHUFFLE_UP     ? own - by
                 : mode == SHUFFLE_DOWN ? own + by
                 : mode == SHUFFLE_XOR  ? own ^ by
                                        : first | (by & ~segment);
    in_range = mode == SHUFFLE_UP ? source >= last : source <= last;
    return machine_shuffle(mask, value, SHUFFLE_INDEX, in_range ? source : own, 32);
}
template <class T>
CHECK_DEVICE int popc(T value)
{
    return __builtin_popcountll(value);
}
template <class T>
CHECK_DEVICE int clz(T value)
{
    return value ? __builtin_clzll(value) - (64 - 8 * (int)sizeof value) : 8 * (int)sizeof value;
}
template <class T>
CHECK_DEVICE T brev(T value)
{
    return (T)(__brevll(value) >> (64 - 8 * sizeof value));
}
/* Returns the number of the highest bit that differs from the sign bit, or ~0 if there is none. */
template <class T>
CHECK_DEVICE int bfind(T value)
{
    std::make_unsigned_t<T> bits = (std::make_unsigned_t<T>)(value < 0 ? ~value : value);
    return 8 * (int)sizeof value - 1 - clz(bits);
}
template <class T>
CHECK_DEVICE T bfe(T value, T position, T length)
{
    int bits = 8 * (int)sizeof value, at = (int)(position & 255), all = (int)(length & 255);
    if (all == 0 || at >= bits)
        return all && value < 0 ? (T)-1 : 0;
    int left = all > bits - at ? 0 : bits - at - all;
    return (T)((T)((std::make_unsigned_t<T>)value << left) >> (left + at));
}
template <class T>
CHECK_DEVICE T bfi(T from, T into, T position, T length)
{
    unsigned bits = 8 * sizeof from, at = (unsigned)(position & 255), all = (unsigned)(length & 255);
    if (all == 0 || at >= bits)
        return into;
    T mask = (T)((all >= bits ? ~(T)0 : (T)(((T)1 << all) - 1)) << at);
    return (T)((into & ~mask) | (T)(from << at & mask));
}
CHECK_DEVICE uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t all = 0;
    for (unsigned n = 0; n < 4; n++) {
        unsigned choice = selector >> 4 * n & 15;
        uint8_t byte = (uint8_t)(bytes >> 8 * (choice & 7));
        all |= (uint32_t)(choice & 8 ? (uint8_t)((int8_t)byte >> 7) : byte) << 8 * n;
    }
    return all;
}
CHECK_DEVICE uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t all = 0;
    for (unsigned n = 0; n < 32; n++)
        all |= (table >> ((a >> n & 1) << 2 | (b >> n & 1) << 1 | (c >> n & 1)) & 1) << n;
    return all;
}
/* Returns a mask of `length` bits from bit `at` on. */
CHECK_DEVICE uint32_t bmsk_clamp(uint32_t at, uint32_t length)
{
    return at >= 32 ? 0 : (uint32_t)((((uint64_t)1 << (length < 32 ? length : 32)) - 1) << at);
}
CHECK_DEVICE uint32_t bmsk_wrap(uint32_t at, uint32_t length)
{
    return bmsk_clamp(at & 31, length & 31);
}
CHECK_DEVICE uint32_t shf_l_wrap(uint32_t low, uint32_t high, uint32_t shift)
{
    return __funnelshift_l(low, high, shift);
}
CHECK_DEVICE uint32_t shf_r_wrap(uint32_t low, uint32_t high, uint32_t shift)
{
    return __funnelshift_r(low, high, shift);
}
CHECK_DEVICE uint32_t shf_l_clamp(uint32_t low, uint32_t high, uint32_t shift)
{
    return __funnelshift_lc(low, high, shift);
}
CHECK_DEVICE uint32_t shf_r_clamp(uint32_t low, uint32_t high, uint32_t shift)
{
    return __funnelshift_rc(low, high, shift);
}

/* ---- special registers ---- */

CHECK_DEVICE unsigned linear_thread()
{
    return (machine_thread_index().z * machine_block_dim().y + machine_thread_index().y) *
               machine_block_dim().x +
           machine_thread_index().x;
}

} // namespace gpusync_check

#endif
