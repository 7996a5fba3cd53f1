#include "micro/litmus/litmus_test.h"
#include "base/memory.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[160];
static jmp_buf wrong;

static void __attribute__((noreturn, format(printf, 1, 2))) refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    longjmp(wrong, 1);
}

/* As the registers of a GPU, numbers go round. */
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

/* ---- words ---- */

/* Copies what lies between two places, without spaces around it. */
static void cut(const char *from, const char *to, char *out, size_t size)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if ((size_t)(to - from) >= size)
        refuse("a word or line is too long: %.20s", from);
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
}

static bool is_number(const char *text)
{
    text += *text == '-';
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* The place of a name in a list, where it is put if it is not there. */
static int place_of(char (*names)[LITMUS_NAME], int *count, int most, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*count == most || strlen(name) >= LITMUS_NAME || !*name)
        refuse("too many names, or a long or an empty one: \"%s\"", name);
    memcpy(names[*count], name, strlen(name) + 1);
    return (*count)++;
}

static int location_of(struct litmus *test, const char *name)
{
    return place_of(test->locations, &test->location_count, LITMUS_LOCATIONS, name);
}

static int register_of(struct litmus_thread *thread, const char *name)
{
    return place_of(thread->registers, &thread->register_count, LITMUS_REGISTERS, name);
}

static struct litmus_operand operand_of(struct litmus_thread *thread, const char *text)
{
    if (is_number(text))
        return (struct litmus_operand){false, atoi(text)};
    return (struct litmus_operand){true, register_of(thread, text)};
}

/* "P3:r1" or "3:r1": the thread's number and the rest; -1 if the text is no such thing. */
static int thread_and_name(const char *text, const char **name)
{
    char *end;
    long thread = strtol(text + (*text == 'P'), &end, 10);
    if (end == text + (*text == 'P') || *end != ':' || thread < 0 || thread >= LITMUS_THREADS)
        return -1;
    *name = end + 1 + strspn(end + 1, " ");
    return (int)thread;
}

/* ---- instructions ---- */

static const struct {
    const char *name;
    int value;
} orders[] = {{"weak", -1},
              {"relaxed", ORDER_RELAXED},
              {"acquire", ORDER_ACQUIRE},
              {"release", ORDER_RELEASE},
              {"acq_rel", ORDER_ACQUIRE_RELEASE},
              {"sc", ORDER_SEQUENTIAL}},
  scopes[] = {{"cta", SCOPE_BLOCK}, {"gpu", SCOPE_DEVICE}, {"sys", SCOPE_SYSTEM}},
  operators[] = {{"add", LITMUS_ADD},       {"sub", LITMUS_SUBTRACT},  {"mul", LITMUS_MULTIPLY},
                 {"and", LITMUS_AND},       {"or", LITMUS_OR},         {"xor", LITMUS_XOR},
                 {"min", LITMUS_MINIMUM},   {"max", LITMUS_MAXIMUM},   {"inc", LITMUS_INCREMENT},
                 {"dec", LITMUS_DECREMENT}, {"exch", LITMUS_EXCHANGE}, {"cas", LITMUS_COMPARE_SWAP},
                 {"beq", LITMUS_EQUAL},     {"bne", LITMUS_NOT_EQUAL}, {"blt", LITMUS_LESS},
                 {"bgt", LITMUS_GREATER},   {"ble", LITMUS_AT_MOST},   {"bge", LITMUS_AT_LEAST},
                 {"goto", LITMUS_ALWAYS}};

#define NOT_THERE (-2)
#define LOOK_UP(table, name) look_up((const void *)(table), sizeof(table) / sizeof *(table), name)
static int look_up(const void *table, size_t count, const char *name)
{
    const struct {
        const char *name;
        int value;
    } *rows = table;
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].value;
    return NOT_THERE;
}

struct words {
    char word[6][LITMUS_NAME];
    int count;
};

/* Splits at any of the separators. */
static struct words split(const char *text, const char *separators)
{
    struct words words = {.count = 0};
    while (*text) {
        size_t length = strcspn(text, separators);
        if (words.count == 6)
            refuse("too many parts: %s", text);
        cut(text, text + length, words.word[words.count++], LITMUS_NAME);
        text += length + (text[length] != '\0');
    }
    return words;
}

static void set_strength(struct litmus_instruction *i, const struct words *parts, const char *code)
{
    int order = LOOK_UP(orders, parts->word[1]);
    int scope = parts->count > 2 ? LOOK_UP(scopes, parts->word[2]) : NOT_THERE;
    if (order == NOT_THERE || (order >= 0 && scope == NOT_THERE))
        refuse("no such order or scope: %s", code);
    i->order = order < 0 ? ORDER_RELAXED : (enum machine_order)order;
    i->scope = order < 0 ? SCOPE_THREAD : (enum machine_scope)scope;
}

