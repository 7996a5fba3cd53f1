/*
 * The steps of micro-decode, one body for every order (orders.cuh): a block gathers the numbers that a step
 * needs into shared memory, and each of its warps multiplies the items that arrive through its ring
 * (ring.cuh) and leaves its results on the board. A layer's code runs once while many megabytes of weights
 * pass, so it must stay in a multiprocessor's instruction cache: loops are unrolled only where a load would
 * wait for the preceding load.
 *
 * One file because the steps are methods of one template that share the warp's state (struct Worker).
 */
#ifndef MICRO_DECODE_STEP_CUH
#define MICRO_DECODE_STEP_CUH

#include "harness/warp.cuh"
#include "micro/decode/attention.cuh"
#include "micro/decode/orders.cuh"
#include "micro/decode/ring.cuh"

#define LOADS_AT_ONCE 4
#define SUM_LOADS_AT_ONCE 2

/* Marks a parameter of a kernel that stays in constant memory although it is passed on by reference. */
#define GRID_CONSTANT __grid_constant__

/* The block's shared memory; offsets count from its beginning. */
struct shared_layout {
    unsigned slots_of_warp; /* number of slots of a warp in the ring */
    copies_ahead ahead;
    /* offset in bytes of each array in shared memory; the mbarriers come before all of them */
    unsigned places, phases, released, slots, x, parts, scores;
    /* bytes of a buffer for the input of a step; there are two buffers if a launch executes several steps */
    unsigned x_bytes;
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

/* A lane's part of the sums of products of two rows */
struct two_sums {
    int first, second;
};

template <class Order>
struct Worker {
    typedef typename Order::Board Board;
    typedef typename Order::Item Item;
    const decoding &p;
    Order &order;
    const Board results;
    unsigned warp, lane, member;
    Ring ring;
    /* The items that the warp multiplies next: segments of two rows, or a chunk in first_item alone. is_taken
     * says whether they have been taken from the ring. */
    Item first_item, second_item;
    bool is_taken;
    /* address of the items that may be taken while the step waits, or NULL if none may be taken */
    const uint4 *ahead;
    step_shape shape;  /* shape of the current step */
    size_t results_at; /* position on the board of the member's first pair of results of the current step */
    unsigned x_at;     /* offset of the current step's input x in the block's shared memory */
    /* number of the first group of heads of the block's chunks, and number of these groups */
    unsigned first_group, groups;
    unsigned char *scores;           /* the attention scores of the warp's chunk */
    int *parts;                      /* the block's sums of an attention, for each head of its groups */
    typename Board::loaded residual; /* the residual to add to the warp's next two results */

    __device__ Worker(const decoding &all, Order &by, unsigned of_member, const ring_memory &memory)
        : p(all), order(by), results(all.results, of_member), member(of_member)
    {
        warp = thread_in_block() / 32;
        lane = thread_in_block() % 32;
        x_at = p.layout.x;
        scores = dynamic_shared<unsigned char>() + p.layout.scores + warp * SCORE_BYTES;
        parts = (int *)(dynamic_shared<unsigned char>() + p.layout.parts);
        ring.begin(memory);
        is_taken = false;
        ahead = nullptr;
        shape = {};
        results_at = 0;
    }
    /* Returns the input of the current step, four numbers in a word, from the first number that the block
     * needs. */
    __device__ unsigned *x() const { return (unsigned *)(dynamic_shared<unsigned char>() + x_at); }

    /* ---- Gathering the numbers that a step needs as its input ---- */

    static __device__ place before(place at, unsigned layers)
    {
        if (at.kind > 0)
            return {at.token, at.layer, at.kind - 1};
        if (at.layer > 0)
            return {at.token, at.layer - 1, DOWN};
        return {at.token - 1, layers - 1, DOWN};
    }
    static __device__ bool is_first(place at) { return at.kind == 0 && at.layer == 0 && at.token == 0; }

    /* Returns the group of heads to which a chunk belongs. The result is exact, as there are fewer than 2^20
     * chunks. */
    __device__ unsigned group_of(unsigned chunk) const
    {
        return (unsigned)(((float)chunk + 0.5f) * p.work.group_of_chunk);
    }
    __device__ void find_groups(const Cursor &c)
    {
        first_group = group_of(c.first_unit);
        groups = c.units ? group_of(c.first_unit + c.units - 1) - first_group + 1 : 0;
    }
    __device__ unsigned sums_of_group() const { return p.of.heads * HEAD_NUMBERS; }

