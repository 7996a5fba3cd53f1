/*
 * Tests PTX's instructions for textures and surfaces. The texel at (x, y, z) is x + 16 y + 256 z, so that
 * interpolated values are known, too. Prints a line for each case, and ends with status 1 if one is wrong.
 * The program also runs on a GPU of sm_90.
 */
#include "judge.cuh"

#include <cstdint>

enum { WIDTH = 8, HEIGHT = 8, PLANES = 6, MOST = 64 };
static float texel_of(int x, int y, int z)
{
    return (float)(x + 16 * y + 256 * z);
}

template <class T>
static bool is_equal(const T *given, const T *wanted, int count, const char *name)
{
    bool is_right = memcmp(given, wanted, (size_t)count * sizeof(T)) == 0;
    need(is_right, name);
    for (int i = 0; i < count && !is_right; i++)
        if (memcmp(&given[i], &wanted[i], sizeof(T)) != 0)
            printf("    number %d is %g and not %g\n", i, (double)given[i], (double)wanted[i]);
    return is_right;
}

/* ---- objects ---- */

template <class T>
static cudaArray_t array_of(int height, int planes, unsigned flags)
{
    static T texels[WIDTH * HEIGHT * PLANES];
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaExtent extent = {WIDTH, (size_t)height, (size_t)planes},
               whole = {WIDTH, height ? (size_t)height : 1, planes ? (size_t)planes : 1};
    for (int i = 0; i < WIDTH * HEIGHT * PLANES; i++)
        texels[i] =
            (T)texel_of(i % WIDTH, i / WIDTH % (height ? height : 1), i / WIDTH / (height ? height : 1));
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = {texels, WIDTH * sizeof(T), WIDTH, whole.height};
    copy.dstArray = array;
    copy.extent = whole;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureDesc settings_of(cudaTextureFilterMode filter, cudaTextureAddressMode address,
                                   bool is_normalized)
{
    cudaTextureDesc settings = {};
    settings.filterMode = filter;
    settings.normalizedCoords = is_normalized;
    for (auto &mode : settings.addressMode)
        mode = address;
    settings.borderColor[0] = 99;
    return settings;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &settings)
{
    cudaResourceDesc resource = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
    return texture;
}

static const cudaTextureDesc nearest = settings_of(cudaFilterModePoint, cudaAddressModeClamp, false);
static const cudaTextureDesc between = settings_of(cudaFilterModeLinear, cudaAddressModeClamp, false);

/* ---- reads of textures ---- */

struct place {
    float x, y, z;
    int layer;
};
/* Each thread calls read(t, p) for its place. */
template <class Read>
__global__ void read_floats(cudaTextureObject_t t, Read read, const place *places, float *to)
{
    to[threadIdx.x] = read(t, places[threadIdx.x]);
}

#define READ(...) [] __device__(cudaTextureObject_t t, place p) { return __VA_ARGS__; }
#define WANTED(...) [](place p) { return __VA_ARGS__; }

template <class Read, class Wanted>
static void test_reads(const char *name, cudaTextureObject_t t, place (*place_of)(int), Read read,
                       Wanted wanted_of)
{
    static place *places = managed<place>(MOST);
    static float *given = managed<float>(MOST), wanted[MOST];
    for (int i = 0; i < MOST; i++) {
        places[i] = place_of(i);
        wanted[i] = wanted_of(places[i]);
    }
    read_floats<<<1, MOST>>>(t, read, places, given);
    ended(name);
    is_equal(given, wanted, MOST, name);
}

static place in_middle(int i)
{
    return {(float)(i % 8) + 0.5f, (float)(i / 8 % 8) + 0.5f, (float)(i % 6) + 0.5f, i % 6};
}
/* Not at the edges, where texels are repeated, and with an x that is anywhere between multiples of 1/256. */
static place in_between(int i)
{
    return {1 + (float)(i * 53 % 1536) / 256 + (float)(i % 3) / 1024, 1 + (float)(i % 20) / 4,
            1 + (float)(i % 16) / 4, i % 6};
}

/* Returns the place between texels that a coordinate stands for: the distance from a texel has 8 bits
 * (CUDA C++ Programming Guide, "Linear Filtering"). */
static float rounded(float x)
{
    return floorf((x - 0.5f) * 256 + 0.5f) / 256;
}
static place beyond(int i)
{
    return {(float)(i % 40) - 15.5f, 3.5f, 2.5f, i % 6};
}
static place normalized(int i)
{
    place p = beyond(i);
    return {p.x / WIDTH, p.y / HEIGHT, p.z / PLANES, p.layer};
}

static int clamped(int i, int size)
{
    return i < 0 ? 0 : i < size ? i : size - 1;
}

static void test_floats()
{
    cudaArray_t flat = array_of<float>(HEIGHT, 0, 0), solid = array_of<float>(HEIGHT, PLANES, 0);
    cudaArray_t row = array_of<float>(0, 0, 0);
    auto read_1d = READ(tex1D<float>(t, p.x));
    auto read_2d = READ(tex2D<float>(t, p.x, p.y));
    auto read_3d = READ(tex3D<float>(t, p.x, p.y, p.z));
    auto between_texels = WANTED(rounded(p.x) + 16 * (p.y - 0.5f));
    auto settings = [=](cudaTextureAddressMode mode, bool is_normalized) {
        return texture_of(flat, settings_of(cudaFilterModePoint, mode, is_normalized));
    };
    test_reads("1D", texture_of(row, nearest), in_middle, read_1d, WANTED(texel_of((int)p.x, 0, 0)));
    test_reads("2D", texture_of(flat, nearest), in_middle, read_2d, WANTED(texel_of((int)p.x, (int)p.y, 0)));
    test_reads("3D", texture_of(solid, nearest), in_middle, read_3d,
               WANTED(texel_of((int)p.x, (int)p.y, (int)p.z)));
    test_reads("1D, interpolated", texture_of(row, between), in_between, read_1d, WANTED(rounded(p.x)));
    test_reads("2D, interpolated", texture_of(flat, between), in_between, read_2d, between_texels);
    test_reads("3D, interpolated", texture_of(solid, between), in_between, read_3d,
               WANTED(rounded(p.x) + 16 * (p.y - 0.5f) + 256 * (p.z - 0.5f)));
    test_reads("a level", texture_of(flat, between), in_between, READ(tex2DLod<float>(t, p.x, p.y, 0)),
               between_texels);
    test_reads("a gradient", texture_of(flat, between), in_between,
               READ(tex2DGrad<float>(t, p.x, p.y, make_float2(0, 0), make_float2(0, 0))), between_texels);
    test_reads("clamped", texture_of(flat, nearest), beyond, read_2d,
               WANTED(texel_of(clamped((int)(p.x + 64) - 64, WIDTH), 3, 0)));
    test_reads("a border", settings(cudaAddressModeBorder, false), beyond, read_2d,
               WANTED(p.x < 0 || p.x >= WIDTH ? 99 : texel_of((int)p.x, 3, 0)));
    test_reads("repeated", settings(cudaAddressModeWrap, true), normalized, read_2d,
               WANTED(texel_of((int)(p.x * WIDTH + 64) % WIDTH, 3, 0)));
    test_reads("mirrored", settings(cudaAddressModeMirror, true), normalized, read_2d, [](place p) {
        int x = (int)(p.x * WIDTH + 64) % (2 * WIDTH);
        return texel_of(x < WIDTH ? x : 2 * WIDTH - 1 - x, 3, 0);
    });
    test_reads("layers of 1D", texture_of(array_of<float>(0, PLANES, cudaArrayLayered), nearest), in_middle,
               READ(tex1DLayered<float>(t, p.x, p.layer)), WANTED(texel_of((int)p.x, 0, p.layer)));
    test_reads("layers of 2D", texture_of(array_of<float>(HEIGHT, PLANES, cudaArrayLayered), nearest),
               in_middle, READ(tex2DLayered<float>(t, p.x, p.y, p.layer)),
               WANTED(texel_of((int)p.x, (int)p.y, p.layer)));
    /* the middle of each face's texel (4, 4), a little off the axes */
    place (*faces)(int) = [](int i) {
        int axis = i % 6 / 2;
        float s = i % 2 ? -1 : 1, e = 0.125f;
        return place{axis == 0 ? s : e, axis == 1 ? s : e, axis == 2 ? s : e, 0};
    };
    auto face_of = [](place p) {
        int face = p.x == 1 ? 0 : p.x == -1 ? 1 : p.y == 1 ? 2 : p.y == -1 ? 3 : p.z == 1 ? 4 : 5;
        const int s[] = {3, 4, 4, 4, 4, 3}, t[] = {3, 3, 4, 3, 3, 3};
        return texel_of(s[face], t[face], face);
    };
    cudaTextureDesc of_cube = settings_of(cudaFilterModePoint, cudaAddressModeClamp, true);
    test_reads("a cube", texture_of(array_of<float>(HEIGHT, PLANES, cudaArrayCubemap), of_cube), faces,
               READ(texCubemap<float>(t, p.x, p.y, p.z)), face_of);
    test_reads("layers of cubes",
               texture_of(array_of<float>(HEIGHT, PLANES, cudaArrayCubemap | cudaArrayLayered), of_cube),
               faces, READ(texCubemapLayered<float>(t, p.x, p.y, p.z, p.layer)), face_of);
}

/* ---- formats, linear memory and queries ---- */

__global__ void read_formats(cudaTextureObject_t bytes, cudaTextureObject_t fractions,
                             cudaTextureObject_t shorts, cudaTextureObject_t linear,
                             cudaTextureObject_t solid, cudaTextureObject_t flat, int *to)
{
    int lane = (int)threadIdx.x, *answer = to + 16 * lane;
    uchar4 b = tex2D<uchar4>(bytes, (float)lane, 0);
    float4 f = tex2D<float4>(fractions, (float)lane, 0);
    short2 s = tex2D<short2>(shorts, (float)lane, 0);
    answer[0] = b.x, answer[1] = b.y, answer[2] = b.z, answer[3] = b.w;
    answer[4] = (int)(f.x * 255 + 0.5f), answer[5] = (int)(f.w * 255 + 0.5f);
    answer[6] = s.x, answer[7] = s.y;
    answer[8] = tex1Dfetch<int>(linear, lane);
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(answer[9]) : "l"(solid));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(answer[10]) : "l"(solid));
    asm volatile("txq.depth.b32 %0, [%1];" : "=r"(answer[11]) : "l"(solid));
    asm volatile("{ .reg .b32 b, c, d; tex.2d.v4.s32.f32 {%0, b, c, d}, [%1, {%2, %2}]; }"
                 : "=r"(answer[13])
                 : "l"(shorts), "f"((float)lane));
    /* numbers of texels as coordinates */
    asm volatile(
        "{ .reg .f32 a, b, c, d; tex.2d.v4.f32.s32 {a, b, c, d}, [%1, {%2, %3}]; cvt.rzi.s32.f32 %0, a; }"
        : "=r"(answer[12])
        : "l"(flat), "r"(lane % WIDTH), "r"(lane / WIDTH));
}

