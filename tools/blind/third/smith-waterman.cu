// Smith-Waterman alignment: a warp a strip of 32 rows, borders between blocks by flags, as in CUDAlign.
// a: the border is published every 32 columns; b: every 8. ns per alignment; the number: strips.
#include "../blind.h"

static const int COLUMNS = 128, LINE = 32, MATCH = 2, MISMATCH = -1, GAP = 1;

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

/* Lane i computes row i of the strip, i columns behind lane 0. Border b is the last row of strip b. */
template <int GROUP>
__global__ void align(const unsigned *rows, const unsigned *columns, int *borders, unsigned *progress,
                      int *best, unsigned base)
{
    int b = blockIdx.x, lane = threadIdx.x, left = 0, diagonal = 0, mine = 0, above = 0, most = 0;
    unsigned letter = rows[b * 32 + lane];
    for (int d = 0; d < COLUMNS + 31; d++) {
        if (b > 0 && d < COLUMNS && d % GROUP == 0) {
            if (lane == 0)
                while ((int)(load_acquire(progress + (b - 1) * LINE) - (base + d + GROUP)) < 0)
                    ;
            __syncwarp();
            above = lane < GROUP ? borders[(b - 1) * COLUMNS + d + lane] : 0;
        }
        int up = __shfl_up_sync(0xffffffffu, mine, 1), border = __shfl_sync(0xffffffffu, above, d % GROUP);
        if (lane == 0)
            up = b > 0 && d < COLUMNS ? border : 0;
        int c = d - lane;
        if (c >= 0 && c < COLUMNS) {
            int score = diagonal + (letter == columns[c] ? MATCH : MISMATCH);
            mine = max(max(0, score), max(up, left) - GAP);
            left = mine;
            diagonal = up;
            most = max(most, mine);
            if (lane == 31) {
                borders[b * COLUMNS + c] = mine;
                if (c % GROUP == GROUP - 1)
                    store_release(progress + b * LINE, base + c + 1);
            }
        }
    }
    for (int s = 16; s > 0; s /= 2)
        most = max(most, __shfl_xor_sync(0xffffffffu, most, s));
    if (lane == 0)
        best[b] = most;
}

static void verify(const std::vector<unsigned> &rows, const std::vector<unsigned> &columns, int *best)
{
    int strips = (int)rows.size() / 32;
    std::vector<int> got(strips), expected(strips), above(COLUMNS + 1), row(COLUMNS + 1);
    for (size_t r = 0; r < rows.size(); r++, above = row)
        for (int c = 1; c <= COLUMNS; c++) {
            int score = above[c - 1] + (rows[r] == columns[c - 1] ? MATCH : MISMATCH);
            row[c] = std::max(std::max(0, score), std::max(above[c], row[c - 1]) - GAP);
            expected[r / 32] = std::max(expected[r / 32], row[c]);
        }
    CHECK(cudaMemcpy(got.data(), best, strips * sizeof(int), cudaMemcpyDeviceToHost));
    if (got != expected) {
        fprintf(stderr, "smith-waterman: wrong result of %d strips\n", strips);
        exit(1);
    }
    CHECK(cudaMemset(best, 0, strips * sizeof(int)));
}

int main()
{
    for (int strips : {2, 16, 64, 128}) {
        std::vector<unsigned> host_rows(strips * 32), host_columns(COLUMNS);
        for (int i = 0; i < strips * 32; i++)
            host_rows[i] = i * 2654435761u >> 30;
        for (int i = 0; i < COLUMNS; i++)
            host_columns[i] = (i * 3 + i / 7) * 2654435761u >> 30;
        unsigned *rows = words(strips * 32), *columns = words(COLUMNS), *borders = words(strips * COLUMNS);
        unsigned *progress = words(strips * LINE), *best = words(strips), base = 0;
        CHECK(cudaMemcpy(rows, host_rows.data(), strips * 32 * sizeof(unsigned), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(columns, host_columns.data(), COLUMNS * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("smith-waterman-a", strips, 1, [&] {
            align<32><<<strips, 32>>>(rows, columns, (int *)borders, progress, (int *)best, base);
            base += COLUMNS;
        });
        verify(host_rows, host_columns, (int *)best);
        measure("smith-waterman-b", strips, 1, [&] {
            align<8><<<strips, 32>>>(rows, columns, (int *)borders, progress, (int *)best, base);
            base += COLUMNS;
        });
        verify(host_rows, host_columns, (int *)best);
        for (unsigned *p : {rows, columns, borders, progress, best})
            CHECK(cudaFree(p));
    }
    return 0;
}
