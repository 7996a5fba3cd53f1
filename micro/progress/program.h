/*
 * A small program that may or may not end: a few threads of a few instructions each. Its text has Dat3M's
 * format for Vulkan (Dat3M's folder litmus/VULKAN), of which this reader knows loads, stores, exchanges,
 * additions, control barriers and branches. docs/progress.md shows the format.
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
    PROGRESS_LARGEST = 1000000 /* largest absolute value of a number in a file */
};

enum progress_kind {
    PROGRESS_LOAD,
    PROGRESS_STORE,
    PROGRESS_EXCHANGE,
    PROGRESS_ADD, /* atomic addition to memory; the register gets the old value */
    PROGRESS_BARRIER,
    PROGRESS_GOTO, /* PROGRESS_GOTO and the kinds after it are branches, which are not counted as steps */
    PROGRESS_BRANCH_EQUAL,
    PROGRESS_BRANCH_DIFFERENT
};

struct progress_operand {
    bool is_register;
    int value; /* the operand's value, or the number of its register if is_register is set */
};

struct progress_instruction {
    enum progress_kind kind;
    /* number of the memory location that the instruction accesses, or of the barrier at which it arrives */
    int location;
    /* number of the register that gets a value, or that a branch compares with the operand */
    int destination;
    struct progress_operand operand; /* the value to store, to add, or to compare with */
    int target;                      /* index of the instruction to which a branch goes */
    unsigned line;                   /* the instruction's line number in the file */
    char text[PROGRESS_TEXT];        /* the text of the instruction in the file */
};

struct progress_thread {
    /* number of the thread's instructions; the next instruction of a thread that has ended has this index */
    int count;
    struct progress_instruction code[PROGRESS_INSTRUCTIONS];
    char registers[PROGRESS_REGISTERS][PROGRESS_NAME];
    int register_count;
    int initial[PROGRESS_REGISTERS];
    int workgroup;
};

struct progress_barrier {
    int workgroup, instance, id;
    int threads; /* set of the threads of the barrier's workgroup, one bit for each */
    int quorum;  /* number of threads that must have arrived for the barrier to open */
};

struct progress_program {
    char path[4096];
    int thread_count, location_count, barrier_count;
    struct progress_thread threads[PROGRESS_THREADS];
    char locations[PROGRESS_LOCATIONS][PROGRESS_NAME];
    int initial[PROGRESS_LOCATIONS];
    struct progress_barrier barriers[PROGRESS_BARRIERS];
};

/* Reads a program from a litmus file; the caller gives it back by free(). Exits with EXIT_BAD_INPUT and a
 * message with the file and line if the file cannot be read, or has something that this reader does not
 * know. */
struct progress_program *progress_read(const char *path);

/* Returns the sorted paths of the .litmus files in a folder and in the folders below it, or the path itself
 * if it is not a folder. The caller frees each path and the array. Exits with EXIT_BAD_INPUT if a
 * folder has no such files. */
char **progress_files(const char *path, unsigned *count);

#ifdef __cplusplus
}
#endif

#endif
