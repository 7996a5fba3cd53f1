/* gpusync-check refuses PTX and functions that it does not know, and prints their names and lines. A launch
 * that CUDA refuses is a mistake of the program; it is reported if the program does not ask for its error. */
// expect: refused "tcgen05.fence" "not supported on .target"
// expect -DBROKEN: refused "no_such_function(p);" "no_such_function"
// expect -DREGISTERS: refused "many" "syntax error"
// expect -DTHREADS=128: launch "invalid argument: the launch of kernel at" "kernel<<<1, THREADS>>>"
// expect -DTHREADS=2048: launch "invalid argument: the launch of kernel at" "kernel<<<1, THREADS>>>"
__global__ void __launch_bounds__(96) kernel(int *p)
{
#ifdef REGISTERS
    asm volatile("{ .reg .b32 %%many<4000000000>; }");
#elif defined BROKEN
    no_such_function(p);
#elif !defined THREADS
    asm volatile("tcgen05.fence::before_thread_sync;");
#endif
}

#ifndef THREADS
#define THREADS 1
#endif
int main()
{
    kernel<<<1, THREADS>>>(nullptr);
    return 0;
}
