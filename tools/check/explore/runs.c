/* One file because the process of a run writes what the process that has started it reads. */
#include "tools/check/explore/runs.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "tools/check/checked_program.h"
#include "tools/check/explore/sandbox.h"
#include "tools/check/explore/standing.h"
#include "machine/ptx.h"
#include "machine/runtime_api.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals to the process of a run. END_NOW asks a run that exceeds the limit of time to write its record and
 * to end. TOO_LONG ends a run that has not done so after GRACE seconds, because its thread makes no request,
 * and a run that exceeds the limit of memory. */
#define END_NOW SIGXCPU
#define TOO_LONG SIGVTALRM
#define GRACE 1
/* number of seconds of processor time that the host has after its last call (struct limits) */
#define SECONDS_AFTER_CALLS 0.25
/* A time is short if it is less than this part of the run's limit. */
#define SHORT_PART 0.1
/* seconds for which a run that gets TOO_LONG may write where its threads are, before it is killed */
#define SECONDS_TO_TELL 2
/* The part of the computer's memory that the runs may take if the user does not say how much. */
#define PART_OF_MEMORY 0.75
/* The number of multiprocessors that a checked program sees. It is low, so that a grid which fills the
 * device has few blocks. */
#define SHOWN 4

/* The descriptors of the tool begin with this number, so that the program's own begin with 3, as they do when
 * it runs alone. */
#define FIRST_DESCRIPTOR 512

/* the signals that the program finds blocked */
static sigset_t usual_signals;

/* ---- functions that execute in the process of a run ---- */

static FILE *record;
static bool is_trial;
static unsigned last_call;  /* the host's last call (struct limits) when it has returned; 0 before */
static double most_seconds; /* the limit of the run */

/* Has the run taken its time by computing, and not by waiting? */
static bool has_computed(void)
{
    struct timespec taken = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &taken);
    return (double)taken.tv_sec + 1e-9 * (double)taken.tv_nsec > most_seconds / 2;
}

/* Writes the record of a run: its outcome, followed by its data races. */
static void write_record(enum run_end end, const char *text, const char *where)
{
    struct run_outcome outcome = {.end = end,
                                  .steps = machine_steps(),
                                  .starts = machine_starts(),
                                  .units = machine_now(),
                                  .resident_threads = machine_resident_threads(),
                                  .grids = machine_grids_so_far(),
                                  .departures = machine_departures(),
                                  .left_out = *machine_left_out_so_far()};
    double since;
    bool is_in_call;
    outcome.host_calls = machine_host_calls(&since, &is_in_call);
    outcome.is_short = since < SHORT_PART * most_seconds;
    if (!has_computed() || (is_in_call && !outcome.is_short))
        outcome.host_calls = 0;
    outcome.left_out.calls = last_call;
    snprintf(outcome.text, sizeof outcome.text, "%s", text);
    snprintf(outcome.where, sizeof outcome.where, "%s", where);
    snprintf(outcome.mend, sizeof outcome.mend, "%s", machine_mend());
    if (end == RUN_ENDED || end == RUN_TOO_LONG)
        outcome.lacks_kernels = !ptx_unlaunched(outcome.unlaunched, sizeof outcome.unlaunched);
    rewind(record);
    fwrite(&outcome, sizeof outcome, 1, record);
    machine_save_races(record);
    if (is_trial) {
        machine_save_steps(record);
    } else {
        machine_save_rules(record);
        machine_save_orders(record);
    }
    fflush(record);
}

bool runs_are_limited(const struct limits *limits)
{
    const struct machine_sample *s = &limits->sample;
    return s->blocks || s->launches || s->launches_of_kernel || s->steps || limits->calls;
}

bool runs_have_gaps(const struct machine_left_out *out)
{
    return out->launches || out->blocks || out->threads;
}

bool runs_are_samples(const struct machine_left_out *out)
{
    return runs_have_gaps(out) || out->calls;
}

static void record_end(void)
{
    char where[512], failure[512] = "", error_of[256];
    const char *deadlock = machine_deadlock_report();
    cudaError_t error = cudaPeekAtLastError();
    standing_of_launch(false, "its last launch was ", where, sizeof where);
    /* with PTX, functions other than launches, which also return their errors, set the last error, too */
    snprintf(error_of, sizeof error_of, "%s: the launch of ", cudaGetErrorString(error));
    if (error != cudaSuccess)
        standing_of_launch(true, error_of, failure, sizeof failure);
    if (*machine_refusal())
        write_record(RUN_REFUSED, machine_refusal(), where);
    else if (*deadlock && !runs_have_gaps(machine_left_out_so_far()))
        write_record(RUN_HUNG, deadlock, where);
    else
        write_record(RUN_ENDED, failure, where);
}

