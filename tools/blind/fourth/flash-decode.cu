// Attention of one query a head over a KV cache, which is split over blocks as in flash-decoding.
// a: a head's last block combines its parts; b: a second launch does. ns per call; the number: positions.
#include "../blind.h"
#include <cmath>

static const int HEADS = 8, SPLITS = 16, DIM = 64, THREADS = 128, GROUPS = THREADS / 16, ROW = DIM + 2;

/* A part of a head in global memory: the weighted sum of values, the greatest score, the sum of weights. */
static __device__ void combine(const float *parts, float *output, int head)
{
    const float *mine = parts + head * SPLITS * ROW;
    float top = mine[DIM], weights = 0, sum = 0;
    for (int s = 1; s < SPLITS; s++)
        top = fmaxf(top, mine[s * ROW + DIM]);
    for (int s = 0; s < SPLITS; s++) {
        float scale = __expf(mine[s * ROW + DIM] - top);
        weights += scale * mine[s * ROW + DIM + 1];
        sum += scale * mine[s * ROW + threadIdx.x];
    }
    output[head * DIM + threadIdx.x] = sum / weights;
}

/* Sixteen lanes take a position: each lane has four of its 64 numbers. */
template <bool LAST_COMBINES>
__global__ void attend(const float4 *queries, const float4 *keys, const float4 *values, float *parts,
                       float *output, unsigned *arrivals, int positions)
{
    __shared__ float tops[GROUPS], sums[GROUPS], accumulated[GROUPS][DIM];
    __shared__ bool last;
    int head = blockIdx.x / SPLITS, split = blockIdx.x % SPLITS;
    int group = threadIdx.x / 16, lane = threadIdx.x % 16, count = positions / SPLITS;
    float4 q = queries[head * 16 + lane], sum = make_float4(0, 0, 0, 0);
    float top = -INFINITY, weights = 0;
    size_t start = ((size_t)head * positions + split * count) * 16 + lane;
    for (int p = group; p < count; p += GROUPS) {
        float4 k = keys[start + p * 16], v = values[start + p * 16];
        float score = q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
        for (int d = 8; d > 0; d /= 2)
            score += __shfl_xor_sync(0xffffffffu, score, d);
        float greater = fmaxf(top, score), scale = __expf(top - greater), weight = __expf(score - greater);
        weights = weights * scale + weight;
        sum = make_float4(sum.x * scale + weight * v.x, sum.y * scale + weight * v.y,
                          sum.z * scale + weight * v.z, sum.w * scale + weight * v.w);
        top = greater;
    }
    *(float4 *)&accumulated[group][lane * 4] = sum;
    if (lane == 0) {
        tops[group] = top;
        sums[group] = weights;
    }
    __syncthreads();
    if (threadIdx.x < DIM) {
        float *part = parts + blockIdx.x * ROW, all = 0, value = 0;
        for (int g = 0; g < GROUPS; g++)
            top = fmaxf(top, tops[g]);
        for (int g = 0; g < GROUPS; g++) {
            float scale = __expf(tops[g] - top);
            all += scale * sums[g];
            value += scale * accumulated[g][threadIdx.x];
        }
        part[threadIdx.x] = value;
        if (threadIdx.x == 0) {
            part[DIM] = top;
            part[DIM + 1] = all;
        }
    }
    if (!LAST_COMBINES)
        return;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&arrivals[head * 32], 1u) % SPLITS == SPLITS - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < DIM)
        combine(parts, output, head);
}

__global__ void combine_heads(const float *parts, float *output)
{
    combine(parts, output, blockIdx.x);
}

static void verify(const std::vector<float> &q, const std::vector<float> &k, const std::vector<float> &v,
                   float *output, int positions)
{
    std::vector<float> got(HEADS * DIM);
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int h = 0; h < HEADS; h++) {
        double weights = 0, sums[DIM] = {};
        for (int p = h * positions; p < (h + 1) * positions; p++) {
            double score = 0;
            for (int d = 0; d < DIM; d++)
                score += q[h * DIM + d] * k[p * DIM + d];
            weights += exp(score);
            for (int d = 0; d < DIM; d++)
                sums[d] += exp(score) * v[p * DIM + d];
        }
        for (int d = 0; d < DIM; d++)
            if (!(fabs(got[h * DIM + d] - sums[d] / weights) < 1e-3)) {
                fprintf(stderr, "flash-decode: wrong number %d of head %d\n", d, h);
                exit(1);
            }
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(float)));
}

int main()
{
    for (int positions : {512, 4096}) {
        std::vector<float> host[3];
        float *device[3], *parts = (float *)words(HEADS * SPLITS * ROW),
                          *output = (float *)words(HEADS * DIM);
        unsigned random = 1, *arrivals = words(HEADS * 32);
        for (int i = 0; i < 3; i++) {
            host[i].resize(HEADS * DIM * (i == 0 ? 1 : positions));
            for (float &number : host[i])
                number = ((random = random * 1664525u + 1013904223u) >> 8) / 8388608.0f - 1;
            device[i] = (float *)words(host[i].size());
            CHECK(cudaMemcpy(device[i], host[i].data(), host[i].size() * sizeof(float),
                             cudaMemcpyHostToDevice));
        }
        const float4 *q = (float4 *)device[0], *k = (float4 *)device[1], *v = (float4 *)device[2];
        measure("flash-decode-a", positions, 1, [&] {
            attend<true><<<HEADS * SPLITS, THREADS>>>(q, k, v, parts, output, arrivals, positions);
        });
        verify(host[0], host[1], host[2], output, positions);
        measure("flash-decode-b", positions, 1, [&] {
            attend<false><<<HEADS * SPLITS, THREADS>>>(q, k, v, parts, output, arrivals, positions);
            combine_heads<<<HEADS, DIM>>>(parts, output);
        });
        verify(host[0], host[1], host[2], output, positions);
        for (float *p : {device[0], device[1], device[2], parts, output, (float *)arrivals})
            CHECK(cudaFree(p));
    }
    return 0;
}
