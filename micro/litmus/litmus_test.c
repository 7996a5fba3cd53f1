#include "micro/litmus/litmus_test.h"
#include "micro/litmus/litmus_words.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[160];
static jmp_buf wrong;

void litmus_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    longjmp(wrong, 1);
}

/* ---- Words ---- */

void litmus_cut(const char *from, const char *to, char *out, size_t size)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if ((size_t)(to - from) >= size)
        litmus_refuse("a word or line is too long: %.20s", from);
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
}

bool litmus_is_number(const char *text)
{
    text += *text == '-';
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* Returns the position of a name in a list. A name that is missing is added; `most` limits the list. */
static int place_of(char (*names)[LITMUS_NAME], int *count, int most, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*count == most || strlen(name) >= LITMUS_NAME || !*name)
        litmus_refuse("too many names, or a long or an empty one: \"%s\"", name);
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
    if (litmus_is_number(text))
        return (struct litmus_operand){false, atoi(text)};
    return (struct litmus_operand){true, register_of(thread, text)};
}

int litmus_thread_and_name(const char *text, const char **name)
{
    char *end;
    long thread = strtol(text + (*text == 'P'), &end, 10);
    if (end == text + (*text == 'P') || *end != ':' || thread < 0 || thread >= LITMUS_THREADS)
        return -1;
    *name = end + 1 + strspn(end + 1, " ");
    return (int)thread;
}

/* ---- Instructions ---- */

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

#define NAME_OF(table, value) name_of((const void *)(table), sizeof(table) / sizeof *(table), value)
static const char *name_of(const void *table, size_t count, int value)
{
    const struct {
        const char *name;
        int value;
    } *rows = table;
    for (size_t i = 0; i < count; i++)
        if (rows[i].value == value)
            return rows[i].name;
    return "";
}

const char *litmus_order_name(enum machine_order order, enum machine_scope scope)
{
    return NAME_OF(orders, scope == SCOPE_THREAD ? -1 : (int)order);
}

const char *litmus_scope_name(enum machine_scope scope)
{
    return NAME_OF(scopes, (int)scope);
}

const char *litmus_operator_name(enum litmus_operator operation)
{
    return NAME_OF(operators, (int)operation);
}

struct words {
    char word[6][LITMUS_NAME];
    int count;
};

/* Returns the words into which any of the separators divides the text. */
static struct words split(const char *text, const char *separators)
{
    struct words words = {.count = 0};
    while (*text) {
        size_t length = strcspn(text, separators);
        if (words.count == 6)
            litmus_refuse("too many parts: %s", text);
        litmus_cut(text, text + length, words.word[words.count++], LITMUS_NAME);
        text += length + (text[length] != '\0');
    }
    return words;
}

static void set_strength(struct litmus_instruction *i, const struct words *parts, const char *code)
{
    int order = LOOK_UP(orders, parts->word[1]);
    int scope = parts->count > 2 ? LOOK_UP(scopes, parts->word[2]) : NOT_THERE;
    if (order == NOT_THERE || (order >= 0 && scope == NOT_THERE))
        litmus_refuse("no such order or scope: %s", code);
    i->order = order < 0 ? ORDER_RELAXED : (enum machine_order)order;
    i->scope = order < 0 ? SCOPE_THREAD : (enum machine_scope)scope;
}

struct labels {
    char name[LITMUS_INSTRUCTIONS][LITMUS_NAME];
    int at[LITMUS_INSTRUCTIONS], count;
    /* for each instruction that is a branch, the label of its target */
    char target[LITMUS_INSTRUCTIONS][LITMUS_NAME];
};

