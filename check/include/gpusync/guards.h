/*
 * Defines the include guards of those headers of the CUDA Toolkit that the machine's own headers replace.
 * Other headers of the toolkit (cuda_fp16.h, for example) include them by names in quotes, for which the
 * compiler first searches the toolkit's own folder. Because of the guards, these files are then empty.
 */
#ifndef GPUSYNC_CHECK_GUARDS_H
#define GPUSYNC_CHECK_GUARDS_H

#define __BUILTIN_TYPES_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __CUDART_PLATFORM_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_PROFILER_API_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __DRIVER_TYPES_H__
#define __HOST_CONFIG_H__
#define __HOST_DEFINES_H__
#define __MATH_FUNCTIONS_H__
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_30_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_32_INTRINSICS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_INTRINSICS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_HPP__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__
#define _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_HELPERS_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_PIPELINE_HELPERS_H_

/* Words in the declarations of nvcc's headers that have no meaning here. */
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __specialization_static static
#define __NV_SILENCE_HOST_DEPRECATION_BEGIN
#define __NV_SILENCE_HOST_DEPRECATION_END
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#endif
