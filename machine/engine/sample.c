#include "machine/engine/sample.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/code/source_line.h"
#include "machine/memory/devices.h"
#include "machine/ptx.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Blocks of a sample are run in groups of neighbours, because a block shares data with those beside it. */
#define NEIGHBOURS 4

unsigned sample_steps;

static struct {
    struct machine_sample part;
    uint64_t kernels;   /* number of kernels made so far */
    unsigned running;   /* number of kernels that have not ended */
    uint64_t first;     /* number of the first kernel that lacks blocks, from 1; 0 means none */
    bool host_has_gaps; /* has the host copied data that a left-out block might have written? */
    struct machine_left_out out;
    double *first_launch; /* where the time of the first launch is stored; NULL means nowhere */
} sample;

void machine_set_sample(struct machine_sample part)
{
    sample.part = part;
    sample.part.blocks = part.blocks && part.blocks < NEIGHBOURS ? NEIGHBOURS : part.blocks;
    sample_steps = part.steps;
}

void machine_note_first_launch(double *seconds)
{
    sample.first_launch = seconds;
}

const struct machine_left_out *machine_left_out_so_far(void)
{
    return &sample.out;
}

/* Notes that blocks of the kernel with this number, or launches after it, are left out. */
static void has_gaps_from(uint64_t nth)
{
    sample.first = sample.first && sample.first < nth ? sample.first : nth;
}

/* ---- calls of closed libraries ---- */

void machine_skip_call(const char *name)
{
    struct machine_left_out *out = &sample.out;
    unsigned i = 0;
    written_note_all();
    while (i < out->skipped_count && strcmp(out->skipped[i].name, name) != 0 && i < MOST_SKIPPED - 1)
        i++;
    if (i == out->skipped_count) {
        out->skipped_count++;
        snprintf(out->skipped[i].name, sizeof out->skipped[i].name, "%s",
                 i < MOST_SKIPPED - 1 ? name : "others");
    }
    out->skipped[i].calls++;
}

/* ---- launches ---- */

/* Launches with the same kernel, shape and arguments. */
struct alike {
    uint64_t hash;
    unsigned count;
};
static struct map alike = MAP(struct alike, hash);

static uint64_t hash_of(const struct machine_launch *launch)
{
    uint64_t hash = hash_add(HASH_OF_NOTHING, &launch->program, sizeof launch->program);
    hash = hash_add(hash, &launch->grid, sizeof launch->grid);
    hash = hash_add(hash, &launch->block, sizeof launch->block);
    hash = hash_add(hash, &launch->shared_bytes, sizeof launch->shared_bytes);
    return hash_add(hash, launch->closure, launch->closure_bytes);
}

/* Counts the launch. Returns whether enough launches with the same kernel, shape and arguments were made. */
static bool is_like_others(const struct machine_launch *launch)
{
    uint64_t hash = hash_of(launch);
    struct alike *others = map_get(&alike, &hash);
    return ++others->count > sample.part.launches;
}

/* A kernel that was launched. A launch that is left out is taken to write the same arrays as the first
 * launches. */
struct launched {
    const void *program;
    unsigned count; /* number of its launches */
    /* for each word of its arguments, whether it was a pointer to an array that the kernel wrote */
    bool *writes;
    bool writes_others; /* has it written an array to which no argument points? */
};
static struct map launched = MAP(struct launched, program);

static struct launched *launched_of(const struct machine_launch *launch)
{
    struct launched *of = map_get(&launched, &launch->program);
    if (!of->writes)
        of->writes = allocate(launch->closure_bytes / sizeof(uintptr_t) + 1);
    return of;
}

/* Returns the array to which this word of the arguments points, or NULL. */
static struct written *argument_written(const struct machine_launch *launch, size_t word)
{
    uintptr_t address;
    memcpy(&address, (const char *)launch->closure + word * sizeof address, sizeof address);
    const struct array *array = array_of(address);
    return array ? array->written : NULL;
}

/* Notes what the kernel, which has ended, has written. */
static void note_written(const struct kernel *kernel)
{
    const struct machine_launch *launch = &kernel->launch;
    struct launched *of = launched_of(launch);
    size_t all = written_since(kernel->mark), pointed = 0;
    for (size_t w = 0; w < launch->closure_bytes / sizeof(uintptr_t); w++) {
        struct written *written = argument_written(launch, w);
        bool is_again = false;
        for (size_t before = 0; before < w; before++)
            is_again = is_again || argument_written(launch, before) == written;
        bool writes = written && written->latest >= kernel->mark;
        of->writes[w] = of->writes[w] || writes;
        pointed += writes && !is_again;
    }
    of->writes_others = of->writes_others || pointed < all;
}

