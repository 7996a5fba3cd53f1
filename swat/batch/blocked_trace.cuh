/* The search for the cell where the blocked kernel's trace-back starts, and the trace-back. */
#ifndef SWAT_BATCH_BLOCKED_TRACE_CUH
#define SWAT_BATCH_BLOCKED_TRACE_CUH

#include "swat/batch/blocked_task.cuh"

template <int LANES>
static __device__ __forceinline__ unsigned long long largest_of_task(unsigned long long key)
{
    for (int distance = LANES / 2; distance; distance /= 2) {
        unsigned long long other = __shfl_xor_sync(ALL_LANES, key, distance);
        key = other > key ? other : key;
    }
    return key;
}

static __device__ __forceinline__ int score_of(unsigned long long key)
{
    return (int)((unsigned)(key >> 32) ^ 0x80000000u);
}

static __device__ __forceinline__ int between(int i, int j)
{
    return i > j ? i - j : j - i;
}

/* Returns the key of the best cell that this lane finds in the matrix's last row: of several with the best
 * score, the cell nearest to the diagonal, and of several such cells the first. Loads do not wait for each
 * other. */
template <int LANES>
static __device__ unsigned long long best_of_row(const BlockedTask<LANES> &w)
{
    const int i = w.task.reference_length, at_once = 8;
    unsigned long long best = 0;
    for (int first = w.lane; first < w.columns(); first += at_once * LANES) {
        int stored[at_once];
        UNROLL(8)
        for (int n = 0; n < at_once; n++)
            stored[n] = w.ends->row[within(first + n * LANES, w.columns()) + LANES - 1];
        UNROLL(8)
        for (int n = 0; n < at_once; n++) {
            int j = within(first + n * LANES, w.columns()) + 1;
            unsigned rank = (unsigned)(0xffff - between(i, j)) << 16 | (unsigned)(0xffff - j);
            unsigned long long key = key_of(w.plain_score(stored[n], i, j), rank);
            best = key > best ? key : best;
        }
    }
    return best;
}

/* Finds the cell where the trace-back starts, by the rule of swat/batch/gatk.c. */
template <int LANES>
static __device__ void find_start(const BlockedTask<LANES> &w, unsigned long long best_of_column,
                                  sw_found *found)
{
    int rows = w.task.reference_length, columns = w.columns();
    unsigned long long column = largest_of_task<LANES>(best_of_column),
                       row = largest_of_task<LANES>(best_of_row(w));
    int i = (int)(unsigned)column, j = 0xffff - (int)(row & 0xffff);
    bool row_is_better = score_of(row) > score_of(column) ||
                         (score_of(row) == score_of(column) && between(rows, j) < between(i, columns));
    row_is_better = row_is_better && w.task.strategy != OVERHANG_LEADING_INDEL;
    found->score = row_is_better ? score_of(row) : score_of(column);
    found->i = row_is_better ? rows : i;
    found->j = row_is_better ? j : columns;
    if (w.task.strategy == OVERHANG_INDEL) {
        found->score = w.plain_score(w.ends->row[columns - 1 + LANES - 1], rows, columns);
        found->i = rows;
        found->j = columns;
    }
}

#define LOOK_AHEAD 32 /* number of cells along a diagonal that a task's lanes read at once */

template <int LANES>
struct BlockedTracer {
    const BlockedTask<LANES> &w;
    unsigned words;
    static const int ahead = LOOK_AHEAD / LANES; /* number of these cells that each lane reads */
    static const unsigned lanes_of_task = ALL_LANES >> (WARP_LANES - LANES);
    /* 2^16 / (rows of a lane), rounded up: row * per_row >> 16 is exactly row / (rows of a lane) */
    unsigned per_row;
    unsigned operation, length; /* the alignment's current element, which may still become longer */
    unsigned count;             /* number of the alignment's elements before the current one */

    __device__ explicit BlockedTracer(const BlockedTask<LANES> &of)
        : w(of), words(BLOCKED_WORDS(of.shape.rows_a_lane)),
          per_row((0x10000u + (unsigned)of.shape.rows_a_lane - 1) / (unsigned)of.shape.rows_a_lane),
          operation(0), length(0), count(0)
    {
    }

    /* Where a cell was filled: by which lane, in which of the lane's rows and in which step. */
    struct place {
        int lane, row, step;
    };
    __device__ place place_of(int i, int j) const
    {
        int q = i - 1 + w.padding, lane = (int)((unsigned)q * per_row >> 16);
        return {lane, q - lane * w.shape.rows_a_lane, j - 1 + lane};
    }

