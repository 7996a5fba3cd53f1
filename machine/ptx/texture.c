/*
 * Textures and surfaces (PTX ISA, "Texture Instructions", "Surface Instructions"). machine/cuda/textures.h
 * says which texels a read needs. Textures are named by a handle in a register.
 */
#include "machine/engine/groups.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/textures.h"
#include "machine/ptx/access.h"
#include "machine/ptx/arithmetic.h"

#include <string.h>

enum geometry { IS_1D, IS_2D, IS_3D, IS_CUBE };

/* The common part of tex, suld, sust and sured. */
struct texel_access {
    struct ptx_access access;
    enum geometry geometry;
    bool has_layer;    /* is the first coordinate a layer's number? */
    bool is_by_number; /* are the other coordinates of a tex numbers of texels? */
    ptx_operand layer, at[3];
    ptx_operand result[4]; /* the results of tex */
    enum machine_boundary boundary;
};

static unsigned dimensions_of(enum geometry geometry)
{
    return geometry == IS_1D ? 1 : geometry == IS_2D ? 2 : 3;
}

/* Decodes [handle, {coordinates}]. */
static void decode_place(struct ptx_decoder *decoder, struct ptx_code *code, struct texel_access *of,
                         const struct ptx_argument *argument)
{
    static const enum geometry geometries[] = {IS_1D, IS_2D, IS_3D, IS_CUBE, IS_1D, IS_2D, IS_CUBE};
    const unsigned g = ptx_which(decoder, "1d|2d|3d|cube|a1d|a2d|acube");
    if (g == sizeof geometries / sizeof *geometries)
        ptx_unsupported(decoder, "its geometry is not known");
    of->geometry = geometries[g];
    of->has_layer = g > 3;
    if (argument->kind != PTX_IS_ADDRESS || !argument->variable || argument->variable->space != PTX_REGISTER)
        ptx_unsupported(decoder, "only handles in registers are known");
    if (argument->count != 1)
        ptx_unsupported(decoder, "samplers apart from textures are not known");
    unsigned count, next = 0;
    const struct ptx_argument *coordinates = ptx_items_of(&argument->items[0], &count);
    if (count < dimensions_of(of->geometry) + of->has_layer)
        ptx_unsupported(decoder, "it has too few coordinates");
    code->a = ptx_operand_of(decoder, argument, '8');
    of->layer =
        of->has_layer ? ptx_operand_of(decoder, &coordinates[next++], '4') : ptx_constant(decoder, 0, '4');
    for (unsigned d = 0; d < 3; d++)
        of->at[d] = d < dimensions_of(of->geometry) ? ptx_operand_of(decoder, &coordinates[next++], '4')
                                                    : ptx_constant(decoder, 0, '4');
}

static struct texel_access *begin(struct ptx_decoder *decoder, struct ptx_code *code, enum request_kind kind)
{
    struct texel_access *of = ptx_allocate(decoder->routine->function->module, sizeof *of);
    of->access.kind = kind;
    of->access.space = PTX_GLOBAL;
    of->access.plain = kind != REQUEST_ATOMIC;
    of->access.strength = (struct strength){of->access.plain ? SCOPE_THREAD : SCOPE_DEVICE, ORDER_RELAXED};
    code->more = of;
    return of;
}

static uint64_t handle_of(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l)
{
    return PTX_AT(const uint64_t, lanes, code->a)[l];
}

/* ---- tex ---- */

/* Texels that are named by number are neither interpolated nor repeated at the border. */
static void find_numbered(struct machine_taps *taps, const struct machine_texture *texture,
                          enum geometry geometry, const int *at, int layer)
{
    struct machine_texture plain = *texture;
    float middles[3];
    if (geometry == IS_1D && layer == 0) {
        texture_fetch(taps, texture, at[0]);
        return;
    }
    plain.is_linear = plain.is_normalized = false;
    for (unsigned d = 0; d < 3; d++) {
        plain.address[d] = ADDRESS_BORDER;
        middles[d] = (float)at[d] + 0.5f;
    }
    texture_taps(taps, &plain, dimensions_of(geometry), middles, layer);
}