/* The program calls these functions in place of _exit(), _Exit() and quick_exit() (tools/check/program.bash),
 * because those would end the process without a record. */
void machine_checked_exit(int status), machine_checked_Exit(int status),
    machine_checked_quick_exit(int status);
void machine_checked_exit(int status)
{
    record_end();
    _exit(status);
}
void machine_checked_Exit(int status)
{
    machine_checked_exit(status);
}
void machine_checked_quick_exit(int status)
{
    record_end();
    quick_exit(status);
}

static void record_fault(const char *text)
{
    write_record(RUN_FAULTED, text, "");
    _exit(EXIT_WRONG_RESULT);
}

static void record_breach(void)
{
    write_record(RUN_BROKE_RULE, "", "");
    _exit(EXIT_WRONG_RESULT);
}

/* Returns the state of the run: its kernels in progress, or else its last launch. */
static const char *progress(void)
{
    static char launch[512];
    const char *left = machine_kernels_left();
    standing_of_launch(false, "the last launch was ", launch, sizeof launch);
    return *left ? left : launch;
}

static void record_unfinished(void)
{
    write_record(RUN_TOO_LONG, progress(), machine_where(NULL, true));
    _exit(EXIT_UNFINISHED);
}

static void end_now(int number)
{
    (void)number;
    machine_interrupt(record_unfinished);
}

/* Called when the host's last call has returned: the host's next accesses are checked for a while. */
static void end_soon(void)
{
    timer_t timer;
    struct sigevent ends = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TOO_LONG};
    struct itimerspec after = {.it_value.tv_nsec = (long)(SECONDS_AFTER_CALLS * 1e9)};
    double since;
    bool is_in_call;
    last_call = (unsigned)machine_host_calls(&since, &is_in_call);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &ends, &timer) != 0 ||
        timer_settime(timer, 0, &after, NULL) != 0)
        fail(EXIT_CANNOT, "no timer: %s", strerror(errno));
}

static void record_signal(int signal, const char *where)
{
    if (signal == TOO_LONG && last_call) {
        write_record(RUN_ENDED, "", where);
        _exit(EXIT_VERIFIED);
    }
    if (signal == TOO_LONG)
        write_record(RUN_TOO_LONG, progress(), where);
    else
        write_record(RUN_CRASHED, "", where);
}

static void install(const struct setting *setting, const struct limits *limits)
{
    struct machine_description untimed = *machine_installed();
    untimed.instruction_per_1000 = untimed.long_instruction_per_1000 = 0;
    untimed.lockstep = setting->lockstep;
    machine_install(&untimed);
    machine_show_multiprocessors(SHOWN);
    machine_show_devices(limits->gpus);
    machine_set_memory(setting->memory);
    machine_set_schedule(setting->schedule, setting->number + 1);
    machine_set_delays(setting->delays, setting->steps);
    machine_slow_fences(setting->slow_fences);
    machine_hold_back(setting->holds, setting->hold_count, setting->hold_units);
    machine_note_orders(true, setting->notes_places);
    if (setting->progress != MACHINE_FAIR || setting->resident)
        machine_set_progress(setting->progress, setting->resident);
    machine_set_resident_threads(setting->resident_threads);
    machine_collect_races(setting->memory != MACHINE_COHERENT, setting->cures);
    machine_explain_hangs(setting->cures);
    if (limits->kept)
        machine_keep_departures(limits->kept, limits->kept_count);
    if (setting->notes_steps)
        machine_note_steps();
    machine_set_sample(limits->sample);
    machine_after_call(limits->calls, end_soon);
    machine_check_bounds(record_fault);
    machine_check_rules(!setting->lockstep,
                        record_breach); /* for lanes in lockstep (before Volta), other rules would hold */
    machine_queue_streams(true);
}

/* Lets each run read the standard input from its position at the start of the check. An input that cannot be
 * read twice is empty. */
static void reopen_input(void)
{
    struct stat input;
    if (fstat(STDIN_FILENO, &input) != 0 || (S_ISCHR(input.st_mode) && !isatty(STDIN_FILENO)))
        return;
    int again = S_ISREG(input.st_mode) ? open("/proc/self/fd/0", O_RDONLY) : -1;
    if (again >= 0)
        lseek(again, lseek(STDIN_FILENO, 0, SEEK_CUR), SEEK_SET);
    else
        again = open("/dev/null", O_RDONLY);
    if (again < 0 || dup2(again, STDIN_FILENO) < 0)
        fail(EXIT_CANNOT, "no input for the program: %s", strerror(errno));
    close(again);
}