    /* Returns a pair of the preceding token's last results plus the embedding of this token. */
    __device__ unsigned embedded(unsigned pair, unsigned token, unsigned at) const
    {
        return pair_of(model_wrap(first_of(pair) + embedding(&p.of, token, 2 * at)),
                       model_wrap(second_of(pair) + embedding(&p.of, token, 2 * at + 1)));
    }
    __device__ bool embeds(place at) const { return at.kind == QKV && at.layer == 0; }

    /* Gathers part number `part` of the step's input, which is divided into `parts_of_x` parts. Every warp
     * gathers its share of the part. */
    __device__ void gather(place at, const Cursor &c, unsigned part, unsigned parts_of_x)
    {
        place source = before(at, p.of.layers);
        unsigned begin = member * shape.columns_apart / 4, end = begin + shape.columns / 4;
        if (at.kind == ATTENTION) {
            find_groups(c);
            begin = first_group * numbers_of_group(&p.of) / 4;
            end = begin + groups * numbers_of_group(&p.of) / 4;
            for (unsigned i = thread_in_block(); i < groups * sums_of_group(); i += WORKER_THREADS)
                parts[i] = 0;
        }
        unsigned count = parts_of_x > 1 ? shape.item_vectors * 2 : end - begin;
        unsigned first = begin + part * count;
        unsigned from = first + count * warp / WORKERS, to = first + count * (warp + 1) / WORKERS;
        if (c.units == 0)
            from = to = 0;
        if (part == 0) {
            if (!is_first(at) && (c.units > 0 || Order::IS_GRID_BARRIER))
                order.wait(source, 4 * from, 4 * to);
            residual = load_residual(at, c, c.next);
        }
        unsigned *of_begin = x() - begin;
        if (at.kind == PROJECTION)
            gather_sums(source, of_begin, from, to);
        else if (!is_first(at))
            gather_pairs(source, of_begin, from, to);
        else
            for (unsigned unit = from + lane; unit < to; unit += 32)
                of_begin[unit] = 0;
        if (embeds(at))
            embed(at.token, from, to, is_first(at) ? 32 : 32 / parts_of(source));
    }