static void need(bool enough, const char *code)
{
    if (!enough)
        litmus_refuse("not understood: %s", code);
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
    } else { /* atom.order.scope.operator d, x, a[, b]; or red.order.scope.operator x, a, without a result */
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

/* Parses bar.cta.sync INSTANCE[, ID[, COUNT]], or bar.cta.arrive with the same operands. */
static void parse_barrier(struct litmus_thread *thread, struct litmus_instruction *i,
                          const struct words *parts, const struct words *a, const char *code)
{
    const char *what = parts->word[parts->count - 1];
    bool waits = strcmp(what, "sync") == 0;
    need(waits || strcmp(what, "arrive") == 0, code);
    need(a->count >= 1 && a->count <= 3 && litmus_is_number(a->word[0]), code);
    i->kind = waits ? LITMUS_BARRIER : LITMUS_ARRIVE;
    i->target = atoi(a->word[0]);
    i->a = a->count > 1 ? operand_of(thread, a->word[1]) : (struct litmus_operand){false, LITMUS_NO_ID};
    if (a->count == 3) {
        need(litmus_is_number(a->word[2]) && atoi(a->word[2]) > 0, code);
        i->b.value = atoi(a->word[2]);
    }
}

/* Returns whether the instruction belongs to a proxy other than the generic one. Dat3M has special
 * instructions and fences for these. */
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
            litmus_refuse("more than %d labels", LITMUS_INSTRUCTIONS);
        litmus_cut(code, code + length - 1, labels->name[labels->count], LITMUS_NAME);
        labels->at[labels->count++] = thread->count;
        return;
    }
    if (thread->count == LITMUS_INSTRUCTIONS)
        litmus_refuse("more than %d instructions", LITMUS_INSTRUCTIONS);
    size_t head = strcspn(code, " ");
    char name[3 * LITMUS_NAME];
    litmus_cut(code, code + head, name, sizeof name);
    struct words parts = split(name, "."), arguments = split(code + head, ",");
    struct litmus_instruction *i = &thread->code[thread->count];
    *i = (struct litmus_instruction){.destination = -1, .location = -1};
    const char *what = parts.word[0];
    bool is_access = strcmp(what, "st") == 0 || strcmp(what, "atom") == 0 || strcmp(what, "red") == 0 ||
                     strcmp(what, "ld") == 0;
    if (is_of_another_proxy(&parts))
        litmus_refuse("only the generic proxy is read: %s", code);
    if (strcmp(what, "ld") == 0 && arguments.count == 2 &&
        (parts.count == 1 ||
         litmus_is_number(arguments.word[1]))) { /* the source is a constant or a register */
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

/* ---- Parsing the sections of a test's text ---- */

static void parse_initial(struct litmus *test, const char *item)
{
    if (!*item)
        return;
    const char *sign = strchr(item, '='), *name;
    if (strchr(item, '@'))
        litmus_refuse("only the generic proxy is read, and no aliases: %s", item);
    if (!sign || strchr(item, '&'))
        litmus_refuse("not understood: %s", item);
    char left[LITMUS_NAME], right[LITMUS_NAME];
    litmus_cut(item, sign, left, sizeof left);
    litmus_cut(sign + 1, item + strlen(item), right, sizeof right);
    if (!litmus_is_number(right))
        litmus_refuse("no number: %s", item);
    int thread = litmus_thread_and_name(left, &name);
    if (thread >= 0) {
        struct litmus_thread *t = &test->threads[thread];
        t->initial[register_of(t, name)] = atoi(right);
    } else {
        test->initial[location_of(test, left)] = atoi(right);
    }
}

/* Executes the following statement for each part of the text from `from` to `end`, cut at the separators. */
#define FOR_EACH_PART(part, from, end, separators)                                                           \
    for (const char *part##_at = (from), *part##_next;                                                       \
         part##_at < (end) && (part##_next = part##_at + strcspn(part##_at, separators),                     \
                              part##_next = part##_next < (end) ? part##_next : (end),                       \
                              litmus_cut(part##_at, part##_next, part, sizeof part), true);                  \
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
            litmus_refuse("no thread's place: %s", cell);
        if (thread != test->thread_count || thread >= LITMUS_THREADS)
            litmus_refuse("threads must be P0, P1, ...: %s", cell);
        test->threads[thread].device = device;
        test->threads[thread].block = block;
        test->thread_count++;
    }
}

/* Converts the numbers of blocks, which count in each device, into numbers over the whole grid, in which each
 * device has LITMUS_THREADS blocks. */
static void number_blocks(struct litmus *test)
{
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->threads[t];
        if (thread->block < 0 || thread->block >= LITMUS_THREADS || thread->device < 0 ||
            thread->device >= LITMUS_THREADS)
            litmus_refuse("P%d is in a block or device beyond %d", t, LITMUS_THREADS - 1);
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
                litmus_refuse("a row has more columns than there are threads: %s", row);
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
                litmus_refuse("no such label: %s", labels[t].target[i]);
            test->threads[t].code[i].target = labels[t].at[label];
        }
}

static bool is_barrier(const struct litmus_instruction *i)
{
    return i->kind == LITMUS_BARRIER || i->kind == LITMUS_ARRIVE;
}

/* Refuses a test whose instructions name different counts for one barrier: whether the barrier opens must not
 * depend on the instruction that arrives. */
static void check_counts(const struct litmus_thread *thread, const struct litmus_thread *other)
{
    for (int i = 0; i < thread->count; i++)
        for (int o = 0; o < other->count; o++)
            if (is_barrier(&thread->code[i]) && is_barrier(&other->code[o]) &&
                thread->code[i].target == other->code[o].target &&
                thread->code[i].b.value != other->code[o].b.value)
                litmus_refuse("barrier %d has two counts", thread->code[i].target);
}

/* Returns the position of the test's condition. It begins with ~exists, exists or forall at the start of a
 * line. */
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
                litmus_cut(line + strlen(words[w].word), line + strlen(line), test->condition,
                           sizeof test->condition);
                return line;
            }
    litmus_refuse("there is no condition");
}

static void parse(const char *text, struct litmus *test)
{
    *test = (struct litmus){.name = ""};
    const char *begin = strchr(text, '{'), *end = begin ? strchr(begin, '}') : NULL;
    if (sscanf(text, " PTX %47s", test->name) != 1 || !end)
        litmus_refuse("no PTX litmus test: a name and { initial values } are missing");
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
    litmus_holds(test, &nothing); /* ends with an error if the condition cannot be read */
}

const char *litmus_parse(const char *text, struct litmus *out)
{
    if (setjmp(wrong))
        return message;
    parse(text, out);
    return NULL;
}
