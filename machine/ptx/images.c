/* One file because a launch finds its kernel, and the kernel's limits, among the images. */
#include "machine/ptx/images.h"
#include "base/failure.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/cuda/one_thread.h"
#include "machine/engine/groups.h"
#include "machine/memory/arrays.h"
#include "machine/ptx.h"
#include "machine/ptx/fat_binary.h"
#include "machine/ptx/program.h"
#include "machine/ptx/warp.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- images ---- */

/* The oldest compute capability for which nvcc 13 makes machine code. From this capability on, the costs
 * of instructions come from the machine code for sm_90. */
#define OLDEST_CAPABILITY 75

struct ptx_image {
    const void *const *parts; /* fat binaries, or one PTX text */
    size_t part_count;
    const void *data;          /* the only part of an image that is not linked */
    struct ptx_module *module; /* the first of the linked modules; NULL until they are read */
    bool is_of_program;        /* was it registered by the program itself? */
};

static struct ptx_kernel *kernels;
/* The kernels by what may name them: the host's stub, or the kernel's own address. */
struct handle {
    const void *address;
    struct ptx_kernel *kernel; /* NULL if the kernel was freed */
};
static struct map handles = MAP(struct handle, address);

static struct symbol {
    const void *host; /* the address by which the host names the variable */
    const char *name; /* the variable's name in PTX */
    void **managed;   /* for a managed variable: the pointer by which the host finds it; NULL for others */
    struct ptx_image *image;
    struct symbol *next;
} * symbols;

struct ptx_image *ptx_image_of(const void *data)
{
    struct ptx_image *image = allocate(sizeof *image);
    image->data = data;
    image->parts = &image->data;
    image->part_count = 1;
    return image;
}

static cudaError_t refuse(const struct ptx_image *image, cudaError_t error, const char *message)
{
    const char *program = program_invocation_short_name;
    if (image->is_of_program)
        fail(EXIT_CANNOT, "%s %s", program, message);
    fprintf(stderr, "a module that %s loads %s\n", program, message);
    return error;
}

cudaError_t ptx_image_read(struct ptx_image *image)
{
    ONE_THREAD
    char message[1024], text[1100];
    if (image->module)
        return cudaSuccess;
    struct ptx_text ptx[image->part_count + 1];
    for (size_t i = 0; i < image->part_count; i++) {
        ptx[i] = fat_binary_text(image->parts[i], FAT_BINARY_PTX);
        if (!ptx[i].text)
            return refuse(image, cudaErrorInvalidKernelImage,
                          "has no uncompressed PTX: compile with nvcc -gencode "
                          "arch=compute_90,code=compute_90 --no-compress");
    }
    image->module = ptx_modules_read(ptx, image->part_count, program_invocation_short_name, true, message,
                                     sizeof message);
    bool has_code = machine_installed()->compute_capability >= OLDEST_CAPABILITY;
    size_t part = 0;
    for (struct ptx_module *m = has_code ? image->module : NULL; m; m = m->next)
        m->cubin = fat_binary_text(image->parts[part++], FAT_BINARY_CUBIN);
    if (image->module)
        return cudaSuccess;
    snprintf(text, sizeof text, "has PTX that cannot be read: %s", message);
    return refuse(image, cudaErrorInvalidPtx, text);
}

/* ---- kernels and variables ---- */

static void set_handle(const void *address, struct ptx_kernel *kernel)
{
    struct handle *handle = map_get(&handles, &address);
    handle->kernel = kernel;
}

static struct ptx_kernel *add_kernel(struct ptx_image *image, const void *stub, const char *name)
{
    struct ptx_kernel *kernel = allocate(sizeof *kernel);
    *kernel = (struct ptx_kernel){
        .stub = stub, .name = name, .image = image, .dynamic_shared = -1, .registers = -1, .next = kernels};
    set_handle(kernel, kernel);
    if (stub)
        set_handle(stub, kernel);
    return kernels = kernel;
}

struct ptx_kernel *ptx_kernel_of(const void *function)
{
    const struct handle *handle = map_find(&handles, &function);
    return handle ? handle->kernel : NULL;
}

/* Finds a function of an image that has been read. */
static struct ptx_function *find_function(const struct ptx_image *image, const char *name)
{
    struct ptx_function *function = NULL;
    for (const struct ptx_module *m = image->module; m && !function; m = m->next)
        function = ptx_function_find(m, name);
    return function;
}

