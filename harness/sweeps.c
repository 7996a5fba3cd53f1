#include "harness/sweeps.h"
#include "base/failure.h"
#include "base/memory.h"
#include "harness/device.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct row {
    const char *where, *program, *name, *options;
} rows[] = {
#include "sweep_rows.h"
};
#define ROWS (sizeof rows / sizeof *rows)

/* ---- processes ---- */

pid_t process_start(bool ends_with_parent)
{
    fflush(stdout); /* flushes stdout, because otherwise both processes would write what it has buffered */
    pid_t child = fork();
    if (child < 0)
        fail(EXIT_CANNOT, "no other process: %s", strerror(errno));
    if (!child && ends_with_parent)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

int process_end(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CANNOT;
}

/* ---- facts about the device on which the sweeps run ---- */

/* Facts about the device. They decide which rows of sweeps.txt are measured, and the numbers in the rows'
 * options. */
struct facts {
    int gpus, sms;
    char slug[256];
};

/* Finds the device's facts, writes them to the pipe `to` and ends this process. No exit handler runs, because
 * the handlers belong to the parent process. */
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

/* Returns the device's facts. They are found once, in a process of its own, because a device context does not
 * survive fork and the processes that measure are forked later. */
static const struct facts *facts_of_device(const struct options *o)
{
    static struct facts facts;
    int ends[2];
    if (facts.sms)
        return &facts;
    if (pipe(ends) != 0)
        fail(EXIT_CANNOT, "no pipe: %s", strerror(errno));
    pid_t child = process_start(false);
    if (!child)
        tell_facts(o, ends[1]);
    close(ends[1]);
    bool told = read(ends[0], &facts, sizeof facts) == sizeof facts;
    close(ends[0]);
    int status = process_end(child);
    if (!told)
        exit(status ? status : EXIT_CANNOT);
    return &facts;
}

/* ---- which rows of sweeps.txt are measured ---- */

/* Returns whether the word is `extent`, or `extent-NAME` and the memory machine has the preset of this name,
 * or `extent-not-NAME` and it has another one. */
static bool is_of_machine(const char *word, const char *extent, const struct options *o)
{
    static const char prefix[] = "not-";
    size_t length = strlen(extent);
    if (strncmp(word, extent, length) != 0 || (word[length] && word[length] != '-'))
        return false;
    if (!word[length])
        return true;
    const char *name = word + length + 1;
    bool negated = strncmp(name, prefix, sizeof prefix - 1) == 0;
    const char *slug = facts_of_device(o)->slug + strlen("machine-");
    return (strcmp(slug, name + (negated ? sizeof prefix - 1 : 0)) == 0) != negated;
}

/* Returns whether a word of a row's first column holds for this device and --extent. With --extent full, the
 * memory machine measures the rows "full" instead of the rows "machine"; a GPU ignores that extent. */
static bool is_here(const char *word, const struct options *o)
{
    const char *kind = device_is_machine() ? "machine" : "gpu";
    int gpus;
    if (strcmp(o->extent, "quick") == 0)
        return device_is_machine() ? is_of_machine(word, "quick-machine", o) : strcmp(word, "quick-gpu") == 0;
    if (strcmp(o->extent, "robust") == 0)
        return is_of_machine(word, "robust", o);
    if (strcmp(o->extent, "own") == 0)
        return strncmp(word, "machine-", 8) == 0 && strncmp(word, "machine-not-", 12) != 0 &&
               is_of_machine(word, "machine", o);
    if (strcmp(o->extent, "predicted") == 0)
        return strcmp(word, "predicted") == 0;
    if (!device_is_machine() && strcmp(word, "gpus") == 0)
        return facts_of_device(o)->gpus > 1;
    if (!device_is_machine() && sscanf(word, "gpus-%d", &gpus) == 1)
        return facts_of_device(o)->gpus >= gpus;
    if (device_is_machine())
        return is_of_machine(word, strcmp(o->extent, "full") == 0 ? "full" : kind, o);
    return strcmp(word, kind) == 0;
}

static bool row_is_here(const struct row *row, const struct options *o)
{
    char words[128], *rest;
    snprintf(words, sizeof words, "%s", row->where);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (is_here(word, o))
            return true;
    return false;
}

static bool is_candidate(const struct row *row, const struct experiment *e, const struct options *o)
{
    return strcmp(row->program, e->name) == 0 &&
           (strcmp(o->sweep, "all") == 0 || strcmp(row->name, o->sweep) == 0);
}

/* Chooses the rows of sweeps.txt that the options ask for, and returns their number. If a sweep's name stands
 * in only one row, --sweep NAME measures this row on any device; this is the only way to measure rows with
 * the word "asked", which holds for no device. */
static size_t choose_rows(const struct experiment *e, const struct options *o, const struct row *chosen[ROWS])
{
    const struct row *only = NULL;
    size_t count = 0, candidates = 0;
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (is_candidate(row, e, o)) {
            only = row;
            candidates++;
        }
    if (candidates == 1 && strcmp(o->sweep, "all") != 0) {
        chosen[0] = only;
        return 1;
    }
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (is_candidate(row, e, o) && row_is_here(row, o))
            chosen[count++] = row;
    return count;
}

/* ---- the options of a row of sweeps.txt, filled in for this device ---- */

static bool is_digit_before(const char *text, const char *at)
{
    return at > text && isdigit((unsigned char)at[-1]);
}

/* Returns a copy of a row's options in which GPUS is replaced by the number of GPUs, and N*SMS by N times the
 * number of multiprocessors. */
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

size_t find_sweeps(const struct experiment *e, const struct options *o, struct named_sweep **sweeps)
{
    const struct row *chosen[ROWS];
    size_t count = choose_rows(e, o, chosen);
    *sweeps = allocate(count * sizeof **sweeps);
    for (size_t i = 0; i < count; i++)
        (*sweeps)[i] = (struct named_sweep){chosen[i]->name, filled_in(chosen[i]->options, o)};
    return count;
}
