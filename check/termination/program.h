/*
 * A small program whose ending is in question: a few threads of a few instructions. The text format
 * is Dat3M's for Vulkan (its folder litmus/VULKAN), of which this reader knows loads, stores,
 * exchanges, additions, control barriers and branches. docs/progress.md says what a file looks
 * like.
 */
#ifndef CHECK_TERMINATION_PROGRAM_H
#define CHECK_TERMINATION_PROGRAM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PROGRESS_THREADS = 8,
    PROGRESS_INSTRUCTIONS = 32,
    PROGRESS_REGISTERS = 8,
    PROGRESS_LOCATIONS = 8,
    PROGRESS_BARRIERS = 8,
    PROGRESS_NAME = 32,
    PROGRESS_TEXT = 64,
    PROGRESS_LARGEST = 1000000 /* of the numbers in a file, without their sign */
};

enum progress_kind {
    PROGRESS_LOAD,
    PROGRESS_STORE,
    PROGRESS_EXCHANGE,
    PROGRESS_ADD, /* to memory; the register gets what was there before */
    PROGRESS_BARRIER,
    PROGRESS_GOTO, /* from here on: branches, which are no steps */
    PROGRESS_BRANCH_EQUAL,
    PROGRESS_BRANCH_DIFFERENT
};

struct progress_operand {
    bool is_register;
    int value; /* or the register's number */
};

struct progress_instruction {
    enum progress_kind kind;
    int location;                    /* or the barrier's number */
    int destination;                 /* register; of a branch: the one that is compared */
    struct progress_operand operand; /* what is stored, added, or compared with */
    int target;                      /* of a branch */
    unsigned line;                   /* of the file */
    char text[PROGRESS_TEXT];        /* as it stands there */
};

struct progress_thread {
    int count; /* of instructions; a thread whose next instruction is this one has ended */
    struct progress_instruction code[PROGRESS_INSTRUCTIONS];
    char registers[PROGRESS_REGISTERS][PROGRESS_NAME];
    int register_count;
    int initial[PROGRESS_REGISTERS];
    int workgroup;
};

struct progress_barrier {
    int workgroup, instance, id;
    int threads; /* of the workgroup, as a set of bits */
    int quorum;  /* opens when so many have come */
};

struct progress_program {
    char path[4096];
    int thread_count, location_count, barrier_count;
    struct progress_thread threads[PROGRESS_THREADS];
    char locations[PROGRESS_LOCATIONS][PROGRESS_NAME];
    int initial[PROGRESS_LOCATIONS];
    struct progress_barrier barriers[PROGRESS_BARRIERS];
};

/* Exits with EXIT_BAD_INPUT, and a message that names the file and line, if the file cannot be read
 * or says what this reader does not know. To be freed with free(). */
struct progress_program *progress_read(const char *path);

/* The paths of the folder's .litmus files, and of its folders', sorted. Each path and the array are
 * the caller's. Exits with EXIT_BAD_INPUT if there are none. */
char **progress_files(const char *folder, unsigned *count);

#ifdef __cplusplus
}
#endif

#endif
