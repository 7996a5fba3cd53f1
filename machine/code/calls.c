#include "machine/code/calls.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/ptx.h"
#include "machine/state.h"

/* The first byte of the program in memory, and the first byte after its code.
 * The linker defines the symbols. */
extern const char __executable_start[], etext[];

/* One level of a chain of calls: an instruction, and the node of the call that led to its function. */
struct node {
    uint32_t before; /* number of the node of the last call, or 0 if there is none */
    uint32_t offset; /* the instruction's offset in the program */
};

/* The nodes are numbered from 1. A program with deeply nested calls could need any number of nodes. When
 * MOST_NODES nodes exist, no new ones are made, and a function that needs a new node counts as its caller. */
#define MOST_NODES (1u << 16)
static struct map nodes = MAP(struct node, offset);

static struct node *node_of(uint32_t number)
{
    return (struct node *)nodes.items + (number - 1);
}

/* A site without calls has its instruction's offset as its number. Any other site has the number of its node
 * with this bit set. */
#define IS_NODE (1u << 31)

static uint32_t offset_of(const void *instruction)
{
    size_t distance = (uintptr_t)instruction - (uintptr_t)__executable_start;
    uint32_t place =
        distance < (uintptr_t)etext - (uintptr_t)__executable_start ? 0 : ptx_place_of(instruction);
    return place ? place : (uint32_t)distance;
}

/* Returns the number of the node, or 0 if there are too many. */
static uint32_t number_of(uint32_t before, uint32_t offset)
{
    struct node node = {before, offset};
    const struct node *found = nodes.count < MOST_NODES ? map_get(&nodes, &node) : map_find(&nodes, &node);
    return found ? (uint32_t)(found - node_of(1)) + 1 : 0;
}

void calls_enter(const void *back)
{
    struct lane_more *more = more_of_running_lane();
    uint32_t number = more->calls_uncounted ? 0 : number_of(more->calls, offset_of(back));
    if (number)
        more->calls = number;
    else
        more->calls_uncounted++;
}

void calls_leave(void)
{
    struct lane_more *more = more_of_running_lane();
    if (more->calls_uncounted)
        more->calls_uncounted--;
    else if (more->calls)
        more->calls = node_of(more->calls)->before;
}

uint32_t site_of(const void *instruction, uint32_t calls)
{
    uint32_t number = calls ? number_of(calls, offset_of(instruction)) : 0;
    return number ? number | IS_NODE : offset_of(instruction);
}

uint32_t site_here(const void *instruction)
{
    return site_of(instruction, running.warp ? more_of_running_lane()->calls : 0);
}

unsigned site_trail(uint32_t site, uint32_t trail[MOST_TRAIL])
{
    unsigned count = 0;
    if (!(site & IS_NODE)) {
        trail[0] = site;
        return 1;
    }
    for (uint32_t n = site & ~IS_NODE; n && count < MOST_TRAIL; n = node_of(n)->before)
        trail[count++] = node_of(n)->offset;
    return count;
}

/* ---- sites of a forked process ---- */

static uint32_t *added; /* for each node of the child process, the number of the same node in this process */
static uint32_t added_count;

void sites_save(FILE *file)
{
    uint32_t count = (uint32_t)nodes.count;
    fwrite(&count, sizeof count, 1, file);
    if (count)
        fwrite(nodes.items, nodes.item_bytes, count, file);
}

void sites_add(FILE *file)
{
    struct node one;
    added_count = 0;
    if (fread(&added_count, sizeof added_count, 1, file) != 1)
        return;
    added = reallocate(added, (added_count + 1) * sizeof *added);
    added[0] = 0;
    /* a node comes after the node of the call that led to it, so that node has been added already */
    for (uint32_t n = 1; n <= added_count && fread(&one, sizeof one, 1, file) == 1; n++)
        added[n] = number_of(one.before < n ? added[one.before] : 0, one.offset);
}

uint32_t site_added(uint32_t site)
{
    uint32_t number = site & ~IS_NODE;
    return site & IS_NODE ? (number <= added_count ? added[number] : 0) | IS_NODE : site;
}
