/* The kernels of micro-decode besides the steps: fill_weights(), and copy_vectors(), a plain copy of half of
 * the weights. The copy reads and writes, so it moves as many bytes as decoding reads. */
#ifndef MICRO_DECODE_FILL_CUH
#define MICRO_DECODE_FILL_CUH

#include "harness/kernel.cuh"
#include "micro/decode/board.cuh"
#include "micro/decode/schedule.cuh"

#define COPY_THREADS 512
#define COPIES_AT_ONCE 4

/* Fills the weights of the grid's members, one member after another. */
__global__ void fill_weights(uint4 *weights, decoder d, schedule work, unsigned members)
{
    const size_t of_member = (size_t)work.layers * work.layer_vectors;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < members * of_member;
         i += (size_t)gridDim.x * blockDim.x) {
        const unsigned member = work.first_member + (unsigned)(i / of_member);
        const unsigned layer = (unsigned)(i % of_member / work.layer_vectors);
        const unsigned own = (unsigned)(i % work.layer_vectors);
        unsigned kind = STEPS_OF_LAYER - 1;
        while (own < work.shapes[kind].vectors_before)
            kind--;
        const step_shape &shape = work.shapes[kind];
        const unsigned vector = vector_of_all(shape, member, own - shape.vectors_before);
        unsigned words[4], eight = weights_of(&d, layer, kind, vector);
        for (unsigned w = 0; w < 4; w++)
            words[w] = pair_of(weight_of(eight, 2 * w), weight_of(eight, 2 * w + 1));
        weights[i] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

__global__ void __launch_bounds__(COPY_THREADS) copy_vectors(uint4 *to, const uint4 *from, size_t count)
{
    size_t threads = (size_t)gridDim.x * blockDim.x;
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; at + (COPIES_AT_ONCE - 1) * threads < count; at += COPIES_AT_ONCE * threads) {
        uint4 some[COPIES_AT_ONCE];
        UNROLL(4)
        for (unsigned i = 0; i < COPIES_AT_ONCE; i++)
            some[i] = from[at + i * threads];
        UNROLL(4)
        for (unsigned i = 0; i < COPIES_AT_ONCE; i++)
            to[at + i * threads] = some[i];
    }
    for (; at < count; at += threads)
        to[at] = from[at];
}

#endif
