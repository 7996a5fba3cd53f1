/* Where the time of the program's kernels goes, by source line (machine/time_spent.h). The program's process
 * adds up rows in memory that it shares with the tool, which prints them as tables. */
#ifndef CHECK_SPENDING_H
#define CHECK_SPENDING_H

#include "machine/machine.h"
#include "machine/time_spent.h"

/* What a time is spent for: instructions; plain accesses to memory; what hands over data or a turn from
 * one thread to another, which are fences, atomics, volatile and atomic accesses, polling and barriers;
 * and what is in no block, which is launches and copies. scripts/embed-errors and report/papers/blind.c
 * know the names. */
enum bottleneck { COMPUTING, MEMORY_ACCESS, HAND_OVER, LAUNCHES, BOTTLENECKS };
extern const char *const bottleneck_names[BOTTLENECKS];

/* A time in time units, and its parts by reason, which are those of the critical paths of kernels. A part
 * that is in no kernel has SPENT_OUTSIDE. All parts are 0 if they are not known. */
struct time_parts {
    double units, of[SPENT_REASONS];
};

/* What launches have taken of a multiprocessor's units and of memory (struct machine_counters). */
struct taken {
    double instructions, slots[MACHINE_UNITS], groups, l2_misses, shared;
};

/* Called in the program's process after each launch: adds the launch's critical path, and what the launch has
 * taken. */
void time_parts_add_launch(struct time_parts *parts, struct taken *taken);
void taken_add(struct taken *sum, const struct taken *more);
void time_parts_add(struct time_parts *sum, const struct time_parts *parts);

/* Stores the time of each bottleneck, and returns the largest one, or BOTTLENECKS if no part is known. */
enum bottleneck time_parts_by_bottleneck(const struct time_parts *parts, double times[BOTTLENECKS]);

/* Writes the parts as "hand-over 53 %, memory 24 %, computing 23 %", the largest first, without parts
 * below one percent; and the unit of computing or of memory that limits kernels whose largest part this
 * is, for a launch on `used` multiprocessors: "the issue slots are taken 80 % of the time". */
void time_parts_text(const struct time_parts *parts, char *text, size_t size);
void time_parts_unit(const struct time_parts *parts, const struct taken *taken, unsigned used, char *text,
                     size_t size);

/* The time that the launches of one kernel (struct launches) have spent for one instruction and reason. */
struct spent_row {
    unsigned kernel;       /* number of the kernel in struct prediction */
    const void *at, *whom; /* as spending_stable() names them */
    enum machine_reason reason;
    double path, warps; /* time units of all noted launches */
};

/* largest number of rows; when all rows are taken, further time is added to the last one */
#define MOST_SPENT_ROWS 65536

struct spending {
    size_t count;
    struct spent_row rows[MOST_SPENT_ROWS];
};

/* Called in the program's process: returns an identifier of an instruction that is valid in the tool's
 * process, too: the place of its PTX text (machine/ptx.h). The instruction's address is valid in one process
 * only. */
const void *spending_stable(const void *at);

/* Called in the program's process after each launch of the kernel with this number: adds what the launch has
 * spent. Returns the number of the launch's warps. */
uint64_t spending_add(struct spending *into, unsigned kernel);

/* A kernel as it is printed: its number and text, its noted launches, and the number of their warps. */
struct spending_kernel {
    unsigned number;
    char text[256];
    double launches, warps;
};

/* Prints the kernel's two tables, its critical path and all warps, to standard error. `units_per_us` are
 * the time units in a microsecond. The list of source files has been read (tools/check/sources.h). */
void spending_print(const struct spending *of, const struct spending_kernel *kernel, double units_per_us);

/* Writes the `most` lines on which most of the kernel's critical path is spent, with their shares:
 * "sum.cu:12 (61 %), sum.cu:16 (19 %)". */
void spending_print_most(const struct spending *of, const struct spending_kernel *kernel, size_t most);

/* Writes the user's line of an instruction that spending_stable() named, "FILE:LINE". */
void spending_line(const void *at, char *text, size_t size);

/* Notes features that the program uses and whose time the machine does not model. They make a prediction less
 * certain than its error suggests. */

struct not_modelled {
    struct machine_uses uses;
    double moved; /* the largest number of bytes that one launch moved through L2 */
    double held;  /* the size of all arrays at that launch */
};

/* Notes which of these features the program has used so far. Called in the program's process after each
 * launch. */
void not_modelled_note(struct not_modelled *into);

/* Prints one line that names the features which are used but not modelled. Prints nothing if there are
 * none. */
void not_modelled_print(const struct not_modelled *of);

#endif