static void give_output(const struct runs *runs, const struct checked_run *run)
{
    if (dup2(fileno(run->output), STDOUT_FILENO) < 0 || dup2(fileno(run->output), STDERR_FILENO) < 0)
        fail(EXIT_CANNOT, "no output for the program: %s", strerror(errno));
    for (size_t i = 0; i < runs->count; i++)
        if (runs->places[i].record) {
            close(fileno(runs->places[i].output));
            if (runs->places[i].record != run->record)
                close(fileno(runs->places[i].record));
        }
}

static void __attribute__((noreturn)) run_here(const struct runs *runs, struct checked_run *run)
{
    static char buffer[1 << 16]; /* a static buffer, so that a signal's handler need not allocate one */
    const struct rlimit core = {0, 0};
    const struct sigaction ends = {.sa_handler = end_now, .sa_flags = SA_RESTART};
    /* The program gets a process group of its own, so that the processes which it starts are ended with it.
     * The program itself ends with the check. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    record = run->record;
    is_trial = run->setting.is_trial;
    most_seconds =
        runs->limits.seconds_of_kernels > 0 ? runs->limits.seconds_of_kernels : runs->limits.seconds_of_run;
    machine_note_first_launch(run->first_launch);
    setvbuf(record, buffer, _IOFBF, sizeof buffer);
    setrlimit(RLIMIT_CORE, &core);
    sigaction(END_NOW, &ends, NULL);
    sigprocmask(SIG_SETMASK, &usual_signals, NULL);
    fflush(stdout);
    reopen_input();
    give_output(runs, run);
    if (runs->limits.scratch)
        sandbox_enter(runs->limits.scratch);
    install(&run->setting, &runs->limits);
    standing_watch(TOO_LONG, record_signal);
    checked_program_begin(record_end);
}

/* ---- functions that execute in the process that starts the runs ---- */

size_t runs_memory(void)
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), most;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r"); /* the most that a container may take */
    if (file && fscanf(file, "%lf", &most) == 1 && most < bytes)
        bytes = most;
    if (file)
        fclose(file);
    return (size_t)(PART_OF_MEMORY * bytes);
}

struct runs runs_begin(struct limits limits, double seconds)
{
    struct runs runs = {.limits = limits,
                        .seconds = seconds,
                        .began = seconds_now(),
                        .own_before = checked_program_seconds(0, seconds_now()),
                        .count = parallel_processors()};
    runs.places = allocate(runs.count * sizeof *runs.places);
    double *first_launches = mmap(NULL, runs.count * sizeof *first_launches, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (first_launches == MAP_FAILED)
        fail(EXIT_CANNOT, "no memory: %s", strerror(errno));
    for (size_t i = 0; i < runs.count; i++)
        runs.places[i].first_launch = &first_launches[i];
    usual_signals = checked_program_adopt();
    standing_prepare();
    return runs;
}

void runs_end(struct runs *runs)
{
    checked_program_end_strays();
    for (size_t i = 0; i < runs->count; i++)
        if (runs->places[i].record) {
            fclose(runs->places[i].record);
            fclose(runs->places[i].output);
        }
    munmap(runs->places->first_launch, runs->count * sizeof *runs->places->first_launch);
    free(runs->places);
    if (runs->told > 0)
        fprintf(stderr, "\r\033[K");
    sigprocmask(SIG_SETMASK, &usual_signals, NULL);
}

double runs_seconds(const struct runs *runs)
{
    double own = checked_program_seconds(0, runs->began) - runs->own_before;
    return own > runs->spent ? own : runs->spent;
}

bool runs_time_is_up(const struct runs *runs)
{
    return runs_seconds(runs) > runs->seconds;
}

size_t runs_side_by_side(const struct runs *runs)
{
    size_t fit = runs->largest ? runs->limits.memory_bytes / runs->largest : runs->count;
    return fit > runs->count ? runs->count : fit ? fit : 1;
}

bool runs_have_room(const struct runs *runs)
{
    return runs->busy < runs_side_by_side(runs) && !runs_time_is_up(runs);
}

static struct checked_run *place_of(const struct runs *runs, pid_t process)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->places[i].process == process)
            return &runs->places[i];
    return NULL;
}

