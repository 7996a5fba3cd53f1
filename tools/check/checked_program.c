#include "tools/check/checked_program.h"
#include "base/failure.h"
#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static jmp_buf before_program;
static void (*program_end)(void);
static char **words;
static size_t word_count;

FILE *checked_program_open(const char *name)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - strlen(name) - 1);
    char *last = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (last)
        strcpy(last + 1, name);
    return last ? fopen(path, "r") : NULL;
}

/* Reads the file `options` beside the program (tools/check/program.bash): the names of the program and of the
 * tool, and the options of the tool, each with a zero byte at its end. */
static void read_words(void)
{
    char *word = NULL;
    size_t room = 0;
    FILE *file = checked_program_open("options");
    if (!file)
        fail(EXIT_CANNOT, "no options of the tool beside the program: %s", strerror(errno));
    while (getdelim(&word, &room, '\0', file) > 0) {
        words = with_room(words, sizeof *words, word_count, 1);
        words[word_count++] = copy_text(word);
    }
    free(word);
    fclose(file);
    if (word_count < 2 || !strchr(words[0], '/'))
        fail(EXIT_CANNOT, "the options of the tool cannot be read");
    set_program_name(words[1]);
}

/* Takes away the variable that run_program() of tools/check/program.bash has added at the end. */
static void restore_environment(char **environment)
{
    size_t count = 0;
    while (environment[count])
        count++;
    if (count && strcmp(environment[count - 1], "GLIBC_TUNABLES=glibc.malloc.hugetlb=1") == 0)
        environment[count - 1] = NULL;
}

/* The dynamic linker calls this function before it calls any constructor. */
static void before_constructors(int argc, char **argv, char **environment)
{
    /* the C library has not set environ yet; it does so later, in a constructor of its own */
    environ = environment;
    restore_environment(environment);
    read_words();
    argv[0] = words[0]; /* changed in place, because constructors and the C library get this array, too */
    /* backtrace() has initialized the C library, which otherwise happens later */
    program_invocation_name = words[0];
    program_invocation_short_name = strrchr(words[0], '/') + 1;
    if (gpusync_checked_arguments)
        gpusync_checked_arguments(words[1], argc, argv);
    if (setjmp(before_program) == 0)
        checked_program_tool((int)word_count - 2, words + 2);
    if (program_end)
        atexit(program_end); /* this is the first call of atexit(), so program_end() is called last */
}
static void (*const first)(int, char **, char **)
    __attribute__((section(".preinit_array"), used)) = before_constructors;

void checked_program_begin(void (*at_end)(void))
{
    program_end = at_end;
    errno = 0;
    longjmp(before_program, 1);
}

int main(int argc, char **argv)
{
    return gpusync_checked_main(argc, argv, environ);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double seconds_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double checked_program_seconds(pid_t process, double began)
{
    clockid_t clock;
    double least = PART_OF_WAITING * (seconds_now() - began);
    double taken = clock_getcpuclockid(process, &clock) == 0 ? seconds_of(clock) : 0;
    return taken > least ? taken : least;
}

void checked_program_print_skipped(const struct machine_left_out *out, const char *begin, FILE *file)
{
    for (unsigned i = 0; i < out->skipped_count; i++)
        fprintf(file, "%s%s (%llu call%s)", i ? ", " : begin, out->skipped[i].name, out->skipped[i].calls,
                out->skipped[i].calls > 1 ? "s" : "");
    if (out->skipped_count)
        fputs(" returned 0 and wrote nothing; all arrays that existed then count as written, and what the "
              "program says of its result does not count\n",
              file);
}

static sigset_t ended_children;
pid_t checked_program_helper;

sigset_t checked_program_adopt(void)
{
    sigset_t usual;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&ended_children);
    sigaddset(&ended_children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended_children, &usual);
    return usual;
}

void checked_program_wait(void)
{
    sigtimedwait(&ended_children, NULL, &(struct timespec){0, 20000000});
}

void checked_program_end_strays(void)
{
    char path[64];
    pid_t stray;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    for (bool found = true; found;) {
        FILE *children = fopen(path, "r");
        found = false;
        while (children && fscanf(children, "%d", &stray) == 1)
            if (stray != checked_program_helper && kill(stray, SIGKILL) == 0)
                found = waitpid(stray, NULL, 0) == stray || found;
        if (children)
            fclose(children);
    }
}
