/* Tests that every parser accepts each input of its corpus, or refuses it in one line, each in a process of
 * its own. An accepted input must leave no memory allocated. */
#include "tests/check.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACCEPTED = 99 };

/* LeakSanitizer asks this at the end of a process. A program that refuses its input does not free its
 * memory. */
static bool has_returned;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return !has_returned;
}

static void replay(const struct fuzz_target *target, const char *path)
{
    static unsigned char data[1 << 20];
    static char said[4096];
    FILE *file = fopen(path, "rb"), *heard = tmpfile();
    size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    int status;
    if (!file || !heard)
        exit(1);
    fclose(file);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        dup2(fileno(heard), STDERR_FILENO);
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        fuzz_one(target, data, size);
        has_returned = true;
        exit(ACCEPTED);
    }
    bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
    rewind(heard);
    said[fread(said, 1, sizeof said - 1, heard)] = '\0';
    fclose(heard);
    bool right = ended && (WEXITSTATUS(status) == ACCEPTED || fuzz_is_refusal(WEXITSTATUS(status), said));
    check(right, "%s is read or refused %s", path, right ? "" : said);
}

int main(void)
{
    for (size_t i = 0; i < fuzz_targets_count; i++) {
        char folder[64], path[512];
        snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", fuzz_targets[i].name);
        DIR *corpus = opendir(folder);
        struct dirent *entry;
        int inputs = 0;
        while (corpus && (entry = readdir(corpus)))
            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
                replay(&fuzz_targets[i], path);
                inputs++;
            }
        if (corpus)
            closedir(corpus);
        check(inputs >= 3, "%s has inputs", folder);
    }
    return checks_done();
}
