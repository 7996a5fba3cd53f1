#include "harness/sweeps.h"
#include "base/failure.h"
#include "base/memory.h"
#include "harness/device.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct sweep_row {
    const char *where, *program, *name, *options;
} rows[] = {
#include "sweep_rows.h"
};
#define ROWS (sizeof rows / sizeof *rows)

/* ---- what is here ---- */

/* What rows may depend on. */
struct facts {
    int gpus, sms;
    char slug[256];
};

/* No exit handler runs: they are the parent's. */
static void tell_facts(const struct options *o, int to)
{
    struct device device;
    struct facts facts = {0};
    open_device(o, &device);
    facts.gpus = device_count();
    facts.sms = device.sm_count;
    memcpy(facts.slug, device.slug, sizeof facts.slug);
    _exit(write(to, &facts, sizeof facts) == sizeof facts ? EXIT_VERIFIED : EXIT_CANNOT);
}

static pid_t start_process(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail(EXIT_CANNOT, "no other process: %s", strerror(errno));
    return child;
}

static int status_of(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CANNOT;
}

/* Found once, by a process of its own: a context does not survive fork, and the sweeps' processes are forked. */
static const struct facts *facts_of_device(const struct options *o)
{
    static struct facts facts;
    int ends[2];
    if (facts.sms)
        return &facts;
    if (pipe(ends) != 0)
        fail(EXIT_CANNOT, "no pipe: %s", strerror(errno));
    pid_t child = start_process();
    if (!child)
        tell_facts(o, ends[1]);
    close(ends[1]);
    bool told = read(ends[0], &facts, sizeof facts) == sizeof facts;
    close(ends[0]);
    int status = status_of(child);
    if (!told)
        exit(status ? status : EXIT_CANNOT);
    return &facts;
}

/* ---- which rows ---- */

/* The rest of "full-NAME" or "full-not-NAME". */
static bool is_of_device(const char *rest, const struct options *o)
{
    static const char prefix[] = "not-";
    bool negated = strncmp(rest, prefix, sizeof prefix - 1) == 0;
    const char *name = rest + (negated ? sizeof prefix - 1 : 0);
    const char *slug = facts_of_device(o)->slug;
    return (strcmp(slug + strlen("machine-"), name) == 0) != negated;
}

/* Does a word of a row's first column hold? On the machine, "full" takes the place of "machine"; a GPU has no "full". */
static bool is_here(const char *word, const struct options *o)
{
    const char *kind = device_is_machine() ? "machine" : "gpu";
    int gpus;
    if (strcmp(o->extent, "quick") == 0)
        return strncmp(word, "quick-", 6) == 0 && strcmp(word + 6, kind) == 0;
    if (strcmp(o->extent, "robust") == 0)
        return strncmp(word, "robust-", 7) == 0 && is_of_device(word + 7, o);
    if (strcmp(o->extent, "predicted") == 0)
        return strcmp(word, "predicted") == 0;
    if (!device_is_machine() && strcmp(word, "gpus") == 0)
        return facts_of_device(o)->gpus > 1;
    if (!device_is_machine() && sscanf(word, "gpus-%d", &gpus) == 1)
        return facts_of_device(o)->gpus >= gpus;
    if (device_is_machine() && strcmp(o->extent, "full") == 0)
        return strcmp(word, "full") == 0 || (strncmp(word, "full-", 5) == 0 && is_of_device(word + 5, o));
    return strcmp(word, kind) == 0;
}

static bool row_is_here(const struct sweep_row *row, const struct options *o)
{
    char words[128], *rest;
    snprintf(words, sizeof words, "%s", row->where);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (is_here(word, o))
            return true;
    return false;
}

static bool is_candidate(const struct sweep_row *row, const struct experiment *e, const struct options *o)
{
    return strcmp(row->program, e->name) == 0 &&
           (strcmp(o->sweep, "all") == 0 || strcmp(row->name, o->sweep) == 0);
}

/*
 * The rows that the options ask for; returns how many. A name that only one row has can be asked for on any device,
 * which is how rows "asked" are measured, that hold nowhere.
 */
