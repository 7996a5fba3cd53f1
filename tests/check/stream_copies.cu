/* Asynchronous copies from and to pinned memory, in two streams. Each copy must be ordered with the kernel,
 * the other copy and what main() does. EACH makes copies of every kind between every two kinds of memory, of
 * one, two and three dimensions, and compares them with plain loops (CUDA Runtime API, "API synchronization
 * behavior"). LESS is a number of dimensions: nobody waits for the copies with so many from pinned memory. */
// expect: right
// expect -DEACH: right
// expect -DEACH -DLESS=1: race "source.bytes[i] = 0;" "cudaMemcpyAsync(to, from, 17,"
// expect -DEACH -DLESS=2: race "source.bytes[i] = 0;" "cudaMemcpy2DAsync(to,"
// expect -DEACH -DLESS=3: race "source.bytes[i] = 0;" "cudaMemcpy3DAsync(&c,"
// expect -DHOST_WRITES: race "host[1] = 7;" "cudaMemcpyAsync(words, host," "the host"
// expect -DNO_WAIT: race "p[threadIdx.x] *= 2;" "cudaMemcpyAsync(words, host,"
// expect -DOVERWRITES: race "cudaMemcpyAsync(words, host," "cudaMemcpyAsync(words, more,"
// expect -DHOST_READS: race "wrong += result[i] != 2 * i;" "cudaMemcpyAsync(result, words,"
// expect -DONE_STREAM -DKERNEL_LATER: right
// expect -DONE_STREAM -DKERNEL_LATER -DHOST_READS: race "wrong += result[i]" "cudaMemcpyAsync(result, words,"
#include "tools/bugs/bug.h"

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

#ifdef EACH
#ifndef LESS
#define LESS 0
#endif
enum memory { DEVICE, PINNED, PAGEABLE };
static const unsigned PITCH[2] = {20, 24}, ROWS[2] = {4, 5}, BYTES = 24 * 5 * 2;

struct buffer {
    memory kind;
    unsigned char *bytes;
    explicit buffer(memory of) : kind(of)
    {
        if (kind == DEVICE)
            cudaMalloc(&bytes, BYTES);
        else if (kind == PINNED)
            cudaMallocHost(&bytes, BYTES);
        else
            bytes = new unsigned char[BYTES];
    }
    void set(const unsigned char *content) { cudaMemcpy(bytes, content, BYTES, cudaMemcpyDefault); }
    void get(unsigned char *content) const
    {
        if (kind == DEVICE)
            cudaMemcpy(content, bytes, BYTES, cudaMemcpyDeviceToHost);
        for (unsigned i = 0; i < BYTES && kind != DEVICE; i++)
            content[i] = bytes[i];
    }
};

static void copy(unsigned char *to, unsigned char *from, unsigned dimensions, cudaMemcpyKind kind,
                 bool is_async, cudaStream_t stream)
{
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(from, PITCH[0], 17, ROWS[0]);
    c.dstPtr = make_cudaPitchedPtr(to, PITCH[1], 17, ROWS[1]);
    c.extent = make_cudaExtent(17, 3, 2);
    c.kind = kind;
    if (dimensions == 1)
        is_async ? cudaMemcpyAsync(to, from, 17, kind, stream) : cudaMemcpy(to, from, 17, kind);
    else if (dimensions == 2)
        is_async ? cudaMemcpy2DAsync(to, PITCH[1], from, PITCH[0], 17, 3, kind, stream)
                 : cudaMemcpy2D(to, PITCH[1], from, PITCH[0], 17, 3, kind);
    else
        is_async ? cudaMemcpy3DAsync(&c, stream) : cudaMemcpy3D(&c);
}

/* Returns whether the target differs from what plain loops copy. The host changes the source as soon as it
 * may, and looks at the target as soon as it may. */
