/*
 * Keys that are too many for the host: they are made on the device, and the sorted ones are checked there.
 * The result is right if no key is less than the preceding key, and if it has the same keys as the input: the
 * same sum of keys and the same sum of their hashes. The value of a pair is the place of its key in the
 * input, so each pair is compared with the input.
 */
#ifndef BITONIC_ON_DEVICE_CUH
#define BITONIC_ON_DEVICE_CUH

#include "harness/on_device.cuh"

/* Stores the random keys of generate_keys() (bitonic/keys.h), or pairs of such a key and its place. */
template <class Key>
struct make_keys {
    typedef nothing found;
    Key *to;
    unsigned long long seed;
    __device__ void operator()(size_t i, nothing *) const
    {
        const uint64_t key = random_at(seed, i) >> 32;
        to[i] = (Key)(sizeof(Key) == 8 ? key << 32 | i : key);
    }
};

struct sums_of_keys {
    unsigned long long wrong, sum, of_hashes; /* the sums wrap around at 2^64 */
    void add(const sums_of_keys &other)
    {
        wrong += other.wrong;
        sum += other.sum;
        of_hashes += other.of_hashes;
    }
};

/* Sums keys and their hashes, and counts keys that are out of order, and pairs that the input does not
 * contain. `input` is NULL if the order does not matter. */
template <class Key>
struct look_at_keys {
    typedef sums_of_keys found;
    const Key *keys, *input;
    size_t n;
    __device__ void operator()(size_t i, sums_of_keys *sums) const
    {
        const Key key = keys[i];
        sums->sum += key;
        sums->of_hashes += random_at(key, 0);
        if (!input)
            return;
        const size_t place = (size_t)(key & 0xffffffff);
        sums->wrong += i > 0 && key < keys[i - 1];
        if (sizeof(Key) == 8)
            sums->wrong += place >= n || input[place] != key;
    }
};

/* Returns how many of the n sorted keys are wrong. Returns 1 if each key looks right but the sums show that
 * keys of the input are missing. */
template <class Key>
static unsigned long long wrong_keys(const Key *input, const Key *sorted, size_t n)
{
    const sums_of_keys before = look_at_all(look_at_keys<Key>{input, NULL, n}, n),
                       after = look_at_all(look_at_keys<Key>{sorted, input, n}, n);
    const bool same = before.sum == after.sum && before.of_hashes == after.of_hashes;
    return after.wrong ? after.wrong : !same;
}

/* Splits pairs into keys and values, or makes pairs of them. */
struct split_pairs {
    typedef nothing found;
    const unsigned long long *pairs;
    unsigned *keys, *values;
    __device__ void operator()(size_t i, nothing *) const
    {
        keys[i] = (unsigned)(pairs[i] >> 32);
        values[i] = (unsigned)pairs[i];
    }
};
struct join_pairs {
    typedef nothing found;
    const unsigned *keys, *values;
    unsigned long long *pairs;
    __device__ void operator()(size_t i, nothing *) const
    {
        pairs[i] = (unsigned long long)keys[i] << 32 | values[i];
    }
};

#endif
