/* Blocks enter a critical section in the order of their tickets. Prints ns per entry; the number in each
 * printed name is the number of blocks. */
#include "blind.h"
struct lock {
    unsigned next, filler[31], serving, more[31], count;
};
__global__ void enter(lock *l, int entries)
{
    if (threadIdx.x)
        return;
    for (int e = 0; e < entries; e++) {
        unsigned ticket = atomicAdd(&l->next, 1);
        while (*(volatile unsigned *)&l->serving != ticket) {
        }
        __threadfence();
        l->count++;
        __threadfence();
        atomicAdd(&l->serving, 1);
    }
}
int main()
{
    lock *l = (lock *)words(sizeof(lock) / 4);
    for (int blocks : {1, 8, 33, 132})
        measure("ticket-lock", blocks, 20.0 * blocks, [=] { enter<<<blocks, 32>>>(l, 20); });
}
