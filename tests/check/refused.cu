/* gpusync-check refuses PTX and functions that it does not know, and prints their names and lines. */
// expect: refused "wgmma.fence.sync" "not supported on .target"
// expect -DBROKEN: refused "no_such_function(p);" "no_such_function"
// expect -DREGISTERS: refused "many" "syntax error"
__global__ void kernel(int *p)
{
    *p = 1;
#ifdef REGISTERS
    asm volatile("{ .reg .b32 %%many<4000000000>; }");
#elif !defined BROKEN
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
