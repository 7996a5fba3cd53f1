/* By default a block waits for a lower-numbered block, and takes a lock afterwards. With
 * -DFOR_A_HIGHER_BLOCK it waits for a higher-numbered block, and with -DWITH_THE_LOCK for a lower-numbered
 * block while it holds the lock. With -DBY_LANES, lanes wait for each other's lock. */
// expect: right
// expect -DFOR_A_HIGHER_BLOCK: right
// expect -DWITH_THE_LOCK: right
// expect -DBY_LANES: right
__device__ unsigned begun[3], lock, count;

__device__ void wait_for(unsigned block)
{
    while (*(volatile unsigned *)&begun[block] == 0) {
    }
}

__device__ void add_one()
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    count++;
#ifdef WITH_THE_LOCK
    if (blockIdx.x == 2)
        wait_for(1);
#endif
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void wait_for_each_other()
{
#ifdef BY_LANES
    if (threadIdx.x < 4)
        add_one();
#else
#if defined(FOR_A_HIGHER_BLOCK)
    unsigned other = blockIdx.x + 1;
#elif defined(WITH_THE_LOCK)
    unsigned other = 2; // no block waits here; block 2 waits in add_one(), while it holds the lock
#else
    unsigned other = blockIdx.x - 1;
#endif
    if (threadIdx.x == 0) {
        atomicExch(&begun[blockIdx.x], 1);
        if (other < 2)
            wait_for(other);
        if (gridDim.x == 2 || blockIdx.x != 1)
            add_one();
    }
#endif
}

int main()
{
    unsigned sum = 0;
#ifdef BY_LANES
    wait_for_each_other<<<1, 32>>>();
#elif defined(WITH_THE_LOCK)
    wait_for_each_other<<<3, 32>>>();
#else
    wait_for_each_other<<<2, 32>>>();
#endif
    cudaMemcpyFromSymbol(&sum, count, sizeof sum);
#ifdef BY_LANES
    return sum != 4;
#else
    return sum != 2;
#endif
}
