#include "micro/litmus/ptx_shown.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct ptx_shown ptx_shown;

void ptx_say(int indent, const char *format, ...)
{
    char text[1024], *rest = text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int column = 0;
    for (const char *word; (word = strsep(&rest, " "));) {
        int length = (int)strlen(word);
        bool begins = column == 0 || column + 1 + length > 94;
        if (begins)
            fprintf(ptx_shown.file, "%s%*s%s", column ? "\n" : "", column ? indent + 2 : indent, "", word);
        else
            fprintf(ptx_shown.file, " %s", word);
        column = begins ? length + (column ? indent + 2 : indent) : column + 1 + length;
    }
    putc('\n', ptx_shown.file);
}

/* ---- Events ---- */

static const char *location_of(int e)
{
    return ptx_shown.x.path.test->locations[event(e)->location];
}

static bool is_atomic(int e)
{
    return event(e)->instruction && event(e)->instruction->kind == LITMUS_ATOMIC;
}

/* Returns whether the event is the write of an atomic, which is shown with the atomic's read. */
static bool is_shown_with_read(int e)
{
    return event(e)->kind == PTX_WRITE && is_atomic(e);
}

static void name_events(void)
{
    int letters = 0;
    for (int e = 0; e < ptx_shown.x.path.count; e++) {
        int letter = is_shown_with_read(e) ? letters - 1 : letters;
        if (event(e)->thread < 0)
            snprintf(ptx_shown.names[e], sizeof ptx_shown.names[e], "-");
        else if (letter < 26)
            snprintf(ptx_shown.names[e], sizeof ptx_shown.names[e], "%c", 'a' + letter);
        else
            snprintf(ptx_shown.names[e], sizeof ptx_shown.names[e], "%c%d", 'a' + letter % 26, letter / 26);
        letters += event(e)->thread >= 0 && !is_shown_with_read(e);
    }
}

/* Returns the value that a write event writes. */
static int value_of(int write)
{
    int value = 0;
    ptx_value(&ptx_shown.x.path, event(write)->source, ptx_shown.x.read_from, &value);
    return value;
}

/* Writes the name of an access or fence with its order and scope, for example "ld.relaxed.gpu". */
static void instruction_of(int e, char *text, size_t size)
{
    static const char *const names[] = {
        [LITMUS_LOAD] = "ld",     [LITMUS_STORE] = "st",         [LITMUS_ATOMIC] = "atom",
        [LITMUS_FENCE] = "fence", [LITMUS_BARRIER] = "bar.sync", [LITMUS_ARRIVE] = "bar.arrive"};
    const struct litmus_instruction *i = event(e)->instruction;
    const char *scope = litmus_scope_name(i->scope);
    if (i->kind == LITMUS_BARRIER || i->kind == LITMUS_ARRIVE)
        snprintf(text, size, "%s", names[i->kind]);
    else
        snprintf(text, size, "%s.%s%s%s%s%s", i->destination < 0 && is_atomic(e) ? "red" : names[i->kind],
                 litmus_order_name(i->order, i->scope), *scope ? "." : "", scope, is_atomic(e) ? "." : "",
                 is_atomic(e) ? litmus_operator_name(i->operation) : "");
}

/* Writes an event as an instruction with its value, for example "ld.relaxed.gpu r1, flag: 1" or "st.weak data
 * = 1". */
static void text_of(int e, char *text, size_t size)
{
    char instruction[64], destination[LITMUS_NAME + 3] = "";
    instruction_of(e, instruction, sizeof instruction);
    if (event(e)->kind == PTX_WRITE) {
        snprintf(text, size, "%s %s = %d", instruction, location_of(e), value_of(e));
    } else if (event(e)->kind == PTX_READ) {
        int value = value_of(ptx_shown.x.read_from[e]), written = event(e)->written,
            result = event(e)->instruction->destination;
        if (result >= 0)
            snprintf(destination, sizeof destination, "%s, ",
                     ptx_shown.x.path.test->threads[event(e)->thread].registers[result]);
        if (written >= 0)
            snprintf(text, size, "%s %s%s: %d -> %d", instruction, destination, location_of(e), value,
                     value_of(written));
        else
            snprintf(text, size, "%s %s%s: %d", instruction, destination, location_of(e), value);
    } else {
        snprintf(text, size, "%s", instruction);
    }
}

