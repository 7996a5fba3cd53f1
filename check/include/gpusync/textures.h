/*
 * The functions of CUDA arrays, textures and surfaces. A kernel reads a texture by loading the texels that
 * machine/cuda/texture_calls.h computes. Features that the machine does not have (mipmaps, gathers) are
 * refused at the program's own line.
 */
#ifndef GPUSYNC_CHECK_TEXTURES_H
#define GPUSYNC_CHECK_TEXTURES_H

#include "machine/cuda/texture_calls.h"

namespace gpusync_check
{
/* ---- texels ---- */

/* Properties of a CUDA vector type or scalar as a texel: the type of a component, and the number of
 * components. */
template <class T, class = void>
struct texel_of {
    typedef T component;
    static constexpr unsigned components = 1;
};
template <class T>
struct texel_of<T, std::void_t<decltype(T::x)>> {
    typedef decltype(T::x) component;
    static constexpr unsigned components = sizeof(T) / sizeof(component);
};

/* Converts the bits of a number of 16 bits (IEEE 754, binary16). */
static inline float float_of_half(unsigned short bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? __builtin_nanf("") : __builtin_inff())
                 : exponent     ? __builtin_ldexpf((float)(1024 + fraction), exponent - 25)
                                : __builtin_ldexpf((float)fraction, -24);
    return bits >> 15 ? -size : size;
}

/* Loads a component of a texel as a number. */
CHECK_DEVICE float component_at(const void *at, const machine_texture &of)
{
    float largest = 1;
    if (of.is_fraction)
        largest = (float)((1u << (8 * of.bytes - of.is_signed)) - 1);
    if (of.is_float)
        return of.bytes == 4 ? *(const float *)at : float_of_half(*(const unsigned short *)at);
    if (of.bytes == 1)
        return (of.is_signed ? (float)*(const signed char *)at : (float)*(const unsigned char *)at) / largest;
    if (of.bytes == 2)
        return (of.is_signed ? (float)*(const short *)at : (float)*(const unsigned short *)at) / largest;
    return of.is_signed ? (float)*(const int *)at : (float)*(const unsigned *)at;
}

/* Loads one texel without conversion; a texel of the border is 0. */
template <class T>
CHECK_DEVICE T whole_texel(const machine_taps &taps)
{
    typedef typename texel_of<T>::component component;
    if (taps.at[0])
        return *(const T *)taps.at[0];
    T border;
    for (unsigned i = 0; i < texel_of<T>::components; i++)
        ((component *)&border)[i] = (component)taps.of.border[i];
    return border;
}

/* Loads the texels and adds them up by their weights. A texel of the type that the program asks for is loaded
 * as a whole, other texels by their components. */
template <class T>
CHECK_DEVICE T texel(const machine_taps &taps)
{
    typedef typename texel_of<T>::component component;
    bool is_same = sizeof(T) == taps.of.components * taps.of.bytes && !taps.of.is_fraction;
    if (is_same && taps.count == 1)
        return whole_texel<T>(taps);
    T sum = T();
    for (unsigned i = 0; i < texel_of<T>::components && i < taps.of.components; i++) {
        float value = 0;
        for (unsigned tap = 0; tap < taps.count; tap++) {
            const char *at = (const char *)taps.at[tap];
            value +=
                taps.weight[tap] * (at ? component_at(at + i * taps.of.bytes, taps.of) : taps.of.border[i]);
        }
        ((component *)&sum)[i] = (component)value;
    }
    return sum;
}
} // namespace gpusync_check

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename gpusync_check::texel_of<T>::component component;
    constexpr int bits = 8 * (int)sizeof(component), count = (int)gpusync_check::texel_of<T>::components;
    constexpr bool is_half = std::is_class_v<component> && bits == 16;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            std::is_floating_point_v<component> || is_half ? cudaChannelFormatKindFloat
            : std::is_signed_v<component>                  ? cudaChannelFormatKindSigned
                                                           : cudaChannelFormatKindUnsigned};
}
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return {x, y, z, w, f};
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return {16, 0, 0, 0, cudaChannelFormatKindFloat};
}

/* ---- CUDA arrays: these are inlined so that a report names the line of the program that calls them ---- */