static void test_formats()
{
    static unsigned char bytes[32][4];
    static short shorts[32][2];
    static int *numbers = managed<int>(24), *given = managed<int>(32 * 16), wanted[32 * 16];
    cudaArray_t of_bytes, of_shorts;
    cudaChannelFormatDesc bytes_format = cudaCreateChannelDesc<uchar4>(),
                          shorts_format = cudaCreateChannelDesc<short2>();
    for (int i = 0; i < 32; i++) {
        for (int c = 0; c < 4; c++)
            bytes[i][c] = (unsigned char)(i * 7 + c * 50);
        shorts[i][0] = (short)(i * 1000 - 16000), shorts[i][1] = (short)-i;
    }
    for (int i = 0; i < 24; i++)
        numbers[i] = 1000000 * i - 5;
    CHECK(cudaMallocArray(&of_bytes, &bytes_format, 32, 1, 0));
    CHECK(cudaMallocArray(&of_shorts, &shorts_format, 32, 1, 0));
    CHECK(cudaMemcpy2DToArray(of_bytes, 0, 0, bytes, sizeof bytes, sizeof bytes, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArray(of_shorts, 0, 0, shorts, sizeof shorts, sizeof shorts, 1,
                              cudaMemcpyHostToDevice));
    cudaTextureDesc fractions = nearest;
    fractions.readMode = cudaReadModeNormalizedFloat;
    cudaResourceDesc resource = {};
    cudaTextureObject_t linear;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = numbers;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 24 * sizeof *numbers;
    CHECK(cudaCreateTextureObject(&linear, &resource, &nearest, nullptr));
    read_formats<<<1, 32>>>(texture_of(of_bytes, nearest), texture_of(of_bytes, fractions),
                            texture_of(of_shorts, nearest), linear,
                            texture_of(array_of<float>(HEIGHT, PLANES, 0), nearest),
                            texture_of(array_of<float>(HEIGHT, 0, 0), between), given);
    ended("formats");
    for (int i = 0; i < 32; i++) {
        int *w = wanted + 16 * i;
        w[0] = w[4] = bytes[i][0], w[1] = bytes[i][1], w[2] = bytes[i][2], w[3] = w[5] = bytes[i][3];
        w[6] = shorts[i][0], w[7] = shorts[i][1];
        w[8] = i < 24 ? numbers[i] : 0;
        w[9] = WIDTH, w[10] = HEIGHT, w[11] = PLANES;
        w[12] = (int)texel_of(i % WIDTH, i / WIDTH, 0);
        w[13] = shorts[i][0];
    }
    is_equal(given, wanted, 32 * 16, "formats, linear memory, queries");
}

/* ---- surfaces ---- */

__global__ void use_surfaces(cudaSurfaceObject_t row, cudaSurfaceObject_t flat, cudaSurfaceObject_t solid,
                             cudaSurfaceObject_t row_layers, cudaSurfaceObject_t flat_layers, int *to)
{
    int lane = (int)threadIdx.x, x = lane % 8, y = lane / 8, *answer = to + 16 * lane;
    answer[0] = surf1Dread<int>(row, 4 * x);
    answer[1] = surf2Dread<int>(flat, 4 * x, y);
    answer[2] = surf3Dread<int>(solid, 4 * x, y, 5);
    answer[3] = surf1DLayeredread<int>(row_layers, 4 * x, 3);
    answer[4] = surf2DLayeredread<int>(flat_layers, 4 * x, y, 2);
    answer[5] = surf2Dread<int>(flat, 4 * (x - 4), y + 6, cudaBoundaryModeZero);
    answer[6] = surf2Dread<int>(flat, 4 * (x + 4), y + 6, cudaBoundaryModeClamp);
    int2 pair = surf2Dread<int2>(flat, 8 * (x % 4), y);
    answer[7] = pair.x, answer[8] = pair.y;
    answer[9] = surf2Dread<unsigned char>(flat, 4 * x, y);
    __syncwarp();
    surf2Dwrite(1000 + lane, flat, 4 * x, y);
    surf2Dwrite(5555, flat, 4 * (x + 8), y, cudaBoundaryModeZero);
    surf3Dwrite(2000 + lane, solid, 4 * x, y, 1);
    __syncwarp();
    answer[10] = surf2Dread<int>(flat, 4 * (7 - x), y);
    answer[11] = surf3Dread<int>(solid, 4 * (7 - x), y, 1);
    __syncwarp();
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;"
                 :
                 : "l"(flat), "r"(4 * (x & 1)), "r"(0), "r"(1 << y * 4));
    asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;"
                 :
                 : "l"(flat), "r"(8), "r"(0), "r"(lane + 3000));
    __syncwarp();
    answer[12] = surf2Dread<int>(flat, 4 * (x & 1), 0);
    answer[13] = surf2Dread<int>(flat, 8, 0);
    asm volatile("suq.width.b32 %0, [%1];" : "=r"(answer[14]) : "l"(flat));
}

