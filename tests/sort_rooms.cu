/*
 * Tests the last step of the radix sort with two splits (bitonic/msd_twice.cuh), in which a block finds the
 * place of a room from the numbers of keys in earlier rooms. The test has the largest possible number of
 * rooms in a region. A sort needs this number only with millions of keys; here the step runs alone, on rooms
 * of a few keys.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "bitonic/msd_twice.cuh"
#include "harness/device.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/options.h"
#include "harness/timer.h"
#include "tests/check.h"

typedef msd_twice_sort<unsigned> sort;

static __global__ void sort_rooms(sort s)
{
    s(2);
}

/* Returns the number of keys in a room (a part of a region): 0 to 3. */
static unsigned keys_of(unsigned room)
{
    return (room * 2654435761u >> 16) % 4;
}

/* Fills 2^first_bits regions of 2^second_bits rooms each with keys and runs the step. Returns how many keys
 * are at a wrong place of the output. */
static unsigned wrong_keys(int first_bits, int second_bits, unsigned blocks)
{
    const int bits = first_bits + second_bits;
    const unsigned rooms = 1u << bits;
    const size_t counts_bytes = (sort::MOST_OF_SPLIT + sort::MOST_ROOMS) * sizeof(unsigned);
    unsigned *counts = (unsigned *)allocate(counts_bytes), n = 0, wrong = 0;
    unsigned *expected = (unsigned *)allocate(4 * rooms * sizeof *expected);
    sort s = {};
    s.bucket_bits = bits, s.first_bits = first_bits, s.region = ~0u;
    allocate_on_device(s.rooms, s.keys_in_rooms() * sizeof *s.rooms);
    for (unsigned room = 0; room < rooms; room++) {
        unsigned keys[3], count = keys_of(room);
        for (unsigned k = 0; k < count; k++) {
            expected[n + k] = room << (32 - bits) | k;
            keys[count - 1 - k] = expected[n + k];
        }
        CHECK(cudaMemcpy(s.rooms + (size_t)room * sort::ROOM, keys, count * sizeof *keys,
                         cudaMemcpyHostToDevice));
        counts[sort::MOST_OF_SPLIT + room] = count;
        counts[room >> second_bits] += count;
        n += count;
    }
    unsigned *found = (unsigned *)allocate(n * sizeof *found), uneven = 0;
    allocate_on_device(s.in_region, counts_bytes);
    allocate_on_device(s.lsd.keys, n * sizeof *found);
    allocate_on_device(s.uneven, sizeof uneven);
    s.in_room = s.in_region + sort::MOST_OF_SPLIT;
    s.lsd.n = n;
    CHECK(cudaMemcpy(s.in_region, counts, counts_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(s.uneven, 0, sizeof uneven));
    CHECK(launch(sort_rooms, {blocks, sort::THREADS, sort::SHARED_BYTES, false, false}, harness_stream(), s));
    wait_for_device();
    CHECK(cudaMemcpy(found, s.lsd.keys, n * sizeof *found, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&uneven, s.uneven, sizeof uneven, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++)
        wrong += found[i] != expected[i];
    CHECK(cudaFree(s.rooms));
    CHECK(cudaFree(s.in_region));
    CHECK(cudaFree(s.lsd.keys));
    CHECK(cudaFree(s.uneven));
    free(found);
    free(expected);
    free(counts);
    return wrong + uneven;
}

int main()
{
    static options options;
    device device;
    set_program_name("sort_rooms");
#ifdef GPUSYNC_MACHINE
    options.device = "h100";
#endif
    open_device(&options, &device);
    if (msd_radix_fits()) {
        check(wrong_keys(0, sort::MOST_SPLIT_BITS, 4) == 0, "the rooms of one region lie after each other");
        check(wrong_keys(1, sort::MOST_SPLIT_BITS, 4) == 0, "so do those of two regions");
        check(wrong_keys(2, 3, 4) == 0, "so do those of four small regions");
    }
    return checks_done();
}
