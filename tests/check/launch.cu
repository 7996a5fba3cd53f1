/* A launch that fails is reported if the program does not ask for its error. A launch that CUDA refuses is
 * a mistake of the program. */
// expect: launch "invalid argument: the launch of nothing at" "nothing<<<1, 2048>>>"
__global__ void nothing() {}

int main()
{
    nothing<<<1, 2048>>>();
    return 0;
}