static void find_taps(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                      struct machine_taps *taps)
{
    const struct texel_access *of = code->more;
    const struct machine_texture *texture = texture_or_end(handle_of(code, lanes, l), code);
    int layer = PTX_AT(const int32_t, lanes, of->layer)[l], numbers[3];
    float coordinates[3];
    for (unsigned d = 0; d < 3; d++) {
        numbers[d] = PTX_AT(const int32_t, lanes, of->at[d])[l];
        coordinates[d] = ptx_float((uint32_t)numbers[d]);
    }
    if (of->is_by_number)
        find_numbered(taps, texture, of->geometry, numbers, layer);
    else if (of->geometry == IS_CUBE)
        texture_cube(taps, texture, coordinates, layer);
    else
        texture_taps(taps, texture, dimensions_of(of->geometry), coordinates, layer);
}

/* Returns a component: as the bits of a register if it is an integer, otherwise as a number. */
static int32_t integer_at(const unsigned char *at, const struct machine_texture *of)
{
    uint32_t bits = 0;
    memcpy(&bits, at, of->bytes);
    unsigned unused = 32 - 8 * of->bytes;
    return of->is_signed ? (int32_t)(bits << unused) >> unused : (int32_t)bits;
}

static float number_at(const unsigned char *at, const struct machine_texture *of)
{
    int32_t integer = integer_at(at, of);
    if (of->is_float)
        return of->bytes == 4 ? ptx_float((uint32_t)integer) : ptx_half((uint32_t)integer & UINT16_MAX);
    float largest = (float)((1u << (8 * of->bytes - of->is_signed)) - 1), number = (float)integer / largest;
    return number < -1 ? -1 : number;
}

/* Loads a lane's texels, and writes their sum by their weights. Components that the texture lacks are 0. */
static void combine(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                    const struct machine_taps *taps)
{
    const struct texel_access *of = code->more;
    const struct machine_texture *t = &taps->of;
    unsigned char texels[MOST_TAPS][16];
    bool is_number = t->is_float || t->is_fraction;
    for (unsigned tap = 0; tap < taps->count; tap++)
        if (taps->at[tap])
            ptx_move(code, lanes, l, (uintptr_t)taps->at[tap], texels[tap]);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t bits = 0;
        float sum = 0;
        for (unsigned tap = 0; tap < taps->count && i < t->components; tap++) {
            const unsigned char *at = texels[tap] + i * t->bytes;
            if (is_number)
                sum += taps->weight[tap] * (taps->at[tap] ? number_at(at, t) : t->border[i]);
            else
                bits = (uint32_t)(taps->at[tap] ? integer_at(at, t) : (int32_t)t->border[i]);
        }
        ptx_set_lane_value(lanes, of->result[i], '4', l, is_number ? ptx_bits_32(sum) : bits);
    }
}

/* A lane makes one request for all of its texels, as a GPU's texture unit fetches them together. Lanes that
 * read only the border make no request, and go on as a separate fragment. */
static const struct ptx_code *run_texture(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct machine_taps taps;
    uint32_t outside = 0;
    together_end(lanes->warp); /* the lanes' textures can have texels of different sizes */
    ptx_request(lanes, code, REQUEST_LOAD);
    FOR_EACH_LANE(l, lanes->mask)
    {
        struct lane *lane = &lanes->warp->lanes[l];
        ptx_becomes_running(lanes, l);
        find_taps(code, lanes, l, &taps);
        lane->plain = true;
        lane->bytes = (uint16_t)(taps.of.components * taps.of.bytes);
        for (unsigned tap = taps.count; tap-- > 0;) {
            if (!taps.at[tap])
                continue;
            lane->address = (uintptr_t)taps.at[tap];
            if (bounds_are_checked)
                bounds_check(lane->address, lane->bytes, REQUEST_LOAD, code);
        }
        lanes->warp->addresses[l] = lane->address;
        if (lane->address)
            continue;
        outside |= (uint32_t)1 << l;
        combine(code, lanes, l, &taps);
    }
    if (outside == lanes->mask)
        return code + 1;
    if (outside)
        ptx_part(lanes, outside, code + 1);
    return ptx_stop(lanes, code);
}

