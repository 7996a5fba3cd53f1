/*
 * Textures and surfaces (CUDA C++ Programming Guide, "Texture and Surface Memory", "Texture Fetching"):
 * computes which texels a read needs and their weights. The kernel itself loads the texels
 * (check/include/gpusync/textures.h), so that these loads are checked like any other load. Not supported:
 * mipmaps, anisotropic filters, sRGB and gathers.
 */
#ifndef MACHINE_TEXTURE_CALLS_H
#define MACHINE_TEXTURE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* the values of cudaTextureAddressMode */
enum machine_address_mode { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

/* A texture or a surface. */
struct machine_texture {
    const void *memory;
    size_t pitch, plane; /* bytes from one row to the next, and from one plane or layer to the next */
    /* number of texels in a row, of rows in a plane, and of planes or layers; each is at least 1 */
    int size[3];
    unsigned components, bytes;    /* number of components of a texel, and number of bytes of a component */
    bool is_float, is_signed;      /* the type of a component; both are false for an unsigned integer */
    bool is_linear, is_normalized; /* whether reads interpolate, and whether coordinates range from 0 to 1 */
    bool is_fraction;              /* whether reads return the largest value of a component as 1 */
    enum machine_address_mode address[3];
    float border[4];
};

/* The texels that a read needs, and their weights. */
#define MOST_TAPS 8
struct machine_taps {
    struct machine_texture of;
    unsigned count;
    const void *at[MOST_TAPS]; /* NULL for a texel of the border */
    float weight[MOST_TAPS];
};

/* Makes a texture or surface. Returns the number by which kernels name it; the number is not 0. */
unsigned long long machine_texture_make(const struct machine_texture *texture);
/* Removes a texture or surface. Returns false if no texture or surface has this number. */
bool machine_texture_end(unsigned long long number);

/* Stores the texels for coordinates of 1, 2 or 3 dimensions and a layer. If no texture has this number, the
 * run ends with a report. */
void machine_texture_taps(struct machine_taps *taps, unsigned long long texture, unsigned dimensions, float x,
                          float y, float z, int layer);
/* Stores the texels of the cube's face into which the vector points. */
void machine_texture_cube(struct machine_taps *taps, unsigned long long texture, float x, float y, float z,
                          int layer);
/* Stores the texel with this number in linear memory; a texel outside of the memory is 0. */
void machine_texture_fetch(struct machine_taps *taps, unsigned long long texture, int texel);

enum machine_boundary { BOUNDARY_ZERO, BOUNDARY_CLAMP, BOUNDARY_TRAP };
/* Returns the address of byte x of row y in plane z of a surface. Outside of the surface, BOUNDARY_ZERO
 * returns NULL, and BOUNDARY_TRAP ends the run with a report. */
void *machine_surface_at(unsigned long long surface, unsigned bytes, int x, int y, int z,
                         enum machine_boundary boundary);

#ifdef __cplusplus
}
#endif

#endif
