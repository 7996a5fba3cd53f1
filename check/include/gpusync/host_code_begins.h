/* Between this header and gpusync/host_code_ends.h, headers of the CUDA Toolkit select their code for hosts
 * (nv/target). The machine executes this code in kernels, too, because it computes the same results. There is
 * no include guard, because each of the toolkit's headers is included between the two. */
#include <nv/target>

#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#pragma push_macro("NV_IS_HOST")
#pragma push_macro("NV_IS_DEVICE")
#pragma push_macro("NV_PROVIDES_SM_53")
#pragma push_macro("NV_PROVIDES_SM_70")
#pragma push_macro("NV_PROVIDES_SM_80")
#pragma push_macro("NV_PROVIDES_SM_86")
#pragma push_macro("NV_PROVIDES_SM_89")
#pragma push_macro("NV_PROVIDES_SM_90")
#undef NV_IS_HOST
#undef NV_IS_DEVICE
#undef NV_PROVIDES_SM_53
#undef NV_PROVIDES_SM_70
#undef NV_PROVIDES_SM_80
#undef NV_PROVIDES_SM_86
#undef NV_PROVIDES_SM_89
#undef NV_PROVIDES_SM_90
#define NV_IS_HOST 1
#define NV_IS_DEVICE 0
#define NV_PROVIDES_SM_53 0
#define NV_PROVIDES_SM_70 0
#define NV_PROVIDES_SM_80 0
#define NV_PROVIDES_SM_86 0
#define NV_PROVIDES_SM_89 0
#define NV_PROVIDES_SM_90 1