static cudaSurfaceObject_t surface_of(int height, int planes, unsigned flags)
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_of<int>(height, planes, flags | cudaArraySurfaceLoadStore);
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static void test_surfaces()
{
    static int *given = managed<int>(32 * 16), wanted[32 * 16];
    use_surfaces<<<1, 32>>>(surface_of(0, 0, 0), surface_of(HEIGHT, 0, 0), surface_of(HEIGHT, PLANES, 0),
                            surface_of(0, PLANES, cudaArrayLayered),
                            surface_of(HEIGHT, PLANES, cudaArrayLayered), given);
    ended("surfaces");
    for (int i = 0; i < 32; i++) {
        int x = i % 8, y = i / 8, *w = wanted + 16 * i;
        w[0] = (int)texel_of(x, 0, 0), w[1] = (int)texel_of(x, y, 0), w[2] = (int)texel_of(x, y, 5);
        w[3] = (int)texel_of(x, 0, 3), w[4] = (int)texel_of(x, y, 2);
        w[5] = x >= 4 && y < 2 ? (int)texel_of(x - 4, y + 6, 0) : 0;
        w[6] = (int)texel_of(clamped(x + 4, WIDTH), clamped(y + 6, HEIGHT), 0);
        w[7] = (int)texel_of(x % 4 * 2, y, 0), w[8] = (int)texel_of(x % 4 * 2 + 1, y, 0);
        w[9] = w[1] & 255;
        w[10] = 1000 + y * 8 + 7 - x, w[11] = 2000 + y * 8 + 7 - x;
        w[12] = 1000 + (x & 1) + 4 * 0x1111, w[13] = 3031;
        w[14] = WIDTH;
    }
    is_equal(given, wanted, 32 * 16, "surfaces");
}

int main()
{
    test_floats();
    test_formats();
    test_surfaces();
    return failures > 0;
}
