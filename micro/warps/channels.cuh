/*
 * Ways for each thread of a warp to pass a word to the corresponding thread of the next warp, in a chain of
 * warps: the schemes of Li 2015, section 5 (Listings 11 to 13 and section 4.5), and two schemes for today's
 * GPUs. Each channel has
 *
 *     static size_t bytes(threads)   bytes of shared memory that it needs, data included
 *     open()                         called once, by every thread
 *     begin(first, round)            called before a round and a __syncthreads; `first` is warp 0's input
 *     unsigned receive()             waits for the value for this thread
 *     send(value)                    passes a value on
 *     finish()                       the rest of the scheme's work after the round
 *
 * Data word tid is this thread's input, data word tid + 32 its output.
 */
#ifndef MICRO_CHANNELS_CUH
#define MICRO_CHANNELS_CUH

#include "harness/mbarrier.cuh"
#include "sync/named_barrier.cuh"
#include "sync/packed_word.cuh"
#include "sync/spin_lock.cuh"
#include "sync/tiny_lock.cuh"

/* Returns the bytes of the data alone: an input word for each thread of the first warp, and an output word
 * for each thread. */
static inline __host__ __device__ size_t channel_data_bytes(unsigned threads)
{
    return (threads + 32) * sizeof(unsigned);
}

/* The common part of most channels: where their data lie */
struct ChannelData {
    unsigned *data, warp;

    __device__ void open()
    {
        data = dynamic_shared<unsigned>();
        warp = threadIdx.x / 32;
    }
    __device__ void *behind_data() { return data + blockDim.x + 32; }
    __device__ void put_first(unsigned first)
    {
        if (warp == 0)
            data[threadIdx.x] = first;
    }
    __device__ unsigned input() { return ((volatile unsigned *)data)[threadIdx.x]; }
    __device__ void output(unsigned value) { ((volatile unsigned *)data)[threadIdx.x + 32] = value; }
};

/* A channel without synchronization: it measures the computation alone, with wrong values. */
struct NoChannel : ChannelData {
    static size_t bytes(unsigned threads) { return channel_data_bytes(threads); }
    __device__ void begin(unsigned first, unsigned) { put_first(first); }
    __device__ unsigned receive() { return input(); }
    __device__ void send(unsigned value) { output(value); }
    __device__ void finish() {}
};

/* The data-parallel channel: all warps of the block synchronize after each link of the chain. */
struct SyncthreadsChannel : ChannelData {
    static size_t bytes(unsigned threads) { return channel_data_bytes(threads); }
    __device__ void begin(unsigned first, unsigned) { put_first(first); }
    __device__ unsigned receive()
    {
        for (unsigned w = 0; w < warp; w++)
            __syncthreads();
        return input();
    }
    __device__ void send(unsigned value) { output(value); }
    __device__ void finish()
    {
        for (unsigned w = warp; w < blockDim.x / 32; w++)
            __syncthreads();
    }
};

/* The channel of Li 2015, Listing 11: a spin lock for each thread, which the producer holds until it has
 * sent. */
struct AtomLock : ChannelData {
    unsigned *mutex;

    static size_t bytes(unsigned threads) { return channel_data_bytes(threads) + threads * sizeof(unsigned); }
    __device__ void open()
    {
        ChannelData::open();
        mutex = (unsigned *)behind_data();
        mutex[threadIdx.x] = 0;
    }
    __device__ void begin(unsigned first, unsigned)
    {
        put_first(first);
        spin_lock(&mutex[threadIdx.x]);
    }
    __device__ unsigned receive()
    {
        if (warp > 0)
            spin_lock(&mutex[threadIdx.x - 32]);
        return input();
    }
    __device__ void send(unsigned value)
    {
        output(value);
        spin_unlock(&mutex[threadIdx.x]);
    }
    __device__ void finish()
    {
        if (warp > 0)
            spin_unlock(&mutex[threadIdx.x - 32]);
    }
};

/* The channel of Li 2015, Listing 12: a named barrier between every two adjacent warps. Barrier 0 is
 * __syncthreads, which leaves 15 links. */
struct WarpBarrier : ChannelData {
    static size_t bytes(unsigned threads) { return channel_data_bytes(threads); }
    __device__ void begin(unsigned first, unsigned) { put_first(first); }
    __device__ unsigned receive()
    {
        if (warp > 0)
            named_barrier_sync((int)warp, 64);
        return input();
    }
    __device__ void send(unsigned value)
    {
        output(value);
        if (warp + 1 < blockDim.x / 32)
            named_barrier_arrive((int)warp + 1, 64);
    }
    __device__ void finish() {}
};

/* The channel of Li 2015, section 5: one spin lock for each warp, which the warp's first thread takes for
 * all. */
