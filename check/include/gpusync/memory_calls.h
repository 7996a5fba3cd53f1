/* The functions of the CUDA runtime that allocate, set and copy memory. */
#ifndef GPUSYNC_CHECK_MEMORY_CALLS_H
#define GPUSYNC_CHECK_MEMORY_CALLS_H

/* Allocates memory for a pointer to any type, as the C++ interface of the CUDA runtime does. */
template <class T>
cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return (cudaMalloc)((void **)pointer, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned = 0)
{
    return (cudaMallocHost)((void **)pointer, bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned)
{
    return (cudaMallocHost)((void **)pointer, bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned = cudaMemAttachGlobal)
{
    return (cudaMallocHost)((void **)pointer, bytes);
}
template <class T>
CHECK_METHOD cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return machine_malloc_async((void **)pointer, bytes, stream);
}
static inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return machine_free_async(pointer, stream);
}
/* These overloads leave out the last parameters, for which the CUDA runtime has default values. */
static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned)
{
    *device = (T *)host;
    return cudaSuccess;
}
/* These are inlined so that a report names the line of the program that calls them. */
template <class T>
CHECK_METHOD cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                            cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    machine_check_symbol(&symbol, sizeof symbol, offset, bytes);
    return cudaMemcpy((char *)&symbol + offset, from, bytes, cudaMemcpyHostToDevice);
}
template <class T>
CHECK_METHOD cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                              cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    machine_check_symbol(&symbol, sizeof symbol, offset, bytes);
    return cudaMemcpy(to, (const char *)&symbol + offset, bytes, cudaMemcpyDeviceToHost);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    *address = (void *)&symbol;
    return cudaSuccess;
}
template <class T>
cudaError_t cudaHostRegister(T *pointer, size_t bytes, unsigned)
{
    return machine_host_register((void *)pointer, bytes);
}
template <class T>
cudaError_t cudaHostUnregister(T *pointer)
{
    return machine_host_unregister((void *)pointer);
}
template <class... Ignored>
cudaError_t cudaMemPrefetchAsync(const void *, size_t, Ignored...)
{
    return cudaSuccess;
}
template <class Location>
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, Location)
{
    return cudaSuccess;
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *, size_t = 0, unsigned = cudaMemAttachSingle)
{
    return cudaSuccess;
}
static inline cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *total = (size_t)1 << 33;
    *free = *total - *total / 16;
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
static inline cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes,
                                              cudaStream_t stream = nullptr)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
template <class T>
CHECK_METHOD cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind, cudaStream_t stream = nullptr)
{
    machine_check_symbol(&symbol, sizeof symbol, offset, bytes);
    return cudaMemcpyAsync((char *)&symbol + offset, from, bytes, cudaMemcpyHostToDevice, stream);
}
template <class T>
CHECK_METHOD cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                                   cudaMemcpyKind, cudaStream_t stream = nullptr)
{
    machine_check_symbol(&symbol, sizeof symbol, offset, bytes);
    return cudaMemcpyAsync(to, (const char *)&symbol + offset, bytes, cudaMemcpyDeviceToHost, stream);
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t *bytes, const T &)
{
    *bytes = sizeof(T);
    return cudaSuccess;
}

/* ---- pools: cudaMallocAsync() takes memory from no pool here ---- */

static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int)
{
    *pool = nullptr;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int)
{
    *pool = nullptr;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
    *pool = nullptr;
    return cudaSuccess;
}
static inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}
static inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t)
{
    return cudaSuccess;
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t, cudaStream_t stream)
{
    return cudaMallocAsync(pointer, bytes, stream);
}

/* ---- rows and planes ---- */

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return {width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return {x, y, z};
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height)
{
    return {pointer, pitch, width, height};
}
/* Rows begin at multiples of 512 bytes, as on GPUs. */
template <class T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}
static inline cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent)
{
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}
namespace gpusync_check
{
/* These are inlined so that a report names the line of the program that calls them. */
CHECK_METHOD cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                 size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    machine_copy copy = {to, from, to_pitch, 0, from_pitch, 0, width, height, 1, kind};
    return machine_copy_rows(&copy, stream, waits);
}
CHECK_METHOD cudaError_t set_2d(void *to, size_t pitch, int value, size_t width, size_t height,
                                cudaStream_t stream, bool waits)
{
    machine_setting setting = {to, pitch, (unsigned char)value, 1, width, height};
    return machine_set_rows(&setting, stream, waits);
}
/* One side of a copy of planes: a CUDA array, in which positions count texels, or a pitched pointer, in
 * which they count bytes. */
struct side {
    char *at;
    size_t pitch, plane;
};
CHECK_METHOD side side_of(cudaArray_t array, const cudaPitchedPtr &pointer, const cudaPos &pos)
{
    if (array)
        return {array->at(pos.x, pos.y, pos.z), array->pitch(), array->pitch() * array->rows()};
    size_t plane = pointer.pitch * pointer.ysize;
    return {(char *)pointer.ptr + pos.x + pointer.pitch * pos.y + plane * pos.z, pointer.pitch, plane};
}
/* Widths count texels if an array takes part. */
CHECK_METHOD machine_copy copy_of(const cudaMemcpy3DParms *p)
{
    side to = side_of(p->dstArray, p->dstPtr, p->dstPos), from = side_of(p->srcArray, p->srcPtr, p->srcPos);
    size_t unit = p->dstArray ? p->dstArray->texel : p->srcArray ? p->srcArray->texel : 1;
    size_t height = p->extent.height, depth = p->extent.depth;
    if (p->dstArray || p->srcArray) { /* the array's height and depth may be 0, which stands for 1 */
        height = height ? height : 1;
        depth = depth ? depth : 1;
    }
    return {to.at,  from.at, to.pitch, to.plane, from.pitch, from.plane, p->extent.width * unit,
            height, depth,   p->kind};
}
CHECK_METHOD cudaError_t copy_3d(const cudaMemcpy3DParms *p, cudaStream_t stream, bool waits)
{
    machine_copy copy = copy_of(p);
    return machine_copy_rows(&copy, stream, waits);
}
} // namespace gpusync_check

static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                       size_t width, size_t height, cudaMemcpyKind kind)
{
    return gpusync_check::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, nullptr, true);
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr)
{
    return gpusync_check::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}
static inline cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return gpusync_check::set_2d(to, pitch, value, width, height, nullptr, true);
}
static inline cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t stream = nullptr)
{
    return gpusync_check::set_2d(to, pitch, value, width, height, stream, false);
}
static inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                                            cudaStream_t stream = nullptr)
{
    for (size_t plane = 0; plane < extent.depth; plane++) {
        cudaError_t error = gpusync_check::set_2d((char *)to.ptr + plane * to.pitch * to.ysize, to.pitch,
                                                  value, extent.width, extent.height, stream, false);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}
static inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent);
}
static inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
    return gpusync_check::copy_3d(p, nullptr, true);
}
static inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream = nullptr)
{
    return gpusync_check::copy_3d(p, stream, false);
}

#endif