static const struct ptx_code *finish_texture(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct machine_taps taps;
    FOR_EACH_LANE(l, lanes->mask)
    {
        ptx_becomes_running(lanes, l);
        find_taps(code, lanes, l, &taps);
        combine(code, lanes, l, &taps);
    }
    return code + 1;
}

/* tex.level and tex.grad read the only level that a texture has here. */
static void decode_texture(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct texel_access *of = begin(decoder, code, REQUEST_LOAD);
    const struct ptx_argument *result = ptx_argument_of(decoder, 0);
    const char *last = decoder->parts[decoder->part_count - 1];
    unsigned level = ptx_has(decoder, "level") ? 1 : ptx_has(decoder, "grad") ? 2 : 0;
    if (result->kind != PTX_IS_GROUP || result->count != 4)
        ptx_unsupported(decoder, "its predicate of residence is not known");
    if (decoder->statement->argument_count != 2 + level)
        ptx_unsupported(decoder, "offsets and comparisons of depths are not known");
    decode_place(decoder, code, of, ptx_argument_of(decoder, 1));
    of->is_by_number = strcmp(last, "s32") == 0;
    if (of->is_by_number && of->geometry == IS_CUBE)
        ptx_unsupported(decoder, "a cube has no coordinates that are integers");
    for (unsigned i = 0; i < 4; i++)
        of->result[i] = ptx_operand_of(decoder, &result->items[i], '4');
}

/* ---- suld, sust and sured ---- */

/* Finds the addresses in a surface, and requests the access. Lanes outside the surface access nothing: they
 * get zeros from a load, and go on at the next instruction without waiting for the others. */
static const struct ptx_code *run_surface(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct texel_access *of = code->more;
    const struct ptx_access *access = &of->access;
    uintptr_t *addresses = lanes->warp->addresses;
    uint32_t outside = 0;
    FOR_EACH_LANE(l, lanes->mask)
    {
        int layer = PTX_AT(const int32_t, lanes, of->layer)[l], at[3];
        for (unsigned d = 0; d < 3; d++)
            at[d] = PTX_AT(const int32_t, lanes, of->at[d])[l];
        if (of->has_layer)
            at[2] = layer;
        ptx_becomes_running(lanes, l);
        addresses[l] =
            (uintptr_t)surface_at(handle_of(code, lanes, l), access->bytes, at, of->boundary, code);
        outside |= (uint32_t)!addresses[l] << l;
    }
    if (access->kind == REQUEST_LOAD)
        FOR_EACH_LANE(l, outside)
    for (unsigned i = 0; i < access->count; i++)
        ptx_set_lane_value(lanes, access->item[i], access->class[i], l, 0);
    if (outside == lanes->mask)
        return code + 1;
    if (outside)
        ptx_part(lanes, outside, code + 1);
    if (access->kind == REQUEST_ATOMIC)
        ptx_request_atomic(code, lanes);
    else
        ptx_request_access(code, lanes);
    return ptx_stop(lanes, code);
}

