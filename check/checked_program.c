#include "check/checked_program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf before_program;
static int program_argc;
static char **program_argv;
static void (*program_end)(void);

/* The dynamic linker calls this function before it calls any constructor. */
static void before_constructors(int argc, char **argv, char **environment)
{
    /* the C library has not set environ yet; it does so later, in a constructor of its own */
    environ = environment;
    if (setjmp(before_program) == 0)
        checked_program_tool(argc, argv);
    if (program_end)
        atexit(program_end); /* this is the first call of atexit(), so program_end() is called last */
}
static void (*const first)(int, char **, char **)
    __attribute__((section(".preinit_array"), used)) = before_constructors;

void checked_program_begin(int argc, char **argv, void (*at_end)(void))
{
    program_argc = argc;
    program_argv = argv;
    program_end = at_end;
    longjmp(before_program, 1);
}

int main(void)
{
    return gpusync_checked_main(program_argc, program_argv);
}

void checked_program_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void checked_program_end_strays(void)
{
    char path[64];
    pid_t stray;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    for (bool found = true; found;) {
        FILE *children = fopen(path, "r");
        found = false;
        while (children && fscanf(children, "%d", &stray) == 1 && kill(stray, SIGKILL) == 0)
            found = waitpid(stray, NULL, 0) == stray || found;
        if (children)
            fclose(children);
    }
}