CHECK_METHOD cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc,
                                           cudaExtent extent, unsigned flags = 0)
{
    size_t texel = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
    if (!texel || !extent.width)
        return cudaErrorInvalidValue;
    cudaArray *made = new cudaArray{*desc, extent, flags, texel, nullptr};
    cudaError_t error = (cudaMalloc)(&made->memory, made->pitch() * made->rows() * made->planes());
    *array = made;
    return error;
}
CHECK_METHOD cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width,
                                         size_t height = 0, unsigned flags = 0)
{
    return cudaMalloc3DArray(array, desc, cudaExtent{width, height, 0}, flags);
}
CHECK_METHOD cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    cudaError_t error = cudaFree(array->memory);
    delete array;
    return error;
}
static inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags,
                                           cudaArray_t array)
{
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}
static inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    *desc = array->desc;
    return cudaSuccess;
}

/* Copies between rows of an array and other memory; `x` and `width` are bytes. */
CHECK_METHOD cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                             size_t pitch, size_t width, size_t height, cudaMemcpyKind kind)
{
    return gpusync_check::copy_2d(to->at(0, y, 0) + x, to->pitch(), from, pitch, width, height, kind, nullptr,
                                  true);
}
CHECK_METHOD cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                                  size_t pitch, size_t width, size_t height,
                                                  cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return gpusync_check::copy_2d(to->at(0, y, 0) + x, to->pitch(), from, pitch, width, height, kind, stream,
                                  false);
}
CHECK_METHOD cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                               size_t y, size_t width, size_t height, cudaMemcpyKind kind)
{
    return gpusync_check::copy_2d(to, pitch, from->at(0, y, 0) + x, from->pitch(), width, height, kind,
                                  nullptr, true);
}
CHECK_METHOD cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                                    size_t y, size_t width, size_t height,
                                                    cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return gpusync_check::copy_2d(to, pitch, from->at(0, y, 0) + x, from->pitch(), width, height, kind,
                                  stream, false);
}
CHECK_METHOD cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                           cudaMemcpyKind kind)
{
    return cudaMemcpy(to->at(0, y, 0) + x, from, bytes, kind);
}
CHECK_METHOD cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                             size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpy(to, from->at(0, y, 0) + x, bytes, kind);
}

/* ---- objects ---- */

namespace gpusync_check
{
static inline cudaError_t texture_of_array(machine_texture *made, const cudaArray *array)
{
    made->memory = array->memory;
    made->pitch = array->pitch();
    made->plane = array->pitch() * array->rows();
    made->size[0] = (int)array->extent.width;
    made->size[1] = (int)array->rows();
    made->size[2] = (int)array->planes();
    return cudaSuccess;
}
static inline machine_texture texture_of(const cudaChannelFormatDesc &desc)
{
    machine_texture made = {};
    made.components = (desc.x > 0) + (desc.y > 0) + (desc.z > 0) + (desc.w > 0);
    made.bytes = (unsigned)desc.x / 8;
    made.is_float = desc.f == cudaChannelFormatKindFloat;
    made.is_signed = desc.f == cudaChannelFormatKindSigned;
    made.size[0] = made.size[1] = made.size[2] = 1;
    return made;
}
static inline cudaError_t texture_of(machine_texture *made, const cudaResourceDesc *resource)
{
    switch (resource->resType) {
    case cudaResourceTypeArray:
        *made = texture_of(resource->res.array.array->desc);
        return texture_of_array(made, resource->res.array.array);
    case cudaResourceTypeLinear:
        *made = texture_of(resource->res.linear.desc);
        made->memory = resource->res.linear.devPtr;
        made->pitch = made->plane = resource->res.linear.sizeInBytes;
        if (!made->components || !made->bytes)
            return cudaErrorInvalidChannelDescriptor;
        made->size[0] = (int)(made->pitch / (made->components * made->bytes));
        return cudaSuccess;
    case cudaResourceTypePitch2D:
        *made = texture_of(resource->res.pitch2D.desc);
        made->memory = resource->res.pitch2D.devPtr;
        made->pitch = resource->res.pitch2D.pitchInBytes;
        made->size[0] = (int)resource->res.pitch2D.width;
        made->size[1] = (int)resource->res.pitch2D.height;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        break;
    }
    return cudaErrorNotSupported;
}
} // namespace gpusync_check

static inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                                  const cudaResourceDesc *resource,
                                                  const cudaTextureDesc *desc,
                                                  const cudaResourceViewDesc * = nullptr)
{
    machine_texture made;
    cudaError_t error = gpusync_check::texture_of(&made, resource);
    if (error != cudaSuccess)
        return error;
    made.is_linear = desc->filterMode == cudaFilterModeLinear;
    made.is_normalized = desc->normalizedCoords;
    made.is_fraction = desc->readMode == cudaReadModeNormalizedFloat && !made.is_float;
    for (int i = 0; i < 3; i++)
        made.address[i] = (machine_address_mode)desc->addressMode[i];
    for (int i = 0; i < 4; i++)
        made.border[i] = desc->borderColor[i];
    if (made.is_linear && !made.is_float && !made.is_fraction)
        return cudaErrorInvalidFilterSetting; /* integers cannot be interpolated */
    if (made.is_fraction && made.bytes == 4)
        return cudaErrorInvalidNormSetting;
    *object = machine_texture_make(&made);
    return cudaSuccess;
}
static inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                                  const cudaResourceDesc *resource)
{
    machine_texture made;
    if (resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    cudaError_t error = gpusync_check::texture_of(&made, resource);
    *object = machine_texture_make(&made);
    return error;
}
static inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return machine_texture_end(object) ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return machine_texture_end(object) ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- reads of textures ---- */

/* Each function comes in two forms: one returns the texel, and one stores it. */
#define READ(name, call, parameters, arguments)                                                              \
    template <class T>                                                                                       \
    CHECK_DEVICE T name parameters                                                                           \
    {                                                                                                        \
        machine_taps taps;                                                                                   \
        call;                                                                                                \
        return gpusync_check::texel<T>(taps);                                                                \
    }                                                                                                        \
    template <class T>                                                                                       \
    CHECK_DEVICE void name(T *to, READ_PARAMETERS parameters)                                                \
    {                                                                                                        \
        *to = name<T> arguments;                                                                             \
    }
#define READ_PARAMETERS(...) __VA_ARGS__
READ(tex1Dfetch, machine_texture_fetch(&taps, t, i), (cudaTextureObject_t t, int i), (t, i))
READ(tex1D, machine_texture_taps(&taps, t, 1, x, 0, 0, 0), (cudaTextureObject_t t, float x), (t, x))
READ(tex2D, machine_texture_taps(&taps, t, 2, x, y, 0, 0), (cudaTextureObject_t t, float x, float y),
     (t, x, y))
READ(tex3D, machine_texture_taps(&taps, t, 3, x, y, z, 0), (cudaTextureObject_t t, float x, float y, float z),
     (t, x, y, z))
READ(tex1DLayered, machine_texture_taps(&taps, t, 1, x, 0, 0, layer),
     (cudaTextureObject_t t, float x, int layer), (t, x, layer))
READ(tex2DLayered, machine_texture_taps(&taps, t, 2, x, y, 0, layer),
     (cudaTextureObject_t t, float x, float y, int layer), (t, x, y, layer))
READ(texCubemap, machine_texture_cube(&taps, t, x, y, z, 0),
     (cudaTextureObject_t t, float x, float y, float z), (t, x, y, z))
READ(texCubemapLayered, machine_texture_cube(&taps, t, x, y, z, layer),
     (cudaTextureObject_t t, float x, float y, float z, int layer), (t, x, y, z, layer))
#undef READ
#undef READ_PARAMETERS

/* ---- surfaces: x counts bytes ---- */

#define SURFACE(dimension, y, z, parameters, arguments)                                                      \
    template <class T>                                                                                       \
    CHECK_DEVICE T surf##dimension##read(cudaSurfaceObject_t s, SURFACE_PARAMETERS parameters,               \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                \
    {                                                                                                        \
        const T *at = (const T *)machine_surface_at(s, sizeof(T), x, y, z, (machine_boundary)mode);          \
        return at ? *at : T();                                                                               \
    }                                                                                                        \
    template <class T>                                                                                       \
    CHECK_DEVICE void surf##dimension##read(T *to, cudaSurfaceObject_t s, SURFACE_PARAMETERS parameters,     \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                                                        \
        *to = surf##dimension##read<T>(s, SURFACE_PARAMETERS arguments, mode);                               \
    }                                                                                                        \
    template <class T>                                                                                       \
    CHECK_DEVICE void surf##dimension##write(T value, cudaSurfaceObject_t s, SURFACE_PARAMETERS parameters,  \
                                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                                        \
        T *at = (T *)machine_surface_at(s, sizeof(T), x, y, z, (machine_boundary)mode);                      \
        if (at)                                                                                              \
            *at = value;                                                                                     \
    }
#define SURFACE_PARAMETERS(...) __VA_ARGS__
SURFACE(1D, 0, 0, (int x), (x))
SURFACE(2D, y, 0, (int x, int y), (x, y))
SURFACE(3D, y, z, (int x, int y, int z), (x, y, z))
SURFACE(1DLayered, 0, layer, (int x, int layer), (x, layer))
SURFACE(2DLayered, y, layer, (int x, int y, int layer), (x, y, layer))
#undef SURFACE
#undef SURFACE_PARAMETERS

#endif
