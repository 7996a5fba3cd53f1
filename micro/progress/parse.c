#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "micro/progress/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A label in a thread's code, and the index of the instruction after it. */
struct label {
    char name[PROGRESS_NAME];
    int at;
};

/* The labels that a thread has, and the labels to which its branches go. */
struct names {
    struct label labels[PROGRESS_INSTRUCTIONS];
    int count;
    char targets[PROGRESS_INSTRUCTIONS][PROGRESS_NAME];
};

/* A litmus file while it is read, and the program made from it. */
struct reading {
    struct progress_program *program;
    struct lines lines;
    struct names names[PROGRESS_THREADS];
};

static void __attribute__((noreturn, format(printf, 2, 3)))
refuse(const struct reading *r, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fail(EXIT_BAD_INPUT, "%s:%zu: %s", r->lines.path, r->lines.number, message);
}

/* ---- reading names and numbers ---- */

/* Removes the spaces around a text, in place. */
static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Ends the text at the first separator. Returns the text after it, or NULL if there is no separator. */
static char *cut(char *text, char separator)
{
    char *end = strchr(text, separator);
    if (!end)
        return NULL;
    *end = '\0';
    return end + 1;
}

static bool is_name(const char *text)
{
    size_t length = strlen(text);
    if (!length || length >= PROGRESS_NAME || isdigit((unsigned char)*text))
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static bool is_register(const char *text)
{
    return is_name(text) && text[0] == 'r' && text[1] && strspn(text + 1, "0123456789") == strlen(text + 1);
}

static int number_of(const struct reading *r, const char *text, int least, int most)
{
    long long number;
    if (!parse_whole(text, least, most, &number))
        refuse(r, "\"%.40s\" is no number from %d to %d", text, least, most);
    return (int)number;
}

/* Returns the index of a name in the list `names`, to which it adds the name if it is not there. */
static int place_of(const struct reading *r, char (*names)[PROGRESS_NAME], int *count, int most,
                    const char *name)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*count == most)
        refuse(r, "\"%s\" is one name too many: at most %d", name, most);
    strcpy(names[*count], name);
    return (*count)++;
}

static int location_of(struct reading *r, const char *name)
{
    if (!is_name(name) || is_register(name))
        refuse(r, "\"%.40s\" is no name of a place in memory", name);
    return place_of(r, r->program->locations, &r->program->location_count, PROGRESS_LOCATIONS, name);
}

static int register_of(const struct reading *r, struct progress_thread *thread, const char *name)
{
    if (!is_register(name))
        refuse(r, "\"%.40s\" is no register (r0, r1, ...)", name);
    return place_of(r, thread->registers, &thread->register_count, PROGRESS_REGISTERS, name);
}

static struct progress_operand operand_of(const struct reading *r, struct progress_thread *thread,
                                          const char *text)
{
    if (is_register(text))
        return (struct progress_operand){true, register_of(r, thread, text)};
    return (struct progress_operand){false, number_of(r, text, -PROGRESS_LARGEST, PROGRESS_LARGEST)};
}

/* ---- instructions ---- */

/* Returns the kind of the instruction `name` with `qualifiers` such as ".wg.sc0.add". A qualifier can name
 * the operation of an atomic, which decides its kind, or the strength of an access, which makes no difference
 * here. */
static enum progress_kind kind_of(const struct reading *r, const char *name, char *qualifiers)
{
    static const char *const known[] = {"atom",   "sg",     "wg",      "qf",      "dv",    "sc0",
                                        "sc1",    "acq",    "rel",     "acq_rel", "av",    "vis",
                                        "semsc0", "semsc1", "semsc01", "semav",   "semvis"};
    bool adds = false;
    for (char *one; (one = strsep(&qualifiers, "."));) {
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            is_known = is_known || strcmp(one, known[k]) == 0;
        if (strcmp(name, "rmw") == 0 && strcmp(one, "add") == 0)
            adds = is_known = true;
        if (!is_known)
            refuse(r, "\"%s\" cannot have \".%.20s\"", name, one);
    }
    return strcmp(name, "ld") == 0     ? PROGRESS_LOAD
           : strcmp(name, "st") == 0   ? PROGRESS_STORE
           : strcmp(name, "cbar") == 0 ? PROGRESS_BARRIER
           : adds                      ? PROGRESS_ADD
                                       : PROGRESS_EXCHANGE;
}

enum { MOST_ARGUMENTS = 3 };

struct arguments {
    char *text[MOST_ARGUMENTS];
    int count;
};

