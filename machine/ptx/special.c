/* The special registers of PTX (PTX ISA, "Special Registers"), apart from clocks. */
#include "base/memory.h"
#include "machine/engine/clusters.h"
#include "machine/memory/arrays.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx/decode.h"
#include "machine/ptx/warp.h"

#include <string.h>

#define WORD (4 * PTX_LANES)

/* The values of the special registers that differ between lanes or warps, and of the others. A slot has the
 * register's value for each lane: 32 words or 32 double words. */
struct of_warp {
    uint32_t words[4][PTX_LANES];
} __attribute__((aligned(64)));

struct of_block {
    uint32_t words[41][PTX_LANES];
    uint64_t wide[2][PTX_LANES];
} __attribute__((aligned(64)));

enum { ZERO_AT = 31, WARP_SIZE_AT = 33, LANE_AT, RESERVED_AT = 40, BLOCK_WORDS };
/* Special registers, each with the number of its slot. One with components, whose name ends in a dot here,
 * has its component x there, and y and z in the next slots; its component w is 0. */
static const struct {
    const char *name;
    enum ptx_base base;
    unsigned number;
} registers[] = {
    {"%tid.", PTX_OF_WARP, 0},
    {"%warpid", PTX_OF_WARP, 3},
    {"%laneid", PTX_OF_BLOCK, LANE_AT},
    {"%lanemask_eq", PTX_OF_BLOCK, LANE_AT + 1},
    {"%lanemask_le", PTX_OF_BLOCK, LANE_AT + 2},
    {"%lanemask_lt", PTX_OF_BLOCK, LANE_AT + 3},
    {"%lanemask_ge", PTX_OF_BLOCK, LANE_AT + 4},
    {"%lanemask_gt", PTX_OF_BLOCK, LANE_AT + 5},
    {"%ntid.", PTX_OF_BLOCK, 0},
    {"%ctaid.", PTX_OF_BLOCK, 3},
    {"%nctaid.", PTX_OF_BLOCK, 6},
    {"%nwarpid", PTX_OF_BLOCK, 9},
    {"%smid", PTX_OF_BLOCK, 10},
    {"%nsmid", PTX_OF_BLOCK, 11},
    {"%clusterid.", PTX_OF_BLOCK, 12},
    {"%nclusterid.", PTX_OF_BLOCK, 15},
    {"%cluster_ctaid.", PTX_OF_BLOCK, 18},
    {"%cluster_nctaid.", PTX_OF_BLOCK, 21},
    {"%cluster_ctarank", PTX_OF_BLOCK, 24},
    {"%cluster_nctarank", PTX_OF_BLOCK, 25},
    {"%is_explicit_cluster", PTX_OF_BLOCK, 26},
    {"%total_smem_size", PTX_OF_BLOCK, 27},
    {"%dynamic_smem_size", PTX_OF_BLOCK, 28},
    {"%aggr_smem_size", PTX_OF_BLOCK, 27},
    {"%envreg1", PTX_OF_BLOCK, 29},
    {"%envreg2", PTX_OF_BLOCK, 30},
    {"%gridid", PTX_OF_BLOCK, 32},
    {"%current_graph_exec", PTX_OF_BLOCK, ZERO_AT},
    {"%reserved_smem_offset_1", PTX_OF_BLOCK, RESERVED_AT},
    {"WARP_SZ", PTX_OF_BLOCK, WARP_SIZE_AT},
};

ptx_operand ptx_special_operand(const char *name, char *class)
{
    static const char components[] = "xyzw";
    bool is_wide = strcmp(name, "%gridid") == 0 || strcmp(name, "%current_graph_exec") == 0;
    *class = is_wide ? '8' : strcmp(name, "%is_explicit_cluster") == 0 ? 'p' : '4';
    const size_t length = strcspn(name, ".");
    const char *component = strlen(name) == length + 2 ? strchr(components, name[length + 1]) : NULL;
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (strncmp(name, registers[i].name, length) != 0 || registers[i].name[length] != name[length] ||
            (name[length] && !component))
            continue;
        if (is_wide) /* the double words come after the words of the block */
            return (ptx_operand)(BLOCK_WORDS * WORD + (name[1] == 'c' ? 2 * WORD : 0)) | PTX_OF_BLOCK;
        if (component && *component == 'w')
            return ZERO_AT * WORD | PTX_OF_BLOCK;
        return (registers[i].number + (unsigned)(component ? component - components : 0)) * WORD |
               (ptx_operand)registers[i].base;
    }
    return PTX_NO_OPERAND;
}

static void fill(uint32_t slot[PTX_LANES], uint32_t value)
{
    for (unsigned l = 0; l < PTX_LANES; l++)
        slot[l] = value;
}

static void fill_index(uint32_t (*slots)[PTX_LANES], struct machine_index index)
{
    fill(slots[0], index.x);
    fill(slots[1], index.y);
    fill(slots[2], index.z);
}