static size_t choose_rows(const struct experiment *e, const struct options *o,
                          const struct sweep_row *chosen[ROWS])
{
    const struct sweep_row *only = NULL;
    size_t count = 0, candidates = 0;
    for (const struct sweep_row *row = rows; row < rows + ROWS; row++)
        if (is_candidate(row, e, o)) {
            only = row;
            candidates++;
        }
    if (candidates == 1 && strcmp(o->sweep, "all") != 0) {
        chosen[0] = only;
        return 1;
    }
    for (const struct sweep_row *row = rows; row < rows + ROWS; row++)
        if (is_candidate(row, e, o) && row_is_here(row, o))
            chosen[count++] = row;
    return count;
}

/* ---- a row's options ---- */

static bool is_digit_before(const char *text, const char *at)
{
    return at > text && isdigit((unsigned char)at[-1]);
}

/* GPUS becomes the number of GPUs, and N*SMS N times that of the multiprocessors. To be freed. */
static char *filled_in(const char *options, const struct options *o)
{
    static const char gpus[] = "GPUS", sms[] = "*SMS";
    size_t bytes = strlen(options) + 64;
    char *text = allocate(bytes), *end = text;
    while (*options && end - text < (ptrdiff_t)bytes - 24) {
        if (strncmp(options, gpus, sizeof gpus - 1) == 0) {
            end += sprintf(end, "%d", facts_of_device(o)->gpus);
            options += sizeof gpus - 1;
        } else if (strncmp(options, sms, sizeof sms - 1) == 0 && is_digit_before(text, end)) {
            *end = '\0';
            while (is_digit_before(text, end))
                end--;
            end += sprintf(end, "%d", atoi(end) * facts_of_device(o)->sms);
            options += sizeof sms - 1;
        } else {
            *end++ = *options++;
        }
    }
    if (*options)
        fail(EXIT_BAD_INPUT, "the options of a sweep are too long: %s", options);
    *end = '\0';
    return text;
}

/* *o, the options of the command line, become those of the row; those of the command line override them. */
static void take_options(const struct experiment *e, const struct sweep_row *row, int argc, char **argv,
                         struct options *o)
{
    char *options = filled_in(row->options, o);
    parse_options(argc, argv, options, e, o);
    o->sweep = row->name;
    free(options);
}

void parse_options_of_sweep(int argc, char **argv, const struct experiment *e, struct options *o)
{
    const struct sweep_row *chosen[ROWS];
    parse_options(argc, argv, NULL, e, o);
    if (o->sweep && choose_rows(e, o, chosen) == 1)
        take_options(e, chosen[0], argc, argv, o);
}

/* ---- measuring ---- */

static void print_row(const struct experiment *e, const struct sweep_row *row, const struct options *o)
{
    char *options = filled_in(row->options, o);
    printf("%s %s%s%s\n", e->sample_of ? e->sample_of : e->name, row->name, *options ? " " : "", options);
    free(options);
}

static int measure_row(const struct experiment *e, const struct sweep_row *row, const struct options *given,
                       int argc, char **argv, measure_function *measure)
{
    struct options o = *given;
    take_options(e, row, argc, argv, &o);
    return measure(e, &o, argc, argv);
}

static int measure_each(const struct experiment *e, const struct sweep_row *const *chosen, size_t count,
                        const struct options *o, int argc, char **argv, measure_function *measure)
{
    int worst = EXIT_VERIFIED;
    for (size_t i = 0; i < count; i++) {
        pid_t child = start_process();
        if (!child)
            exit(measure_row(e, chosen[i], o, argc, argv, measure));
        int status = status_of(child);
        worst = status > worst ? status : worst;
    }
    return worst;
}

int measure_sweeps(const struct experiment *e, const struct options *o, int argc, char **argv,
                   measure_function *measure)
{
    const struct sweep_row *chosen[ROWS];
    size_t count = choose_rows(e, o, chosen);
    for (size_t i = 0; i < count && o->list; i++)
        print_row(e, chosen[i], o);
    if (o->list)
        return EXIT_VERIFIED;
    if (!count)
        fail(EXIT_BAD_INPUT, "no sweep \"%s\" here; --sweep all --list shows those of this device", o->sweep);
    if (count > 1 && e->one_process)
        fail(EXIT_BAD_INPUT, "%s measures one sweep at a time; --sweep all --list shows them", e->name);
    return count == 1 ? measure_row(e, chosen[0], o, argc, argv, measure)
                      : measure_each(e, chosen, count, o, argc, argv, measure);
}
