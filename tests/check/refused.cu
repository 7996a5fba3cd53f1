/* gpusync-check refuses PTX and functions that it does not know, and prints their names and lines. */
// expect: refused ":8: " "wgmma.fence"
// expect -DBROKEN: refused ":10:" "no_such_function"
__global__ void kernel(int *p)
{
    *p = 1;
#ifndef BROKEN
    asm volatile("wgmma.fence.sync.aligned;");
#else
    no_such_function(p);
#endif
}

int main()
{
    kernel<<<1, 1>>>(nullptr);
    return 0;
}