struct SharedLock : ChannelData {
    unsigned *mutex;

    static size_t bytes(unsigned threads)
    {
        return channel_data_bytes(threads) + threads / 32 * sizeof(unsigned);
    }
    __device__ bool leads() { return threadIdx.x % 32 == 0; }
    __device__ void open()
    {
        ChannelData::open();
        mutex = (unsigned *)behind_data();
        if (leads())
            mutex[warp] = 0;
    }
    __device__ void begin(unsigned first, unsigned)
    {
        put_first(first);
        if (leads())
            spin_lock(&mutex[warp]);
    }
    __device__ unsigned receive()
    {
        if (warp > 0 && leads())
            spin_lock(&mutex[warp - 1]);
        __syncwarp();
        return input();
    }
    __device__ void send(unsigned value)
    {
        output(value);
        __syncwarp();
        if (leads())
            spin_unlock(&mutex[warp]);
    }
    __device__ void finish()
    {
        if (warp > 0 && leads())
            spin_unlock(&mutex[warp - 1]);
    }
};

/* A channel that sends each value with its epoch in one 64-bit word */
struct PackedWord {
    packed_word *data;
    unsigned epoch;

    static size_t bytes(unsigned threads) { return (threads + 32) * sizeof(packed_word); }
    __device__ void open()
    {
        data = dynamic_shared<packed_word>();
        for (unsigned i = threadIdx.x; i < blockDim.x + 32; i += blockDim.x)
            data[i] = 0;
        __syncthreads();
    }
    __device__ void begin(unsigned first, unsigned round)
    {
        epoch = round + 1;
        if (threadIdx.x < 32)
            packed_word_publish(&data[threadIdx.x], first, epoch);
    }
    __device__ unsigned receive() { return packed_word_await(&data[threadIdx.x], epoch); }
    __device__ void send(unsigned value) { packed_word_publish(&data[threadIdx.x + 32], value, epoch); }
    __device__ void finish() {}
};

/* A channel of one mbarrier for each warp, at which the warp's first thread arrives for all */
struct MbarrierChannel : ChannelData {
    mbarrier *barriers;
    unsigned parity;

    static size_t bytes(unsigned threads)
    {
        return channel_data_bytes(threads) + threads / 32 * sizeof(mbarrier);
    }
    __device__ bool leads() { return threadIdx.x % 32 == 0; }
    __device__ void open()
    {
        ChannelData::open();
        barriers = (mbarrier *)behind_data();
        if (leads())
            mbarrier_init(&barriers[warp], 1);
    }
    __device__ void begin(unsigned first, unsigned round)
    {
        put_first(first);
        parity = round & 1;
    }
    __device__ unsigned receive()
    {
        if (warp > 0)
            mbarrier_wait(&barriers[warp - 1], parity);
        return input();
    }
    __device__ void send(unsigned value)
    {
        output(value);
        __syncwarp();
        if (leads())
            mbarrier_arrive(&barriers[warp]);
    }
    __device__ void finish() {}
};

#ifdef GPUSYNC_MACHINE

/* The channel of Li 2015, Listing 13: the lock bits of the data words themselves */
struct TinyLock : ChannelData {
    unsigned received;

    static size_t bytes(unsigned threads) { return channel_data_bytes(threads); }
    __device__ void begin(unsigned first, unsigned)
    {
        put_first(first);
        tiny_lock(&data[threadIdx.x + 32]);
    }
    __device__ unsigned receive()
    {
        return received = warp > 0 ? tiny_wait_lock(&data[threadIdx.x]) : input();
    }
    __device__ void send(unsigned value) { tiny_unlock(&data[threadIdx.x + 32], value); }
    __device__ void finish()
    {
        if (warp > 0)
            tiny_unlock(&data[threadIdx.x], received);
    }
};

/* The channel of Li 2015, section 4.5 and Listing 9: one lock bit for each warp, in a separate word */
struct WarpVote : ChannelData {
    unsigned *token;

    static size_t bytes(unsigned threads)
    {
        return channel_data_bytes(threads) + threads / 32 * sizeof(unsigned);
    }
    __device__ void open()
    {
        ChannelData::open();
        token = (unsigned *)behind_data();
    }
    __device__ void begin(unsigned first, unsigned)
    {
        put_first(first);
        tiny_lock(&token[warp]);
    }
    __device__ unsigned receive()
    {
        if (warp > 0)
            warp_vote_wait_lock(&token[warp - 1]);
        return input();
    }
    __device__ void send(unsigned value)
    {
        output(value);
        warp_vote_unlock(&token[warp]);
    }
    __device__ void finish()
    {
        if (warp > 0)
            warp_vote_unlock(&token[warp - 1]);
    }
};

#endif

#endif
