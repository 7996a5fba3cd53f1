/* The functions of the CUDA runtime that machine/runtime_api.h lacks: launches by `<<<>>>`, functions that
 * are also templates in CUDA, and functions that return properties of a device. */
#ifndef GPUSYNC_CHECK_RUNTIME_H
#define GPUSYNC_CHECK_RUNTIME_H

#include <tuple>
#include <type_traits>
#include <utility>

namespace gpusync_check
{
constexpr unsigned product(unsigned x = 1, unsigned y = 1, unsigned z = 1)
{
    return x * y * z;
}

/* The type of a variable that the program declares outside of functions as `extern __shared__ T name[]`.
 * check/rewrite gives it this type, which converts to a pointer to the block's dynamic shared memory. */
template <class T>
struct dynamic_array {
    CHECK_METHOD operator T *() const { return (T *)machine_dynamic_shared(); }
};

/* A kernel together with its arguments; each thread of a launch calls it. The host has converted the
 * arguments to the types of the kernel's parameters. */
template <class Kernel, class... Parameters>
struct call {
    Kernel kernel;
    std::tuple<Parameters...> arguments;
    void operator()() const { std::apply(kernel, arguments); }
};
/* Can a kernel's parameter get this argument? A pointer can also get the number 0, which stands for NULL. */
template <class Parameter, class Argument>
constexpr bool fits = std::is_convertible_v<Argument, Parameter> ||
                      (std::is_pointer_v<Parameter> && std::is_integral_v<std::decay_t<Argument>>);
template <class Parameter, class Argument>
Parameter as_parameter(Argument &&argument)
{
    if constexpr (std::is_convertible_v<Argument &&, Parameter>)
        return static_cast<Parameter>(argument);
    else
        return (Parameter)(uintptr_t)argument;
}
template <class... Parameters, class... Arguments>
call<void (*)(Parameters...), std::decay_t<Parameters>...>
typed(void (*kernel)(Parameters...),
      Arguments &&...arguments) requires(sizeof...(Parameters) == sizeof...(Arguments) &&
                                         (fits<std::decay_t<Parameters>, Arguments &&> && ...))
{
    return {kernel, {as_parameter<std::decay_t<Parameters>>(arguments)...}};
}
/* Returns the `call` of a kernel template. The compiler deduces the template's arguments from the arguments
 * of the launch. */
template <class Kernel, class... Arguments>
call<Kernel, std::decay_t<Arguments>...> deduced(Kernel kernel, Arguments &&...arguments)
{
    return {kernel, {arguments...}};
}

/* A launch. check/rewrite rewrites kernel<<<grid, block, bytes, stream>>>(arguments) as
 * launch(...)(arguments), and `make` makes a struct call of the kernel and the arguments. */
template <class Make>
struct launcher {
    Make make;
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    const char *name;
    /* number of blocks in a cluster, from the kernel's __cluster_dims__; 0 means that it has no clusters */
    unsigned cluster;

    /* always inlined, so that a report names the program's line */
    template <class... Arguments>
    CHECK_METHOD void operator()(Arguments &&...arguments) const
    {
        if (machine_is_running()) {
            fprintf(stderr, "a kernel launches %s: launches by kernels (dynamic parallelism) are not there\n",
                    name);
            abort();
        }
        auto closure = make(arguments...);
        machine_launch launch = machine_launch_of(closure, nullptr, grid, block, shared_bytes);
        launch.name = name;
        if constexpr (std::is_pointer_v<decltype(closure.kernel)>)
            launch.kernel = (const void *)closure.kernel;
        launch.cluster = cluster;
        machine_launch_kernel(&launch, stream);
    }
};
template <class Make>
launcher<Make> launch(const char *name, unsigned cluster, Make make, dim3 grid, dim3 block,
                      size_t shared_bytes = 0, cudaStream_t stream = nullptr)
{
    return {make, grid, block, shared_bytes, stream, name, cluster};
}

/* Launches a kernel whose arguments are given as an array of pointers to them. */
template <class... Parameters, size_t... I>
CHECK_METHOD cudaError_t launch_array(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                                      size_t bytes, cudaStream_t stream, int cooperative,
                                      std::index_sequence<I...>)
{
    std::tuple<std::decay_t<Parameters>...> copy{*(std::decay_t<Parameters> *)arguments[I]...};
    auto closure = [kernel, copy] { std::apply(kernel, copy); };
    machine_launch launch = machine_launch_of(closure, (const void *)kernel, grid, block, bytes);
    launch.cooperative = cooperative;
    return machine_launch_kernel(&launch, stream);
}
} // namespace gpusync_check

template <class... Parameters>
CHECK_METHOD cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                                     void **arguments, size_t bytes = 0,
                                                     cudaStream_t stream = nullptr)
{
    return gpusync_check::launch_array(kernel, grid, block, arguments, bytes, stream, 1,
                                       std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
CHECK_METHOD cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                          void **arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    return gpusync_check::launch_array(kernel, grid, block, arguments, bytes, stream, 0,
                                       std::index_sequence_for<Parameters...>());
}

#include "machine/cuda/graph_calls.h"

#include "gpusync/texture_types.h"
#include "gpusync/memory_calls.h"
#include "gpusync/device_calls.h"
#include "gpusync/textures.h"
#include "gpusync/refused.h"

#include "gpusync/stream_calls.h"
#include "gpusync/graphs.h"

#endif
