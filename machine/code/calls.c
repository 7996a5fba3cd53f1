#include "machine/code/calls.h"
#include "base/memory.h"
#include "machine/ptx.h"
#include "machine/state.h"

#include <stdlib.h>

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
#define PLACES (2 * MOST_NODES)
static struct node *nodes; /* the nodes by number; NULL before the first node is made */
static uint32_t node_count;
static uint32_t *numbers; /* hash table with open addressing: the number of a node, or 0 */

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

/* A cache of the nodes that were used last; a node's key chooses its entry. A kernel uses few nodes, again
 * and again, so this cache stays in the processor's first-level cache. */
#define RECENT 256
static struct recent {
    struct node node;
    uint32_t number; /* 0 if the entry is empty */
} recent[RECENT];

/* Returns the number of the node, or 0 if there are too many. */
static uint32_t find_number(uint32_t before, uint32_t offset, uint64_t key)
{
    if (!nodes) {
        nodes = allocate((MOST_NODES + 1) * sizeof *nodes);
        numbers = allocate(PLACES * sizeof *numbers);
    }
    for (uint32_t at = (uint32_t)(key >> 40) % PLACES;; at = (at + 1) % PLACES) {
        uint32_t number = numbers[at];
        if (number && nodes[number].before == before && nodes[number].offset == offset)
            return number;
        if (number)
            continue;
        if (node_count == MOST_NODES)
            return 0;
        nodes[++node_count] = (struct node){before, offset};
        return numbers[at] = node_count;
    }
}

static uint32_t number_of(uint32_t before, uint32_t offset)
{
    uint64_t key = ((uint64_t)before << 32 | offset) * UINT64_C(0x9e3779b97f4a7c15);
    struct recent *r = &recent[key >> 32 & (RECENT - 1)];
    if (r->node.before != before || r->node.offset != offset || !r->number)
        *r = (struct recent){{before, offset}, find_number(before, offset, key)};
    return r->number;
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
        more->calls = nodes[more->calls].before;
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
    for (uint32_t n = site & ~IS_NODE; n && count < MOST_TRAIL; n = nodes[n].before)
        trail[count++] = nodes[n].offset;
    return count;
}

/* ---- sites of a forked process ---- */

static uint32_t *added; /* for each node of the child process, the number of the same node in this process */
static uint32_t added_count;

void sites_save(FILE *file)
{
    fwrite(&node_count, sizeof node_count, 1, file);
    if (node_count)
        fwrite(nodes + 1, sizeof *nodes, node_count, file);
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
