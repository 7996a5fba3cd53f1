#include "base/memory.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/textures.h"

#include <math.h>
#include <stdio.h>

/* texture number n is at index n - 1; a texture that was removed has no memory */
static struct machine_texture *textures;
static size_t texture_count;

unsigned long long machine_texture_make(const struct machine_texture *texture)
{
    ONE_THREAD
    textures = with_room(textures, sizeof *textures, texture_count, 1);
    textures[texture_count++] = *texture;
    return texture_count;
}

static struct machine_texture *texture_of(unsigned long long number)
{
    return number && number <= texture_count && textures[number - 1].memory ? &textures[number - 1] : NULL;
}

bool machine_texture_end(unsigned long long number)
{
    ONE_THREAD
    struct machine_texture *texture = texture_of(number);
    if (texture)
        texture->memory = NULL;
    return texture != NULL;
}

const struct machine_texture *texture_or_end(unsigned long long number, const void *instruction)
{
    const struct machine_texture *texture = texture_of(number);
    the_machine.uses.textures = true;
    if (!texture)
        bounds_tell_use("uses a texture or surface object that was never made, or has been destroyed",
                        instruction);
    return texture;
}

/* ---- texels ---- */

/* Returns the texel's number in a row of `size` texels, or -1 for the border. */
static int addressed(int i, int size, enum machine_address_mode mode)
{
    if (i >= 0 && i < size)
        return i;
    int round = (i % (2 * size) + 2 * size) % (2 * size);
    switch (mode) {
    case ADDRESS_WRAP:
        return round % size;
    case ADDRESS_MIRROR:
        return round < size ? round : 2 * size - 1 - round;
    case ADDRESS_BORDER:
        return -1;
    case ADDRESS_CLAMP:
        break;
    }
    return i < 0 ? 0 : size - 1;
}

/* The one or two texels that are read in one dimension, and the weight of the second one. */
struct pair {
    int texel[2];
    float second;
};

/* Coordinates that are not normalized can only be clamped or be in the border. GPUs have 8 bits for the
 * weight's fraction. */
static struct pair pair_of(const struct machine_texture *of, unsigned dimension, float coordinate)
{
    int size = of->size[dimension];
    enum machine_address_mode mode = of->address[dimension];
    float x = of->is_normalized ? coordinate * (float)size : coordinate;
    if (!of->is_normalized && mode != ADDRESS_BORDER)
        mode = ADDRESS_CLAMP;
    /* clamps x to a range that an int can hold, and replaces NaN by a number */
    x = x > -1e9f ? x < 1e9f ? x : 1e9f : -1e9f;
    float from = of->is_linear ? x - 0.5f : x, whole = floorf(from);
    float second = of->is_linear ? roundf((from - whole) * 256) / 256 : 0;
    return (struct pair){{addressed((int)whole, size, mode), addressed((int)whole + 1, size, mode)}, second};
}

static const void *texel_at(const struct machine_texture *of, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0)
        return NULL;
    return (const char *)of->memory + (size_t)z * of->plane + (size_t)y * of->pitch +
           (size_t)x * of->components * of->bytes;
}

void texture_taps(struct machine_taps *taps, const struct machine_texture *of, unsigned dimensions,
                  const float *coordinates, int layer)
{
    const struct pair none = {{0, 0}, 0};
    int layers = of->size[2] - 1, plane = layer < 0 ? 0 : layer < layers ? layer : layers;
    struct pair x = pair_of(of, 0, coordinates[0]),
                y = dimensions > 1 ? pair_of(of, 1, coordinates[1]) : none;
    struct pair z = dimensions > 2 ? pair_of(of, 2, coordinates[2]) : (struct pair){{plane, plane}, 0};
    taps->of = *of;
    taps->count = 0;
    for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
        unsigned i = corner & 1, j = corner >> 1 & 1, k = corner >> 2 & 1;
        float weight =
            (i ? x.second : 1 - x.second) * (j ? y.second : 1 - y.second) * (k ? z.second : 1 - z.second);
        if (weight == 0)
            continue;
        taps->at[taps->count] = texel_at(of, x.texel[i], y.texel[j], z.texel[k]);
        taps->weight[taps->count++] = weight;
    }
}

/* The face's axis is the coordinate that is farthest from 0 (CUDA C++ Programming Guide, "Cubemap Textures").
 */
void texture_cube(struct machine_taps *taps, const struct machine_texture *of, const float *vector, int layer)
{
    float x = vector[0], y = vector[1], z = vector[2];
    float a = fabsf(x), b = fabsf(y), c = fabsf(z), s, t, m;
    int face;
    if (a >= b && a >= c) {
        face = x >= 0 ? 0 : 1, m = a, s = x >= 0 ? -z : z, t = -y;
    } else if (b >= c) {
        face = y >= 0 ? 2 : 3, m = b, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5, m = c, s = z >= 0 ? x : -x, t = -y;
    }
    struct machine_texture normalized = *of;
    normalized.is_normalized = true;
    texture_taps(taps, &normalized, 2, (float[]){(s / m + 1) / 2, (t / m + 1) / 2}, 6 * layer + face);
}

void texture_fetch(struct machine_taps *taps, const struct machine_texture *of, int texel)
{
    taps->of = *of;
    for (unsigned i = 0; i < 4; i++)
        taps->of.border[i] = 0;
    taps->count = 1;
    taps->at[0] = texel_at(of, texel < of->size[0] ? texel : -1, 0, 0);
    taps->weight[0] = 1;
}

/* ---- surfaces ---- */

static int clamped(int i, int size)
{
    return i < 0 ? 0 : i < size ? i : size - 1;
}

void *surface_at(unsigned long long surface, unsigned bytes, const int *at, enum machine_boundary boundary,
                 const void *instruction)
{
    const struct machine_texture *of = texture_or_end(surface, instruction);
    int x = at[0], y = at[1], z = at[2];
    int width = of->size[0] * (int)(of->components * of->bytes);
    bool is_in = x >= 0 && x + (int)bytes <= width && y >= 0 && y < of->size[1] && z >= 0 && z < of->size[2];
    if (!is_in && boundary == BOUNDARY_ZERO)
        return NULL;
    if (!is_in && boundary == BOUNDARY_TRAP) {
        char text[256];
        snprintf(
            text, sizeof text,
            "accesses %u bytes at byte %d of row %d in plane %d of a surface of %d planes of %d rows of %d "
            "bytes",
            bytes, x, y, z, of->size[2], of->size[1], width);
        bounds_tell_use(text, instruction);
    }
    if (!is_in) {
        x = clamped(x / (int)bytes, width / (int)bytes) * (int)bytes;
        y = clamped(y, of->size[1]);
        z = clamped(z, of->size[2]);
    }
    return (char *)of->memory + (size_t)z * of->plane + (size_t)y * of->pitch + (size_t)x;
}
