#include "report/gnuplot.h"
#include "base/failure.h"
#include "harness/methods.h"
#include "report/drawing.h"
#include "report/suite_path.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

bool can_draw(void)
{
    char *const arguments[] = {(char *)"gnuplot", (char *)"--version", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status = -1;
    bool there = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0 &&
                 waitpid(child, &status, 0) == child && status == 0;
    posix_spawn_file_actions_destroy(&actions);
    return there;
}

/* Runs gnuplot and returns whether it succeeded. gnuplot exits with status 0 even if a data set is missing,
 * and only prints a message to stderr, so any output on stderr counts as a failure. */
static bool run_gnuplot(const char *script, const char *stem, const char *format, const char *title)
{
    char expression[1200], name[256], program[SUITE_PATH_BYTES], output[600], errors[600];
    snprintf(name, sizeof name, "plots/%s.gp", script);
    /* sets GNUPLOT_LIB to the suite's folder, because the script loads other scripts by paths in this
     * folder */
    if (strcmp(suite_path(name, program), name) != 0) {
        char folder[SUITE_PATH_BYTES];
        snprintf(folder, sizeof folder, "%.*s", (int)(strlen(program) - strlen(name)), program);
        setenv("GNUPLOT_LIB", folder, 1);
    }
    snprintf(output, sizeof output, "%s.%s.temporary", stem, format);
    snprintf(errors, sizeof errors, "%s.errors", stem);
    snprintf(expression, sizeof expression, "stem='%s'; format='%s'; output='%s'", stem, format, output);
    char *const arguments[] = {(char *)"gnuplot", (char *)"-e", expression, program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t child;
    int status = -1;
    struct stat said, drawn;
    bool good = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0 &&
                waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                stat(errors, &said) == 0 && said.st_size == 0 && stat(output, &drawn) == 0 &&
                drawn.st_size > 0;
    posix_spawn_file_actions_destroy(&actions);
    if (good && strcmp(format, "svg") == 0)
        drawing_adapt(output, title);
    char final[600];
    snprintf(final, sizeof final, "%s.%s", stem, format);
    good = good && rename(output, final) == 0;
    unlink(good ? errors : output);
    return good;
}

static void print_complaints(const char *stem)
{
    char path[600], line[512];
    snprintf(path, sizeof path, "%s.errors", stem);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stderr);
    if (file)
        fclose(file);
    unlink(path);
}

bool gnuplot_draw(const char *script, const char *stem, const char *title)
{
    bool drawn = run_gnuplot(script, stem, "svg", title) && run_gnuplot(script, stem, "png", title);
    if (!drawn) {
        print_complaints(stem);
        fprintf(stderr, "%s: left out: %s cannot be drawn by plots/%s.gp\n", program_name(), stem, script);
    }
    return drawn;
}

/* The styles of the variants that are no methods of harness/methods.def, from the rows "style" of the rooms'
 * tables.txt. */
static const struct {
    const char *variant;
    struct style style;
} others[] = {
#include "style_rows.h"
};

static const struct style *find(const char *name, size_t length)
{
    static struct style found;
    for (size_t i = 0; i < SYNC_METHODS; i++)
        if (strlen(sync_variants[i].name) == length && strncmp(sync_variants[i].name, name, length) == 0) {
            found = (struct style){sync_methods[i].color, sync_methods[i].point};
            return &found;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].variant) == length && strncmp(others[i].variant, name, length) == 0)
            return &others[i].style;
    return NULL;
}

struct style style_of(const char *variant)
{
    const struct style *style = find(variant, strlen(variant));
    const char *plus = strrchr(variant, '+');
    /* A variant NAME+METHOD whose NAME contains "-" (sum-tree+counter) gets the style of NAME, because its
     * figure compares algorithms. Any other one (shuffle+counter) gets the style of METHOD. */
    if (!style && plus && strchr(variant, '-') && strchr(variant, '-') < plus)
        style = find(variant, (size_t)(plus - variant));
    if (!style && plus)
        style = find(plus + 1, strlen(plus + 1));
    return style ? *style : (struct style){"#1f77b4", 1};
}