static struct arguments arguments_of(const struct reading *r, char *text)
{
    struct arguments a = {.count = 0};
    for (char *one; (one = strsep(&text, ","));) {
        if (a.count == MOST_ARGUMENTS)
            refuse(r, "too many commas in an instruction");
        a.text[a.count++] = trimmed(one);
    }
    return a;
}

static void need(const struct reading *r, const struct progress_instruction *i, bool enough)
{
    if (!enough)
        refuse(r, "\"%s\" has too few or too many arguments", i->text);
}

static int barrier_of(const struct reading *r, const struct progress_thread *thread,
                      const struct arguments *a)
{
    struct progress_barrier b = {.workgroup = thread->workgroup, .instance = -1};
    b.id = number_of(r, a->text[a->count == 3], 0, PROGRESS_LARGEST);
    if (a->count == 3) {
        b.instance = number_of(r, a->text[0], 0, PROGRESS_LARGEST);
        b.quorum = number_of(r, a->text[2], 1, PROGRESS_LARGEST);
    }
    struct progress_program *p = r->program;
    for (int i = 0; i < p->barrier_count; i++) {
        const struct progress_barrier *other = &p->barriers[i];
        if (other->workgroup != b.workgroup || other->instance != b.instance || other->id != b.id)
            continue;
        if (other->quorum != b.quorum)
            refuse(r, "barrier %d has a quorum of %d elsewhere", b.id, other->quorum);
        return i;
    }
    if (p->barrier_count == PROGRESS_BARRIERS)
        refuse(r, "more than %d barriers", PROGRESS_BARRIERS);
    p->barriers[p->barrier_count] = b;
    return p->barrier_count++;
}

static void parse_branch(const struct reading *r, struct progress_thread *thread,
                         struct progress_instruction *i, const struct arguments *a, struct names *names)
{
    need(r, i, a->count == (i->kind == PROGRESS_GOTO ? 1 : 3));
    const char *target = a->text[a->count - 1];
    if (!is_name(target))
        refuse(r, "\"%.40s\" is no label", target);
    strcpy(names->targets[thread->count], target);
    if (i->kind == PROGRESS_GOTO)
        return;
    i->destination = register_of(r, thread, a->text[0]);
    i->operand = operand_of(r, thread, a->text[1]);
}

static void parse_access(struct reading *r, struct progress_thread *thread, struct progress_instruction *i,
                         const struct arguments *a)
{
    bool is_atomic = i->kind == PROGRESS_EXCHANGE || i->kind == PROGRESS_ADD;
    need(r, i, a->count == (is_atomic ? 3 : 2));
    if (i->kind != PROGRESS_STORE)
        i->destination = register_of(r, thread, a->text[0]);
    i->location = location_of(r, a->text[i->kind != PROGRESS_STORE]);
    if (i->kind != PROGRESS_LOAD)
        i->operand = operand_of(r, thread, a->text[a->count - 1]);
}

static void parse_instruction(struct reading *r, int number, char *code)
{
    struct progress_thread *thread = &r->program->threads[number];
    struct names *names = &r->names[number];
    if (thread->count == PROGRESS_INSTRUCTIONS)
        refuse(r, "more than %d instructions of one thread", PROGRESS_INSTRUCTIONS);
    struct progress_instruction *i = &thread->code[thread->count];
    snprintf(i->text, sizeof i->text, "%s", code);
    i->line = (unsigned)r->lines.number;
    char *rest = code + strcspn(code, " \t");
    if (*rest)
        *rest++ = '\0';
    char *qualifiers = cut(code, '.');
    struct arguments a = arguments_of(r, rest);
    if (!qualifiers && (strcmp(code, "goto") == 0 || strcmp(code, "bne") == 0 || strcmp(code, "beq") == 0)) {
        i->kind = *code == 'g'               ? PROGRESS_GOTO
                  : strcmp(code, "beq") == 0 ? PROGRESS_BRANCH_EQUAL
                                             : PROGRESS_BRANCH_DIFFERENT;
        parse_branch(r, thread, i, &a, names);
    } else if (strcmp(code, "ld") == 0 || strcmp(code, "st") == 0 || strcmp(code, "rmw") == 0) {
        i->kind = kind_of(r, code, qualifiers);
        parse_access(r, thread, i, &a);
    } else if (strcmp(code, "cbar") == 0) {
        i->kind = kind_of(r, code, qualifiers);
        need(r, i, a.count == 1 || a.count == 3);
        i->location = barrier_of(r, thread, &a);
    } else {
        refuse(r, "no instruction is called \"%.40s\"", code);
    }
    thread->count++;
}

