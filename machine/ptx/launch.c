#include "machine/ptx.h"
#include "machine/ptx/program.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/engine/groups.h"
#include "machine/ptx/builtin.h"
#include "machine/ptx/warp.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- addresses without memory ---- */

#define MOST_BYTES 16 /* size of the largest access of a lane */

/* Ends the process with a message that names the line of the access, if a lane of a kernel has made it. */
static void end_at_address(int number, siginfo_t *info, void *context)
{
    const uintptr_t address = (uintptr_t)info->si_addr;
    struct warp *warp = ptx_running_warp;
    char what[64];
    (void)context;
    signal(number,
           SIG_DFL); /* this access, or a second one on the way to the message, then ends the process */
    if (warp)
        together_end(warp);
    for (unsigned l = 0; warp && l < PTX_LANES; l++)
        if (address - warp->lanes[l].address < MOST_BYTES && warp->lanes[l].instruction) {
            running.warp = warp;
            running.lane = l;
            snprintf(what, sizeof what, "accesses %#llx, where no memory is", (unsigned long long)address);
            ptx_fault(what, SIGSEGV, warp->lanes[l].instruction);
        }
}

/* Whoever has a handler of their own, such as a sanitizer, keeps it. */
static void catch_addresses(void)
{
    static bool is_done;
    struct sigaction before, own = {.sa_sigaction = end_at_address, .sa_flags = SA_SIGINFO};
    if (is_done)
        return;
    is_done = true;
    if (sigaction(SIGSEGV, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGSEGV, &own, NULL);
}

/* ---- launches ---- */

size_t ptx_static_shared_bytes(const struct ptx_program *program)
{
    return program ? program->static_shared_bytes : 0;
}

cudaError_t ptx_launch(struct ptx_function *kernel, void *const *arguments, struct machine_launch launch,
                       cudaStream_t stream)
{
    const struct machine_description *d = &the_machine.description;
    if (d->warp_size > PTX_LANES)
        fail(EXIT_CANNOT,
             "kernels that nvcc has compiled are for warps of at most %d threads; those of %s have %d",
             PTX_LANES, d->name, d->warp_size);
    catch_addresses();
    struct ptx_program *program = ptx_program_of(kernel);
    uint64_t instructions = 0;
    for (size_t r = 0; r < program->routine_count; r++)
        instructions += program->routines[r]->count;
    if (instructions > the_machine.uses.instructions)
        the_machine.uses.instructions = instructions;
    unsigned char *closure = allocate(kernel->parameter_bytes + 1);
    for (unsigned p = 0; p < kernel->parameter_count; p++)
        memcpy(closure + kernel->parameters[p].offset, arguments[p], kernel->parameters[p].bytes);
    launch.closure = closure;
    launch.closure_bytes = kernel->parameter_bytes;
    launch.program = program;
    launch.shared_bytes += program->static_shared_bytes;
    launch.name = launch.name ? launch.name : ptx_shown_name(kernel);
    cudaError_t error = machine_launch_kernel(&launch, stream);
    free(closure);
    return error;
}
