#include "tools/check/explore/standing.h"
#include "machine/machine.h"

#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

/* The first byte of the program in memory, and the first byte after its code; the linker defines the
 * symbols. */
extern const char __executable_start[], etext[];

static int signal_of_time;
static void (*tell)(int signal, const char *where);

#define MOST_CALLS 48

/* Writes a mark with the host's calls that led to this function. `at` is the interrupted instruction, or
 * NULL. */
static void mark_host(const char *at, char *text, size_t size)
{
    void *calls[MOST_CALLS];
    int count = backtrace(calls, MOST_CALLS);
    size_t used = (size_t)snprintf(text, size, "%c", MARK_BEGINS);
    for (int i = 0; i < count && used + 24 < size; i++) {
        const char *back = calls[i];
        if (back < __executable_start || back >= etext)
            continue;
        /* 1 is added to the interrupted instruction, because a mark contains return addresses */
        used += (size_t)snprintf(text + used, size - used, "%s%lx", used > 1 ? "," : "",
                                 (unsigned long)(back - __executable_start) + (back == at));
    }
    snprintf(text + used, size - used, "%c", MARK_ENDS);
}

static void handle(int number, siginfo_t *info, void *context)
{
    static char text[8192];
    const ucontext_t *registers = context;
    const char *at = (const char *)(uintptr_t)registers->uc_mcontext.gregs[REG_RIP];
    (void)info;
    const char *where = machine_where(at, number == signal_of_time);
    if (*where) {
        snprintf(text, sizeof text, "%s", where);
    } else {
        size_t used = (size_t)snprintf(text, sizeof text, "the host is at ");
        mark_host(at, text + used, sizeof text - used);
    }
    tell(number, text);
    signal(number, SIG_DFL);
    raise(number);
}

void standing_prepare(void)
{
    void *first;
    backtrace(&first, 1);
}

void standing_watch(int too_long, void (*ended)(int signal, const char *where))
{
    static char stack[128 << 10];
    const int signals[] = {too_long, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    signal_of_time = too_long;
    tell = ended;
    sigfillset(&action.sa_mask);
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void standing_of_launch(bool has_failed, const char *before, char *text, size_t size)
{
    struct machine_launch_place launch = machine_last_launch(has_failed);
    *text = '\0';
    if (launch.at)
        snprintf(text, size, "%s%s%sat %c%lx%c", before, launch.kernel ? launch.kernel : "",
                 launch.kernel ? " " : "", MARK_BEGINS,
                 (unsigned long)((const char *)launch.at - __executable_start), MARK_ENDS);
}