/* Makes doubtful the memory that a launch would have written, if it had not been left out. */
static void forget_written(const struct machine_launch *launch, const struct launched *of)
{
    has_gaps_from(sample.kernels);
    for (size_t w = 0; w < launch->closure_bytes / sizeof(uintptr_t); w++)
        if (of->writes[w] && argument_written(launch, w))
            written_forget(argument_written(launch, w));
    if (of->writes_others)
        written_forget_since(0);
    written_begin_gaps(!sample.running);
}

bool sample_leaves_out(const struct machine_launch *launch)
{
    const struct machine_sample *part = &sample.part;
    sample.out.of_launches += part->blocks || part->launches || part->launches_of_kernel || part->steps;
    bool is_left_out = sample.host_has_gaps || (part->launches && is_like_others(launch));
    sample.out.alike += is_left_out;
    if (!is_left_out && part->launches_of_kernel) {
        struct launched *of = launched_of(launch);
        is_left_out = ++of->count > part->launches_of_kernel;
        if (is_left_out)
            forget_written(launch, of);
    }
    sample.out.launches += is_left_out;
    return is_left_out;
}

/* ---- blocks ---- */

void sample_begin(struct kernel *kernel)
{
    const struct machine_launch *launch = &kernel->launch;
    struct timespec taken = {0};
    if (!sample.kernels && sample.first_launch && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &taken) == 0)
        *sample.first_launch = (double)taken.tv_sec + 1e-9 * (double)taken.tv_nsec;
    kernel->nth = ++sample.kernels;
    kernel->is_sample = sample.part.blocks && kernel->grid > sample.part.blocks && !launch->cooperative &&
                        launch->cluster <= 1 && device_count() == 1;
    kernel->most = kernel->is_sample ? sample.part.blocks : kernel->grid;
    if (kernel->is_sample)
        has_gaps_from(kernel->nth);
    if (sample.first || sample.part.launches_of_kernel || sample.part.steps)
        kernel->mark = written_begin_gaps(!sample.running);
    sample.running++;
    if (!kernel->is_sample)
        return;
    kernel->has_begun = allocate(kernel->grid * sizeof *kernel->has_begun);
    sample.out.blocks += kernel->grid - kernel->most;
    sample.out.of_blocks += kernel->grid;
}

void sample_end(const struct kernel *kernel)
{
    sample.running--;
    if (sample.part.launches_of_kernel)
        note_written(kernel);
    if (kernel->is_cut) {
        written_forget_since(kernel->mark);
        written_begin_gaps(!sample.running);
    } else if (sample.first && (kernel->has_gaps || kernel->most < kernel->grid)) {
        written_end_gaps(kernel->mark);
    }
}

bool sample_copies(uintptr_t to, uintptr_t from, size_t bytes, bool to_host)
{
    if (to_host)
        sample.host_has_gaps = sample.host_has_gaps || !written_is_whole(from, bytes);
    else if (array_of(from))
        written_copy(to, from, bytes);
    return sample.host_has_gaps;
}

/* Returns the nth block of the sample. Groups of neighbours are spread from the first block to the last. In a
 * grid with rows, every second group is one row below the preceding group. */
static unsigned block_of_sample(const struct kernel *kernel, unsigned nth)
{
    unsigned groups = (sample.part.blocks + NEIGHBOURS - 1) / NEIGHBOURS, group = nth / NEIGHBOURS;
    unsigned row = kernel->launch.grid.y > 1 ? kernel->launch.grid.x : 0;
    unsigned spread = row ? group / 2 * 2 : group;
    uint64_t last = kernel->grid - NEIGHBOURS;
    uint64_t first = groups > 1 ? last * spread / (groups - 1) : 0;
    if (row && group % 2 && first + row <= last)
        first += row;
    return (unsigned)first + nth % NEIGHBOURS;
}

unsigned sample_next_block(struct kernel *kernel)
{
    unsigned block =
        kernel->started < sample.part.blocks ? block_of_sample(kernel, kernel->started) : kernel->lowest;
    while (kernel->has_begun[block])
        block = block + 1 < kernel->grid ? block + 1 : 0;
    if (kernel->started >= sample.part.blocks)
        kernel->lowest = block;
    kernel->has_begun[block] = true;
    return block;
}

bool sample_widens(struct run *run)
{
    bool widens = false;
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++) {
        if (!k->number || k->most == k->grid)
            continue;
        unsigned more = k->most < k->grid - k->most ? k->most : k->grid - k->most;
        k->most += more;
        k->blocks_left += more;
        sample.out.blocks -= more;
        widens = true;
    }
    return widens;
}