/* Returns a new file without a name, in the folder for temporary files. */
static FILE *temporary_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/gpusync-check.XXXXXX", folder && *folder ? folder : "/tmp");
    int made = mkstemp(path), descriptor = -1;
    struct rlimit most = {.rlim_cur = 2 * FIRST_DESCRIPTOR};
    getrlimit(RLIMIT_NOFILE, &most);
    if (made >= 0) {
        descriptor = fcntl(made, F_DUPFD_CLOEXEC,
                           most.rlim_cur / 2 < FIRST_DESCRIPTOR ? (int)most.rlim_cur / 2 : FIRST_DESCRIPTOR);
        close(made);
    }
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+") : NULL;
    if (!file)
        fail(EXIT_CANNOT, "no file can be written in %s (TMPDIR chooses another folder): %s",
             folder && *folder ? folder : "/tmp", strerror(errno));
    unlink(path);
    return file;
}

/* Returns the file of an earlier run without its content, or a new file if there is none. */
static FILE *emptied(FILE *file)
{
    if (!file)
        return temporary_file();
    rewind(file);
    if (ftruncate(fileno(file), 0) != 0)
        fail(EXIT_CANNOT, "a temporary file cannot be emptied: %s", strerror(errno));
    return file;
}

void runs_start(struct runs *runs, struct setting setting)
{
    struct checked_run *run = place_of(runs, 0);
    *run = (struct checked_run){.setting = setting,
                                .started = seconds_now(),
                                .record = emptied(run->record),
                                .output = emptied(run->output),
                                .first_launch = run->first_launch};
    *run->first_launch = 0;
    fflush(NULL);
    run->process = fork();
    if (run->process < 0)
        fail(EXIT_CANNOT, "no process: %s", strerror(errno));
    if (run->process == 0)
        run_here(runs, run);
    runs->busy++;
}

static void read_last_lines(FILE *output, char *text, size_t size)
{
    fflush(output);
    fseek(output, 0, SEEK_END);
    long bytes = ftell(output), room = (long)size - 1, from = bytes > room ? bytes - room : 0;
    fseek(output, from, SEEK_SET);
    size_t got = fread(text, 1, size - 1, output);
    while (got && text[got - 1] == '\n')
        got--;
    text[got] = '\0';
    int lines = 0;
    for (char *at = text + got; at > text; at--)
        if (*at == '\n' && ++lines == 3) {
            memmove(text, at + 1, strlen(at + 1) + 1);
            break;
        }
}

/* Does the line deny the word that begins here, as "0 FAILED", "no mismatch" and "mismatches: 0" do? */
static bool is_denied(const char *line, const char *word, size_t length)
{
    static const char *const denials[] = {"0", "no", "No", "NO", "not", "without", "zero"};
    const char *end = word, *after = word + length;
    while (end > line && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > line && isalnum((unsigned char)begin[-1]))
        begin--;
    for (size_t i = 0; i < sizeof denials / sizeof *denials; i++)
        if (strlen(denials[i]) == (size_t)(end - begin) &&
            strncmp(begin, denials[i], (size_t)(end - begin)) == 0)
            return true;
    after += strspn(after, " :=");
    return *after == '0' && after[1] != '.' && !isalnum((unsigned char)after[1]);
}

/* Does a program say by this line that its result is wrong? */
static bool is_complaint(const char *line)
{
    static const char *const words[] = {"FAIL", "FAILED", "mismatch", "mismatches", "incorrect"};
    for (const char *at = line; *at; at++) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        for (size_t i = 0; length && i < sizeof words / sizeof *words; i++) {
            bool is_word =
                strlen(words[i]) == length &&
                (isupper((unsigned char)*words[i]) ? strncmp : strncasecmp)(at, words[i], length) == 0;
            if (is_word && !is_denied(line, at, length))
                return true;
        }
        at += length ? length - 1 : 0;
    }
    return false;
}

static void read_complaint(FILE *output, char *text, size_t size)
{
    char line[1024];
    rewind(output);
    *text = '\0';
    while (!*text && fgets(line, sizeof line, output)) {
        line[strcspn(line, "\n")] = '\0';
        if (is_complaint(line))
            snprintf(text, size, "%.*s", (int)size - 1, line);
    }
}