struct labels {
    char name[LITMUS_INSTRUCTIONS][LITMUS_NAME];
    int at[LITMUS_INSTRUCTIONS], count;
    char target[LITMUS_INSTRUCTIONS][LITMUS_NAME]; /* of the branches, by instruction */
};

static void need(bool enough, const char *code)
{
    if (!enough)
        refuse("not understood: %s", code);
}

static void parse_access(struct litmus *test, struct litmus_thread *thread, struct litmus_instruction *i,
                         const struct words *parts, const struct words *a, const char *code)
{
    const char *name = parts->word[0];
    set_strength(i, parts, code);
    if (strcmp(name, "st") == 0) {
        need(a->count == 2, code);
        i->kind = LITMUS_STORE;
        i->location = location_of(test, a->word[0]);
        i->a = operand_of(thread, a->word[1]);
    } else if (strcmp(name, "ld") == 0) {
        need(a->count == 2, code);
        i->kind = LITMUS_LOAD;
        i->destination = register_of(thread, a->word[0]);
        i->location = location_of(test, a->word[1]);
    } else { /* atom.order.scope.operator d, x, a[, b]; red without d */
        int first = strcmp(name, "red") == 0 ? 0 : 1;
        int operation = parts->count > 3 ? LOOK_UP(operators, parts->word[3]) : NOT_THERE;
        need(operation != NOT_THERE && operation <= (int)LITMUS_COMPARE_SWAP, code);
        i->kind = LITMUS_ATOMIC;
        i->operation = (enum litmus_operator)operation;
        need(a->count == first + (operation == LITMUS_COMPARE_SWAP ? 3 : 2), code);
        if (first)
            i->destination = register_of(thread, a->word[0]);
        i->location = location_of(test, a->word[first]);
        i->a = operand_of(thread, a->word[first + 1]);
        if (operation == LITMUS_COMPARE_SWAP)
            i->b = operand_of(thread, a->word[first + 2]);
    }
}

static void parse_arithmetic(struct litmus_thread *thread, struct litmus_instruction *i, const char *name,
                             const struct words *a, struct labels *labels, const char *code)
{
    int operation = LOOK_UP(operators, name);
    need(operation != NOT_THERE, code);
    i->operation = (enum litmus_operator)operation;
    if (operation <= (int)LITMUS_MAXIMUM) {
        need(a->count == 3, code);
        i->kind = LITMUS_SET;
        i->destination = register_of(thread, a->word[0]);
    } else {
        need(operation >= (int)LITMUS_EQUAL && a->count == (operation == LITMUS_ALWAYS ? 1 : 3), code);
        i->kind = LITMUS_BRANCH;
        memcpy(labels->target[thread->count], a->word[a->count - 1], LITMUS_NAME);
        if (operation == LITMUS_ALWAYS)
            return;
    }
    int first = i->kind == LITMUS_SET;
    i->a = operand_of(thread, a->word[first]);
    i->b = operand_of(thread, a->word[first + 1]);
}

/* bar.cta.sync INSTANCE[, ID[, COUNT]], or .arrive. */
static void parse_barrier(struct litmus_thread *thread, struct litmus_instruction *i,
                          const struct words *parts, const struct words *a, const char *code)
{
    const char *what = parts->word[parts->count - 1];
    bool waits = strcmp(what, "sync") == 0;
    need(waits || strcmp(what, "arrive") == 0, code);
    need(a->count >= 1 && a->count <= 3 && is_number(a->word[0]), code);
    i->kind = waits ? LITMUS_BARRIER : LITMUS_ARRIVE;
    i->target = atoi(a->word[0]);
    i->a = a->count > 1 ? operand_of(thread, a->word[1]) : (struct litmus_operand){false, LITMUS_NO_ID};
    if (a->count == 3) {
        need(is_number(a->word[2]) && atoi(a->word[2]) > 0, code);
        i->b.value = atoi(a->word[2]);
    }
}

