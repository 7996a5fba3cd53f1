/*
 * The steps of micro-decode, one body for every order (orders.cuh): a block gathers what a step needs into shared
 * memory, each of its warps multiplies the items that come through its ring (ring.cuh), and worker 0 leaves
 * the block's results on the board.
 */
#ifndef MICRO_DECODE_STEP_CUH
#define MICRO_DECODE_STEP_CUH

#include "micro/decode/orders.cuh"
#include "micro/decode/ring.cuh"

#define LOADS_AT_ONCE 4

/* A parameter of a kernel that stays where it is, though it is passed on by reference. */
#ifdef GPUSYNC_MACHINE
#define GRID_CONSTANT
#else
#define GRID_CONSTANT __grid_constant__
#endif

/* The block's shared memory, from its beginning on. */
struct shared_layout {
    unsigned slots_of_warp, ahead;            /* of the ring; items that are under way at once */
    unsigned slots, x, residual, sums, parts; /* where each begins, in bytes; the mbarriers are first */
    unsigned bytes;
};

struct decoding {
    decoder of;
    schedule work;
    const uint4 *weights;
    board results;
    shared_layout layout;
    gpusync_grid_barrier memory;
};

/* The sum over lanes whose numbers differ in bits of `apart`, from `least` to below `most`. */
static __device__ __forceinline__ int sum_of_lanes(int sum, int least, int most)
{
    UNROLL(5)
    for (int apart = least; apart < most; apart *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    return sum;
}

/* The sum and the products of the eight numbers of 16 bits and those of 8. */
static __device__ __forceinline__ int add_products(uint4 vector, uint2 numbers, int sum)
{
    sum = __dp2a_lo((int)vector.x, (int)numbers.x, sum);
    sum = __dp2a_hi((int)vector.y, (int)numbers.x, sum);
    sum = __dp2a_lo((int)vector.z, (int)numbers.y, sum);
    return __dp2a_hi((int)vector.w, (int)numbers.y, sum);
}

/* Numbers of 8 bits as such of 16. */
static __device__ __forceinline__ uint4 widened(uint2 bytes)
{
    const unsigned words[2] = {bytes.x, bytes.y};
    unsigned wide[4];
    UNROLL(4)
    for (unsigned i = 0; i < 4; i++)
        wide[i] = pair_of((signed char)(words[i / 2] >> 16 * (i % 2) & 255),
                          (signed char)(words[i / 2] >> (16 * (i % 2) + 8) & 255));
    return make_uint4(wide[0], wide[1], wide[2], wide[3]);
}

template <class Order>
struct Worker {
    typedef typename Order::Board Board;
    const decoding &p;
    Order &order;
    const Board results;
    unsigned warp, lane;
    Ring ring;
    unsigned *x;        /* four numbers in a word, from the first that the step needs on */
    unsigned *residual; /* pairs */
    int *sums;          /* of the block's items */
    int *parts;         /* of an attention: the block's, of each head of its groups */

    __device__ Worker(const decoding &all, Order &by, const ring_memory &memory)
        : p(all), order(by),
          results(all.results, (all.work.first_block + block_in_grid()) * all.results.gpus / all.work.blocks)
    {
        unsigned char *shared = dynamic_shared<unsigned char>();
        warp = thread_in_block() / 32;
        lane = thread_in_block() % 32;
        x = (unsigned *)(shared + p.layout.x);
        residual = (unsigned *)(shared + p.layout.residual);
        sums = (int *)(shared + p.layout.sums);
        parts = (int *)(shared + p.layout.parts);
        ring.begin(memory);
    }

    /* ---- what a step needs ---- */

    static __device__ place before(place at, unsigned layers)
    {
        if (at.kind > 0)
            return {at.token, at.layer, at.kind - 1};
        if (at.layer > 0)
            return {at.token, at.layer - 1, DOWN};
        return {at.token - 1, layers - 1, DOWN};
    }
    static __device__ bool is_first(place at) { return at.kind == 0 && at.layer == 0 && at.token == 0; }

    __device__ unsigned group_of(unsigned chunk) const { return chunk / chunks_of_group(&p.of); }
    __device__ unsigned groups_of(const Cursor &c) const
    {
        return c.units ? group_of(c.first_unit + c.units - 1) - group_of(c.first_unit) + 1 : 0;
    }
    __device__ unsigned sums_of_group() const { return p.of.heads * HEAD_NUMBERS; }

    /* A token begins with what the one before ended with, changed. */
    __device__ unsigned embedded(unsigned pair, unsigned token, unsigned at) const
    {
        return pair_of(model_wrap(first_of(pair) + embedding(&p.of, token, 2 * at)),
                       model_wrap(second_of(pair) + embedding(&p.of, token, 2 * at + 1)));
    }
    __device__ bool embeds(place at) const { return at.kind == QKV && at.layer == 0; }

    /* Results 4 * unit to 4 * unit + 3 of the step before; false: not all of them are there yet. */
    __device__ bool get(place source, unsigned unit, uint2 *pairs) const
    {
        if (source.kind != ATTENTION)
            return results.get(pairs_at(p.of, source) + 2 * unit, pairs);
        int found[4];
        unsigned chunks = chunks_of_group(&p.of);
        size_t at = sums_at(p.of, source) + 4 * unit;
        bool first = results.get_sums(at, chunks, &found[0]);
        bool second = results.get_sums(at + 2, chunks, &found[2]);
        *pairs = make_uint2(pair_of(model_wrap(found[0]), model_wrap(found[1])),
                            pair_of(model_wrap(found[2]), model_wrap(found[3])));
        return first && second;
    }

    /* Every warp gathers its share of them, from number `first` to before `end`, and the residual's. */
    __device__ void gather(place at, const Cursor &c)
    {
        place source = before(at, p.of.layers);
        unsigned first = 0, end = columns_of(&p.of, at.kind) / 4;
        if (at.kind == ATTENTION && c.units > 0) {
            first = group_of(c.first_unit) * numbers_of_group(&p.of) / 4;
            end = first + groups_of(c) * numbers_of_group(&p.of) / 4;
        }
        unsigned from = first + (end - first) * warp / WORKERS,
                 to = first + (end - first) * (warp + 1) / WORKERS;
        if (c.units == 0)
            from = to = 0;
        if (!is_first(at) && (c.units > 0 || Order::IS_GRID_BARRIER))
            order.wait(source, 4 * from, 4 * to);
        for (unsigned unit = from + lane; unit < to; unit += 32 * LOADS_AT_ONCE) {
            uint2 pairs[LOADS_AT_ONCE] = {};
            get_batch(at, source, unit, to, pairs);
            UNROLL(4)
            for (unsigned i = 0; i < LOADS_AT_ONCE; i++)
                if (unit + 32 * i < to)
                    x[unit + 32 * i - first] = bytes_of(changed(at, unit + 32 * i, pairs[i]));
        }
        if (at.kind == PROJECTION || at.kind == DOWN)
            gather_residual(at, c);
        if (at.kind == ATTENTION)
            for (unsigned i = thread_in_block(); i < groups_of(c) * sums_of_group(); i += WORKER_THREADS)
                parts[i] = 0;
    }
    __device__ void get_batch(place at, place source, unsigned unit, unsigned end, uint2 *pairs) const
    {
        bool all = is_first(at);
        while (!all) {
            all = true;
            UNROLL(4)
            for (unsigned i = 0; i < LOADS_AT_ONCE; i++)
                if (unit + 32 * i < end)
                    all = get(source, unit + 32 * i, &pairs[i]) && all;
        }
    }
    __device__ uint2 changed(place at, unsigned unit, uint2 pairs) const
    {
        if (!embeds(at))
            return pairs;
        return make_uint2(embedded(pairs.x, at.token, 2 * unit), embedded(pairs.y, at.token, 2 * unit + 1));
    }
    /* PROJECTION's is the layer's input, DOWN's what PROJECTION gave: older than what was just waited for. */
    __device__ void gather_residual(place at, const Cursor &c)
    {
        place asker = {at.token, at.layer, (unsigned)(at.kind == DOWN ? GATE_UP : QKV)};
        place source = before(asker, p.of.layers);
        for (unsigned i = thread_in_block(); i < c.units; i += WORKER_THREADS) {
            unsigned pair = 0, number = c.first_unit + i;
            if (!is_first(asker))
                pair = results.get_one(pairs_at(p.of, source) + number);
            residual[i] = embeds(asker) ? embedded(pair, at.token, number) : pair;
        }
    }

    /* ---- matrices ---- */

    template <bool whole>
    __device__ void multiply(Cursor &c, const step_shape &shape)
    {
        const unsigned rows = (shape.item_vectors + 31) / 32;
        const bool has_any = whole || lane < shape.item_vectors;
        uint2 numbers[VECTORS_OF_LANE];
        const unsigned further = WORKERS % shape.segments;
        unsigned segment = c.next % shape.segments, loaded = shape.segments;
        for (; c.next < c.items; c.next += WORKERS) {
            if (segment != loaded)
                load_numbers<whole>(numbers, segment * shape.item_vectors + lane, rows, has_any);
            loaded = segment;
            const uint4 *vectors = ring.await(c.from + c.next * shape.item_vectors);
            int two[2] = {0, 0}; /* an addition need not wait for the one before */
            UNROLL(8)
            for (unsigned i = 0; i < VECTORS_OF_LANE; i++)
                if (whole || (i < rows && has_any))
                    two[i % 2] = add_products(vectors[32 * i], numbers[i], two[i % 2]);
            ring.release();
            int sum = sum_of_lanes(two[0] + two[1], 1, 32);
            if (lane == 0)
                sums[c.next] = sum;
            segment += further;
            segment -= segment >= shape.segments ? shape.segments : 0;
        }
    }
    template <bool whole>
    __device__ void load_numbers(uint2 *numbers, unsigned at, unsigned rows, bool has_any) const
    {
        UNROLL(8)
        for (unsigned i = 0; i < VECTORS_OF_LANE; i++)
            numbers[i] = whole || (i < rows && has_any) ? ((const uint2 *)x)[at + 32 * i] : make_uint2(0, 0);
    }

    /* The sum of a row of the block, over its segments. */
    __device__ int row_sum(unsigned row, unsigned segments) const
    {
        int sum = 0;
        for (unsigned i = 0; i < segments; i++)
            sum += sums[row * segments + i];
        return sum;
    }
    __device__ int result(unsigned kind, unsigned number, unsigned segments) const
    {
        return kind == GATE_UP ? gated(row_sum(2 * number, segments), row_sum(2 * number + 1, segments))
                               : row_sum(number, segments);
    }
    /* By worker 0. */
    __device__ void leave(place at, const Cursor &c)
    {
        unsigned segments = p.work.shapes[at.kind].segments;
        for (unsigned i = lane; i < c.units; i += 32) {
            int first = result(at.kind, 2 * i, segments), second = result(at.kind, 2 * i + 1, segments);
            if (at.kind == PROJECTION || at.kind == DOWN) {
                first += first_of(residual[i]);
                second += second_of(residual[i]);
            }
            results.put(pairs_at(p.of, at) + c.first_unit + i,
                        pair_of(model_wrap(first), model_wrap(second)));
        }
    }

    /* ---- attention ---- */

    /* A lane has 8 numbers of every fourth token's key, and of its value. */
    __device__ void attend(Cursor &c)
    {
        unsigned first_group = group_of(c.first_unit);
        for (; c.next < c.items; c.next += WORKERS) {
            unsigned chunk = c.first_unit + c.next, group = group_of(chunk);
            const uint2 *of_group =
                (const uint2 *)(x + (group - first_group) * numbers_of_group(&p.of) / 4) + lane % 8;
            bool is_last = (chunk + 1) % chunks_of_group(&p.of) == 0;
            const uint4 *vectors = ring.await(c.from + c.next * (CHUNK_NUMBERS / WEIGHTS_OF_VECTOR));
            int of_chunk[MOST_HEADS_OF_GROUP][WEIGHTS_OF_VECTOR] = {};
            UNROLL(4)
            for (unsigned i = 0; i < VECTORS_OF_LANE / 2; i++)
                add_token(of_group, vectors[32 * i], vectors[32 * (i + VECTORS_OF_LANE / 2)], true, of_chunk);
            ring.release();
            if (is_last) /* the token's own key and value, once */
                add_token(of_group, widened(of_group[8 * p.of.heads]), widened(of_group[8 * p.of.heads + 8]),
                          lane < 8, of_chunk);
            add_parts(group - first_group, of_chunk);
        }
    }
    __device__ void add_token(const uint2 *queries, uint4 key, uint4 value, bool counts,
                              int (*of_chunk)[WEIGHTS_OF_VECTOR]) const
    {
        const unsigned values[4] = {value.x, value.y, value.z, value.w};
        UNROLL(4)
        for (unsigned head = 0; head < MOST_HEADS_OF_GROUP; head++) {
            if (head >= p.of.heads)
                continue;
            int score = model_wrap(sum_of_lanes(add_products(key, queries[8 * head], 0), 1, 8));
            int factor = counts ? score : 0;
            UNROLL(8)
            for (unsigned i = 0; i < WEIGHTS_OF_VECTOR; i++)
                of_chunk[head][i] += factor * (i % 2 ? second_of(values[i / 2]) : first_of(values[i / 2]));
        }
    }
    /* Each group of eight lanes adds the sums of a head to the block's. */
    __device__ void add_parts(unsigned group, int (*of_chunk)[WEIGHTS_OF_VECTOR])
    {
        int *first = parts + group * sums_of_group() + lane * WEIGHTS_OF_VECTOR, own[WEIGHTS_OF_VECTOR] = {};
        UNROLL(4)
        for (unsigned head = 0; head < MOST_HEADS_OF_GROUP; head++) {
            if (head >= p.of.heads)
                continue;
            UNROLL(8)
            for (unsigned i = 0; i < WEIGHTS_OF_VECTOR; i++) {
                int sum = sum_of_lanes(of_chunk[head][i], 8, 32);
                own[i] = head == lane / 8 ? sum : own[i];
            }
        }
        if (lane / 8 < p.of.heads)
            UNROLL(8)
        for (unsigned i = 0; i < WEIGHTS_OF_VECTOR; i++)
            atomicAdd(&first[i], own[i]);
    }
    /* By worker 0: neighbouring words at once, because the cache adds to those of 32 bytes in one turn. */
    __device__ void leave_parts(place at, const Cursor &c)
    {
        unsigned chunks = chunks_of_group(&p.of), first_group = c.units ? group_of(c.first_unit) : 0;
        for (unsigned i = lane; i < groups_of(c) * sums_of_group(); i += 32) {
            unsigned group = first_group + i / sums_of_group(), from = group * chunks, to = from + chunks;
            from = from > c.first_unit ? from : c.first_unit;
            to = to < c.first_unit + c.units ? to : c.first_unit + c.units;
            results.add(sums_at(p.of, at) + first_group * sums_of_group() + i, to - from, parts[i]);
        }
    }

    /* ---- a step ---- */

    __device__ void step(place at, Cursor &c)
    {
        const step_shape &shape = p.work.shapes[at.kind];
        gather(at, c);
        workers_sync();
        if (at.kind == ATTENTION)
            attend(c);
        else if (shape.item_vectors == 32 * VECTORS_OF_LANE)
            multiply<true>(c, shape);
        else
            multiply<false>(c, shape);
        workers_sync();
        if (!is_worker_0())
            return;
        if (at.kind == ATTENTION)
            leave_parts(at, c);
        else
            leave(at, c);
    }

    __device__ void run(unsigned first, unsigned steps)
    {
        Cursor c;
        c.begin(p.work, first, warp);
        unsigned token = first / (STEPS_OF_LAYER * p.of.layers);
        for (unsigned i = 0; i < steps; i++) {
            place at = {token, c.layer, c.kind};
            c.enter(p.work, p.weights);
            step(at, c);
            if (i + 1 < steps)
                order.arrive(at, c);
            c.leave(p.work);
            token += c.kind == 0 && c.layer == 0;
        }
    }
};

static __device__ __forceinline__ ring_memory ring_of(const shared_layout &layout)
{
    unsigned char *shared = dynamic_shared<unsigned char>();
    mbarrier *full = (mbarrier *)shared;
    return {(uint4 *)(shared + layout.slots), full, full + WORKERS * layout.slots_of_warp,
            layout.slots_of_warp};
}

/* Steps from number `first` on, counted over layers and tokens. The workers' warps come first. */
template <class Order>
__global__ void __launch_bounds__(Order::THREADS, Order::BLOCKS_OF_MULTIPROCESSOR)
    decode(const GRID_CONSTANT decoding p, unsigned first, unsigned steps)
{
    const ring_memory memory = ring_of(p.layout);
    const unsigned warp = thread_in_block() / 32;
    Order order;
    order.begin(p.of, p.results, p.memory);
    if (RING_OF_COPIES && thread_in_block() == 0)
        memory.begin();
    __syncthreads();
    if (warp == WORKERS + Order::HAS_COURIER) {
        unsigned lane = thread_in_block() % 32;
        if (RING_OF_COPIES && lane < WORKERS)
            Filler{memory, {lane, 0, 0}, {lane, 0, 0}, 0, p.layout.ahead}.run(p.work, p.weights, first,
                                                                              steps);
        return;
    }
    if constexpr (Order::HAS_COURIER)
        if (warp == WORKERS) {
            for (unsigned i = 0; i + 1 < steps; i++)
                order.barrier.carry();
            order.end();
            return;
        }
    Worker<Order> worker(p, order, memory);
    order.start();
    worker.run(first, steps);
    order.end();
}

#endif
