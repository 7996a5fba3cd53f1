/*
 * Textures and surfaces (CUDA C++ Programming Guide, "Texture and Surface Memory", "Texture Fetching"): which
 * texels a read needs, and with which weights. The kernel loads these itself
 * (check/include/gpusync/textures.h), so that its loads are checked as those of other memory are. What GPUs
 * compute besides is not here: mipmaps, anisotropic filters, sRGB and gathers.
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
    size_t pitch, plane;        /* bytes from one row to the next, and from one plane or layer to the next */
    int size[3];                /* texels in a row, rows in a plane, planes or layers; each at least 1 */
    unsigned components, bytes; /* of a texel, and of a component */
    bool is_float, is_signed;   /* the type of a component; neither is set if it is unsigned */
    bool is_linear, is_normalized; /* does it interpolate? are coordinates from 0 to 1? */
    bool is_fraction;              /* is a component of the largest value read as 1? */
    enum machine_address_mode address[3];
    float border[4];
};

/* Texels to be read. */
#define MOST_TAPS 8
struct machine_taps {
    struct machine_texture of;
    unsigned count;
    const void *at[MOST_TAPS]; /* NULL for a texel of the border */
    float weight[MOST_TAPS];
};

/* Makes a texture or surface, and returns the number that kernels have of it, which is not 0. */
unsigned long long machine_texture_make(const struct machine_texture *texture);
/* Returns whether there was such a texture or surface. */
bool machine_texture_end(unsigned long long number);

/* The texels for coordinates of 1, 2 or 3 dimensions and a layer. A number of which there is no texture ends
 * the run with a report. */
void machine_texture_taps(struct machine_taps *taps, unsigned long long texture, unsigned dimensions, float x,
                          float y, float z, int layer);
/* The texel of a cube's face into which the vector points. */
void machine_texture_cube(struct machine_taps *taps, unsigned long long texture, float x, float y, float z,
                          int layer);
/* The texel with this number in linear memory; one outside of it is 0. */
void machine_texture_fetch(struct machine_taps *taps, unsigned long long texture, int texel);

enum machine_boundary { BOUNDARY_ZERO, BOUNDARY_CLAMP, BOUNDARY_TRAP };
/* Returns where byte x of row y in plane z of a surface is, and NULL for BOUNDARY_ZERO if it is outside of
 * the surface. BOUNDARY_TRAP then ends the run with a report. */
void *machine_surface_at(unsigned long long surface, unsigned bytes, int x, int y, int z,
                         enum machine_boundary boundary);

#ifdef __cplusplus
}
#endif

#endif
