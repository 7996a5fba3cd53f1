/* SPDX-License-Identifier: MIT */
/*
 * GPUSYNC_REQUIRE_BARRIER(TYPE) stops the compiler, with a sentence that names what is missing, if TYPE is
 * not usable as a grid barrier. Every barrier of sync/ has these members, which all threads of all blocks
 * call in this order:
 *
 *     __device__ void begin(gpusync_grid_barrier memory);    once, before the first sync()
 *     __device__ void sync();                                any number of times
 *     __device__ void end();                                 once, after the last sync()
 *
 * Each thread has an object of the type, made without arguments. The memory is zero before the first launch;
 * each later launch gets it as the preceding launch has left it.
 */
#ifndef GPUSYNC_BARRIER_CONTRACT_CUH
#define GPUSYNC_BARRIER_CONTRACT_CUH

#include "device.cuh"
#include "grid_barrier_memory.h"

#include <type_traits>
#include <utility>

namespace gpusync
{

template <class Barrier, class = void>
struct barrier_has_begin {
    static constexpr bool value = false;
};
template <class Barrier>
struct barrier_has_begin<Barrier, decltype((void)std::declval<Barrier &>().begin(
                                      std::declval<gpusync_grid_barrier>()))> {
    static constexpr bool value = true;
};

template <class Barrier, class = void>
struct barrier_has_sync {
    static constexpr bool value = false;
};
template <class Barrier>
struct barrier_has_sync<Barrier, decltype((void)std::declval<Barrier &>().sync())> {
    static constexpr bool value = true;
};

template <class Barrier, class = void>
struct barrier_has_end {
    static constexpr bool value = false;
};
template <class Barrier>
struct barrier_has_end<Barrier, decltype((void)std::declval<Barrier &>().end())> {
    static constexpr bool value = true;
};

} // namespace gpusync

#define GPUSYNC_BARRIER_LACKS(type, member) type " is no grid barrier: it lacks " member
#define GPUSYNC_REQUIRE_BARRIER_NAMED(name, ...)                                                             \
    static_assert(gpusync::barrier_has_begin<__VA_ARGS__>::value,                                            \
                  GPUSYNC_BARRIER_LACKS(name, "__device__ void begin(gpusync_grid_barrier)"));               \
    static_assert(gpusync::barrier_has_sync<__VA_ARGS__>::value,                                             \
                  GPUSYNC_BARRIER_LACKS(name, "__device__ void sync()"));                                    \
    static_assert(gpusync::barrier_has_end<__VA_ARGS__>::value,                                              \
                  GPUSYNC_BARRIER_LACKS(name, "__device__ void end()"));                                     \
    static_assert(std::is_default_constructible<__VA_ARGS__>::value,                                         \
                  GPUSYNC_BARRIER_LACKS(name, "a constructor without arguments"))
/* The type may contain commas. It is expanded once more, so that a macro can name it. */
#define GPUSYNC_REQUIRE_BARRIER_EXPANDED(...) GPUSYNC_REQUIRE_BARRIER_NAMED(#__VA_ARGS__, __VA_ARGS__)
#define GPUSYNC_REQUIRE_BARRIER(...) GPUSYNC_REQUIRE_BARRIER_EXPANDED(__VA_ARGS__)

#endif