static void parse_cell(struct reading *r, int number, char *cell)
{
    struct names *names = &r->names[number];
    char *code = trimmed(cell);
    size_t length = strlen(code);
    if (!length)
        return;
    if (code[length - 1] != ':') {
        parse_instruction(r, number, code);
        return;
    }
    code[length - 1] = '\0';
    for (int l = 0; l < names->count; l++)
        if (strcmp(names->labels[l].name, code) == 0)
            refuse(r, "the label %s is there twice", code);
    if (!is_name(code) || names->count == PROGRESS_INSTRUCTIONS)
        refuse(r, "\"%.40s\" cannot be a label, or is one too many", code);
    strcpy(names->labels[names->count].name, code);
    names->labels[names->count++].at = r->program->threads[number].count;
}

/* ---- reading the parts of a litmus file: title, initial values, and a table of code ---- */

static char *next_line(struct reading *r, const char *what)
{
    if (!lines_next(&r->lines))
        fail(EXIT_BAD_INPUT, "%s:%zu: the file ends where %s should be", r->lines.path, r->lines.number,
             what);
    return trimmed(r->lines.text);
}

static void parse_title(struct reading *r)
{
    char *line = next_line(r, "its title");
    if (strncasecmp(line, "vulkan ", 7) != 0)
        refuse(r, "the first line must be \"VULKAN name\"");
}

/* Parses an initial value, "x=0" or "P1:r0=0". */
static void parse_initial(struct reading *r, char *text)
{
    char *value = cut(text, '=');
    if (!value)
        refuse(r, "\"%.40s\" gives no value", text);
    int number = number_of(r, trimmed(value), -PROGRESS_LARGEST, PROGRESS_LARGEST);
    char *name = trimmed(text), *of_thread = cut(name, ':');
    if (!of_thread) {
        r->program->initial[location_of(r, name)] = number;
        return;
    }
    if (*name != 'P')
        refuse(r, "\"%.40s\" is no thread (P0, P1, ...)", name);
    struct progress_thread *thread = &r->program->threads[number_of(r, name + 1, 0, PROGRESS_THREADS - 1)];
    thread->initial[register_of(r, thread, trimmed(of_thread))] = number;
}

/* Parses the initial values in braces. The text between the title and the brace is a comment. */
static void parse_initials(struct reading *r)
{
    char *line;
    do
        line = next_line(r, "{");
    while (*line != '{');
    for (line++;; line = next_line(r, "}")) {
        char *end = cut(line, '}');
        for (char *one; (one = strsep(&line, ";"));)
            if (*trimmed(one))
                parse_initial(r, one);
        if (end && *trimmed(end) && strcmp(trimmed(end), ";") != 0)
            refuse(r, "something stands behind }");
        if (end)
            return;
    }
}

/* Parses the head of a thread's column in the table of code, "P0@sg 0, wg 0, qf 0". */
static void parse_head(struct reading *r, int number, char *text)
{
    char *place = cut(text, '@'), *name = trimmed(text);
    if (!place || *name != 'P' || number_of(r, name + 1, 0, PROGRESS_THREADS - 1) != number)
        refuse(r, "the head of thread %d must be \"P%d@sg N, wg N, qf N\"", number, number);
    for (char *one; (one = strsep(&place, ","));) {
        char *level = trimmed(one), *value = cut(level, ' ');
        if (!value || (strcmp(level, "sg") != 0 && strcmp(level, "wg") != 0 && strcmp(level, "qf") != 0))
            refuse(r, "\"%.40s\" is no place of a thread (sg N, wg N, qf N)", level);
        int at = number_of(r, trimmed(value), 0, PROGRESS_LARGEST);
        if (strcmp(level, "wg") == 0)
            r->program->threads[number].workgroup = at;
    }
}

/* Parses a line of the table of code, which has a cell for each thread. */
static void parse_row(struct reading *r, char *line, bool is_head)
{
    char *behind = cut(line, ';');
    if (!behind || *trimmed(behind))
        refuse(r, "the line must end with a semicolon");
    int column = 0;
    for (char *cell; (cell = strsep(&line, "|")); column++) {
        if (column == (is_head ? PROGRESS_THREADS : r->program->thread_count))
            refuse(r, "more columns than threads, of which there can be %d", PROGRESS_THREADS);
        if (is_head)
            parse_head(r, column, cell);
        else
            parse_cell(r, column, cell);
    }
    if (is_head)
        r->program->thread_count = column;
    else if (column < r->program->thread_count)
        refuse(r, "fewer columns than threads");
}

