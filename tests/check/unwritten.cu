/* Reads global and shared memory that has never been written. The results are not checked. */
// expect: right
// expect -DGLOBAL: unwritten "sum += in[threadIdx.x]" "[64] of the array from"
// expect -DGLOBAL -DFURTHER=20971520: unwritten "sum += in[threadIdx.x]" "[64] of the array from"
// expect -DSHARED: unwritten "sum += tile[63 - threadIdx.x]" "tile[63]"
// expect -DDYNAMIC: unwritten "sum += more[threadIdx.x]" "more[1] (dynamic shared memory)"
// expect -DPARTS=0: unwritten "out[set] = parts[set]" "4 bytes at parts"
// expect -DADDED: unwritten "atomicAdd(&count[0], 1)" "4 bytes at count"
// expect -DCOPY: unwritten "__pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x]"
// expect -DUNORDERED: race "memcpy(copy_of_text, text" "reads text"
// expect -DAFTER_ANOTHER_BLOCK: unwritten "sum += tile[63 - threadIdx.x]" "tile[31]"
// expect -DTO_HOST=47: right
// expect -DTO_HOST=48: unwritten "got[TO_HOST] == 1" "cudaMemcpy(got, part" "nobody has written"
#include "tools/bugs/bug.h"
#include <cuda_pipeline.h>
#ifndef PARTS /* the first of the sets of a word's bytes that are written, as bits */
#define PARTS 1
#endif
#ifndef FURTHER /* words of the array that nobody accesses; arrays above 64 MiB have no pattern */
#define FURTHER 0
#endif

struct padded {
    char letter;
    double number;
};

__global__ void sums(const int *in, const padded *pairs, int *out)
{
    __shared__ int tile[64];
    __shared__ int count[1];
    extern __shared__ int more[];
    __shared__ padded pair[2], copied;
    __shared__ char text[8], copy_of_text[8];
    int sum = 0;
#ifdef COPY
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
    sum += in[threadIdx.x];
#ifdef SHARED
    tile[threadIdx.x / 2] = sum;
#elif defined AFTER_ANOTHER_BLOCK
    if (blockIdx.x == 0 || threadIdx.x >= 32)
        tile[threadIdx.x] = sum; /* other blocks read the content that block 0 has left in shared memory */
#else
    tile[threadIdx.x] = sum;
#endif
#ifndef DYNAMIC
    more[threadIdx.x] = (int)0xcbcbcbcb;
#else
    if (threadIdx.x != 1)
        more[threadIdx.x] = (int)0xcbcbcbcb;
#endif
#ifndef ADDED
    if (threadIdx.x == 0)
        atomicExch(&count[0], 0); /* allowed as the first access, because the old value is not used */
#endif
    if (threadIdx.x < 2) { /* the bytes between the members of a padded struct need not be written */
        pair[threadIdx.x].letter = pairs[threadIdx.x].letter;
        pair[threadIdx.x].number = pairs[threadIdx.x].number;
    }
#ifdef UNORDERED
    if (threadIdx.x == 3)
        memset(text, 8, sizeof text);
#endif
    if (threadIdx.x == 2) { /* the machine sees these functions of the library */
        memset(text, 7, sizeof text);
        memcpy(copy_of_text, text, blockDim.x / 8);
    }
    if (threadIdx.x == 4) { /* the machine does not see this function of the compiler */
        __builtin_memset(more + 64, 0, 24);
        sum += more[62 + threadIdx.x];
    }
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    sum += more[threadIdx.x];
    if (threadIdx.x == 0)
        copied = pair[1];
    if (threadIdx.x == 2)
        sum += copy_of_text[7];
    atomicAdd(&count[0], 1);
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

/* A word counts as written if any of its bytes is. */
__global__ void read_parts(int *out)
{
    __shared__ int parts[16];
    for (int set = PARTS; set < 16; set++) {
        for (int byte = 0; byte < 4; byte++)
            if (set >> byte & 1)
                ((char *)&parts[set])[byte] = 1;
        out[set] = parts[set];
    }
}

__global__ void write_pairs(padded *pairs)
{
    pairs[threadIdx.x].letter = 'a';
    pairs[threadIdx.x].number = 1.0;
}

int main()
{
#ifdef TO_HOST /* the host looks at a part of what it has copied, and at structs with padding */
    padded back[2], *written = new_array<padded>(2), copy;
    write_pairs<<<1, 2>>>(written);
    cudaMemcpy(back, written, sizeof back, cudaMemcpyDeviceToHost);
    copy = back[1];
    int *part = new_array(64), got[64];
    cudaMemset(part, 0, 48 * sizeof *part);
    cudaMemcpy(got, part, sizeof got, cudaMemcpyDeviceToHost);
    if (got[TO_HOST] == 1 || copy.letter != 'a')
        return 1;
#endif
    int *in = new_array(128 + FURTHER), *out = new_array(6 * 64), *managed;
    padded *pairs = new_array<padded>(2);
    cudaMallocManaged(&managed, 64 * sizeof *managed);
    padded host[2] = {{'a', 1.0}, {'b', 2.0}};
    cudaMemcpy(pairs, host, sizeof host, cudaMemcpyHostToDevice);
    memset(managed, 0, 64 * sizeof *managed);
#if defined GLOBAL || defined COPY
    cudaMemset(in, 0, 64 * sizeof *in);
    in += 64;
#else
    cudaMemset(in, 0xcb, 128 * sizeof *in); /* the byte that memory contains before it is written */
#endif
    sums<<<6, 64, 280>>>(in, pairs, out);
    sums<<<1, 64, 280>>>(out + 64, pairs, out); /* what a kernel has written */
    sums<<<1, 64, 280>>>(managed, pairs, out);
    read_parts<<<1, 1>>>(out);
    return ended();
}