    /* Returns how many members leave a part of each of a step's results. */
    __device__ unsigned parts_of(place at) const
    {
        return Order::IS_OF_GPUS ? p.work.shapes[at.kind].parts : 1;
    }
    __device__ size_t pairs_of(unsigned of_member, place at) const
    {
        return (Order::IS_OF_GPUS ? (size_t)of_member * p.results.pairs_of_member : 0) + pairs_at(p.work, at);
    }
    /* Repeats loads until all their results have been written; the loads of a lane are in flight together.
     * `missing` has a bit for each load: load(i) starts it, and has_come(i) tests what it returned. If TAKES
     * is set, the warp also takes the step's first items out of the ring when they arrive. All lanes of the
     * warp call this function. */
    template <unsigned LOADS, bool TAKES, class Load, class HasCome>
    __device__ void poll(unsigned missing, Load load, HasCome has_come)
    {
        do {
            UNROLL(4)
            for (unsigned i = 0; i < LOADS; i++)
                if (missing >> i & 1)
                    load(i);
            UNROLL(4)
            for (unsigned i = 0; i < LOADS; i++)
                if (missing >> i & 1 && has_come(i))
                    missing &= ~(1u << i);
            if constexpr (TAKES && Order::IS_OF_GPUS)
                take_what_has_come();
        } while (Order::WAITS_FOR_WORDS && __any_sync(ALL_LANES, missing != 0));
    }
    /* Returns the set of the lane's loads that lie before `end`, one bit each. Load i begins at unit + apart
     * * i. */
    static __device__ unsigned loads_before(unsigned end, unsigned unit, unsigned apart, unsigned loads)
    {
        unsigned missing = 0;
        UNROLL(4)
        for (unsigned i = 0; i < loads; i++)
            missing |= unit + apart * i < end ? 1u << i : 0;
        return missing;
    }
    /* Gathers results of the step `source` for each unit from `first` to `end` - 1; unit u has results 4 * u
     * to 4 * u + 3. If each member left a part of the results, the lanes of a warp are divided among the
     * members. */
    __device__ void gather_pairs(place source, unsigned *to, unsigned first, unsigned end)
    {
        const unsigned members = parts_of(source), lanes = 32 / members;
        const size_t at = pairs_of(members > 1 ? lane / lanes : member, source);
        UNROLL(1)
        for (; first < end; first += lanes * LOADS_AT_ONCE) {
            const unsigned unit = first + lane % lanes, asked = loads_before(end, unit, lanes, LOADS_AT_ONCE);
            typename Board::loaded_pairs now[LOADS_AT_ONCE] = {};
            unsigned four[LOADS_AT_ONCE] = {};
            poll<LOADS_AT_ONCE, true>(
                asked, [&](unsigned i) { now[i] = results.load_pairs(at + 2 * (unit + lanes * i)); },
                [&](unsigned i) {
                    uint2 pairs;
                    bool has_come = results.are_there(now[i], &pairs);
                    four[i] = bytes_of(pairs);
                    return has_come;
                });
            if constexpr (Order::IS_OF_GPUS)
                sum_parts(four, lanes);
            UNROLL(4)
            for (unsigned i = 0; i < LOADS_AT_ONCE; i++)
                if (lane < lanes && asked >> i & 1)
                    to[unit + lanes * i] = four[i];
        }
    }
    /* Adds up the words of the lanes whose numbers differ by a multiple of `lanes`. Each of these lanes has
     * the part of another member. */
    static __device__ void sum_parts(unsigned *four, unsigned lanes)
    {
        UNROLL(1)
        for (unsigned apart = lanes; apart < 32; apart *= 2)
            UNROLL(4)
        for (unsigned i = 0; i < LOADS_AT_ONCE; i++)
            four[i] = add_bytes(four[i], __shfl_xor_sync(ALL_LANES, four[i], (int)apart));
    }
    /* Gathers the sums of an attention, with the parameters of gather_pairs. */
    __device__ void gather_sums(place source, unsigned *to, unsigned first, unsigned end)
    {
        const size_t at = sums_at(p.work, source);
        const unsigned chunks = chunks_of_group(&p.of);
        UNROLL(1)
        for (; first < end; first += 32 * SUM_LOADS_AT_ONCE) {
            const unsigned unit = first + lane;
            typename Board::loaded_sums now[SUM_LOADS_AT_ONCE] = {};
            poll<SUM_LOADS_AT_ONCE, false>(
                loads_before(end, unit, 32, SUM_LOADS_AT_ONCE),
                [&](unsigned i) { now[i] = results.load_sums(at + 4 * (unit + 32 * i)); },
                [&](unsigned i) {
                    int four[4];
                    bool has_come = results.are_there(now[i], chunks, four);
                    if (has_come)
                        to[unit + 32 * i] =
                            bytes_of(make_uint2(pair_of(four[0], four[1]), pair_of(four[2], four[3])));
                    return has_come;
                });
        }
    }
    /* Adds the token's embedding to the numbers that this lane has gathered. Only the warp's first `lanes`
     * lanes have gathered numbers. */
    __device__ void embed(unsigned token, unsigned from, unsigned to, unsigned lanes)
    {
        if (lane >= lanes)
            return;
        UNROLL(1)
        for (unsigned unit = from + lane; unit < to; unit += lanes) {
            signed char *four = (signed char *)(x() + unit);
            UNROLL(1)
            for (unsigned i = 0; i < 4; i++)
                four[i] = (signed char)model_wrap(four[i] + embedding(&p.of, token, 4 * unit + i));
        }
    }

    /* ---- The residual: an earlier result that PROJECTION and DOWN add to their results ---- */