cudaError_t ptx_kernel_named(struct ptx_image *image, const char *name, struct ptx_kernel **kernel)
{
    ONE_THREAD
    cudaError_t error = ptx_image_read(image);
    if (error != cudaSuccess)
        return error;
    struct ptx_function *function = find_function(image, name);
    if (!function || !function->is_kernel)
        return cudaErrorSymbolNotFound;
    for (*kernel = kernels; *kernel; *kernel = (*kernel)->next)
        if ((*kernel)->image == image && !strcmp((*kernel)->name, name))
            return cudaSuccess;
    *kernel = add_kernel(image, NULL, function->name);
    return cudaSuccess;
}

cudaError_t ptx_variable_named(struct ptx_image *image, const char *name, void **memory, size_t *bytes)
{
    cudaError_t error = ptx_image_read(image);
    const struct ptx_variable *variable = NULL;
    for (const struct ptx_module *m = error == cudaSuccess ? image->module : NULL; m && !variable;
         m = m->next)
        variable = ptx_variable_find(m, name);
    if (error == cudaSuccess && !variable)
        return cudaErrorSymbolNotFound;
    if (variable && memory)
        *memory = variable->memory;
    if (variable && bytes)
        *bytes = variable->bytes;
    return error;
}

/* A module's kernels and memory are freed with it, after the launches so far. */
void ptx_image_end(struct ptx_image *image)
{
    ONE_THREAD
    if (image->module)
        cudaDeviceSynchronize();
    for (struct ptx_kernel **at = &kernels, *kernel; (kernel = *at);) {
        if (kernel->image != image) {
            at = &kernel->next;
            continue;
        }
        set_handle(kernel, NULL);
        if (kernel->stub)
            set_handle(kernel->stub, NULL);
        *at = kernel->next;
        free(kernel);
    }
    if (image->module)
        ptx_modules_free(image->module);
    free(image);
}

struct ptx_function *ptx_function_of(struct ptx_kernel *kernel)
{
    if (kernel && !kernel->function && ptx_image_read(kernel->image) == cudaSuccess)
        kernel->function = find_function(kernel->image, kernel->name);
    return kernel ? kernel->function : NULL;
}

cudaError_t ptx_symbol(const void *host, void **memory, size_t *bytes)
{
    for (const struct symbol *s = symbols; s && host; s = s->next)
        if (s->host == host || (s->managed && *s->managed == host))
            return ptx_variable_named(s->image, s->name, memory, bytes) == cudaSuccess
                       ? cudaSuccess
                       : cudaErrorInvalidSymbol;
    return cudaErrorInvalidSymbol;
}

static unsigned registers_of(struct ptx_kernel *kernel)
{
    const struct ptx_function *function = kernel->registers < 0 ? ptx_function_of(kernel) : NULL;
    if (function)
        kernel->registers = (int)cubin_registers(function->module->cubin, kernel->name);
    return kernel->registers < 0 ? 0 : (unsigned)kernel->registers;
}

unsigned ptx_registers_of(const void *function)
{
    struct ptx_kernel *kernel = ptx_kernel_of(function);
    return kernel ? registers_of(kernel) : 0;
}

size_t ptx_static_shared(const void *function)
{
    struct ptx_function *found = ptx_function_of(ptx_kernel_of(function));
    return found ? ptx_program_of(found)->static_shared_bytes : 0;
}

/* Without cudaFuncSetAttribute(), a block has at most 48 KiB of shared memory. */
size_t ptx_most_dynamic_shared(struct ptx_kernel *kernel)
{
    const size_t usual = 48 << 10;
    size_t fixed = ptx_static_shared(kernel);
    return kernel->dynamic_shared >= 0 ? (size_t)kernel->dynamic_shared : usual > fixed ? usual - fixed : 0;
}

bool ptx_unlaunched(char *text, size_t size)
{
    size_t used = 0, more = 0;
    *text = '\0';
    for (const struct ptx_kernel *k = kernels, *first; k; k = k->next) {
        for (first = kernels; first->image != k->image; first = first->next) {
        }
        /* an image that has several kernels is visited only at its first one */
        for (const struct ptx_module *m = first == k ? k->image->module : NULL; m; m = m->next)
            for (struct ptx_function *f = m->functions; f < m->functions + m->function_count; f++) {
                bool is_of_library = strstr(f->name, "N3cub") || strstr(f->name, "N6thrust");
                if (!f->is_kernel || f->program || is_of_library)
                    continue;
                if (used + strlen(ptx_shown_name(f)) + 3 < size)
                    used += (size_t)sprintf(text + used, "%s%s", used ? ", " : "", ptx_shown_name(f));
                else
                    more++;
            }
    }
    if (more && used + 24 < size)
        snprintf(text + used, size - used, " and %zu more", more);
    return kernels;
}