bool sample_has_gaps(void)
{
    return sample.first;
}

bool sample_has_ended_threads(void)
{
    return sample.out.threads;
}

/* Each warp makes about so many steps in the first half of a block's last steps, and in the second half. The
 * places of the first half are kept, and those of the second half are compared with them: a block that is at
 * a new place in one of NEWS steps computes, and one that only comes back to known places may wait for ever.
 */
#define LAST_STEPS 32
#define NEWS 64
/* A loop without accesses makes a step only after thousands of turns (MOST_TURNS of machine/ptx/control.c).
 * Such a step counts as so many. */
#define STEPS_OF_TURNS 16
static uint64_t places[1 << 14]; /* a set of hashes, with a bit for each */

static bool is_access(const struct warp *warp)
{
    return lane_of(warp, first_lane(all_lanes(warp) & ~warp->exited))->kind != REQUEST_CLOCK;
}

/* Notes a place. Returns whether it was known. */
static bool note(uint64_t hash)
{
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) >> 44;
    bool is_known = places[hash / 64] >> hash % 64 & 1;
    places[hash / 64] |= UINT64_C(1) << hash % 64;
    return is_known;
}

/* Notes the place of this step. Returns whether it was known. A place is an instruction and the state of the
 * warp's first lane. Where the lane may wait for a word, because the word's value is compared, the place has
 * the word and the awaited value in place of the state. If the lane comes back there, the addresses of all
 * accesses of its block count in place of the states, because a loop that waits may count its turns. */
static bool note_place(struct warp *warp)
{
    unsigned lane = first_lane(all_lanes(warp) & ~warp->exited);
    const void *instruction = lane_of(warp, lane)->instruction;
    struct block *block = warp->block;
    struct ptx_awaited awaited = ptx_awaited(warp, lane, instruction, 0);
    bool may_wait = awaited.what != PTX_AWAITS_UNKNOWN, is_state = !may_wait;
    if (block->comes_back && is_access(warp))
        is_state = false;
    const uint64_t place[] = {block->kernel->nth, block->index, (uintptr_t)instruction,
                              (uint64_t)awaited.value,
                              is_state ? ptx_state_of(warp, lane) : warp->addresses[lane]};
    bool is_known = note(hash_add(HASH_OF_NOTHING, place, sizeof place));
    block->comes_back = block->comes_back || (may_wait && is_known);
    return is_known;
}

static void cut(const struct warp *warp, bool computes)
{
    struct block *block = warp->block;
    char line[MOST_MARK];
    has_gaps_from(block->kernel->nth);
    block->kernel->is_cut = true;
    sample.out.cut++;
    if (!*sample.out.cut_at || (!computes && !sample.out.cut_may_wait)) {
        sample.out.cut_may_wait = !computes;
        source_line(lane_of(warp, first_lane(all_lanes(warp) & ~warp->exited))->instruction, line,
                    sizeof line);
        snprintf(sample.out.cut_at, sizeof sample.out.cut_at, "block %u of %.100s at %s", block->index,
                 block->kernel->launch.name, line);
    }
    sample_end_block(block);
}

void sample_step(struct warp *warp)
{
    struct block *block = warp->block;
    unsigned long long most = (unsigned long long)sample_steps * block->warp_count;
    unsigned half = LAST_STEPS * block->warp_count, steps = is_access(warp) ? 1 : STEPS_OF_TURNS;
    if (block->steps >= most)
        return;
    block->steps += steps;
    unsigned long long left = block->steps < most ? most - block->steps : 0;
    if (left < 2 * half && !note_place(warp) && left < half)
        block->new_places += steps;
    if (!left)
        cut(warp, block->new_places * NEWS > half);
}

void sample_end_block(struct block *block)
{
    block->kernel->has_gaps = true;
    for (unsigned w = 0; w < block->warp_count; w++)
        block->warps[w].ends = all_lanes(&block->warps[w]);
}

void sample_reads(struct block *block, enum content content, const void *instruction)
{
    const struct kernel *kernel = block->kernel;
    bool may_be_input = content == CONTENT_NOT_NOTED && kernel->nth == sample.first;
    if (!sample.first || kernel->nth < sample.first || may_be_input)
        return;
    if (!*sample.out.end)
        source_line(instruction, sample.out.end, sizeof sample.out.end);
    sample_end_block(block);
}

lane_set sample_take_ended(struct warp *warp, lane_set lanes)
{
    lane_set ended = warp->ends & lanes;
    sample.out.threads += (unsigned)__builtin_popcountll(ended);
    warp->ends &= ~ended;
    return ended;
}
