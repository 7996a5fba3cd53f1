#include "check/explore/process.h"
#include "base/failure.h"
#include "machine/runtime_api.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TOO_LONG SIGXCPU /* with these the starting process ends a run that exceeds a limit */
#define TOO_LARGE SIGXFSZ
#define SHOWN 4 /* multiprocessors: a grid that fills the device need not be large to be wrong */

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- in the run's own process ---- */

static FILE *said;

/* What begins the file: the kind of end, and a text. Races follow. */
static void say(enum run_end end, const char *text)
{
    struct outcome outcome = {
        .end = end, .steps = machine_steps(), .starts = machine_starts(), .grids = machine_grids_so_far()};
    snprintf(outcome.text, sizeof outcome.text, "%s", text);
    rewind(said);
    fwrite(&outcome, sizeof outcome, 1, said);
    machine_save_races(said);
    fflush(said);
}

static void tell_end(void)
{
    const char *deadlock = machine_deadlock_report();
    cudaError_t error = cudaPeekAtLastError();
    if (*deadlock)
        say(machine_ran_alone() ? RUN_UNCHECKED : RUN_HUNG, deadlock);
    else
        say(RUN_ENDED, error == cudaSuccess ? "" : cudaGetErrorString(error));
}

static void tell_fault(const char *text)
{
    say(RUN_FAULTED, text);
    _exit(EXIT_WRONG_RESULT);
}

static void install(const struct setting *setting)
{
    struct machine_description untimed = *machine_installed();
    untimed.instruction_per_1000 = untimed.long_instruction_per_1000 = 0;
    untimed.lockstep = setting->lockstep;
    machine_install(&untimed);
    machine_show_multiprocessors(SHOWN);
    machine_set_stack(STACK_OF_A_THREAD);
    machine_set_memory(setting->memory);
    machine_set_schedule(setting->schedule, setting->number + 1);
    machine_set_delays(setting->delays, setting->steps);
    machine_slow_fences(setting->slow_fences);
    machine_hold_step(setting->held_step, setting->steps);
    if (setting->progress != MACHINE_FAIR || setting->resident)
        machine_set_progress(setting->progress, setting->resident);
    machine_collect_races(setting->memory != MACHINE_COHERENT, true);
    machine_check_bounds(tell_fault);
    machine_separate_kernels(true);
}

static void __attribute__((noreturn)) run_here(struct checked_run *run, int argc, char **argv)
{
    struct rlimit core = {0, 0};
    said = run->said;
    setrlimit(RLIMIT_CORE, &core);
    fflush(stdout);
    if (dup2(fileno(run->output), STDOUT_FILENO) < 0 || dup2(fileno(run->output), STDERR_FILENO) < 0)
        fail(EXIT_CANNOT, "no output for the program: %s", strerror(errno));
    install(&run->setting);
    atexit(tell_end);
    exit(gpusync_checked_main(argc, argv));
}

/* ---- in the process that starts them ---- */

void process_start(struct checked_run *run, struct setting setting, int argc, char **argv)
{
    *run = (struct checked_run){
        .setting = setting, .started = seconds_now(), .said = tmpfile(), .output = tmpfile()};
    if (!run->said || !run->output)
        fail(EXIT_CANNOT, "no temporary file: %s", strerror(errno));
    fflush(NULL);
    run->process = fork();
    if (run->process < 0)
        fail(EXIT_CANNOT, "no process: %s", strerror(errno));
    if (run->process == 0)
        run_here(run, argc, argv);
}

static void read_outcome(struct checked_run *run, int status, struct outcome *outcome)
{
    rewind(run->said);
    bool is_whole = fread(outcome, sizeof *outcome, 1, run->said) == 1;
    if (is_whole)
        machine_add_races(run->said, run->setting.number + 1);
    else
        *outcome = (struct outcome){.end = RUN_CRASHED};
    if (WIFSIGNALED(status)) {
        outcome->end = RUN_CRASHED;
        outcome->status = WTERMSIG(status);
    } else {
        outcome->status = WEXITSTATUS(status);
    }
}

/* That it has, not address space: most of a kernel's stacks is never touched. */
static size_t memory_of(pid_t process)
{
    char path[64];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void kill_excessive(struct checked_run *runs, size_t count, const struct limits *limits)
{
    for (size_t i = 0; i < count; i++) {
        if (runs[i].process <= 0)
            continue;
        if (seconds_now() - runs[i].started > limits->seconds_of_run)
            kill(runs[i].process, TOO_LONG);
        else if (memory_of(runs[i].process) > limits->memory_bytes)
            kill(runs[i].process, TOO_LARGE);
    }
}

struct checked_run *process_wait(struct checked_run *runs, size_t count, const struct limits *limits,
                                 struct outcome *outcome)
{
    const struct timespec a_while = {0, 2000000};
    for (;; nanosleep(&a_while, NULL)) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        for (size_t i = 0; ended > 0 && i < count; i++)
            if (runs[i].process == ended) {
                runs[i].process = 0;
                read_outcome(&runs[i], status, outcome);
                if (outcome->end == RUN_CRASHED && outcome->status == TOO_LONG)
                    outcome->end = RUN_TOO_LONG;
                if (outcome->end == RUN_CRASHED && outcome->status == TOO_LARGE)
                    outcome->end = RUN_TOO_LARGE;
                return &runs[i];
            }
        kill_excessive(runs, count, limits);
    }
}

void process_close(struct checked_run *run)
{
    fclose(run->said);
    fclose(run->output);
}
