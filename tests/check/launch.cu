/* A launch that fails is named if the program does not ask; a launch that is refused is an error of the
 * program. */
// expect: launch "invalid configuration argument"
__global__ void nothing() {}

int main()
{
    nothing<<<1, 2048>>>();
    return 0;
}