static bool differs(memory from, memory to, unsigned dimensions, bool by_default, bool is_async,
                    cudaStream_t stream)
{
    buffer source(from), target(to);
    unsigned char before[BYTES], after[BYTES], got[BYTES];
    for (unsigned i = 0; i < BYTES; i++)
        before[i] = (unsigned char)(i + 1), after[i] = 255;
    source.set(before);
    target.set(after);
    cudaDeviceSynchronize();
    cudaMemcpyKind kind = by_default                       ? cudaMemcpyDefault
                          : from != DEVICE && to != DEVICE ? cudaMemcpyHostToHost
                          : from != DEVICE                 ? cudaMemcpyHostToDevice
                          : to != DEVICE                   ? cudaMemcpyDeviceToHost
                                                           : cudaMemcpyDeviceToDevice;
    copy(target.bytes, source.bytes, dimensions, kind, is_async, stream);
    if (is_async && from == PINNED && to == DEVICE && dimensions != LESS)
        cudaStreamSynchronize(stream);
    for (unsigned i = 0; i < BYTES && from != DEVICE && (from == PAGEABLE || to == DEVICE); i++)
        source.bytes[i] = 0;
    if (is_async && to != PAGEABLE)
        cudaStreamSynchronize(stream);
    for (unsigned z = 0; z < (dimensions > 2 ? 2 : 1); z++)
        for (unsigned y = 0; y < (dimensions > 1 ? 3 : 1); y++)
            for (unsigned x = 0; x < 17; x++)
                after[(z * ROWS[1] + y) * PITCH[1] + x] = before[(z * ROWS[0] + y) * PITCH[0] + x];
    target.get(got);
    return memcmp(got, after, BYTES) != 0;
}

static int differing_copies()
{
    int wrong = 0;
    cudaStream_t stream;
    twice<<<1, 32>>>(new_numbers(32)); /* without a kernel nothing is checked */
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (memory from : {DEVICE, PINNED, PAGEABLE})
        for (memory to : {DEVICE, PINNED, PAGEABLE})
            for (unsigned dimensions = 1; dimensions <= 3; dimensions++)
                for (bool by_default : {false, true})
                    for (bool is_async : {false, true})
                        if (differs(from, to, dimensions, by_default, is_async, stream)) {
                            printf("from %d to %d, %u dimensions, default %d, asynchronous %d\n", from, to,
                                   dimensions, by_default, is_async);
                            wrong++;
                        }
    return wrong;
}
#endif

int main()
{
#ifdef EACH
    return differing_copies() != 0;
#endif
    const int n = 32;
    const size_t bytes = n * sizeof(int);
    int *words = new_array(n), *more = new_array(n), *host, *result, wrong = 0;
    cudaStream_t up, down;
    cudaEvent_t copied;
    cudaMallocHost(&host, bytes);
    cudaHostAlloc(&result, bytes, cudaHostAllocDefault);
#ifdef ONE_STREAM
    up = down = nullptr;
#else
    cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking);
#endif
    cudaEventCreate(&copied);
    for (int i = 0; i < n; i++)
        host[i] = i;
#ifdef OVERWRITES
    cudaMemcpyAsync(words, more, bytes, cudaMemcpyDeviceToDevice, down);
#endif
    cudaMemcpyAsync(words, host, bytes, cudaMemcpyHostToDevice, up);
#ifdef HOST_WRITES
    host[1] = 7;
#endif
    cudaEventRecord(copied, up);
#ifndef NO_WAIT
    cudaStreamWaitEvent(down, copied);
#endif
    twice<<<1, n, 0, down>>>(words);
    cudaMemcpyAsync(result, words, bytes, cudaMemcpyDeviceToHost, down);
#ifdef KERNEL_LATER
    twice<<<1, n, 0, down>>>(words);
#endif
#ifndef HOST_READS
    cudaStreamSynchronize(down);
#endif
    for (int i = 0; i < n; i++)
        wrong += result[i] != 2 * i;
    return wrong != 0;
}
