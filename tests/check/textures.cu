/*
 * Textures on linear memory and on a CUDA array, and a surface. tests/ptx/textures.cu tests what they give.
 */
// expect: right
// expect -DRACE: race "line[i] = fetched" "tex1Dfetch<int>(t.line, 7 - i)"
// expect -DUNWRITTEN: unwritten "tex2D<float>(t.ramp"
// expect -DOUTSIDE: outside "surf2Dwrite(make_float2" "byte 32 of row 0 in plane 0 of a surface of 1 planes"
// expect -DACROSS_END: outside "surf2Dwrite(make_int2" "8 bytes at byte 28 of row"
// expect -DDESTROYED: outside "tex1Dfetch<int>(t.line, 7 - i)" "was never made, or has been destroyed"
// expect -DMIPMAP: right
#include "tools/bugs/bug.h"

struct Textures {
    cudaTextureObject_t line, ramp;
    cudaSurfaceObject_t surface;
};

__device__ int errors;

__device__ void is(float got, float wanted)
{
    if (fabsf(got - wanted) > 1e-5f) {
        printf("%g in place of %g\n", got, wanted);
        atomicAdd(&errors, 1);
    }
}

__global__ void read(Textures t, int *line)
{
    int i = threadIdx.x;
    int fetched = tex1Dfetch<int>(t.line, 7 - i);
#ifdef RACE
    line[i] = fetched;
#endif
    is(fetched, 7 - i);
    is(tex2D<float>(t.ramp, 1, 0.5f), 0.5f); /* between two texels */
#ifdef MIPMAP
    int levels = tex2DLod<float>(t.ramp, 0, 0, 1);
#endif
}

__global__ void write(Textures t)
{
    int x = threadIdx.x % 4, y = threadIdx.x / 4;
    surf2Dwrite((float)y, t.surface, 8 * x + 4, y);
    surf2Dwrite((float)x, t.surface, 8 * x, y);
#ifdef OUTSIDE
    surf2Dwrite(make_float2(0, 0), t.surface, 8 * x + 8, y);
#endif
#ifdef ACROSS_END
    surf2Dwrite(make_int2(x, x), t.surface, 8 * x + 4, y);
#endif
    surf2Dwrite(1.f, t.surface, -4, y, cudaBoundaryModeZero);
    float2 both = surf2Dread<float2>(t.surface, 8 * x, y);
    is(both.x + 10 * both.y, x + 10 * y);
    __syncthreads();
    is(surf2Dread<float>(t.surface, 99, y, cudaBoundaryModeClamp), y);
}

int main()
{
    Textures t = {};
    int *line = new_numbers(8), count = 1;
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {line, cudaCreateChannelDesc<int>(), 8 * sizeof *line};
    cudaTextureDesc point = {},
                    between = {{cudaAddressModeClamp, cudaAddressModeClamp}, cudaFilterModeLinear};
    CHECK(cudaCreateTextureObject(&t.line, &linear, &point, nullptr));
    cudaArray_t ramp;
    float values[2][3] = {{0, 1, 2}, {4, 5, 6}};
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMallocArray(&ramp, &desc, 3, 2);
#ifndef UNWRITTEN
    cudaMemcpy2DToArray(ramp, 0, 0, values, sizeof values[0], sizeof values[0], 2, cudaMemcpyHostToDevice);
#endif
    cudaResourceDesc two = {};
    two.resType = cudaResourceTypeArray;
    two.res.array.array = ramp;
    CHECK(cudaCreateTextureObject(&t.ramp, &two, &between, nullptr));

    cudaArray_t drawn;
    cudaChannelFormatDesc pair = cudaCreateChannelDesc<float2>();
    cudaMallocArray(&drawn, &pair, 4, 2, cudaArraySurfaceLoadStore);
    two.res.array.array = drawn;
    cudaCreateSurfaceObject(&t.surface, &two);
#ifdef DESTROYED
    cudaDestroyTextureObject(t.line);
#endif
    write<<<1, 8>>>(t);
    read<<<1, 8>>>(t, line);
    float back[2][8];
    cudaMemcpy2DFromArray(back, sizeof back[0], drawn, 0, 0, sizeof back[0], 2, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, errors, sizeof count);
#ifndef DESTROYED
    if (cudaDestroyTextureObject(t.line) != cudaSuccess)
        return 2;
#endif
    cudaFreeArray(drawn);
    return count || back[1][6] != 3 || back[1][7] != 1;
}