static struct machine_index index_in(struct machine_index extent, unsigned linear)
{
    return (struct machine_index){linear % extent.x, linear / extent.x % extent.y,
                                  linear / extent.x / extent.y};
}

static void fill_warp(struct of_warp *special, const struct warp *warp)
{
    struct machine_index extent = warp->block->kernel->launch.block,
                         thread = index_in(extent, thread_of(warp, 0));
    for (unsigned l = 0; l < PTX_LANES; l++) {
        special->words[0][l] = thread.x;
        special->words[1][l] = thread.y;
        special->words[2][l] = thread.z;
        special->words[3][l] = (unsigned)(warp - warp->block->warps);
        if (++thread.x < extent.x)
            continue;
        thread.x = 0;
        if (++thread.y < extent.y)
            continue;
        thread.y = 0;
        thread.z++;
    }
}

static void fill_block(struct of_block *special, const struct block *block)
{
    const struct kernel *kernel = block->kernel;
    const struct machine_launch *launch = &kernel->launch;
    uint32_t(*slots)[PTX_LANES] = special->words;
    unsigned size = cluster_size(block), rank = block->index % size;
    struct machine_index extent =
        launch->cluster_extent.x ? launch->cluster_extent : (struct machine_index){1, 1, 1};
    struct machine_index clusters = {launch->grid.x / extent.x, launch->grid.y / extent.y,
                                     launch->grid.z / extent.z};
    /* the engine makes a cluster of blocks whose numbers follow each other, whatever the cluster's shape */
    struct machine_index of = index_in(clusters, block->index / size), in = index_in(extent, rank);
    fill_index(slots, launch->block);
    fill_index(slots + 3, (struct machine_index){of.x * extent.x + in.x, of.y * extent.y + in.y,
                                                 of.z * extent.z + in.z});
    fill_index(slots + 6, launch->grid);
    fill(slots[9], block->warp_count);
    fill(slots[10], block->sm->index);
    fill(slots[11], the_machine.run.sm_count);
    fill_index(slots + 12, of);
    fill_index(slots + 15, clusters);
    fill_index(slots + 18, in);
    fill_index(slots + 21, extent);
    fill(slots[24], rank);
    fill(slots[25], size);
    fill(slots[26], size > 1 ? PTX_ALL_LANES : 0);
    fill(slots[27], (uint32_t)launch->shared_bytes);
    fill(slots[28], (uint32_t)(launch->shared_bytes - launch->program->static_shared_bytes));
    /* the address of the workspace of the grid's barrier (cooperative_groups/details/driver_abi.h) */
    uint64_t workspace = (uintptr_t)grid_workspaces[kernel - the_machine.run.kernels];
    fill(slots[29], (uint32_t)(workspace >> 32));
    fill(slots[30], (uint32_t)workspace);
    fill(slots[RESERVED_AT], launch->program->reserved_at);
    fill(slots[WARP_SIZE_AT], (uint32_t)the_machine.description.warp_size);
    for (unsigned l = 0; l < PTX_LANES; l++) {
        uint32_t own = UINT32_C(1) << l, below = own - 1;
        uint32_t values[] = {l, own, own | below, below, ~below, ~(own | below)};
        for (unsigned v = 0; v < sizeof values / sizeof *values; v++)
            slots[LANE_AT + v][l] = values[v];
        special->wide[0][l] = kernel->number;
    }
}

/* Clears the memory that a GPU reserves for cooperative groups: it is 0 when a kernel begins. */
static void clear_reserved(struct block *block)
{
    const struct ptx_program *program = block->kernel->launch.program;
    if (!program->reserved_bytes)
        return;
    memset((unsigned char *)block->dynamic + program->reserved_at, 0, program->reserved_bytes);
    if (written_is_noted)
        written_note(block, (uintptr_t)block->dynamic + program->reserved_at, program->reserved_bytes);
}

/* Slots that can be used again. */
struct unused {
    struct unused *next;
};
static struct unused *unused_of_warps, *unused_of_blocks;

static void *take(struct unused **list, size_t bytes)
{
    struct unused *first = *list;
    if (!first)
        return allocate_aligned(bytes);
    *list = first->next;
    return first;
}

static void give_back(struct unused **list, void *slots)
{
    struct unused *first = slots;
    first->next = *list;
    *list = first;
}

void ptx_special_begin(struct warp *warp)
{
    struct block *block = warp->block;
    if (!block->special) {
        block->special = take(&unused_of_blocks, sizeof(struct of_block));
        fill_block(block->special, block);
        clear_reserved(block);
    }
    warp->ptx->special = take(&unused_of_warps, sizeof(struct of_warp));
    fill_warp(warp->ptx->special, warp);
}

void ptx_special_end(struct warp *warp)
{
    give_back(&unused_of_warps, warp->ptx->special);
    if (warp->block->special)
        give_back(&unused_of_blocks, warp->block->special);
    warp->block->special = NULL;
}
