/* Tests a grid barrier while the kernel of another stream occupies one of the memory machine's four
 * multiprocessors. */
#ifndef TESTS_BESIDE_CUH
#define TESTS_BESIDE_CUH

#include "harness/steps.cuh"
#include "micro/barrier/payload.cuh"

#define SEEN_SMS 4u

__global__ void hold_until_told(const unsigned *leave)
{
    while (!*(const volatile unsigned *)leave) {
    }
}

/* Returns an amount of shared memory in bytes that leaves no room for a second block on a multiprocessor. */
static size_t most_of_it()
{
    return (size_t)machine_installed()->shared_bytes_per_sm * 2 / 3;
}

static cudaStream_t confined_stream()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    machine_confine_stream(stream, SEEN_SMS);
    return stream;
}

/* Runs a grid of `blocks` blocks with a barrier, while a kernel of another stream occupies one
 * multiprocessor. Returns the grid's error code, or cudaErrorInvalidValue if the barrier opened too early. */
template <class Barrier>
static cudaError_t meet_beside(sync_id method, unsigned blocks)
{
    static unsigned leave, errors, boards[2 * SEEN_SMS * 32];
    gpusync_grid_barrier memory;
    PayloadStep step = {boards, &errors};
    cudaStream_t stream = confined_stream(), other = confined_stream();
    launch_shape holder = {1, 1, most_of_it(), false, false};
    launch_shape grid = {blocks, 32, most_of_it(), sync_methods[method].cooperative, false};
    leave = errors = 0;
    CHECK(gpusync_grid_barrier_create(&memory, blocks));
    CHECK(launch(hold_until_told, holder, other, (const unsigned *)&leave));
    CHECK(launch(step_loop<Barrier, PayloadStep>, grid, stream, step, 3, memory));
    cudaError_t result = cudaStreamSynchronize(stream);
    leave = 1;
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
    CHECK(gpusync_grid_barrier_destroy(&memory));
    return errors ? cudaErrorInvalidValue : result;
}

#endif
