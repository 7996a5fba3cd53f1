/* Reads of textures and surfaces by an instruction that the caller names; machine/cuda/texture_calls.h has
 * the same functions for compiled kernels. */
#ifndef MACHINE_TEXTURES_H
#define MACHINE_TEXTURES_H

#include "machine/cuda/texture_calls.h"

/* Returns the texture or surface with this number. If there is none, the run of the running lane ends with a
 * report. */
const struct machine_texture *texture_or_end(unsigned long long number, const void *instruction);

/* Store the texels that a read needs, as machine_texture_taps() and the others do. `coordinates` and `vector`
 * have three members. */
void texture_taps(struct machine_taps *taps, const struct machine_texture *of, unsigned dimensions,
                  const float *coordinates, int layer);
void texture_cube(struct machine_taps *taps, const struct machine_texture *of, const float *vector,
                  int layer);
void texture_fetch(struct machine_taps *taps, const struct machine_texture *of, int texel);

/* Returns an address in a surface as machine_surface_at() does; `at` has x, y and z. */
void *surface_at(unsigned long long surface, unsigned bytes, const int *at, enum machine_boundary boundary,
                 const void *instruction);

#endif
