/* One block writes two words under a sequence lock, and the others read them. Prints ns per read of a block;
 * the number in each printed name is the number of readers. */
#include "../blind.h"
__global__ void share(unsigned *lock, unsigned *out, int rounds)
{
    volatile unsigned *sequence = lock, *data = lock + 32;
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++) {
        if (blockIdx.x == 0) {
            unsigned now = *sequence;
            *sequence = now + 1;
            __threadfence();
            data[0] = r;
            data[32] = r;
            __threadfence();
            *sequence = now + 2;
        } else {
            unsigned before, a, b, after;
            do {
                before = *sequence;
                __threadfence();
                a = data[0];
                b = data[32];
                __threadfence();
                after = *sequence;
            } while (before != after || before & 1);
            sum += a + b;
        }
    }
    out[blockIdx.x] = sum;
}
int main()
{
    unsigned *lock = words(128), *out = words(132);
    for (int readers : {1, 16, 131})
        measure("seqlock", readers, 20, [=] { share<<<readers + 1, 1>>>(lock, out, 20); });
}
