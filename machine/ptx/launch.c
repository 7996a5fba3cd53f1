#include "machine/ptx/lines.h"
#include "machine/ptx/program.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void never(const void *closure)
{
    (void)closure;
}

cudaError_t ptx_launch(struct ptx_function *kernel, void *const *arguments, struct machine_launch launch,
                       cudaStream_t stream)
{
    struct ptx_program *program = ptx_program_of(kernel);
    unsigned char *closure = allocate(kernel->parameter_bytes + 1);
    for (unsigned p = 0; p < kernel->parameter_count; p++)
        memcpy(closure + kernel->parameters[p].offset, arguments[p], kernel->parameters[p].bytes);
    launch.body = never;
    launch.kernel = program->routines[0]->code;
    launch.closure = closure;
    launch.closure_bytes = kernel->parameter_bytes;
    launch.program = program;
    launch.shared_bytes += program->static_shared_bytes;
    launch.static_shared_bytes = program->static_shared_bytes;
    if (!launch.cluster && kernel->required_cluster[0]) {
        launch.cluster_extent = (struct machine_index){kernel->required_cluster[0], kernel->required_cluster[1], kernel->required_cluster[2]};
        launch.cluster = kernel->required_cluster[0] * kernel->required_cluster[1] * kernel->required_cluster[2];
    }
    launch.name = launch.name ? launch.name : ptx_shown_name(kernel);
    cudaError_t error = machine_launch_kernel(&launch, stream);
    free(closure);
    return error;
}
