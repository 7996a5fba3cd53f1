/* Atomic accesses of each width, in shared memory, in global memory and in a thread's own variables: each
 * changes the bytes of its word and no others. Each function of CUDA on random values stores what its
 * definition says (CUDA C++ Programming Guide, "Atomic Functions"). */
// expect: right
// expect -DNARROW: wrong "status 3"
// expect -DLOCAL: outside "changes local memory by an atomic operation"
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
    unsigned wrong = change(global) | change(shared) << 8;
#ifdef LOCAL
    between<T> own; /* libcu++ of CUDA 13.0 makes atomic operations on local memory, which GPUs do not have */
    wrong |= change(&own) << 16;
#endif
    return wrong;
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

/* ---- functions on random values ---- */

enum { VALUES = 256, FUNCTIONS = 9, INCREMENTS = 7 };

/* The definition of a function: what it stores. The last two functions are for unsigned words alone. */
template <class T>
T stored(int function, T old, T value, T compared)
{
    const T all[FUNCTIONS] = {old + value,
                              value,
                              old < value ? old : value,
                              old > value ? old : value,
                              old & value,
                              old | value,
                              old == compared ? value : old,
                              old >= value ? 0 : old + 1,
                              old == 0 || old > value ? value : old - 1};
    return all[function];
}

template <class T>
__device__ T increase(int function, T *word, T value)
{
    return value;
}
__device__ unsigned increase(int function, unsigned *word, unsigned value)
{
    return function == INCREMENTS ? atomicInc(word, value) : atomicDec(word, value);
}

/* Sets words[f][i] to what function f stores in a word that holds old[i], and returns the old value. */
template <class T>
__global__ void call_each(const T *old, T *words, T *returned)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        T *word = &words[f * VALUES + threadIdx.x], value = old[threadIdx.x + 1],
          compared = old[threadIdx.x + 2];
        *word = old[threadIdx.x];
        returned[f * VALUES + threadIdx.x] = f == 0   ? atomicAdd(word, value)
                                             : f == 1 ? atomicExch(word, value)
                                             : f == 2 ? atomicMin(word, value)
                                             : f == 3 ? atomicMax(word, value)
                                             : f == 4 ? atomicAnd(word, value)
                                             : f == 5 ? atomicOr(word, value)
                                             : f == 6 ? atomicCAS(word, compared, value)
                                                      : increase(f, word, value);
    }
}

/* Half of the values are small, so that equal ones and ones above a limit occur. */
template <class T>
int wrong_functions(int functions)
{
    T old[VALUES + 2], *numbers = new_array<T>(VALUES + 2), *words = new_array<T>(FUNCTIONS * VALUES),
                       *returned = new_array<T>(FUNCTIONS * VALUES), got[2][FUNCTIONS * VALUES];
    uint64_t state = sizeof(T);
    for (T &number : old) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        number = (T)(state >> 8 & 1 ? state >> 60 : state ^ state >> 32);
    }
    cudaMemcpy(numbers, old, sizeof old, cudaMemcpyHostToDevice);
    call_each<<<1, VALUES>>>(numbers, words, returned);
    cudaMemcpy(got[0], words, sizeof got[0], cudaMemcpyDeviceToHost);
    cudaMemcpy(got[1], returned, sizeof got[1], cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int at = 0; at < functions * VALUES; at++) {
        int i = at % VALUES;
        wrong += got[0][at] != stored(at / VALUES, old[i], old[i + 1], old[i + 2]) || got[1][at] != old[i];
    }
    return wrong;
}

int main()
{
    if (wrong_functions<unsigned>(FUNCTIONS) || wrong_functions<int>(INCREMENTS) ||
        wrong_functions<unsigned long long>(INCREMENTS))
        return 4;
    unsigned *wrong = new_array<unsigned>(4);
    atomics<<<1, 1>>>(wrong);
    return is_wrong(wrong, 4, [](int) { return 0; }) ? 3 : 0;
}
