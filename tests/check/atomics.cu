/* Atomic accesses of each width, in shared memory, in global memory and in a thread's own variables: each
 * changes the bytes of its word and no others. */
// expect: right
// expect -DNARROW: wrong "status 3"
#include "tools/bugs/bug.h"
#include <cstdint>
#include <cuda/atomic>
#ifdef NARROW /* the half of a word is stored, which the host must find */
#define STORED(T) (sizeof(T) == 8 ? (T)0x11223344 : (T)BITS)
#else
#define STORED(T) (T) BITS
#endif
#define BITS UINT64_C(0x1122334455667788)
#define OLD UINT64_C(0xa1a2a3a4a5a6a7a8)

/* A word with other words before and after it. */
template <class T>
struct alignas(8) between { /* libcu++ reads and writes whole words for a byte */
    T before, word, after;
};

template <class T>
__device__ unsigned differs(const between<T> &b, T expected)
{
    return b.before != (T)OLD || b.after != (T)OLD || b.word != expected;
}

/* Stores, exchanges and adds to the word, and returns a bit for each of these that went wrong. */
template <class T>
__device__ unsigned change(between<T> *b)
{
    unsigned wrong = 0;
    b->before = b->word = b->after = (T)OLD;
    cuda::atomic_ref<T, cuda::thread_scope_device> word(b->word);
    word.store(STORED(T), cuda::memory_order_release);
    wrong |= differs(*b, (T)BITS);
    wrong |= (word.load(cuda::memory_order_acquire) != STORED(T)) << 1;
    T was = word.exchange((T)~BITS, cuda::memory_order_acq_rel);
    wrong |= (was != STORED(T) || differs(*b, (T)~BITS)) << 2;
    was = word.fetch_add((T)1, cuda::memory_order_relaxed);
    wrong |= (was != (T)~BITS || differs(*b, (T)(~BITS + 1))) << 3;
    T expected = (T)~BITS; /* the word has another value */
    bool is_changed = word.compare_exchange_strong(expected, (T)OLD, cuda::memory_order_acq_rel);
    wrong |= (is_changed || expected != (T)(~BITS + 1) || differs(*b, (T)(~BITS + 1))) << 4;
    is_changed = word.compare_exchange_strong(expected, (T)OLD, cuda::memory_order_acq_rel);
    wrong |= (!is_changed || differs(*b, (T)OLD)) << 5;
    return wrong;
}

template <class T>
__device__ unsigned everywhere(between<T> *global, between<T> *shared)
{
    between<T> own;
    return change(global) | change(shared) << 8 | change(&own) << 16;
}

__device__ between<uint8_t> bytes;
__device__ between<uint16_t> halves;
__device__ between<uint32_t> words;
__device__ between<uint64_t> longs;

__global__ void atomics(unsigned *wrong)
{
    __shared__ between<uint8_t> shared_bytes;
    __shared__ between<uint16_t> shared_halves;
    __shared__ between<uint32_t> shared_words;
    __shared__ between<uint64_t> shared_longs;
    wrong[0] = everywhere(&bytes, &shared_bytes);
    wrong[1] = everywhere(&halves, &shared_halves);
    wrong[2] = everywhere(&words, &shared_words);
    wrong[3] = everywhere(&longs, &shared_longs);
}

int main()
{
    unsigned *wrong = new_array<unsigned>(4);
    atomics<<<1, 1>>>(wrong);
    return is_wrong(wrong, 4, [](int) { return 0; }) ? 3 : 0;
}
