/* Landlock (Linux 5.13), which needs no rights, keeps the process from changing files. A network namespace of
 * its own has no way out; where that is not allowed, Landlock (Linux 6.7) keeps the process from TCP. */
#include "tools/check/explore/sandbox.h"
#include "base/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* from linux/landlock.h, which older systems lack: numbers of calls, and bits of rights */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { ASK_VERSION = 1, RULE_OF_FOLDER = 1 };
struct ruleset {
    uint64_t of_files, of_network;
};
struct __attribute__((packed)) folder_rule {
    uint64_t allowed;
    int32_t folder;
};
#define WRITE_FILE ((uint64_t)1 << 1)
#define REMOVE_AND_MAKE ((uint64_t)0x1ff << 4) /* to remove and to make files and folders of each kind */
#define REFER ((uint64_t)1 << 13)              /* to move files from one folder to another; version 2 */
#define TRUNCATE ((uint64_t)1 << 14)           /* version 3 */
#define USE_TCP ((uint64_t)3)                  /* to bind and to connect TCP sockets; version 4 */

static long version(void)
{
    return syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
}

static bool may_change(int rules, const char *path, uint64_t rights)
{
    struct folder_rule rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    bool added = rule.folder >= 0 && syscall(ADD_RULE, rules, RULE_OF_FOLDER, &rule, 0) == 0;
    close(rule.folder);
    return added;
}

static bool restrict_self(const char *scratch, bool has_network)
{
    uint64_t of_file = WRITE_FILE | (version() >= 3 ? TRUNCATE : 0);
    struct ruleset all = {of_file | REMOVE_AND_MAKE | (version() >= 2 ? REFER : 0),
                          has_network ? USE_TCP : 0};
    /* older versions do not know the second member */
    int rules = (int)syscall(CREATE_RULESET, &all, has_network ? sizeof all : sizeof all.of_files, 0);
    const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"};
    bool done = rules >= 0 && may_change(rules, scratch, all.of_files);
    for (size_t i = 0; done && i < sizeof devices / sizeof *devices; i++)
        may_change(rules, devices[i], of_file); /* a system may lack one */
    done = done && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, rules, 0) == 0;
    close(rules);
    return done;
}

static void write_text(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, text, strlen(text)) < 0)
        fail(EXIT_CANNOT, "--sandbox: %s: %s", path, strerror(errno));
    close(file);
}

/* The process keeps the numbers of its user and group. */
static bool leave_network(void)
{
    char user[64], group[64];
    snprintf(user, sizeof user, "%u %u 1", getuid(), getuid());
    snprintf(group, sizeof group, "%u %u 1", getgid(), getgid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return unshare(CLONE_NEWNET) == 0;
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", user);
    write_text("/proc/self/gid_map", group);
    return true;
}

const char *sandbox_lacks(void)
{
    int status = 1;
    if (version() < 1)
        return "Landlock (Linux 5.13 and later, where it is turned on), which keeps a program from changing "
               "files";
    pid_t child = fork();
    if (child == 0)
        _exit(!leave_network());
    if (child > 0)
        waitpid(child, &status, 0);
    return status && version() < 4
               ? "network namespaces and Landlock's rules of TCP (Linux 6.7), one of which "
                 "keeps a program from the network"
               : NULL;
}

void sandbox_enter(const char *scratch)
{
    setenv("TMPDIR", scratch, 1);
    if (!restrict_self(scratch, !leave_network()))
        fail(EXIT_CANNOT, "--sandbox: the system refuses it: %s", strerror(errno));
}