    static __device__ bool has_residual(unsigned kind) { return kind == PROJECTION || kind == DOWN; }
    /* Returns the position on the board of a unit's residual: the layer's input for PROJECTION, and the
     * result of PROJECTION for DOWN. An earlier step has waited for this word. If the residual has several
     * parts, each lane has one of them. */
    __device__ size_t residual_at(place at, unsigned unit) const
    {
        place asker = {at.token, at.layer, (unsigned)(at.kind == DOWN ? GATE_UP : QKV)};
        return pairs_of(lane, before(asker, p.of.layers)) + unit;
    }
    /* Returns whether this lane adds a residual. With several members, only lanes of the first member add
     * one. */
    __device__ bool adds_residual(place at) const
    {
        return has_residual(at.kind) && lane < parts_of(at) && member == 0 &&
               !(at.token == 0 && at.layer == 0 && at.kind == PROJECTION);
    }
    __device__ typename Board::loaded load_residual(place at, const Cursor &c, unsigned unit) const
    {
        return unit < c.units && adds_residual(at) ? results.load(residual_at(at, c.first_unit + unit)) : 0;
    }
    /* Returns the residual that this lane adds to its products of the warp's current unit, and starts to load
     * the residual of the warp's next unit. */
    __device__ two_sums next_residual(place at, const Cursor &c)
    {
        const unsigned unit = c.first_unit + c.next;
        unsigned pair = adds_residual(at) ? results.pair(residual, residual_at(at, unit)) : 0;
        if (at.kind == PROJECTION && at.layer == 0 && member == 0 && lane == 0)
            pair = embedded(pair, at.token, unit);
        residual = load_residual(at, c, c.next + WORKERS);
        return {first_of(pair), second_of(pair)};
    }

    /* ---- Taking items from the ring ---- */

    /* take_chunk and take_rows take what is multiplied next from the ring, unless it has been taken already:
     * a chunk of keys and values, or segments of two rows. */
    __device__ void take_chunk(const uint4 *items)
    {
        if (!is_taken)
            first_item.take_chunk(ring, items);
        is_taken = false;
    }
    __device__ void take_rows(const uint4 *items)
    {
        if (!is_taken) {
            if (shape.rows_of_item > 1) {
                Item::take_two(ring, items, shape, first_item, second_item);
            } else {
                first_item.take(ring, items);
                second_item.take(ring, items + shape.row_vectors);
            }
        }
        is_taken = false;
    }
    __device__ void take(const uint4 *items)
    {
        if (shape.rows == 1)
            take_chunk(items);
        else
            take_rows(items);
        is_taken = true;
    }
    /* Takes a step's first items before the step waits for other blocks, since weights depend on nothing.
     * With several GPUs it takes them only if they have arrived: such a step waits long for other GPUs and
     * has little to load. */
    __device__ void take_ahead(const Cursor &c, unsigned segment)
    {
        ahead = nullptr;
        if (!Item::CAN_WAIT || c.next >= c.units)
            return;
        ahead = c.from + (size_t)(c.next * shape.rows) * shape.row_vectors + segment * shape.item_vectors;
        if constexpr (Order::IS_OF_GPUS)
            take_what_has_come();
        else
            take(ahead);
    }
    /* Takes a step's first items if they have arrived. A step of several GPUs calls this function repeatedly
     * while it waits. */
    __device__ void take_what_has_come()
    {
        if (!is_taken && ahead && ring.has(shape.rows > shape.rows_of_item ? 2 : 1))
            take(ahead);
    }

    /* ---- Matrices ---- */