static void show_event(int e)
{
    char text[160];
    text_of(e, text, sizeof text);
    if (event(e)->kind != PTX_READ)
        fprintf(ptx_shown.file, "    %s  %s\n", name_of(e), text);
    else if (event(ptx_shown.x.read_from[e])->thread < 0)
        fprintf(ptx_shown.file, "    %s  %-40s reads the initial value\n", name_of(e), text);
    else
        fprintf(ptx_shown.file, "    %s  %-40s reads from %s\n", name_of(e), text,
                name_of(ptx_shown.x.read_from[e]));
}

static bool has_several_devices(const struct litmus *test)
{
    for (int t = 1; t < test->thread_count; t++)
        if (test->threads[t].device != test->threads[0].device)
            return true;
    return false;
}

static void show_events(void)
{
    const struct litmus *test = ptx_shown.x.path.test;
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        fprintf(ptx_shown.file, "  P%d, block %d", t, thread->block % LITMUS_THREADS);
        if (has_several_devices(test))
            fprintf(ptx_shown.file, " of GPU %d", thread->device);
        putc('\n', ptx_shown.file);
        for (int e = 0; e < ptx_shown.x.path.count; e++)
            if (event(e)->thread == t && !is_shown_with_read(e))
                show_event(e);
    }
}

/* Prints the coherence order of a location that is written twice or more often: the writes one after another,
 * with "or" before a write that is not ordered with the preceding write. */
static void show_coherence(int location)
{
    int writes[PTX_EVENTS], count = 0;
    for (int e = 0; e < ptx_shown.x.path.count; e++) {
        if (event(e)->kind != PTX_WRITE || event(e)->location != location || event(e)->thread < 0)
            continue;
        int at = count++;
        for (; at > 0 && ptx_is_before(&ptx_shown.x.coherence, e, writes[at - 1]); at--)
            writes[at] = writes[at - 1];
        writes[at] = e;
    }
    if (count < 2)
        return;
    fprintf(ptx_shown.file, "  coherence order of %s: %s", ptx_shown.x.path.test->locations[location],
            name_of(writes[0]));
    for (int i = 1; i < count; i++)
        fprintf(ptx_shown.file, "%s%s",
                ptx_is_before(&ptx_shown.x.coherence, writes[i - 1], writes[i]) ? ", then "
                                                                                : ", in no order with ",
                name_of(writes[i]));
    putc('\n', ptx_shown.file);
}

/* ---- The whole ---- */

static void show_verdict(const struct litmus *test)
{
    const char *does = test->quantifier == LITMUS_FOR_ALL ? "without" : "with";
    int length = (int)strcspn(test->condition, "\n");
    if (!ptx_shown.x.found)
        ptx_say(0,
                "%s: no execution ends %s %.*s: no choice of the writes that reads read from gives such "
                "values, but for values out of thin air",
                test->name, does, length, test->condition);
    else
        ptx_say(0, "%s: PTX %s %.*s", test->name,
                ptx_shown.x.is_allowed
                    ? test->quantifier == LITMUS_FOR_ALL ? "allows an execution without" : "allows"
                : test->quantifier == LITMUS_FOR_ALL ? "forbids every execution without"
                                                     : "forbids",
                length, test->condition);
}

bool ptx_show_execution(const struct litmus *test, FILE *file)
{
    ptx_shown.file = file;
    if (!ptx_find_execution(test, &ptx_shown.x))
        return false;
    show_verdict(test);
    if (!ptx_shown.x.found)
        return true;
    name_events();
    show_events();
    for (int l = 0; l < test->location_count; l++)
        show_coherence(l);
    if (ptx_shown.x.is_allowed) {
        ptx_explain_absence();
        return true;
    }
    ptx_explain_violation();
    if (ptx_shown.x.found > 1)
        ptx_say(2, "This is one of %s%d executions with these values; an axiom forbids each.",
                ptx_shown.x.are_all_found ? "" : "more than ", ptx_shown.x.found);
    return true;
}
