/*
 * Textures and surfaces (CUDA C++ Programming Guide, "Texture and Surface Memory", "Texture Fetching"):
 * computes which texels a read needs and their weights. The instruction itself (machine/ptx/texture.c)
 * loads the texels, so that these loads are checked like any other load. Not supported: mipmaps,
 * anisotropic filters, sRGB and gathers.
 */
#ifndef MACHINE_TEXTURES_H
#define MACHINE_TEXTURES_H

#include <stdbool.h>
#include <stddef.h>

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

/* Returns the texture or surface with this number. If there is none, the run of the running lane ends with a
 * report. */
const struct machine_texture *texture_or_end(unsigned long long number, const void *instruction);

/* These three functions fill in `taps`. texture_taps() finds the texels for coordinates of 1, 2 or 3
 * dimensions and a layer; `coordinates` has three members. */
void texture_taps(struct machine_taps *taps, const struct machine_texture *of, unsigned dimensions,
                  const float *coordinates, int layer);
/* Finds the texels of the cube's face into which the vector points. */
void texture_cube(struct machine_taps *taps, const struct machine_texture *of, const float *vector,
                  int layer);
/* Finds the texel with this number in a texture of linear memory. A texel outside of the memory is 0. */
void texture_fetch(struct machine_taps *taps, const struct machine_texture *of, int texel);

enum machine_boundary { BOUNDARY_ZERO, BOUNDARY_CLAMP, BOUNDARY_TRAP };
/* Returns the address of byte at[0] of row at[1] in plane at[2] of a surface. Outside of the surface,
 * BOUNDARY_ZERO returns NULL, and BOUNDARY_TRAP ends the run with a report. */
void *surface_at(unsigned long long surface, unsigned bytes, const int *at, enum machine_boundary boundary,
                 const void *instruction);

#endif