    /* Returns tag `number` of a lane's word number `word` of a column; the lane's words are stored by fours,
     * then the remaining ones by two and one. */
    __device__ unsigned tag_in(size_t column, int lane, unsigned word, unsigned number) const
    {
        unsigned by_fours = words & ~3u, by_twos = words & ~1u,
                 first = word < by_fours  ? word & ~3u
                         : word < by_twos ? by_fours
                                          : by_twos,
                 size = word < by_fours  ? 4
                        : word < by_twos ? 2
                                         : 1,
                 at = ((unsigned)column * words + first) * LANES + (unsigned)lane * size;
        return w.back[at - first + word] >> number * TAG_BITS & TAG_MASK;
    }
    __device__ unsigned tag_of_row(size_t column, int lane, int row) const
    {
        unsigned group = (unsigned)row / BLOCKED_TAG_ROWS;
        return tag_in(column, lane, group, (unsigned)row - group * BLOCKED_TAG_ROWS);
    }
    __device__ unsigned tag(int i, int j) const
    {
        place c = place_of(i, j);
        return tag_of_row(blocked_column(c.step), c.lane, c.row);
    }

    __device__ void flush()
    {
        if (length && w.lane == 0)
            w.ends->elements[count] = length << 2 | operation;
        count += length > 0;
        length = 0;
    }
    __device__ void add(unsigned what, int letters)
    {
        if (what != operation)
            flush();
        operation = what;
        length += (unsigned)letters;
    }

    /* Returns the number of letters of the gap along the row that ends at (i, j) and has the tag `came`. It
     * follows the notes, segment after segment, to the cell where the gap was opened. */
    __device__ int row_gap(unsigned came, int i, int j) const
    {
        place at = place_of(i, j);
        int segment = at.step / BLOCKED_SEGMENT;
        for (; came == ROW_OLDER && segment * BLOCKED_SEGMENT > at.lane; segment--)
            came = tag_of_row(blocked_notes(segment), at.lane, at.row);
        int opened = segment * BLOCKED_SEGMENT + ROW_PLACE - (int)came;
        return came == ROW_OLDER ? j : at.step - opened;
    }
    /* Returns the number of letters of the gap down the column that ends at (i, j) and has the tag `came`. It
     * goes from group to group of rows, of the lane and of the lanes above. No gap begins before the first
     * row, because the padding above has the values of row 0. */
    __device__ int column_gap(unsigned came, int i, int j) const
    {
        place at = place_of(i, j);
        int group = at.row / BLOCKED_TAG_ROWS;
        while (came == DOWN_OLDER && (group || at.lane)) {
            if (group == 0) {
                group = (int)words;
                at.row += w.shape.rows_a_lane;
                at.lane--;
                at.step--;
            }
            group--;
            came = tag_in(blocked_column(at.step), at.lane, (unsigned)group, BLOCKED_TAG_ROWS);
        }
        int letters = at.row - (group * BLOCKED_TAG_ROWS + DOWN_PLACE - (int)came);
        return came != DOWN_OLDER && letters < i ? letters : i;
    }

    /* Returns how many consecutive cells from (i, j) up the diagonal are matches, at most LOOK_AHEAD, and
     * sets *next_tag to the tag of the cell after these. Loads have no condition, so none waits for
     * another. */
    __device__ int matches_from(int i, int j, unsigned *next_tag) const
    {
        unsigned own[ahead], candidate = 0;
        UNROLL(8)
        for (int n = 0; n < ahead; n++) {
            int letters = n * LANES + w.lane;
            bool inside = i > letters && j > letters;
            unsigned came = tag(inside ? i - letters : 1, inside ? j - letters : 1);
            own[n] = inside ? came : 0;
        }
        int matches = LOOK_AHEAD;
        UNROLL(8)
        for (int n = ahead - 1; n >= 0; n--) {
            unsigned of_warp = __ballot_sync(ALL_LANES, own[n] < NORTH_WEST),
                     of_task = of_warp >> (threadIdx.x % WARP_LANES - (unsigned)w.lane) & lanes_of_task;
            candidate = of_task ? own[n] : candidate;
            matches = of_task ? n * LANES + __ffs((int)of_task) - 1 : matches;
        }
        *next_tag = __shfl_sync(ALL_LANES, candidate, matches % LANES, LANES);
        return matches;
    }

    /* Traces a task back from its start to the matrix's edge. All lanes of a task have the same (i, j); lanes
     * whose task is done continue with the warp. */
    __device__ void walk(sw_found *found)
    {
        int i = found->i, j = found->j;
        while (__any_sync(ALL_LANES, i > 0 && j > 0)) {
            unsigned next_tag;
            int matches = matches_from(i, j, &next_tag);
            i -= matches;
            j -= matches;
            if (matches)
                add(SW_MATCH, matches);
            if (matches == LOOK_AHEAD || i <= 0 || j <= 0)
                continue;
            bool along_row = next_tag >= ROW_LEAST;
            int letters = along_row ? row_gap(next_tag, i, j) : column_gap(next_tag, i, j);
            add(along_row ? SW_INSERTION : SW_DELETION, letters);
            i -= along_row ? 0 : letters;
            j -= along_row ? letters : 0;
        }
        flush();
        found->end_i = i;
        found->end_j = j;
        found->element_count = count;
    }
};

#endif
