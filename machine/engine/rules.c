#include "machine/engine/rules.h"
#include "base/map.h"
#include "machine/engine/sample.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/memory/arrays.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool hangs_are_watched;
bool rules_are_checked;

struct breach {
    enum rule rule;
    uint32_t site, other; /* offsets of the instructions in the program; `other` is 0 if there is none */
    unsigned run;         /* the lowest number of a run that broke the rule (machine_add_rules()) */
    unsigned runs;        /* number of runs that broke it */
    unsigned long long times;
    char text[1024], place[512], mend[1024];
};

#define MOST_BREACHES 128
static struct map breaches = MAP(struct breach, other);

static struct breach *breach_at(size_t number)
{
    return (struct breach *)breaches.items + number;
}

static struct breach *last_breach(void)
{
    return breach_at(breaches.count - 1);
}

static void (*on_stop)(void);

void rules_stop(void)
{
    on_stop();
    abort();
}

/* A forked process keeps the reports of the process that forked it, because their texts take time to make. */
void machine_check_rules(bool check, void (*stop)(void))
{
    on_stop = stop;
    rules_are_checked = written_is_noted = check;
    for (size_t i = 0; i < breaches.count; i++)
        breach_at(i)->times = 0;
}

static uint32_t site_or_0(const void *instruction)
{
    return instruction ? site_of(instruction, 0) : 0;
}

bool rule_is_newly_broken(enum rule rule, const void *site, const void *other)
{
    if (sample_has_ended_threads()) /* others may lack them */
        return false;
    struct breach broken = {.rule = rule, .site = site_or_0(site), .other = site_or_0(other)},
                  *known = map_find(&breaches, &broken);
    if (known)
        known->times++;
    if (known || breaches.count == MOST_BREACHES)
        return false;
    known = map_get(&breaches, &broken);
    known->times = 1;
    return true;
}

void rule_say(const char *format, ...)
{
    struct breach *last = last_breach();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last->text, sizeof last->text, format, arguments);
    va_end(arguments);
}

void rule_say_place(const char *place)
{
    struct breach *last = last_breach();
    snprintf(last->place, sizeof last->place, "%.*s", (int)sizeof last->place - 1, place);
}

void rule_mend(const char *format, ...)
{
    struct breach *last = last_breach();
    size_t used = strlen(last->mend);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last->mend + used, sizeof last->mend - used, format, arguments);
    va_end(arguments);
}

static char *next_line(void)
{
    static char lines[4][MOST_MARK];
    static unsigned next;
    return lines[next++ % 4];
}

const char *rule_line(const void *instruction)
{
    char *line = next_line();
    source_line(instruction, line, MOST_MARK);
    return line;
}

const char *rule_line_of_site(uint32_t site)
{
    char *line = next_line();
    source_line_of(site, line, MOST_MARK);
    return line;
}

const char *rule_line_of_lane(const struct warp *warp, unsigned lane)
{
    char *line = next_line();
    source_line_of(site_of(lane_of(warp, lane)->instruction, warp->more[lane].calls), line, MOST_MARK);
    return line;
}

/* ---- reports ---- */

size_t machine_rules(void)
{
    return breaches.count;
}

struct machine_rule machine_describe_rule(size_t number)
{
    const struct breach *b = breach_at(number);
    return (struct machine_rule){.rule = (int)b->rule,
                                 .kind = b->rule == RULE_WRITTEN ? "unwritten" : "rule",
                                 .text = b->text,
                                 .place = b->place,
                                 .mend = b->mend,
                                 .times = b->times,
                                 .run = b->run,
                                 .runs = b->runs};
}

void machine_save_rules(FILE *file)
{
    size_t count = 0;
    for (size_t i = 0; i < breaches.count; i++)
        count += breach_at(i)->times > 0;
    fwrite(&count, sizeof count, 1, file);
    for (size_t i = 0; i < breaches.count; i++)
        if (breach_at(i)->times)
            fwrite(breach_at(i), breaches.item_bytes, 1, file);
}

void machine_add_rules(FILE *file, unsigned run)
{
    size_t count = 0;
    struct breach one;
    if (fread(&count, sizeof count, 1, file) != 1)
        return;
    for (; count && fread(&one, sizeof one, 1, file) == 1; count--) {
        struct breach *known = map_find(&breaches, &one);
        one.run = run;
        one.runs = 1;
        if (known && known->run < run) {
            known->times += one.times;
            known->runs++;
            /* the report of the lowest run number is kept, so that the result does not depend on the order in
         * which runs end */
        } else if (known) {
            one.times += known->times;
            one.runs += known->runs;
            *known = one;
        } else if (breaches.count < MOST_BREACHES) {
            known = map_get(&breaches, &one);
            *known = one;
        }
    }
}
