/*
 * Shared by the programs of this folder and of tests/check/. Most run one kernel on zeroed words.
 *
 *     scripts/gpusync-check -DBROKEN tools/bugs/NAME.cu      on the memory machine, one instance
 *     nvcc -arch=native -DBROKEN tools/bugs/NAME.cu && ./a.out 10000000      on a GPU, 10 million instances
 *
 * An instance is a group of blocks with words of its own. The exit status is 1 if any value was wrong.
 */
#ifndef BUG_H
#define BUG_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                  \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

/* The words of memory that one instance of the program uses. */
struct words {
    unsigned data[512], other[512];
    unsigned flag, count, lock, flags[61];
};

/* Waits until the condition is true. On the memory machine, which reports hangs, the wait never gives up.
 * On a GPU it gives up after a while and counts as a wrong value, since a kernel that hangs could not be
 * counted. */
#ifdef GPUSYNC_MACHINE
#define WAIT_UNTIL(condition)                                                                                \
    while (!(condition)) {                                                                                   \
    }
#else
#define WAIT_UNTIL(condition)                                                                                \
    for (int left_ = 1 << 16; !(condition); left_--)                                                         \
        if (!left_) {                                                                                        \
            atomicAdd(wrong, 1ull);                                                                          \
            break;                                                                                           \
        }
#endif

__device__ __forceinline__ unsigned look(const unsigned *p) /* a relaxed load */
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ __forceinline__ unsigned look_acquire(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ __forceinline__ void set(unsigned *p, unsigned value) /* a relaxed store */
{
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
__device__ __forceinline__ void set_release(unsigned *p, unsigned value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

__device__ __forceinline__ void expect(unsigned value, unsigned expected, unsigned long long *wrong)
{
    if (value != expected)
        atomicAdd(wrong, 1ull);
}

/* Launches a kernel in clusters of `cluster` blocks; 0 means without clusters. If `dependent` is set, the
 * kernel may begin before the previous kernel of the stream has ended (a programmatic dependent launch). */
template <class... Parameters, class... Arguments>
void launch_with(void (*kernel)(Parameters...), dim3 grid, unsigned threads, unsigned cluster, bool dependent,
                 Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2];
    config.gridDim = grid;
    config.blockDim = threads;
    config.attrs = attributes;
    if (cluster) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {cluster, 1, 1};
    }
    if (dependent) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/* Runs the instances, and prints how many values were wrong. Each instance consists of `launches` launches;
 * its words are zeroed before the first of them only. */
template <class Launch>
int run(Launch launch_all, int argc, char **argv, int launches = 1)
{
    long long asked = argc > 1 ? atoll(argv[1]) : 1;
    unsigned instances = asked > 256 ? 256 : 1;
    words *all;
    unsigned long long *wrong, host = 0;
    CHECK(cudaMalloc((void **)&all, instances * sizeof *all));
    CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    for (long long done = 0; done < asked; done += instances) {
        CHECK(cudaMemsetAsync(all, 0, instances * sizeof *all));
        for (int launch = 0; launch < launches; launch++)
            launch_all(instances, all, wrong, launch);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost));
    printf("%llu wrong in %lld instances\n", host, asked);
    return host != 0;
}

#define BUG_BODY(name)                                                                                       \
    __device__ __forceinline__ void name(words *w, unsigned block, unsigned thread, int launch,              \
                                         unsigned long long *wrong)
#define BUG_KERNEL(kernel, name)                                                                             \
    BUG_BODY(name);                                                                                          \
    __global__ void kernel(words *all, unsigned long long *wrong, int launch)                                \
    {                                                                                                        \
        name(all + blockIdx.y, blockIdx.x, threadIdx.x, launch, wrong);                                      \
    }

/* Defines the kernel and main(), and begins the function that is the kernel's body. In the body, `w` points
 * to the instance's words, `block` is the number of the block in its instance, and `thread` is the number of
 * the thread in its block. */
#define BUG_IN_CLUSTERS_OF(size, blocks, threads, ...)                                                       \
    BUG_KERNEL(kernel, bug)                                                                                  \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        return run(                                                                                          \
            [](unsigned instances, words *all, unsigned long long *wrong, int launch) {                      \
                launch_with(kernel, dim3(blocks, instances), threads, size, false, all, wrong, launch);      \
            },                                                                                               \
            argc, argv, ##__VA_ARGS__);                                                                      \
    }                                                                                                        \
    BUG_BODY(bug)
#define BUG(blocks, threads, ...) BUG_IN_CLUSTERS_OF(0, blocks, threads, ##__VA_ARGS__)
#define BUG_IN_CLUSTERS(blocks, threads) BUG_IN_CLUSTERS_OF(blocks, blocks, threads)

/* Defines two kernels of one block each and main(), and begins the body of the first kernel. SECOND_KERNEL()
 * begins the body of the second kernel, which main() launches as a dependent one. */
#define BUG_OF_TWO_KERNELS(threads)                                                                          \
    BUG_KERNEL(first_kernel, first)                                                                          \
    BUG_KERNEL(second_kernel, second)                                                                        \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        return run(                                                                                          \
            [](unsigned instances, words *all, unsigned long long *wrong, int launch) {                      \
                launch_with(first_kernel, dim3(1, instances), threads, 0, false, all, wrong, launch);        \
                launch_with(second_kernel, dim3(1, instances), threads, 0, true, all, wrong, launch);        \
            },                                                                                               \
            argc, argv);                                                                                     \
    }                                                                                                        \
    BUG_BODY(first)
#define SECOND_KERNEL() BUG_BODY(second)

/* ---- for programs that launch kernels of their own ---- */

/* Returns an array on the device that has never been written. */
template <class T = int>
T *new_array(size_t count)
{
    T *array;
    CHECK(cudaMalloc((void **)&array, count * sizeof(T)));
    return array;
}

template <class T = int>
T *new_zeros(size_t count)
{
    T *array = new_array<T>(count);
    CHECK(cudaMemset(array, 0, count * sizeof(T)));
    return array;
}

/* Returns an array on the device with the numbers 0, 1, 2 ... */
template <class T = int>
T *new_numbers(size_t count)
{
    T *array = new_array<T>(count);
    for (size_t i = 0; i < count; i++) {
        T number = (T)i;
        CHECK(cudaMemcpy(array + i, &number, sizeof number, cudaMemcpyHostToDevice));
    }
    return array;
}

/* Returns the exit status of a program that launches no further kernel. */
static inline int ended(void)
{
    return cudaDeviceSynchronize() != cudaSuccess;
}

/* Returns 1 if an element of an array on the device is not what `expected` returns for its index, or 0. */
template <class T, class Expected>
int is_wrong(const T *array, int count, Expected expected)
{
    for (int i = 0; i < count; i++) {
        T got;
        CHECK(cudaMemcpy(&got, array + i, sizeof got, cudaMemcpyDeviceToHost));
        if (got != (T)expected(i))
            return printf("element %d is wrong\n", i), 1;
    }
    return 0;
}

#endif