static void read_outcome(struct checked_run *run, int status, struct run_outcome *outcome)
{
    rewind(run->record);
    bool is_whole = fread(outcome, sizeof *outcome, 1, run->record) == 1;
    if (is_whole && outcome->end == RUN_REFUSED)
        fail(EXIT_BAD_INPUT, "%s", outcome->text);
    if (is_whole)
        machine_add_races(run->record, run->setting.is_trial ? 0 : run->setting.number + 1,
                          run->setting.cures || run->setting.is_trial);
    if (is_whole && run->setting.is_trial) {
        outcome->trace = allocate(MOST_NOTED_STEPS * sizeof *outcome->trace);
        outcome->trace_count = fread(outcome->trace, sizeof *outcome->trace, MOST_NOTED_STEPS, run->record);
    } else if (is_whole && !run->setting.cures) {
        machine_add_rules(run->record, run->setting.number + 1);
        outcome->new_orders = machine_add_orders(run->record);
    } else if (!is_whole) {
        /* the run has no record, because quick_exit() ended it or it crashed */
        *outcome = (struct run_outcome){.end = WIFEXITED(status) ? RUN_ENDED : RUN_CRASHED};
    }
    read_last_lines(run->output, outcome->said, sizeof outcome->said);
    read_complaint(run->output, outcome->complaint, sizeof outcome->complaint);
    outcome->seconds = run->seconds;
    outcome->before = *run->first_launch;
    outcome->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        outcome->end = !(run->late_at > 0) ? RUN_CRASHED : run->is_large ? RUN_TOO_LARGE : RUN_TOO_LONG;
}

/* Returns the resident memory of a process in bytes. The size of its address space would be a bad measure,
 * because most of it is stacks that a kernel never touches. */
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

/* Adds up the time that a run has taken. The time of runs in parallel is divided among them. */
static void note_seconds(struct runs *runs, struct checked_run *run, double seconds)
{
    if (seconds > run->seconds) {
        runs->spent += (seconds - run->seconds) / (double)runs->busy;
        run->seconds = seconds;
    }
}

static bool is_late(const struct limits *limits, const struct checked_run *run)
{
    bool has_launched = limits->seconds_of_kernels > 0 && *run->first_launch > 0;
    return run->seconds > limits->seconds_of_run ||
           (has_launched && run->seconds > *run->first_launch + limits->seconds_of_kernels);
}

static void kill_excessive(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct checked_run *run = &runs->places[i];
        if (run->process <= 0)
            continue;
        note_seconds(runs, run, checked_program_seconds(run->process, run->started));
        if (!(run->late_at > 0)) {
            run->is_large = memory_of(run->process) > runs->limits.memory_bytes;
            if (!run->is_large && !is_late(&runs->limits, run))
                continue;
            run->late_at = seconds_now();
        }
        double late = seconds_now() - run->late_at;
        int ends = run->is_large || late > GRACE ? TOO_LONG : END_NOW;
        kill(run->process, late > GRACE + SECONDS_TO_TELL ? SIGKILL : ends);
    }
}

static void give_back(struct runs *runs, struct checked_run *run)
{
    run->process = 0;
    runs->busy--;
}

static void abandon_all(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct checked_run *run = &runs->places[i];
        if (run->process <= 0)
            continue;
        kill(-run->process, SIGKILL);
        kill(run->process, SIGKILL);
        waitpid(run->process, NULL, 0);
        give_back(runs, run);
    }
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* Tells a terminal, once in a second, how many runs have ended and how much time has been spent. */
static void tell_progress(struct runs *runs)
{
    double now = seconds_now();
    runs->ended++;
    if (!isatty(STDERR_FILENO) || now - (runs->told > 0 ? runs->told : runs->began) < 1)
        return;
    runs->told = now;
    fprintf(stderr, "\r\033[Kgpusync-check: %zu runs, %.0f of at most %.0f s of processor time (--seconds)",
            runs->ended, runs_seconds(runs), runs->seconds);
    fflush(stderr);
}

bool runs_wait(struct runs *runs, struct setting *setting, struct run_outcome *outcome)
{
    for (; runs->busy; checked_program_wait()) {
        int status;
        struct rusage used;
        pid_t ended = wait4(-1, &status, WNOHANG, &used);
        struct checked_run *run = ended > 0 ? place_of(runs, ended) : NULL;
        if (run) {
            note_seconds(runs, run, seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime));
            kill(-ended, SIGKILL); /* ends the processes that the program has started and left running */
            size_t bytes = (size_t)used.ru_maxrss * 1024;
            runs->largest = bytes > runs->largest ? bytes : runs->largest;
            read_outcome(run, status, outcome);
            *setting = run->setting;
            give_back(runs, run);
            tell_progress(runs);
            return true;
        }
        if (runs->abandon_at > 0 && runs_seconds(runs) > runs->abandon_at)
            abandon_all(runs);
        kill_excessive(runs);
    }
    return false;
}
