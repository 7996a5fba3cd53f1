/* The functions of the CUDA runtime for CUDA arrays, rows and planes, textures and surfaces. Reports name a
 * copy by the program's call (CALLER). */
#include "base/memory.h"
#include "machine/cuda/textures.h"
#include "machine/ptx/images.h"

#include <stdlib.h>
#include <string.h>

/* ---- CUDA arrays: texels in order of x, y and z, without gaps; layers and faces of cubes are planes ---- */

struct cuda_array {
    struct cuda_format format;
    /* number of texels in each dimension; a height or depth of 0 means that the array does not have this
     * dimension */
    struct cuda_extent extent;
    unsigned flags;
    size_t texel; /* bytes */
    char *memory;
};

static size_t rows(const struct cuda_array *array)
{
    return array->extent.height ? array->extent.height : 1;
}

static size_t planes(const struct cuda_array *array)
{
    return array->extent.depth ? array->extent.depth : 1;
}

static size_t pitch(const struct cuda_array *array)
{
    return array->extent.width * array->texel;
}

/* Returns the place of byte x of row y. */
static char *place(const struct cuda_array *array, size_t x, size_t y)
{
    return array->memory + y * pitch(array) + x;
}

cudaError_t cudaMalloc3DArray(struct cuda_array **array, const struct cuda_format *format,
                              struct cuda_extent extent, unsigned flags)
{
    size_t texel = (size_t)(format->x + format->y + format->z + format->w) / 8;
    if (!texel || texel > 16 || (texel & (texel - 1)))
        return machine_note_error(cudaErrorInvalidChannelDescriptor);
    if (!extent.width)
        return machine_note_error(cudaErrorInvalidValue);
    struct cuda_array *made = allocate(sizeof *made);
    *made = (struct cuda_array){*format, extent, flags, texel, NULL};
    *array = made;
    return cudaMalloc((void **)&made->memory, pitch(made) * rows(made) * planes(made));
}

CALL(cudaMallocArray,
     (struct cuda_array * *array, const struct cuda_format *format, size_t width, size_t height,
      unsigned flags),
     cudaMalloc3DArray(array, format, (struct cuda_extent){width, height, 0}, flags))

cudaError_t cudaFreeArray(struct cuda_array *array)
{
    if (!array)
        return cudaSuccess;
    cudaError_t error = cudaFree(array->memory);
    free(array);
    return error;
}

cudaError_t cudaArrayGetInfo(struct cuda_format *format, struct cuda_extent *extent, unsigned *flags,
                             const struct cuda_array *array)
{
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

SETS(cudaGetChannelDesc, (struct cuda_format * format, const struct cuda_array *array), format, array->format)

struct cuda_format cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (struct cuda_format){x, y, z, w, f};
}

/* ---- rows and planes ---- */

/* Rows begin at multiples of 512 bytes, as on GPUs. */
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cuda_pitched_pointer *pitched, struct cuda_extent extent)
{
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                           const void *caller)
{
    if (width > to_pitch || width > from_pitch)
        return machine_note_error(cudaErrorInvalidPitchValue);
    struct machine_copy copy = {to, from, to_pitch, 0, from_pitch, 0, width, height, 1, kind};
    return machine_note_error(runtime_copy_rows(&copy, stream, waits, caller));
}

WITH_ASYNC(cudaMemcpy2D,
           (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
            enum cudaMemcpyKind kind),
           copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, waits, CALLER))
WITH_ASYNC(cudaMemcpy2DToArray,
           (struct cuda_array * to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
            size_t height, enum cudaMemcpyKind kind),
           copy_2d(place(to, x, y), pitch(to), from, from_pitch, width, height, kind, stream, waits, CALLER))
WITH_ASYNC(cudaMemcpy2DFromArray,
           (void *to, size_t to_pitch, const struct cuda_array *from, size_t x, size_t y, size_t width,
            size_t height, enum cudaMemcpyKind kind),
           copy_2d(to, to_pitch, place(from, x, y), pitch(from), width, height, kind, stream, waits, CALLER))
