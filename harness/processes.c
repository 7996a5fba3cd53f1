#include "harness/processes.h"
#include "base/failure.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
