/*
 * Litmus tests of PTX: a few threads of a few instructions each, and a condition on the values that they read
 * and leave in memory. The text has Dat3M's format (its folder litmus/PTX). This reader knows loads, stores,
 * atomics, fences and barriers of the generic proxy, moves, arithmetic and branches. It refuses other proxies
 * (texture, surface, constant) and locations that are aliases of others.
 */
#ifndef MICRO_LITMUS_TEST_H
#define MICRO_LITMUS_TEST_H

#include "machine/scopes.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LITMUS_THREADS = 8,
    LITMUS_INSTRUCTIONS = 24,
    LITMUS_REGISTERS = 8,
    LITMUS_LOCATIONS = 8,
    LITMUS_NAME = 24
};

enum litmus_kind {
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_ATOMIC,
    LITMUS_FENCE,
    LITMUS_BARRIER,
    LITMUS_ARRIVE, /* instruction that arrives at a barrier without waiting there */
    LITMUS_SET,
    LITMUS_BRANCH
};

/* The operators of LITMUS_SET and of atomics, then the operators of atomics alone, then the comparisons of
 * branches */
enum litmus_operator {
    LITMUS_ADD,
    LITMUS_SUBTRACT,
    LITMUS_MULTIPLY,
    LITMUS_AND,
    LITMUS_OR,
    LITMUS_XOR,
    LITMUS_MINIMUM, /* minimum and maximum of signed numbers */
    LITMUS_MAXIMUM,
    LITMUS_INCREMENT, /* unsigned: n becomes n + 1, or 0 if n is not less than the operand */
    LITMUS_DECREMENT, /* unsigned: n becomes n - 1, or the operand if n is 0 or above it */
    LITMUS_EXCHANGE,  /* the word, or the register of LITMUS_SET, becomes the instruction's operand `a` */
    LITMUS_COMPARE_SWAP,
    LITMUS_EQUAL,
    LITMUS_NOT_EQUAL,
    LITMUS_LESS,
    LITMUS_GREATER,
    LITMUS_AT_MOST,
    LITMUS_AT_LEAST,
    LITMUS_ALWAYS
};

struct litmus_operand {
    bool is_register;
    int value; /* value of a constant, or number of a register */
};

/*
 * LITMUS_NO_ID is the id (`a`) of a barrier that names none. A barrier joins the threads of one block that
 * name the same instance (`target`: PTX reuses a barrier, and the format distinguishes its uses) and the same
 * id. If `b` is not 0, it opens when `b` threads have arrived. If `b` is 0, it opens when all threads have
 * arrived, except those that end without arriving. A thread that arrives after the barrier has opened passes
 * it without waiting.
 */
enum { LITMUS_NO_ID = -1 };

/* The largest number of times that a thread branches back; executions with more turns of a loop are omitted.
 * A loop that only reads until it finds a value shows all its outcomes in one turn. */
enum { LITMUS_TURNS = 2 };

struct litmus_instruction {
    enum litmus_kind kind;
    enum machine_scope scope; /* scope of an access or fence; SCOPE_THREAD means a weak access */
    enum machine_order order;
    int location;
    /* number of the register that gets the result, which is the old value for an atomic; -1 if there is
     * none */
    int destination;
    enum litmus_operator operation;
    struct litmus_operand a, b;
    int target; /* number of the instruction to which a branch jumps, or a barrier's instance */
};

struct litmus_thread {
    int block, device; /* numbers of the thread's block, counted over the grid, and of its device */
    int count;
    struct litmus_instruction code[LITMUS_INSTRUCTIONS];
    char registers[LITMUS_REGISTERS][LITMUS_NAME];
    int register_count;
    int initial[LITMUS_REGISTERS];
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FOR_ALL };

struct litmus {
    char name[2 * LITMUS_NAME];
    int thread_count, location_count;
    struct litmus_thread threads[LITMUS_THREADS];
    char locations[LITMUS_LOCATIONS][LITMUS_NAME];
    int initial[LITMUS_LOCATIONS];
    enum litmus_quantifier quantifier;
    char condition[256];
};

/* The outcome of an execution of a test: its registers and memory at the end */
struct litmus_outcome {
    int registers[LITMUS_THREADS][LITMUS_REGISTERS];
    int memory[LITMUS_LOCATIONS];
};

/* Pairs of instructions, each with its thread, that form a data race in at least one execution. */
struct litmus_races {
    bool is[LITMUS_THREADS][LITMUS_INSTRUCTIONS][LITMUS_THREADS][LITMUS_INSTRUCTIONS];
};

/* A set of outcomes, and how often each was noted. An empty set is all zero. */
struct litmus_outcomes {
    struct litmus_outcome *items;
    unsigned long long *times;
    int count, room;
    struct litmus_races *races; /* where data races are noted, too; NULL if they are not */
};
void litmus_note(struct litmus_outcomes *set, const struct litmus_outcome *outcome);
bool litmus_has(const struct litmus_outcomes *set, const struct litmus_outcome *outcome);
void litmus_forget(struct litmus_outcomes *set);

/* Returns whether the test's condition with its quantifier holds for a set of outcomes. */
bool litmus_verdict(const struct litmus *test, const struct litmus_outcomes *set);

/* Reads a test from its text. Returns NULL if it could; otherwise a message that says what is wrong or what
 * is not supported, valid until the next call. */
const char *litmus_parse(const char *text, struct litmus *out);

/* Returns whether one outcome fulfils the test's condition without its quantifier. */
bool litmus_holds(const struct litmus *test, const struct litmus_outcome *outcome);

/* Returns the result of the operator for a and b. */
int litmus_compute(enum litmus_operator operation, int a, int b);

/* Return the names that a test's text has for an order ("weak" for the order of an access with the scope
 * SCOPE_THREAD), for a scope ("" for SCOPE_THREAD) and for an operator. */
const char *litmus_order_name(enum machine_order order, enum machine_scope scope);
const char *litmus_scope_name(enum machine_scope scope);
const char *litmus_operator_name(enum litmus_operator operation);

#ifdef __cplusplus
}
#endif

#endif
