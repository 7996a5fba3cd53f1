/*
 * The tool gpusync-predict, with which scripts/gpusync-predict links the user's program. It runs the
 * program once on a described GPU, so that the program's own events measure predicted times, and prints
 * each kernel's time to standard error.
 *
 * Its options are DEVICE SECONDS TIMEOUT LINES TIMELINE SOURCES (tools/check/checked_program.h).
 *
 * DEVICE is the name of a preset of machine/presets, or a description file in the same format. The program is
 * ended after SECONDS seconds, or if a kernel takes longer than TIMEOUT seconds to predict. If LINES is
 * "total", it prints the time of all launches in place of the kernels'. If LINES is "yes", it prints where
 * the kernels' time goes; TIMELINE is the file for a timeline, or "". SOURCES is the list of the program's
 * files (tools/check/sources.h), whose lines it names. The exit status is the program's, 128 + N if the
 * signal N ended it, EXIT_UNFINISHED if a limit did, and EXIT_DEADLOCK if a kernel never ends.
 */
#include "base/failure.h"
#include "tools/check/checked_program.h"
#include "tools/predict/prediction.h"
#include "tools/predict/timeline.h"
#include "tools/check/sources.h"
#include "machine/presets.h"
#include "machine/ptx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program has this number of seconds to end by itself when a limit is exceeded. */
#define GRACE 1
/* Time in seconds between two progress messages, on a terminal and elsewhere. */
#define BETWEEN_LINES 1
#define BETWEEN_LINES_OF_LOG 30

static void install(const char *device)
{
    char *text = machine_device_text(device);
    struct machine_description description;
    const char *wrong = machine_description_parse(text, device, &description);
    if (wrong)
        fail(EXIT_BAD_INPUT, "--device: %s", wrong);
    if (!(description.clock_hz > 0))
        fail(EXIT_BAD_INPUT, "--device: %s has no clock, so its times are no seconds", device);
    free(text);
    machine_install(&description);
}

/* The tool's view of the program's process. */
struct watched {
    pid_t process;
    struct prediction *prediction;
    double units_per_us;
    double began;                /* when the program began, in seconds */
    unsigned long long launches; /* number of ended launches when the tool last looked */
    double kernel_began;         /* what the program had taken when the tool first saw the present kernel */
    double told;                 /* time at which the last line was printed */
    bool is_terminal, has_told;
};

/* Prints a progress message; on a terminal it overwrites the previous one. */
static void tell_progress(struct watched *w, double now)
{
    const struct prediction *p = w->prediction;
    char text[512] = "the host's code runs";
    if (p->is_in_kernel)
        prediction_describe(p, w->units_per_us, text, sizeof text);
    fprintf(stderr,
            w->is_terminal ? "\r\033[Kgpusync-predict: %.0f s: %llu launches before; %.140s"
                           : "gpusync-predict: %.0f s: %llu launches before; %s\n",
            now - w->began, p->ended, text);
    w->told = now;
    w->has_told = true;
}

static void clear_progress(const struct watched *w)
{
    if (w->is_terminal && w->has_told)
        fprintf(stderr, "\r\033[K");
}

/* Waits until the program ends, and ends it if it exceeds a limit. Returns the option that set the limit, or
 * NULL if the program ended by itself. Stores the program's wait status, as waitpid() gives it, in
 * *status. */
static const char *watch(struct watched *w, double seconds, double timeout, int *status)
{
    const char *limit = NULL;
    double ending = 0;
    for (;; checked_program_wait()) {
        pid_t gone = waitpid(-1, status, WNOHANG);
        if (gone == w->process || (gone < 0 && errno == ECHILD))
            return limit;
        double now = seconds_now(), taken = checked_program_seconds(w->process, w->began);
        if (limit) {
            if (now > ending + GRACE)
                kill(w->process, SIGKILL);
            continue;
        }
        kill(w->process, TELL);
        if (w->launches != w->prediction->ended || !w->prediction->is_in_kernel) {
            w->launches = w->prediction->ended;
            w->kernel_began = taken;
        }
        limit = taken > seconds ? "seconds" : taken - w->kernel_began > timeout ? "timeout" : NULL;
        if (limit) {
            ending = now;
            kill(w->process, SIGCONT);
            kill(w->process, END_NOW);
        } else if (now - w->told > (w->is_terminal ? BETWEEN_LINES : BETWEEN_LINES_OF_LOG)) {
            tell_progress(w, now);
        }
    }
}

static void begin(struct watched *w, const struct prediction_asked *asked, const sigset_t *usual)
{
    pid_t tool = getpid();
    fflush(NULL);
    w->process = fork();
    if (w->process < 0)
        fail(EXIT_CANNOT, "no process: %s", strerror(errno));
    if (w->process > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the system ends the program when the tool ends */
    if (getppid() != tool)
        _exit(EXIT_UNFINISHED);
    sigprocmask(SIG_SETMASK, usual, NULL);
    prediction_note(w->prediction, asked);
    checked_program_begin(prediction_ends);
}

void checked_program_tool(int count, char **options)
{
    int status = 0;
    if (count != 6)
        fail(EXIT_BAD_INPUT, "which device?");
    double seconds = strtod(options[1], NULL), timeout = strtod(options[2], NULL);
    const char *device = options[0];
    const struct prediction_asked asked = {.lines = strcmp(options[3], "yes") == 0,
                                           .timeline = *options[4] ? options[4] : NULL};
    install(device);
    sources_read(options[5]);
    ptx_set_text_name(sources_ptx());
    machine_mark_lines(true);
    if (asked.timeline)
        timeline_open(asked.timeline);
    sigset_t usual = checked_program_adopt();
    struct watched w = {.prediction = prediction_new(),
                        .units_per_us = machine_installed()->clock_hz / 1e6,
                        .is_terminal = isatty(STDERR_FILENO)};
    w.began = w.told = seconds_now();
    begin(&w, &asked, &usual);
    const char *limit = watch(&w, seconds, timeout, &status);
    checked_program_end_strays();
    clear_progress(&w);
    if (strcmp(options[3], "total") == 0 && !limit && !*w.prediction->hang && w.prediction->ended)
        prediction_print_total(w.prediction, device, w.units_per_us);
    else
        prediction_print(w.prediction, device, w.units_per_us, !limit);
    if (asked.lines)
        prediction_print_lines(w.prediction, w.units_per_us);
    if (asked.timeline)
        timeline_write(w.units_per_us);
    if (limit) {
        fprintf(stderr, "gpusync-predict: not finished: it takes longer than --%s %g\n", limit,
                limit[0] == 's' ? seconds : timeout);
        exit(EXIT_UNFINISHED);
    }
    if (*w.prediction->hang) {
        prediction_print_hang(w.prediction);
        exit(EXIT_DEADLOCK);
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "gpusync-predict: the program was ended by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        exit(128 + WTERMSIG(status));
    }
    exit(WEXITSTATUS(status));
}
