/* Logarithms of whole numbers. */
#ifndef BASE_LOG_2_H
#define BASE_LOG_2_H

/* Returns the smallest k with 2^k >= n. */
static inline int log_2(long long n)
{
    int log = 0;
    while (1ll << log < n)
        log++;
    return log;
}

#endif
