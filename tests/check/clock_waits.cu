/* Kernels whose lanes wait for the clock in many ways. Prints each kernel's result, in which all
 * readings of the clock count, so that tests/clock_waits can compare what is skipped with what is not. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define AT (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void all(long long cycles, long long *out)
{
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
    out[AT] = clock64();
}

__global__ void each_its_own(long long cycles, long long *out)
{
    long long until = clock64() + cycles + 37 * threadIdx.x + 1001 * blockIdx.x;
    while (clock64() < until) {
    }
    out[AT] = clock64();
}

__global__ void of_32_bits(long long cycles, long long *out)
{
    clock_t start = clock();
    unsigned begun = (unsigned)start;
    while ((unsigned)clock() - begun < (unsigned)cycles) {
    }
    out[AT] = clock64();
}

__global__ void counted(long long cycles, long long *out)
{
    long long start = clock64(), times = 0;
    while (clock64() - start < cycles)
        times++;
    out[AT] = times * 1000003 + clock64();
}

__global__ void one_for_all(long long cycles, long long *out)
{
    long long start = clock64();
    if (threadIdx.x % 64 == 5)
        while (clock64() - start < cycles) {
        }
    __syncthreads();
    out[AT] = clock64();
}

__global__ void two_readings(long long cycles, long long *out)
{
    long long start = clock64(), longest = 0, last = start, now;
    while ((now = clock64()) - start < cycles) {
        if (now - last > longest)
            longest = now - last;
        last = clock64();
    }
    out[AT] = longest * 1000003 + last * 31 + now;
}

__global__ void until_equal(long long cycles, long long *out)
{
    long long start = clock64();
    while ((clock64() - start) % 1024 < 1000) {
    }
    while (((clock64() - start) & 4095) < cycles % 4000) {
    }
    out[AT] = clock64();
}

__global__ void in_window(long long cycles, long long *out)
{
    long long start = clock64(), now;
    do
        now = clock64() - start;
    while (now < cycles || now > cycles + 300 + 100 * threadIdx.x);
    out[AT] = now;
}

__global__ void asleep(long long cycles, long long *out)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        __nanosleep(100);
    out[AT] = clock64();
}

__global__ void with_flag(long long cycles, long long *out, volatile int *flag)
{
    long long start = clock64(), polls = 0;
    if (blockIdx.x == 0) {
        while (clock64() - start < cycles) {
        }
        *flag = 1;
    } else {
        while (!*flag)
            polls++;
    }
    out[AT] = polls * 1000003 + clock64();
}

__global__ void in_double(long long cycles, long long *out)
{
    long long start = clock64();
    while ((double)(clock64() - start) * 0.5 < (double)cycles * 0.5) {
    }
    out[AT] = clock64();
}

__global__ void sums(long long cycles, long long *out)
{
    long long last = clock64(), waited = 0, bits = 0;
    while (waited < cycles) {
        long long now = clock64();
        waited += now - last;
        bits ^= now;
        last = now;
    }
    out[AT] = bits * 31 + last;
}

int main(int argc, char **argv)
{
    long long cycles = argc > 1 ? atoll(argv[1]) : 5000, *out;
    int blocks = argc > 2 ? atoi(argv[2]) : 3, threads = argc > 3 ? atoi(argv[3]) : 70, *flag;
    size_t count = (size_t)blocks * threads;
    long long *host = (long long *)malloc(count * sizeof *host);
    cudaMalloc(&out, count * sizeof *out);
    cudaMalloc(&flag, sizeof *flag);
#define TRY(kernel, ...)                                                                                     \
    do {                                                                                                     \
        uint64_t sum = 0;                                                                                    \
        cudaMemset(flag, 0, sizeof *flag);                                                                   \
        kernel<<<blocks, threads>>>(cycles, out, ##__VA_ARGS__);                                             \
        cudaMemcpy(host, out, count * sizeof *out, cudaMemcpyDeviceToHost);                                  \
        for (size_t i = 0; i < count; i++)                                                                   \
            sum = sum * 31 + (uint64_t)host[i];                                                              \
        printf("%s %llx\n", #kernel, (unsigned long long)sum);                                               \
    } while (0)
    TRY(all);
    TRY(each_its_own);
    TRY(of_32_bits);
    TRY(counted);
    TRY(one_for_all);
    TRY(two_readings);
    TRY(until_equal);
    TRY(in_window);
    TRY(asleep);
    TRY(with_flag, flag);
    TRY(in_double);
    TRY(sums);
    return cudaDeviceSynchronize();
}
