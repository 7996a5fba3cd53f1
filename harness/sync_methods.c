#include "harness/sync_methods.h"

#define CC35 35, "compute capability 3.5 (graphs)"
#define CC60 60, "compute capability 6.0"
#define CC70 70, "compute capability 7.0"
#define CC90 90, "compute capability 9.0"
#define ANY 0, 0

/* id, name, what it is, ordered, resident, checked, needs */
const struct variant sync_methods[SYNC_METHODS] = {
    {SYNC_CPU_EXPLICIT, "cpu-explicit", "a launch a step, and a wait for the device after each", true, false,
     true, ANY},
    {SYNC_CPU_IMPLICIT, "cpu-implicit", "a launch a step, back to back", true, false, true, ANY},
    {SYNC_CPU_GRAPH, "cpu-graph", "the launches as one CUDA graph", true, false, true, CC35},
    {SYNC_CPU_GRAPH_PDL, "cpu-graph-pdl", "the graph with programmatic dependent launch", true, false, true,
     CC90},
    {SYNC_NONE, "none", "one launch, no barrier: the computation time, and wrong results", false, false, true,
     ANY},
    {SYNC_LOCK_BASED, "lock-based", "one atomic counter (Xiao and Feng 2010, Figure 4)", false, true, true,
     ANY},
    {SYNC_LOCK_BASED_FENCE, "lock-based-fence", "the same with __threadfence()", true, true, true, ANY},
    {SYNC_LOCK_FREE, "lock-free", "two arrays, one collecting block (Figure 6)", false, true, true, ANY},
    {SYNC_LOCK_FREE_FENCE, "lock-free-fence", "the same with __threadfence()", true, true, true, ANY},
    {SYNC_TREE, "tree", "two levels of atomic counters", false, true, true, ANY},
    {SYNC_TREE_FENCE, "tree-fence", "the same with __threadfence()", true, true, true, ANY},
    {SYNC_GRID_SYNC, "grid-sync", "grid.sync() of cooperative groups, the peer", true, true, true, CC60},
    {SYNC_RELEASE_ACQUIRE, "release-acquire", "one counter, red.release and ld.acquire", true, true, true,
     CC70},
    {SYNC_COUNTER, "counter", "one counter, relaxed polls between a release and an acquire fence", true, true,
     true, CC70},
};
