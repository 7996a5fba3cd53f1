/* A thread that arrives by mbarrier.arrive_drop is not waited for in the phases after it. */
// expect: right
// expect -DSTAYS: hang "WAIT_FOR(b, 1); // second"
#ifdef STAYS
#define ARRIVE_LAST "mbarrier.arrive.shared.b64 %0, [%1];"
#else
#define ARRIVE_LAST "mbarrier.arrive_drop.shared.b64 %0, [%1];"
#endif
#define ARRIVE(instruction, bar)                                                                             \
    do {                                                                                                     \
        unsigned long long state;                                                                            \
        asm volatile(instruction : "=l"(state) : "r"(bar) : "memory");                                       \
    } while (0)
#define WAIT_FOR(bar, parity)                                                                                \
    asm volatile(                                                                                            \
        "{ .reg .pred p; AGAIN: mbarrier.test_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(   \
            bar),                                                                                            \
        "r"(parity)                                                                                          \
        : "memory")

__global__ void leave()
{
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(blockDim.x) : "memory");
    __syncthreads();
    if (threadIdx.x >= 32) {
        ARRIVE(ARRIVE_LAST, b);
        return;
    }
    ARRIVE("mbarrier.arrive.shared.b64 %0, [%1];", b);
    WAIT_FOR(b, 0);
    ARRIVE("mbarrier.arrive.shared.b64 %0, [%1];", b);
    WAIT_FOR(b, 1); // second
}

int main()
{
    leave<<<1, 64>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