/* What Dat3M writes for other proxies: instructions of their own, and fences. */
static bool is_of_another_proxy(const struct words *parts)
{
    static const char *const names[] = {"tld", "suld", "cold", "sust", "suatom", "sured"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (strcmp(parts->word[0], names[n]) == 0)
            return true;
    return parts->count > 1 && strcmp(parts->word[0], "fence") == 0 && strcmp(parts->word[1], "proxy") == 0;
}

static void parse_instruction(struct litmus *test, struct litmus_thread *thread, const char *code,
                              struct labels *labels)
{
    size_t length = strlen(code);
    if (!length)
        return;
    if (code[length - 1] == ':') {
        if (labels->count == LITMUS_INSTRUCTIONS)
            refuse("more than %d labels", LITMUS_INSTRUCTIONS);
        cut(code, code + length - 1, labels->name[labels->count], LITMUS_NAME);
        labels->at[labels->count++] = thread->count;
        return;
    }
    if (thread->count == LITMUS_INSTRUCTIONS)
        refuse("more than %d instructions", LITMUS_INSTRUCTIONS);
    size_t head = strcspn(code, " ");
    char name[3 * LITMUS_NAME];
    cut(code, code + head, name, sizeof name);
    struct words parts = split(name, "."), arguments = split(code + head, ",");
    struct litmus_instruction *i = &thread->code[thread->count];
    *i = (struct litmus_instruction){.destination = -1, .location = -1};
    const char *what = parts.word[0];
    bool is_access = strcmp(what, "st") == 0 || strcmp(what, "atom") == 0 || strcmp(what, "red") == 0 ||
                     strcmp(what, "ld") == 0;
    if (is_of_another_proxy(&parts))
        refuse("only the generic proxy is read: %s", code);
    if (strcmp(what, "ld") == 0 && arguments.count == 2 &&
        (parts.count == 1 || is_number(arguments.word[1]))) { /* of a constant or a register */
        i->kind = LITMUS_SET;
        i->operation = LITMUS_EXCHANGE;
        i->destination = register_of(thread, arguments.word[0]);
        i->a = operand_of(thread, arguments.word[1]);
    } else if (is_access) {
        need(parts.count > 1, code);
        parse_access(test, thread, i, &parts, &arguments, code);
    } else if (strcmp(what, "fence") == 0) {
        need(parts.count == 3, code);
        i->kind = LITMUS_FENCE;
        set_strength(i, &parts, code);
    } else if (strcmp(what, "bar") == 0 || strcmp(what, "barrier") == 0) {
        parse_barrier(thread, i, &parts, &arguments, code);
    } else {
        parse_arithmetic(thread, i, what, &arguments, labels, code);
    }
    thread->count++;
}

/* ---- the parts of the text ---- */

static void parse_initial(struct litmus *test, const char *item)
{
    if (!*item)
        return;
    const char *sign = strchr(item, '='), *name;
    if (strchr(item, '@'))
        refuse("only the generic proxy is read, and no aliases: %s", item);
    if (!sign || strchr(item, '&'))
        refuse("not understood: %s", item);
    char left[LITMUS_NAME], right[LITMUS_NAME];
    cut(item, sign, left, sizeof left);
    cut(sign + 1, item + strlen(item), right, sizeof right);
    if (!is_number(right))
        refuse("no number: %s", item);
    int thread = thread_and_name(left, &name);
    if (thread >= 0) {
        struct litmus_thread *t = &test->threads[thread];
        t->initial[register_of(t, name)] = atoi(right);
    } else {
        test->initial[location_of(test, left)] = atoi(right);
    }
}

/* Calls a function with each part of the text up to `end`, cut at the separators. */
#define FOR_EACH_PART(part, from, end, separators)                                                           \
    for (const char *part##_at = (from), *part##_next;                                                       \
         part##_at < (end) && (part##_next = part##_at + strcspn(part##_at, separators),                     \
                              part##_next = part##_next < (end) ? part##_next : (end),                       \
                              cut(part##_at, part##_next, part, sizeof part), true);                         \
         part##_at = part##_next + 1)

static void parse_head(struct litmus *test, const char *row)
{
    char cell[128];
    const char *end = row + strlen(row);
    FOR_EACH_PART(cell, row, end, "|")
    {
        int thread, block, device;
        if (sscanf(cell, "P%d@cta %d,gpu %d", &thread, &block, &device) != 3 &&
            sscanf(cell, "P%d @cta %d, gpu %d", &thread, &block, &device) != 3)
            refuse("no thread's place: %s", cell);
        if (thread != test->thread_count || thread >= LITMUS_THREADS)
            refuse("threads must be P0, P1, ...: %s", cell);
        test->threads[thread].device = device;
        test->threads[thread].block = block;
        test->thread_count++;
    }
}

/* A block's number is the grid's: as many on each device as there are threads. */
static void number_blocks(struct litmus *test)
{
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->threads[t];
        if (thread->block < 0 || thread->block >= LITMUS_THREADS || thread->device < 0 ||
            thread->device >= LITMUS_THREADS)
            refuse("P%d is in a block or device beyond %d", t, LITMUS_THREADS - 1);
        thread->block += thread->device * LITMUS_THREADS;
    }
}

static void parse_program(struct litmus *test, const char *from, const char *end)
{
    static struct labels labels[LITMUS_THREADS];
    memset(labels, 0, sizeof labels);
    char row[1024], cell[128];
    bool head = true;
    FOR_EACH_PART(row, from, end, ";")
    {
        if (!*row)
            continue;
        if (head) {
            parse_head(test, row);
            head = false;
            continue;
        }
        int thread = 0;
        const char *row_end = row + strlen(row);
        FOR_EACH_PART(cell, row, row_end, "|")
        {
            if (thread == test->thread_count)
                refuse("a row has more columns than there are threads: %s", row);
            parse_instruction(test, &test->threads[thread], cell, &labels[thread]);
            thread++;
        }
    }
    for (int t = 0; t < test->thread_count; t++)
        for (int i = 0; i < test->threads[t].count; i++) {
            if (test->threads[t].code[i].kind != LITMUS_BRANCH)
                continue;
            int label = 0;
            while (label < labels[t].count && strcmp(labels[t].name[label], labels[t].target[i]) != 0)
                label++;
            if (label == labels[t].count)
                refuse("no such label: %s", labels[t].target[i]);
            test->threads[t].code[i].target = labels[t].at[label];
        }
}

static bool is_barrier(const struct litmus_instruction *i)
{
    return i->kind == LITMUS_BARRIER || i->kind == LITMUS_ARRIVE;
}

/* When a barrier opens must not depend on who asks. */
static void check_counts(const struct litmus_thread *thread, const struct litmus_thread *other)
{
    for (int i = 0; i < thread->count; i++)
        for (int o = 0; o < other->count; o++)
            if (is_barrier(&thread->code[i]) && is_barrier(&other->code[o]) &&
                thread->code[i].target == other->code[o].target &&
                thread->code[i].b.value != other->code[o].b.value)
                refuse("barrier %d has two counts", thread->code[i].target);
}

/* Where the condition begins: the first of its words at the start of a line. */
static const char *find_condition(const char *from, struct litmus *test)
{
    static const struct {
        const char *word;
        enum litmus_quantifier quantifier;
    } words[] = {{"~exists", LITMUS_NOT_EXISTS}, {"exists", LITMUS_EXISTS}, {"forall", LITMUS_FOR_ALL}};
    for (const char *line = from; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        for (int w = 0; w < 3; w++)
            if (strncmp(line, words[w].word, strlen(words[w].word)) == 0) {
                test->quantifier = words[w].quantifier;
                cut(line + strlen(words[w].word), line + strlen(line), test->condition,
                    sizeof test->condition);
                return line;
            }
    refuse("there is no condition");
}

static void parse(const char *text, struct litmus *test)
{
    *test = (struct litmus){.name = ""};
    const char *begin = strchr(text, '{'), *end = begin ? strchr(begin, '}') : NULL;
    if (sscanf(text, " PTX %47s", test->name) != 1 || !end)
        refuse("no PTX litmus test: a name and { initial values } are missing");
    char item[128];
    FOR_EACH_PART(item, begin + 1, end, ";")
    parse_initial(test, item);
    parse_program(test, end + 1, find_condition(end, test));
    number_blocks(test);
    for (int t = 0; t < test->thread_count; t++)
        for (int o = 0; o <= t; o++)
            if (test->threads[t].block == test->threads[o].block)
                check_counts(&test->threads[t], &test->threads[o]);
    static const struct litmus_outcome nothing;
    litmus_holds(test, &nothing); /* what it cannot read, it refuses here */
}

const char *litmus_parse(const char *text, struct litmus *out)
{
    if (setjmp(wrong))
        return message;
    parse(text, out);
    return NULL;
}

/* ---- conditions ---- */

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
    cut(r->at, r->at + length, word, sizeof word);
    r->at += length;
    if (is_number(word))
        return atoi(word);
    int thread = thread_and_name(word, &name);
    if (thread >= 0) {
        const struct litmus_thread *t = &r->test->threads[thread];
        for (int i = 0; i < t->register_count; i++)
            if (strcmp(t->registers[i], name) == 0)
                return r->outcome->registers[thread][i];
    }
    for (int i = 0; i < r->test->location_count; i++)
        if (strcmp(r->test->locations[i], word) == 0)
            return r->outcome->memory[i];
    refuse("the condition names what is not there: \"%s\"", word);
}

static bool disjunction(struct reader *r);

static bool comparison(struct reader *r)
{
    if (take(r, "~"))
        return !comparison(r);
    if (take(r, "(")) {
        bool inner = disjunction(r);
        if (!take(r, ")"))
            refuse("the condition lacks a bracket: %s", r->at);
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
    refuse("the condition has no comparison: %s", r->at);
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

/* ---- sets of outcomes ---- */

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
