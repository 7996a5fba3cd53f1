/*
 * Measures how much processor time and memory the simulation of weak memory costs. It measures the time of
 * the kernel of micro/barrier/payload.cuh, with each grid barrier of the suite and each kind of memory, and
 * the memory that is needed for a kernel that writes and reads all of its data. Each run is a process of its
 * own, whose time and memory the operating system reports; the least time and the least memory of three runs
 * count. Prints JSON:
 *
 *     build/machine/bench/weak_memory >results/reference/memory-machine/weak-memory/cost.json
 */
#include "base/failure.h"
#include "harness/device.h"
#include "harness/options.h"
#include "tests/trial.cuh"

#include "revision.h"
#include "machine/machine.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const memories[] = {"coherent", "l1", "oldest", "random"};
static const unsigned blocks = 132, threads = 64;
static const int rounds = 30, repeats = 3;
static const size_t data_words = 4 << 20;

struct cost {
    double seconds;  /* processor time */
    double bytes;    /* the largest amount of memory that the process had at any time */
    double requests; /* number of requests that warps made plus number of atomics that lanes made */
};

/* Runs `work` in a child process on this kind of memory, and returns its cost. */
template <class Work>
static cost cost_of(const char *memory, Work work)
{
    cost least = {1e9, 1e18, 0};
    auto *requests = (volatile double *)mmap(NULL, sizeof(double), PROT_READ | PROT_WRITE,
                                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (requests == MAP_FAILED)
        fail(EXIT_CANNOT, "no memory that processes share");
    for (int i = 0; i < repeats; i++) {
        struct rusage used;
        int status;
        fflush(stdout);
        pid_t child = fork();
        if (child < 0)
            fail(EXIT_CANNOT, "no process can be made");
        if (child == 0) {
            machine_memory kind;
            if (!machine_memory_of(memory, &kind))
                _exit(1);
            machine_set_memory(kind);
            work();
            const machine_counters *counters = machine_get_counters();
            *requests = (double)(counters->requests + counters->atomics);
            _exit(0);
        }
        if (wait4(child, &status, 0, &used) != child || status)
            fail(EXIT_WRONG_RESULT, "a run failed");
        double seconds = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
        double bytes = 1024.0 * (double)used.ru_maxrss;
        least.seconds = seconds < least.seconds ? seconds : least.seconds;
        least.bytes = bytes < least.bytes ? bytes : least.bytes;
    }
    least.requests = *requests;
    munmap((void *)requests, sizeof(double));
    return least;
}

static __global__ void write_and_read(unsigned *data, size_t words)
{
    size_t all = (size_t)blocks_in_grid() * threads_in_block();
    for (size_t i = (size_t)block_in_grid() * threads_in_block() + thread_in_block(); i < words; i += all)
        data[i] = data[i] + 1;
}

static void use_all_data()
{
    unsigned *data;
    CHECK(cudaMalloc((void **)&data, data_words * sizeof *data));
    CHECK(cudaMemset(data, 0, data_words * sizeof *data));
    launch_shape shape = {blocks, threads, 0, false, false};
    CHECK(launch(write_and_read, shape, harness_stream(), data, data_words));
    wait_for_device();
}

static void print_barriers()
{
    const char *comma = "";
    for (const struct variant &v : sync_variants) {
        if (!v.resident)
            continue;
        sync_id method = (sync_id)v.id;
        with_barrier(method, [&](auto barrier) {
            for (const char *memory : memories) {
                cost c = cost_of(memory, [&] {
                    trial_shape t = {{blocks, blocks}, threads, 1, START_ZERO};
                    if (run_trial<decltype(barrier)>(t, method, rounds, 1) < 0)
                        _exit(1);
                });
                printf("%s\n  [\"%s\", %s, \"%s\", %.3f, %.0f]", comma, v.name, v.ordered ? "true" : "false",
                       memory, c.seconds, c.requests);
                comma = ",";
            }
        });
    }
}

static void print_memory()
{
    const char *comma = "";
    double data = (double)(data_words * sizeof(unsigned)), coherent = 0;
    for (const char *memory : memories) {
        cost c = cost_of(memory, use_all_data);
        coherent = memory == memories[0] ? c.bytes : coherent;
        printf("%s\n  [\"%s\", %.0f, %.0f]", comma, memory, data, data + c.bytes - coherent);
        comma = ",";
    }
}

int main()
{
    set_program_name("weak_memory");
    options options = {};
    options.device = "h100";
    device device;
    open_device(&options, &device);
    printf("{\"schema\": 1, \"revision\": \"%s\", \"blocks\": %u, \"threads\": %u, \"rounds\": %d,\n",
           GPUSYNC_REVISION, blocks, threads, rounds);
    printf("\"barrier_columns\": [\"barrier\", \"ordered\", \"memory\", \"seconds\", "
           "\"requests\"],\n\"barriers\": [");
    print_barriers();
    printf("],\n\"memory_columns\": [\"memory\", \"data\", \"bytes\"],\n\"memory\": [");
    print_memory();
    printf("]}\n");
    return 0;
}