    __device__ void multiply(place at, Cursor &c)
    {
        UNROLL(1)
        for (; c.next < c.units; c.next += WORKERS) {
            const uint4 *rows = c.from + (size_t)(c.next * shape.rows) * shape.row_vectors;
            const two_sums added = next_residual(at, c);
            unsigned pair = 0;
            UNROLL(1)
            for (unsigned row = 0; row < shape.rows; row += 2) {
                two_sums sums = added;
                UNROLL(1)
                for (unsigned segment = 0; segment < shape.segments; segment++)
                    sums = add_segment(rows + row * shape.row_vectors, segment, sums);
                pair = pair_after(at.kind, pair, sums);
            }
            leave(c.first_unit + c.next, pair);
        }
    }
    /* Returns `sums` plus the products of a segment of two rows and the lane's numbers. Both rows are
     * multiplied at once, so that each number is loaded once for two weights. */
    __device__ two_sums add_segment(const uint4 *rows, unsigned segment, two_sums sums)
    {
        const uint2 *numbers = (const uint2 *)x() + segment * shape.item_vectors + lane;
        take_rows(rows + segment * shape.item_vectors);
        uint2 eight[VECTORS_OF_LANE];
        UNROLL(8)
        for (unsigned k = 0; k < VECTORS_OF_LANE; k++) {
            eight[k] = make_uint2(0, 0); /* the slot may be longer than the item */
            if (lane + 32 * k < shape.item_vectors)
                eight[k] = numbers[32 * k];
        }
        sums = add_vectors<0>(eight, sums);
        if (shape.rows_of_item == 1)
            sums = add_vectors<VECTORS_OF_LANE / 2>(eight, sums);
        first_item.done(ring);
        if (shape.rows_of_item == 1)
            second_item.done(ring);
        return sums;
    }
    /* Returns `sums` plus the products of VECTORS_OF_LANE / 2 vectors of both rows, from vector FIRST on.
     * This is half of a row's vectors if an item contains one row, and all vectors if it contains two
     * rows. */
    template <unsigned FIRST>
    __device__ two_sums add_vectors(const uint2 *eight, two_sums sums) const
    {
        UNROLL(4)
        for (unsigned k = FIRST; k < FIRST + VECTORS_OF_LANE / 2; k++) {
            sums.first = add_products(first_item.vector(k), eight[k], sums.first);
            sums.second = add_products(second_item.vector(k), eight[k], sums.second);
        }
        return sums;
    }
    /* Multiplies a matrix whose rows have several segments. In the warp's first unit, each segment of its two
     * rows is multiplied as soon as the segment's input is there, while other input is still in flight. Any
     * step could use this code; it is separate because with common code a token on two H200 took 288 us
     * instead of 283. */
    __device__ void multiply_by_segments(place at, Cursor &c)
    {
        const uint4 *rows = c.from + (size_t)(c.next * shape.rows) * shape.row_vectors;
        two_sums sums = {0, 0};
        UNROLL(1)
        for (unsigned segment = 0; segment < shape.segments; segment++) {
            take_ahead(c, segment);
            gather(at, c, segment, shape.segments);
            workers_sync();
            if (c.next >= c.units)
                continue;
            if (segment == 0)
                sums = next_residual(at, c);
            sums = add_segment(rows, segment, sums);
        }
        if (c.next >= c.units)
            return;
        leave(c.first_unit + c.next, pair_after(at.kind, 0, sums));
        c.next += WORKERS;
        multiply(at, c);
    }
    __device__ bool goes_by_segments() const
    {
        return Order::WAITS_FOR_WORDS && shape.segments > 1 && shape.rows == 2;
    }
    /* Returns a unit's pair of results after two more rows were multiplied. `pair` is the pair before them,
     * and `of_lane` the lane's sums. In GATE_UP, two rows give one result. */
    static __device__ unsigned pair_after(unsigned kind, unsigned pair, two_sums of_lane)
    {
        const int first = sum_of_warp(of_lane.first), second = sum_of_warp(of_lane.second);
        if (kind == GATE_UP)
            return pair >> 16 | pair_of(0, gated(first, second));
        return pair_of(model_wrap(first), model_wrap(second));
    }
    __device__ void leave(unsigned unit, unsigned pair) const
    {
        if (lane != 0)
            return;
        if constexpr (Order::IS_OF_GPUS)
            if (shape.parts > 1)
                return results.put_on_all(results_at + unit, pair);
        results.put(results_at + unit, pair);
    }

    /* ---- Attention ---- */