CALL(cudaMemcpyToArray,
     (struct cuda_array * to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     ptx_copy_row(place(to, x, y), from, bytes, kind, NULL, true, CALLER))
CALL(cudaMemcpyFromArray,
     (void *to, const struct cuda_array *from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind),
     ptx_copy_row(to, place(from, x, y), bytes, kind, NULL, true, CALLER))

cudaError_t cudaMemcpy2DArrayToArray(struct cuda_array *to, size_t to_x, size_t to_y,
                                     const struct cuda_array *from, size_t x, size_t y, size_t width,
                                     size_t height, enum cudaMemcpyKind kind)
{
    return copy_2d(place(to, to_x, to_y), pitch(to), place(from, x, y), pitch(from), width, height, kind,
                   NULL, true, CALLER);
}

/* One side of a copy of planes: a CUDA array, in which positions count texels, or a pitched pointer, in which
 * they count bytes. */
struct side {
    char *at;
    size_t pitch, plane;
};

static struct side side_of(const struct cuda_array *array, const struct cuda_pitched_pointer *p,
                           struct cuda_position at)
{
    size_t row = array ? pitch(array) : p->pitch, plane = row * (array ? rows(array) : p->ysize);
    char *from = array ? array->memory : p->ptr;
    return (struct side){from + at.x * (array ? array->texel : 1) + at.y * row + at.z * plane, row, plane};
}

/* Widths count texels if a CUDA array is a side of the copy. The array's height and depth may be 0, which
 * stands for 1. */
struct machine_copy ptx_copy_of(const struct cuda_copy_3d *p)
{
    struct side to = side_of(p->dstArray, &p->dstPtr, p->dstPos);
    struct side from = side_of(p->srcArray, &p->srcPtr, p->srcPos);
    const struct cuda_array *array = p->dstArray ? p->dstArray : p->srcArray;
    size_t height = p->extent.height, depth = p->extent.depth;
    return (struct machine_copy){.to = to.at,
                                 .from = from.at,
                                 .to_pitch = to.pitch,
                                 .to_plane = to.plane,
                                 .from_pitch = from.pitch,
                                 .from_plane = from.plane,
                                 .width = p->extent.width * (array ? array->texel : 1),
                                 .height = array && !height ? 1 : height,
                                 .depth = array && !depth ? 1 : depth,
                                 .kind = (enum cudaMemcpyKind)p->kind};
}

static cudaError_t copy_3d(const struct cuda_copy_3d *p, cudaStream_t stream, bool waits, const void *caller)
{
    if (!p)
        return machine_note_error(cudaErrorInvalidValue);
    struct machine_copy copy = ptx_copy_of(p);
    return machine_note_error(runtime_copy_rows(&copy, stream, waits, caller));
}

WITH_ASYNC(cudaMemcpy3D, (const struct cuda_copy_3d *p), copy_3d(p, stream, waits, CALLER))

static cudaError_t set_3d(struct cuda_pitched_pointer to, int value, struct cuda_extent extent,
                          cudaStream_t stream, bool waits, const void *caller)
{
    if (extent.width > to.pitch)
        return machine_note_error(cudaErrorInvalidValue);
    cudaError_t error = cudaSuccess;
    for (size_t plane = 0; plane < extent.depth && error == cudaSuccess; plane++) {
        struct machine_setting setting = {.to = (char *)to.ptr + plane * to.pitch * to.ysize,
                                          .pitch = to.pitch,
                                          .value = (unsigned char)value,
                                          .element_bytes = 1,
                                          .width = extent.width,
                                          .height = extent.height};
        error = runtime_set_rows(&setting, stream, waits, caller);
    }
    return machine_note_error(error);
}

WITH_ASYNC(cudaMemset2D, (void *to, size_t row, int value, size_t width, size_t height),
           set_3d((struct cuda_pitched_pointer){to, row, width, height}, value,
                  (struct cuda_extent){width, height, 1}, stream, waits, CALLER))
WITH_ASYNC(cudaMemset3D, (struct cuda_pitched_pointer to, int value, struct cuda_extent extent),
           set_3d(to, value, extent, stream, waits, CALLER))

/* ---- textures and surfaces ---- */

static struct machine_texture texture_of_format(const struct cuda_format *f)
{
    return (struct machine_texture){.components =
                                        (unsigned)((f->x > 0) + (f->y > 0) + (f->z > 0) + (f->w > 0)),
                                    .bytes = (unsigned)f->x / 8,
                                    .is_float = f->f == FORMAT_FLOAT,
                                    .is_signed = f->f == FORMAT_SIGNED,
                                    .size = {1, 1, 1}};
}

static cudaError_t texture_of(struct machine_texture *made, const struct cuda_resource *resource)
{
    const struct cuda_array *array = resource->res.array;
    switch (resource->resType) {
    case RESOURCE_ARRAY:
        *made = texture_of_format(&array->format);
        made->memory = array->memory;
        made->pitch = pitch(array);
        made->plane = pitch(array) * rows(array);
        made->size[0] = (int)array->extent.width;
        made->size[1] = (int)rows(array);
        made->size[2] = (int)planes(array);
        break;
    case RESOURCE_LINEAR:
        *made = texture_of_format(&resource->res.linear.desc);
        made->memory = resource->res.linear.devPtr;
        made->pitch = made->plane = resource->res.linear.sizeInBytes;
        break;
    case RESOURCE_PITCHED:
        *made = texture_of_format(&resource->res.pitch2D.desc);
        made->memory = resource->res.pitch2D.devPtr;
        made->pitch = resource->res.pitch2D.pitchInBytes;
        made->size[0] = (int)resource->res.pitch2D.width;
        made->size[1] = (int)resource->res.pitch2D.height;
        break;
    default:
        return cudaErrorNotSupported;
    }
    if (!made->components || !made->bytes)
        return cudaErrorInvalidChannelDescriptor;
    if (resource->resType == RESOURCE_LINEAR)
        made->size[0] = (int)(made->pitch / (made->components * made->bytes));
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(unsigned long long *object, const struct cuda_resource *resource,
                                    const struct cuda_texture *texture, const void *view)
{
    struct machine_texture made;
    cudaError_t error = view ? cudaErrorNotSupported : texture_of(&made, resource);
    if (error != cudaSuccess)
        return machine_note_error(error);
    made.is_linear = texture->filterMode;
    made.is_normalized = texture->normalizedCoords;
    made.is_fraction = texture->readMode && !made.is_float;
    for (int i = 0; i < 3; i++)
        made.address[i] = (enum machine_address_mode)texture->addressMode[i];
    memcpy(made.border, texture->borderColor, sizeof made.border);
    if (made.is_linear && !made.is_float && !made.is_fraction)
        return machine_note_error(cudaErrorInvalidFilterSetting); /* integers cannot be interpolated */
    if (made.is_fraction && made.bytes == 4)
        return machine_note_error(cudaErrorInvalidNormSetting);
    *object = machine_texture_make(&made);
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(unsigned long long *object, const struct cuda_resource *resource)
{
    struct machine_texture made;
    cudaError_t error =
        resource->resType == RESOURCE_ARRAY ? texture_of(&made, resource) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return machine_note_error(error);
    *object = machine_texture_make(&made);
    return cudaSuccess;
}

CALL(cudaDestroyTextureObject, (unsigned long long object),
     machine_texture_end(object) ? cudaSuccess : cudaErrorInvalidValue)