/* Parses the table of code. It ends at the condition on the final state, which is not used here. */
static void parse_code(struct reading *r)
{
    char *line;
    do
        line = next_line(r, "the threads");
    while (!*line);
    parse_row(r, line, true);
    while (lines_next(&r->lines)) {
        line = trimmed(r->lines.text);
        if (strncmp(line, "exists", 6) == 0 || strncmp(line, "forall", 6) == 0 || *line == '~')
            return;
        if (*line)
            parse_row(r, line, false);
    }
}

/* ---- checks and values that need the whole file ---- */

static int target_of(const struct reading *r, int thread, int instruction)
{
    const struct names *names = &r->names[thread];
    for (int l = 0; l < names->count; l++)
        if (strcmp(names->labels[l].name, names->targets[instruction]) == 0)
            return names->labels[l].at;
    fail(EXIT_BAD_INPUT, "%s:%u: thread P%d has no label %s", r->lines.path,
         r->program->threads[thread].code[instruction].line, thread, names->targets[instruction]);
}

static void find_targets(struct reading *r)
{
    for (int t = 0; t < r->program->thread_count; t++)
        for (int i = 0; i < r->program->threads[t].count; i++)
            if (r->program->threads[t].code[i].kind >= PROGRESS_GOTO)
                r->program->threads[t].code[i].target = target_of(r, t, i);
}

/* Refuses initial values for a thread that has no column of code; the values come before the columns in
 * the file. */
static void check_threads(const struct reading *r)
{
    for (int t = r->program->thread_count; t < PROGRESS_THREADS; t++)
        if (r->program->threads[t].register_count)
            refuse(r, "thread P%d has a register and no column", t);
}

/* Finds the threads of each barrier. A barrier without a quorum opens when all threads of its workgroup
 * have arrived. */
static void complete_barriers(struct progress_program *p)
{
    for (int b = 0; b < p->barrier_count; b++) {
        struct progress_barrier *barrier = &p->barriers[b];
        int members = 0;
        for (int t = 0; t < p->thread_count; t++)
            if (p->threads[t].workgroup == barrier->workgroup) {
                barrier->threads |= 1 << t;
                members++;
            }
        barrier->quorum = barrier->quorum ? barrier->quorum : members;
    }
}

/* Returns whether the thread can reach the instruction again after it has executed it. */
static bool comes_again(const struct progress_thread *thread, int instruction)
{
    bool reached[PROGRESS_INSTRUCTIONS + 1] = {false};
    int waiting[2 * PROGRESS_INSTRUCTIONS + 2], count = 0;
    waiting[count++] = instruction + 1;
    while (count) {
        int at = waiting[--count];
        if (at == instruction)
            return true;
        if (reached[at] || at == thread->count)
            continue;
        reached[at] = true;
        const struct progress_instruction *i = &thread->code[at];
        if (i->kind != PROGRESS_GOTO)
            waiting[count++] = at + 1;
        if (i->kind >= PROGRESS_GOTO)
            waiting[count++] = i->target;
    }
    return false;
}

/* Refuses a barrier in a loop if its quorum is less than the threads of its workgroup: no rule says for
 * which opening of the barrier a late thread's arrival counts. */
static void check_barriers(const struct reading *r)
{
    const struct progress_program *p = r->program;
    for (int t = 0; t < p->thread_count; t++)
        for (int i = 0; i < p->threads[t].count; i++) {
            const struct progress_instruction *code = &p->threads[t].code[i];
            if (code->kind != PROGRESS_BARRIER)
                continue;
            const struct progress_barrier *b = &p->barriers[code->location];
            if (b->quorum < __builtin_popcount((unsigned)b->threads) && comes_again(&p->threads[t], i))
                fail(EXIT_BAD_INPUT, "%s:%u: a barrier in a loop must wait for its whole workgroup",
                     r->lines.path, code->line);
        }
}

struct progress_program *progress_read(const char *path)
{
    struct reading *r = allocate(sizeof *r);
    struct progress_program *program = allocate(sizeof *program);
    r->program = program;
    if (strlen(path) >= sizeof program->path)
        fail(EXIT_BAD_INPUT, "the name of a file is too long: %.40s...", path);
    strcpy(program->path, path);
    r->lines = lines_open(path);
    parse_title(r);
    parse_initials(r);
    parse_code(r);
    check_threads(r);
    find_targets(r);
    complete_barriers(program);
    check_barriers(r);
    lines_close(&r->lines);
    free(r);
    return program;
}