    __device__ void attend(Cursor &c)
    {
        UNROLL(1)
        for (; c.next < c.units; c.next += WORKERS) {
            const unsigned chunk = c.first_unit + c.next, group = group_of(chunk) - first_group;
            const unsigned char *of_group = (const unsigned char *)x() + group * numbers_of_group(&p.of);
            take_chunk(c.from + c.next * CHUNK_VECTORS);
            const uint4 keys[2] = {first_item.keys(0), first_item.keys(1)};
            const uint4 values[2] = {first_item.values(0), first_item.values(1)};
            int score = score_of_lane(keys, (const uint2 *)of_group + lane % 8, p.of.heads, lane);
            head_sums sums = sums_of_chunk(score, values, scores, lane);
            first_item.done(ring);
            if ((chunk + 1) % chunks_of_group(&p.of) == 0)
                add_own_token(&sums, of_group, p.of.heads, lane);
            add_parts(group, sums);
        }
    }
    /* Returns the index, in shared memory, at which the block adds up sum number `number` of a head. Adjacent
     * lanes have every other number; with this index they add to adjacent words. */
    static __device__ unsigned part_of_head(unsigned number) { return number % 2 * 32 + number / 2; }
    __device__ void add_parts(unsigned group, const head_sums &sums)
    {
        int *of_group = parts + group * sums_of_group() + lane;
        UNROLL(4)
        for (unsigned head = 0; head < MOST_HEADS_OF_GROUP; head++)
            if (head < p.of.heads) {
                atomicAdd(&of_group[head * HEAD_NUMBERS], sums.of[head][0]);
                atomicAdd(&of_group[head * HEAD_NUMBERS + 32], sums.of[head][1]);
            }
    }
    /* Adds the block's sums of an attention to the board. All workers call this function. They add to
     * adjacent words at once, because the cache performs additions to the same 32 bytes together. */
    __device__ void leave_parts(place at, const Cursor &c)
    {
        const unsigned chunks = chunks_of_group(&p.of), heads = p.of.heads;
        for (unsigned i = thread_in_block(); i < groups * sums_of_group(); i += WORKER_THREADS) {
            unsigned head = i / HEAD_NUMBERS, group = heads == 4 ? head / 4 : heads == 2 ? head / 2 : head;
            unsigned from = (first_group + group) * chunks, to = from + chunks;
            from = from > c.first_unit ? from : c.first_unit;
            to = to < c.first_unit + c.units ? to : c.first_unit + c.units;
            int part = parts[head * HEAD_NUMBERS + part_of_head(i % HEAD_NUMBERS)];
            results.add(sums_at(p.work, at) + first_group * sums_of_group() + i, to - from, part);
        }
    }

    /* ---- A step ---- */

    __device__ void step(place at, Cursor &c)
    {
        shape = p.work.shapes[at.kind];
        results_at = pairs_of(member, at);
        if (goes_by_segments()) {
            multiply_by_segments(at, c);
        } else {
            take_ahead(c, 0);
            gather(at, c, 0, 1);
            workers_sync();
            if (at.kind == ATTENTION) {
                attend(c);
                workers_sync();
                leave_parts(at, c);
            } else {
                multiply(at, c);
            }
        }
        /* Exchanges the two input buffers: other warps may still read the current one while the next step's
         * input is gathered, but no longer after the next workers_sync. */
        x_at = 2 * p.layout.x + p.layout.x_bytes - x_at;
    }

    __device__ void run(unsigned first, unsigned steps)
    {
        Cursor c;
        c.begin(p.work, member, first, warp);
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
    return {(uint4 *)(shared + layout.slots),
            full,
            full + WORKERS * layout.slots_of_warp,
            (ring_place *)(shared + layout.places),
            (unsigned *)(shared + layout.phases),
            (unsigned *)(shared + layout.released),
            layout.slots_of_warp};
}

/* Executes `steps` steps from step number `first` on, counted over layers and tokens. A block's first warps
 * are the workers; the courier's warp follows if the order has one, and then the fillers. */
template <class Order>
__global__ void __launch_bounds__(Order::THREADS, Order::BLOCKS_OF_MULTIPROCESSOR)
    decode(const GRID_CONSTANT decoding p, unsigned first, unsigned steps)
{
    const ring_memory memory = ring_of(p.layout);
    const unsigned warp = thread_in_block() / 32, first_filler = WORKERS + Order::HAS_COURIER;
    Order order;
    order.begin(p.of, p.results, p.memory);
    if (RING_OF_COPIES)
        memory.begin();
    __syncthreads();
    const unsigned member = Order::IS_OF_GPUS ? member_of_block(p.work) : 0;
    if (warp >= first_filler) {
        if (RING_OF_COPIES && thread_in_block() % 32 == 0)
            Filler(memory, warp - first_filler, p.layout.ahead).run(p.work, p.weights, member, first, steps);
        return;
    }
    if constexpr (Order::HAS_COURIER)
        if (warp == WORKERS) {
            for (unsigned i = 0; i + 1 < steps; i++)
                order.barrier.carry();
            order.end();
            return;
        }
    Worker<Order> worker(p, order, member, memory);
    order.start();
    worker.run(first, steps);
    order.end();
}

#endif
