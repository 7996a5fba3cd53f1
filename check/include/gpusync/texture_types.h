/* The types of textures, surfaces and CUDA arrays (CUDA Runtime API). */
#ifndef GPUSYNC_CHECK_TEXTURE_TYPES_H
#define GPUSYNC_CHECK_TEXTURE_TYPES_H

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

/* A CUDA array has its texels in order of x, y and z, without gaps; the layers of a layered array, and the
 * faces of a cube, are planes. */
struct cudaArray {
    cudaChannelFormatDesc desc;
    /* number of texels in each dimension; a height or depth of 0 means that the array does not have this
     * dimension */
    cudaExtent extent;
    unsigned flags;
    size_t texel; /* bytes */
    void *memory;

    size_t rows() const { return extent.height ? extent.height : 1; }
    size_t planes() const { return extent.depth ? extent.depth : 1; }
    size_t pitch() const { return extent.width * texel; }
    /* Returns the address of a texel. */
    char *at(size_t x, size_t y, size_t z) const
    {
        return (char *)memory + (z * rows() + y) * pitch() + x * texel;
    }
};

#endif
