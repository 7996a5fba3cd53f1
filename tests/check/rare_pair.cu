// A mistake that two delays show, and only if the second is the longer one: blocks 0 and 1 must wait between
// their two steps until block 2 has looked, and block 0 must go on first.
#include <cuda_runtime.h>

struct steps {
    int first, second, third, fourth, seen, out;
};

__global__ void kernel(struct steps *s, volatile int *own)
{
    if (blockIdx.x == 0) {
        atomicExch(&s->first, 1);
        atomicExch(&s->second, 1);
    } else if (blockIdx.x == 1) {
        atomicExch(&s->third, 1);
        atomicExch(&s->fourth, 1);
        bool has_seen = atomicAdd(&s->seen, 0), has_second = atomicAdd(&s->second, 0);
        if (has_seen && has_second)
            s->out = 1;
    } else {
        for (int i = 0; i < 3000; i++)
            own[0] = i;
        bool has_first = atomicAdd(&s->first, 0), has_second = atomicAdd(&s->second, 0),
             has_third = atomicAdd(&s->third, 0), has_fourth = atomicAdd(&s->fourth, 0);
        if (has_first && !has_second && has_third && !has_fourth)
            atomicExch(&s->seen, 1);
    }
}

int main()
{
    struct steps *s, got;
    int *own;
    cudaMalloc(&s, sizeof *s);
    cudaMalloc(&own, sizeof *own);
    cudaMemset(s, 0, sizeof *s);
    kernel<<<3, 1>>>(s, own);
    cudaMemcpy(&got, s, sizeof got, cudaMemcpyDeviceToHost);
    return got.out;
}
