#include "base/memory.h"
#include "micro/litmus/litmus_test.h"
#include "micro/litmus/litmus_words.h"

#include <stdlib.h>
#include <string.h>

/* Returns the result of an operator of atomics or of LITMUS_SET. It wraps around like the registers of a
 * GPU. */
static int arithmetic(enum litmus_operator operation, unsigned a, unsigned b)
{
    switch (operation) {
    case LITMUS_ADD:
        return (int)(a + b);
    case LITMUS_SUBTRACT:
        return (int)(a - b);
    case LITMUS_MULTIPLY:
        return (int)(a * b);
    case LITMUS_AND:
        return (int)(a & b);
    case LITMUS_OR:
        return (int)(a | b);
    case LITMUS_XOR:
        return (int)(a ^ b);
    case LITMUS_INCREMENT:
        return a >= b ? 0 : (int)(a + 1);
    default: /* LITMUS_DECREMENT */
        return (int)(a == 0 || a > b ? b : a - 1);
    }
}

int litmus_compute(enum litmus_operator operation, int a, int b)
{
    switch (operation) {
    case LITMUS_MINIMUM:
        return a < b ? a : b;
    case LITMUS_MAXIMUM:
        return a > b ? a : b;
    case LITMUS_EXCHANGE:
    case LITMUS_COMPARE_SWAP:
        return a;
    case LITMUS_EQUAL:
        return a == b;
    case LITMUS_NOT_EQUAL:
        return a != b;
    case LITMUS_LESS:
        return a < b;
    case LITMUS_GREATER:
        return a > b;
    case LITMUS_AT_MOST:
        return a <= b;
    case LITMUS_AT_LEAST:
        return a >= b;
    case LITMUS_ALWAYS:
        return 1;
    default:
        return arithmetic(operation, (unsigned)a, (unsigned)b);
    }
}

/* ---- Conditions ---- */

struct reader {
    const char *at;
    const struct litmus *test;
    const struct litmus_outcome *outcome;
};

static bool take(struct reader *r, const char *word)
{
    r->at += strspn(r->at, " \n\t");
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static int value(struct reader *r)
{
    r->at += strspn(r->at, " \n\t");
    size_t length = strspn(r->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (r->at[length] == ':') {
        length++;
        length += strspn(r->at + length, " ");
        length += strspn(r->at + length, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    }
    char word[2 * LITMUS_NAME];
    const char *name;
    litmus_cut(r->at, r->at + length, word, sizeof word);
    r->at += length;
    if (litmus_is_number(word))
        return atoi(word);
    int thread = litmus_thread_and_name(word, &name);
    if (thread >= 0) {
        const struct litmus_thread *t = &r->test->threads[thread];
        for (int i = 0; i < t->register_count; i++)
            if (strcmp(t->registers[i], name) == 0)
                return r->outcome->registers[thread][i];
    }
    for (int i = 0; i < r->test->location_count; i++)
        if (strcmp(r->test->locations[i], word) == 0)
            return r->outcome->memory[i];
    litmus_refuse("the condition names what is not there: \"%s\"", word);
}

static bool disjunction(struct reader *r);

static bool comparison(struct reader *r)
{
    if (take(r, "~"))
        return !comparison(r);
    if (take(r, "(")) {
        bool inner = disjunction(r);
        if (!take(r, ")"))
            litmus_refuse("the condition lacks a bracket: %s", r->at);
        return inner;
    }
    int left = value(r);
    static const struct {
        const char *sign;
        enum litmus_operator operation;
    } signs[] = {{"==", LITMUS_EQUAL},   {"=", LITMUS_EQUAL},     {"!=", LITMUS_NOT_EQUAL},
                 {"<=", LITMUS_AT_MOST}, {">=", LITMUS_AT_LEAST}, {"<", LITMUS_LESS},
                 {">", LITMUS_GREATER}};
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (take(r, signs[s].sign))
            return litmus_compute(signs[s].operation, left, value(r)) != 0;
    litmus_refuse("the condition has no comparison: %s", r->at);
}

static bool conjunction(struct reader *r)
{
    bool holds = comparison(r);
    while (take(r, "/\\") || take(r, "&&"))
        holds = comparison(r) && holds;
    return holds;
}

static bool disjunction(struct reader *r)
{
    bool holds = conjunction(r);
    while (take(r, "\\/") || take(r, "||"))
        holds = conjunction(r) || holds;
    return holds;
}

bool litmus_holds(const struct litmus *test, const struct litmus_outcome *outcome)
{
    struct reader r = {test->condition, test, outcome};
    return disjunction(&r);
}

/* ---- Sets of outcomes ---- */

static int place_in(const struct litmus_outcomes *set, const struct litmus_outcome *outcome)
{
    for (int i = 0; i < set->count; i++)
        if (memcmp(&set->items[i], outcome, sizeof *outcome) == 0)
            return i;
    return -1;
}

bool litmus_has(const struct litmus_outcomes *set, const struct litmus_outcome *outcome)
{
    return place_in(set, outcome) >= 0;
}

void litmus_note(struct litmus_outcomes *set, const struct litmus_outcome *outcome)
{
    int at = place_in(set, outcome);
    if (at < 0) {
        if (set->count == set->room) {
            set->room = set->room ? 2 * set->room : 16;
            set->items = reallocate(set->items, (size_t)set->room * sizeof *set->items);
            set->times = reallocate(set->times, (size_t)set->room * sizeof *set->times);
        }
        at = set->count++;
        set->items[at] = *outcome;
        set->times[at] = 0;
    }
    set->times[at]++;
}

void litmus_forget(struct litmus_outcomes *set)
{
    free(set->items);
    free(set->times);
    *set = (struct litmus_outcomes){.count = 0};
}

bool litmus_verdict(const struct litmus *test, const struct litmus_outcomes *set)
{
    int holds = 0;
    for (int i = 0; i < set->count; i++)
        holds += litmus_holds(test, &set->items[i]);
    return test->quantifier == LITMUS_EXISTS       ? holds > 0
           : test->quantifier == LITMUS_NOT_EXISTS ? holds == 0
                                                   : holds == set->count;
}