static struct texel_access *decode_surface(struct ptx_decoder *decoder, struct ptx_code *code,
                                           enum request_kind kind, unsigned place)
{
    struct texel_access *of = begin(decoder, code, kind);
    decode_place(decoder, code, of, ptx_argument_of(decoder, place));
    if (of->geometry == IS_CUBE)
        ptx_unsupported(decoder, "its geometry is not known");
    static const enum machine_boundary boundaries[] = {BOUNDARY_ZERO, BOUNDARY_CLAMP, BOUNDARY_TRAP};
    of->boundary = boundaries[ptx_which(decoder, "zero|clamp")];
    of->access.width = of->access.bytes = ptx_width_of(ptx_type_of(decoder)) / 8;
    of->access.count = 1;
    return of;
}

static void decode_surface_access(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const bool is_load = decoder->operation->writes;
    struct texel_access *of = decode_surface(decoder, code, is_load ? REQUEST_LOAD : REQUEST_STORE, is_load);
    ptx_decode_items(decoder, &of->access, ptx_argument_of(decoder, !is_load));
}

static void decode_surface_reduction(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct ptx_access *access = &decode_surface(decoder, code, REQUEST_ATOMIC, 0)->access;
    access->operation = ptx_reduction_of(decoder).operation;
    access->class[0] = access->width == 8 ? '8' : '4';
    access->item[0] = access->other = PTX_NO_OPERAND;
    access->value[0] = ptx_operand_at(decoder, 1, access->class[0]);
    access->way = ATOMIC_CHANGES;
}

/* ---- txq and suq ---- */

enum query { ASKS_WIDTH, ASKS_HEIGHT, ASKS_DEPTH, ASKS_LAYERS, ASKS_LEVELS, ASKS_NORMALIZED };

static const struct ptx_code *run_query(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        ptx_becomes_running(lanes, l);
        const struct machine_texture *of = texture_or_end(handle_of(code, lanes, l), code);
        uint32_t answers[] = {[ASKS_WIDTH] = (uint32_t)of->size[0],
                              [ASKS_HEIGHT] = (uint32_t)of->size[1],
                              [ASKS_DEPTH] = (uint32_t)of->size[2],
                              [ASKS_LAYERS] = (uint32_t)of->size[2],
                              [ASKS_LEVELS] = 1,
                              [ASKS_NORMALIZED] = of->is_normalized};
        PTX_AT(uint32_t, lanes, code->d)[l] = answers[code->number];
    }
    return code + 1;
}

static void decode_query(struct ptx_decoder *decoder, struct ptx_code *code)
{
    const unsigned query =
        ptx_which(decoder, "width|height|depth|array_size|num_mipmap_levels|normalized_coords");
    const struct ptx_argument *handle = ptx_argument_of(decoder, 1);
    if (query > ASKS_NORMALIZED)
        ptx_unsupported(decoder, "what it asks for is not known");
    if (!handle->variable || handle->variable->space != PTX_REGISTER)
        ptx_unsupported(decoder, "only handles in registers are known");
    code->number = query;
    code->d = ptx_operand_at(decoder, 0, '4');
    code->a = ptx_operand_of(decoder, handle, '8');
}

#define OTHER_VECTORS .refusal = "only vectors of four registers of 32 bits are known"
const struct ptx_operation ptx_texture_operations[] = {
    {"tex", "base|2dms|a2dms", .refusal = "mipmaps and samples are not known"},
    {"tex", .without = "v4", OTHER_VECTORS},
    {"tex", "f16|f16x2", OTHER_VECTORS},
    {"tex", .run = run_texture, .finish = finish_texture, .decode = decode_texture, .writes = true},
    {"tld4", .refusal = "gathers are not known"},
    {"txq|suq", .run = run_query, .decode = decode_query, .writes = true},
    {"suld|sust|sured", .without = "b", .refusal = "conversions to a surface's format are not known"},
    {"suld", .run = run_surface, .finish = ptx_finish_load, .decode = decode_surface_access, .writes = true},
    {"sust", .run = run_surface, .finish = ptx_finish_store, .decode = decode_surface_access},
    {"sured", .run = run_surface, .finish = ptx_finish_atomic, .decode = decode_surface_reduction},
    {.names = NULL}};
