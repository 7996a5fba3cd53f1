/*
 * The types of textures, surfaces and CUDA arrays (CUDA Runtime API), and their functions, which the machine
 * does not have: a program that uses one is refused at its own line. The types are here because headers that
 * hold them (CUB's, for example) are included by programs that use no texture.
 */
#ifndef GPUSYNC_CHECK_TEXTURES_H
#define GPUSYNC_CHECK_TEXTURES_H

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
enum {
    cudaArrayDefault,
    cudaArrayLayered,
    cudaArraySurfaceLoadStore,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8
};
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return {8 * (int)sizeof(T), 0, 0, 0, cudaChannelFormatKindNone};
}
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return {x, y, z, w, f};
}

/* A call of a function with the attribute `error` is an error at the line of the call if it is compiled. */
#define NOT_THERE(name) "textures and surfaces (" #name ") are not there"
#define REFUSED(name) extern void gpusync_no_##name() __attribute__((error(NOT_THERE(name))));
#define REFUSED_READ(name)                                                                                   \
    REFUSED(name)                                                                                            \
    template <class T, class... Arguments>                                                                   \
    CHECK_DEVICE T name(Arguments...)                                                                        \
    {                                                                                                        \
        gpusync_no_##name();                                                                                 \
        return T();                                                                                          \
    }
#define REFUSED_CALL(name)                                                                                   \
    REFUSED(name)                                                                                            \
    template <class... Arguments>                                                                            \
    CHECK_METHOD cudaError_t name(Arguments...)                                                              \
    {                                                                                                        \
        gpusync_no_##name();                                                                                 \
        return cudaErrorNotSupported;                                                                        \
    }
REFUSED_READ(tex1Dfetch)
REFUSED_READ(tex1D)
REFUSED_READ(tex1DLayered)
REFUSED_READ(tex1DLod)
REFUSED_READ(tex2D)
REFUSED_READ(tex2DLayered)
REFUSED_READ(tex2DLod)
REFUSED_READ(tex2Dgather)
REFUSED_READ(tex3D)
REFUSED_READ(texCubemap)
REFUSED_READ(texCubemapLayered)
REFUSED_READ(surf1Dread)
REFUSED_READ(surf2Dread)
REFUSED_READ(surf3Dread)
REFUSED_CALL(surf1Dwrite)
REFUSED_CALL(surf2Dwrite)
REFUSED_CALL(surf3Dwrite)
REFUSED_CALL(cudaCreateTextureObject)
REFUSED_CALL(cudaDestroyTextureObject)
REFUSED_CALL(cudaCreateSurfaceObject)
REFUSED_CALL(cudaDestroySurfaceObject)
REFUSED_CALL(cudaMallocArray)
REFUSED_CALL(cudaMalloc3DArray)
REFUSED_CALL(cudaMallocMipmappedArray)
REFUSED_CALL(cudaGetMipmappedArrayLevel)
REFUSED_CALL(cudaFreeArray)
REFUSED_CALL(cudaFreeMipmappedArray)
REFUSED_CALL(cudaMemcpyToArray)
REFUSED_CALL(cudaMemcpy2DToArray)
REFUSED_CALL(cudaMemcpy2DToArrayAsync)
REFUSED_CALL(cudaMemcpy2DFromArray)
#undef NOT_THERE
#undef REFUSED
#undef REFUSED_READ
#undef REFUSED_CALL

#endif