/* ---- addresses without memory ---- */

#define MOST_BYTES 16 /* size of the largest access of a lane */

/* Ends the process with a message that names the line of the access, if a lane of a kernel has made it. */
static void end_at_address(int number, siginfo_t *info, void *context)
{
    const uintptr_t address = (uintptr_t)info->si_addr;
    struct warp *warp = ptx_running_warp;
    char what[64];
    (void)context;
    /* From now on the signal ends the process: if this function returns, the access is repeated; and finding
     * the message's text may make another wrong access. */
    signal(number, SIG_DFL);
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

/* Installs the handler of invalid addresses unless the program, or a sanitizer, has its own handler. */
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

/* The launches that `<<<>>>` has begun: evaluating an argument can make another launch. */
static _Thread_local struct configuration {
    struct machine_index grid, block;
    size_t bytes;
    cudaStream_t stream;
    const void *site;
} * configurations;
static _Thread_local size_t configuration_count;
static _Thread_local const void *launch_site; /* the `<<<>>>` whose launch comes next, or NULL */

unsigned __cudaPushCallConfiguration(struct machine_index grid, struct machine_index block, size_t bytes,
                                     cudaStream_t stream)
{
    configurations = with_room(configurations, sizeof *configurations, configuration_count, 1);
    configurations[configuration_count++] =
        (struct configuration){grid, block, bytes, stream, __builtin_return_address(0)};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct machine_index *grid, struct machine_index *block, size_t *bytes,
                                       cudaStream_t *stream)
{
    if (!configuration_count)
        return machine_note_error(cudaErrorMissingConfiguration);
    const struct configuration *top = &configurations[--configuration_count];
    *grid = top->grid;
    *block = top->block;
    *bytes = top->bytes;
    *stream = top->stream;
    launch_site = top->site;
    return cudaSuccess;
}

struct machine_launch ptx_launch_of(struct machine_index grid, struct machine_index block, size_t bytes,
                                    const struct cuda_launch_attribute *attributes, unsigned count)
{
    struct machine_launch launch = {.grid = grid, .block = block, .shared_bytes = bytes};
    for (unsigned i = 0; i < count; i++) {
        const struct cuda_launch_attribute *a = &attributes[i];
        if (a->id == LAUNCH_COOPERATIVE)
            launch.cooperative = a->value.is_on;
        else if (a->id == LAUNCH_PROGRAMMATIC)
            launch.programmatic = a->value.is_on;
        else if (a->id == LAUNCH_CLUSTER) {
            launch.cluster = a->value.cluster.x * a->value.cluster.y * a->value.cluster.z;
            launch.cluster_extent = a->value.cluster;
        }
    }
    return launch;
}

/* Returns the error that an H200 gives for a launch outside of its limits. Sets the launch's cluster size to
 * the size that the kernel requires. */
static cudaError_t check(struct ptx_kernel *kernel, const struct ptx_function *function,
                         struct machine_launch *launch)
{
    const unsigned *required = function->required_cluster;
    unsigned cluster = required[0] * required[1] * required[2];
    uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    /* on the abstract machines, a block may have more threads than on a GPU, to hide any latency */
    bool is_gpu = the_machine.description.compute_capability != PURE_CAPABILITY;
    if (!threads || !launch->grid.x || !launch->grid.y || !launch->grid.z)
        return cudaErrorInvalidConfiguration;
    if ((is_gpu && threads > 1024) || launch->grid.x > INT32_MAX || launch->grid.y > 65535 ||
        launch->grid.z > 65535 || launch->block.z > 64 ||
        (is_gpu && function->most_threads && threads > function->most_threads) ||
        launch->shared_bytes > ptx_most_dynamic_shared(kernel))
        return cudaErrorInvalidValue;
    launch->registers = registers_of(kernel);
    if (!blocks_by_registers(0, (unsigned)threads, launch->registers))
        return cudaErrorLaunchOutOfResources;
    if (cluster && launch->cluster && launch->cluster != cluster)
        return cudaErrorInvalidClusterSize;
    if (cluster) {
        launch->cluster = cluster;
        launch->cluster_extent = (struct machine_index){required[0], required[1], required[2]};
    }
    if (launch->cluster > PORTABLE_CLUSTER && !kernel->has_large_clusters)
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

/* Finds the arguments in the buffer that `extra` names by CU_LAUNCH_PARAM_BUFFER_POINTER, which is 1. */
static bool find_arguments(const struct ptx_function *function, void *const *extra, void **arguments)
{
    char *buffer = NULL;
    for (; *extra; extra += 2)
        if (*extra == (void *)1)
            buffer = extra[1];
    for (unsigned i = 0; i < function->parameter_count; i++)
        arguments[i] = buffer + function->parameters[i].offset;
    return buffer != NULL;
}

size_t ptx_static_shared_bytes(const struct ptx_program *program)
{
    return program->static_shared_bytes;
}

/* Launches a kernel whose arguments are at these addresses, in the order of its parameters. `launch` has the
 * extents and attributes, and the dynamic shared memory alone. */
static cudaError_t launch_function(struct ptx_function *kernel, void *const *arguments,
                                   struct machine_launch launch, cudaStream_t stream)
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

cudaError_t ptx_launch_kernel(struct ptx_kernel *kernel, void *const *arguments, void *const *extra,
                              struct machine_launch launch, cudaStream_t stream, const void *caller)
{
    ONE_THREAD
    struct ptx_function *function = ptx_function_of(kernel);
    const void *site = launch_site ? launch_site : caller;
    launch_site = NULL;
    if (!function)
        return runtime_launch_fails(cudaErrorInvalidDeviceFunction, NULL, site);
    void *found[function->parameter_count + 1];
    bool are_found = !extra || find_arguments(function, extra, found);
    cudaError_t error = are_found ? check(kernel, function, &launch) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return runtime_launch_fails(error, ptx_shown_name(function), site);
    if (!launch.name)
        launch.name = ptx_shown_name(function);
    runtime_launch_site = site;
    error = launch_function(function, extra ? found : arguments, launch, stream);
    runtime_launch_site = NULL;
    return error;
}

/* ---- what nvcc's objects call before main() ---- */

void **__cudaRegisterFatBinary(const struct fat_wrapper *wrapper)
{
    struct ptx_image *image = ptx_image_of(wrapper->data);
    image->is_of_program = true;
    if (wrapper->version == 2 && wrapper->parts && wrapper->parts[0]) {
        image->parts = wrapper->parts;
        for (image->part_count = 1; image->parts[image->part_count];)
            image->part_count++;
    }
    return (void **)image;
}

/* In gpusync-check, each file compiled with nvcc -rdc=true calls this function in place of the registration
 * function of nvcc's linker (tools/check/program.bash). */
void machine_register_linked(void (*registers)(void **handle), const struct fat_wrapper *wrapper,
                             const char *name, void (*see)(void *))
{
    static struct ptx_image *linked;
    static const void **parts;
    (void)name, (void)see;
    if (!linked) {
        linked = ptx_image_of(NULL);
        linked->is_of_program = true;
        linked->part_count = 0;
    }
    parts = with_room(parts, sizeof *parts, linked->part_count, 1);
    parts[linked->part_count++] = wrapper->data;
    linked->parts = parts;
    registers((void **)linked);
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Does nothing: the process ends, and kernels may still run. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name, int threads,
                            void *thread, void *block, void *block_extents, void *grid_extents, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block, (void)block_extents, (void)grid_extents;
    (void)warp;
    add_kernel((struct ptx_image *)handle, stub, name);
}

static void add_symbol(void **handle, const void *host, void **managed, const char *name)
{
    struct symbol *symbol = allocate(sizeof *symbol);
    *symbol = (struct symbol){host, name, managed, (struct ptx_image *)handle, symbols};
    symbols = symbol;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_external,
                       size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)bytes, (void)is_constant, (void)is_global;
    add_symbol(handle, host, NULL, name);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_external,
                              size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)bytes, (void)is_constant, (void)is_global;
    add_symbol(handle, host, host, name);
}

/* Called before the host's first access to a managed variable: sets the pointers to these variables. */
char __cudaInitModule(void **handle)
{
    for (const struct symbol *s = symbols; s; s = s->next) {
        size_t bytes;
        void *memory;
        if (!s->managed || s->image != (struct ptx_image *)handle ||
            ptx_variable_named(s->image, s->name, &memory, &bytes) != cudaSuccess)
            continue;
        if (array_at(memory))
            array_share_with_host(memory);
        else
            machine_host_register(memory, bytes);
        array_set_managed(memory);
        *s->managed = memory;
    }
    return 1;
}
