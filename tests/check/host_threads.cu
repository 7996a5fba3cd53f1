/* Threads of the host that call CUDA are let into its functions one at a time. */
// expect: right
#include <cuda_runtime.h>
#include <thread>
#include <vector>
#include <numeric>
__global__ void add(int *p)
{
    p[threadIdx.x] += 1;
}
int main()
{
    int wrong[4] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([t, &wrong] {
            int *p, *q, got[32];
            cudaStream_t s;
            std::vector<int> own(1000);
            std::iota(own.begin(), own.end(), 0);
            cudaMalloc(&p, sizeof got);
            cudaMallocManaged(&q, sizeof got);
            cudaStreamCreate(&s);
            for (int i = 0; i < 32; i++)
                q[i] = i;
            cudaMemsetAsync(p, 0, sizeof got, s);
            for (int i = 0; i < 20; i++) {
                add<<<1, 32, 0, s>>>(p);
                own[i] += own[i + 1];
                add<<<1, 32, 0, s>>>(q);
            }
            cudaMemcpyAsync(got, p, sizeof got, cudaMemcpyDeviceToHost, s);
            cudaStreamSynchronize(s);
            for (int i = 0; i < 32; i++)
                wrong[t] += got[i] != 20 || q[i] != i + 20;
        });
    for (std::thread &t : threads)
        t.join();
    return wrong[0] + wrong[1] + wrong[2] + wrong[3];
}
