// Sparse triangular solve: a warp a row waits for the rows that it needs, as in cuSPARSE's csrsv.
// a: a flag beside each unknown; b: unknown and flag in one 64-bit word. ns per solve; the number: rows.
#include "../blind.h"

static const int THREADS = 128, BLOCKS = 64, NONZEROS = 8, WINDOW = 96;

static __device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ void store_release(unsigned *address, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/* Warps take rows in rising order, so the warp of the first row that is not solved never waits for long. */
template <bool PACKED>
__global__ void solve(const int *columns, const unsigned *values, unsigned *x, unsigned *flags,
                      unsigned long long *packed, int rows, unsigned epoch)
{
    int warp = (threadIdx.x / 32) * BLOCKS + blockIdx.x, lane = threadIdx.x % 32;
    for (int row = warp; row < rows; row += BLOCKS * THREADS / 32) {
        unsigned sum = 0;
        if (lane < NONZEROS) {
            int column = columns[row * NONZEROS + lane];
            unsigned factor = values[row * NONZEROS + lane];
            if (column >= 0 && PACKED) {
                unsigned long long both;
                do
                    both = ((volatile unsigned long long *)packed)[column];
                while (both >> 32 != epoch);
                sum = factor * (unsigned)both;
            } else if (column >= 0) {
                while (load_acquire(flags + column) != epoch)
                    ;
                sum = factor * x[column];
            }
        }
        __syncwarp();
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0) {
            unsigned result = row + 1 - sum;
            x[row] = result;
            if (PACKED)
                ((volatile unsigned long long *)packed)[row] = (unsigned long long)epoch << 32 | result;
            else
                store_release(flags + row, epoch);
        }
    }
}

static void verify(const std::vector<int> &columns, const std::vector<unsigned> &values, unsigned *x,
                   int rows)
{
    std::vector<unsigned> got(rows), expected(rows);
    for (int r = 0; r < rows; r++) {
        expected[r] = r + 1;
        for (int k = r * NONZEROS; k < (r + 1) * NONZEROS; k++)
            if (columns[k] >= 0)
                expected[r] -= values[k] * expected[columns[k]];
    }
    CHECK(cudaMemcpy(got.data(), x, rows * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != expected) {
        fprintf(stderr, "sync-free-trsv: wrong result of %d rows\n", rows);
        exit(1);
    }
    CHECK(cudaMemset(x, 0, rows * sizeof(unsigned)));
}

int main()
{
    for (int rows : {64, 256, 1024}) {
        std::vector<int> host_columns(rows * NONZEROS);
        std::vector<unsigned> host_values(rows * NONZEROS);
        for (int k = 0; k < rows * NONZEROS; k++) {
            host_columns[k] = k / NONZEROS - 1 - (int)(k * 2654435761u >> 8) % WINDOW;
            host_values[k] = k * 2654435761u >> 12;
        }
        int *columns = (int *)words(host_columns.size());
        unsigned *values = words(host_values.size()), *x = words(rows), *flags = words(rows), epoch = 0;
        unsigned long long *packed = (unsigned long long *)words(2 * rows);
        CHECK(cudaMemcpy(columns, host_columns.data(), host_columns.size() * 4, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(values, host_values.data(), host_values.size() * 4, cudaMemcpyHostToDevice));
        measure("sync-free-trsv-a", rows, 1,
                [&] { solve<false><<<BLOCKS, THREADS>>>(columns, values, x, flags, packed, rows, ++epoch); });
        verify(host_columns, host_values, x, rows);
        measure("sync-free-trsv-b", rows, 1,
                [&] { solve<true><<<BLOCKS, THREADS>>>(columns, values, x, flags, packed, rows, ++epoch); });
        verify(host_columns, host_values, x, rows);
        for (void *p : {(void *)columns, (void *)values, (void *)x, (void *)flags, (void *)packed})
            CHECK(cudaFree(p));
    }
    return 0;
}
