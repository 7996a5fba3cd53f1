/* A kernel of one GPU polls a flag that a kernel of another sets in its memory: only system scope reaches the
 * other GPU. Each has a default stream of its own, and cudaDeviceSynchronize() waits for one of them. */
// expect --gpus 2 -DSCOPE=sys: right
// expect --gpus 2 -DSCOPE=gpu: race "seen = *data" "*data = 5"
// expect --gpus 2 -DSCOPE=gpu -DONE: right
// expect --gpus 2 -DSCOPE=sys -DNO_WAIT: race "data[2] = 7" "out[0] ="
// expect -DSCOPE=sys: refused "status 2"
#include <cuda_runtime.h>
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

__global__ void receive(int *data, int *out)
{
    int seen = 0;
    while (!seen)
        asm volatile("ld.acquire." TEXT(SCOPE) ".global.u32 %0, [%1];"
                     : "=r"(seen)
                     : "l"(data + 1)
                     : "memory");
    seen = *data;
    out[0] = seen;
}

__global__ void send(int *data)
{
    *data = 5;
    asm volatile("st.release." TEXT(SCOPE) ".global.u32 [%0], 1;" ::"l"(data + 1) : "memory");
}

__global__ void after(int *data)
{
    data[2] = 7;
}

int main()
{
    int count = 0, *data, got = 0;
    cudaStream_t streams[2];
    cudaGetDeviceCount(&count);
    if (count < 2)
        return 2;
    cudaMalloc(&data, 16);
    cudaMemset(data, 0, 16);
    cudaDeviceEnablePeerAccess(1, 0);
#ifdef ONE
    for (cudaStream_t &stream : streams)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    receive<<<1, 1, 0, streams[0]>>>(data, data + 2);
    send<<<1, 1, 0, streams[1]>>>(data);
#else
    cudaDeviceSynchronize();
    receive<<<1, 1>>>(data, data + 2);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    send<<<1, 1>>>(data);
#ifdef NO_WAIT
    cudaDeviceSynchronize();
    after<<<1, 1>>>(data); // receive() may still write
#endif
    cudaDeviceSynchronize();
    cudaSetDevice(0);
#endif
    cudaDeviceSynchronize();
    cudaMemcpy(&got, data + 2, sizeof got, cudaMemcpyDeviceToHost);
    return got != 5 && got != 7;
}
