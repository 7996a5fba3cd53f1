// Inserts keys into an open-addressing hash table by atomicCAS, as in cuCollections; first clears it.
// a: linear probing; b: double hashing. ns per batch of insertions; the number is the load in percent.
#include "../blind.h"

static const unsigned LOG = 14, CAPACITY = 1 << LOG, THREADS = 128, EMPTY = 0;

static __device__ unsigned hash(unsigned key)
{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ key >> 16;
}

__global__ void clear(unsigned *table, unsigned *values)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = EMPTY;
    values[i] = 0;
}

template <bool DOUBLE>
__global__ void insert(const unsigned *keys, unsigned count, unsigned *table, unsigned *values)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned key = keys[i], h = hash(key), step = DOUBLE ? h >> 17 | 1 : 1;
    for (unsigned slot = h % CAPACITY;; slot = (slot + step) % CAPACITY) {
        unsigned old = atomicCAS(&table[slot], EMPTY, key);
        if (old == EMPTY || old == key) {
            atomicAdd(&values[slot], 1u);
            return;
        }
    }
}

static void verify(std::vector<unsigned> keys, unsigned *table, unsigned *values)
{
    std::vector<unsigned> slots(CAPACITY), counts(CAPACITY), found;
    CHECK(cudaMemcpy(slots.data(), table, CAPACITY * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(counts.data(), values, CAPACITY * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned s = 0; s < CAPACITY; s++)
        for (unsigned c = 0; c < counts[s]; c++)
            found.push_back(slots[s]);
    std::sort(found.begin(), found.end());
    std::sort(keys.begin(), keys.end());
    if (found != keys) {
        fprintf(stderr, "hash-insert: the table has %zu of %zu keys\n", found.size(), keys.size());
        exit(1);
    }
}

int main()
{
    unsigned *table = words(CAPACITY), *values = words(CAPACITY), *keys = words(CAPACITY);
    for (unsigned percent : {25, 50, 75, 90}) {
        unsigned count = CAPACITY * percent / 100, blocks = (count + THREADS - 1) / THREADS;
        std::vector<unsigned> host(count);
        for (unsigned i = 0; i < count; i++)
            host[i] = (i + 1) * 2654435761u;
        CHECK(cudaMemcpy(keys, host.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("hash-insert-a", percent, 1, [&] {
            clear<<<CAPACITY / THREADS, THREADS>>>(table, values);
            insert<false><<<blocks, THREADS>>>(keys, count, table, values);
        });
        verify(host, table, values);
        measure("hash-insert-b", percent, 1, [&] {
            clear<<<CAPACITY / THREADS, THREADS>>>(table, values);
            insert<true><<<blocks, THREADS>>>(keys, count, table, values);
        });
        verify(host, table, values);
    }
    return 0;
}
