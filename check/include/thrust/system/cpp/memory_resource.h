/* Allocates the memory of Thrust's device vectors. Thrust's algorithms run on the host, and the program's
 * kernels on the machine, so both must be able to access this memory. */
#ifndef GPUSYNC_CHECK_THRUST_MEMORY_RESOURCE_H
#define GPUSYNC_CHECK_THRUST_MEMORY_RESOURCE_H

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system_error.h> /* CUDA's version of this header includes it, too */

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cpp
{
namespace detail
{
struct machine_resource final : thrust::mr::memory_resource<> {
    void *do_allocate(::std::size_t bytes, ::std::size_t) override
    {
        void *memory = nullptr;
        if (machine_malloc_in_order(&memory, bytes) != cudaSuccess)
            throw ::std::bad_alloc();
        return memory;
    }
    void do_deallocate(void *memory, ::std::size_t, ::std::size_t) override { cudaFreeHost(memory); }
};
using native_resource = thrust::mr::fancy_pointer_resource<machine_resource, thrust::cpp::pointer<void>>;
using universal_native_resource =
    thrust::mr::fancy_pointer_resource<machine_resource, thrust::cpp::universal_pointer<void>>;
} // namespace detail

using memory_resource = detail::native_resource;
using universal_memory_resource = detail::universal_native_resource;
using universal_host_pinned_memory_resource = universal_memory_resource;
} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END

#endif
