/*
 * Declares functions of the CUDA runtime that the machine does not have, so that the compiler refuses a
 * program that calls one, at the line of the call and with the reason. The types are declared here, because a
 * program may use them without calling such a function.
 */
#ifndef GPUSYNC_CHECK_REFUSED_H
#define GPUSYNC_CHECK_REFUSED_H

/* The compiler's message for a call of such a function. Its attribute `error` makes each call that is
 * compiled an error at the call's line. */
#define NOT_THERE(what, name) what " (" #name ") are not there"
#define REFUSED(what, name) extern void gpusync_no_##name() __attribute__((error(NOT_THERE(what, name))));
#define REFUSED_READ(what, name)                                                                             \
    REFUSED(what, name)                                                                                      \
    template <class T, class... Arguments>                                                                   \
    CHECK_DEVICE T name(Arguments...)                                                                        \
    {                                                                                                        \
        gpusync_no_##name();                                                                                 \
        return T();                                                                                          \
    }
#define REFUSED_CALL(what, name)                                                                             \
    REFUSED(what, name)                                                                                      \
    template <class... Arguments>                                                                            \
    CHECK_METHOD cudaError_t name(Arguments...)                                                              \
    {                                                                                                        \
        gpusync_no_##name();                                                                                 \
        return cudaErrorNotSupported;                                                                        \
    }

#define LEVELS "levels and gathers of textures"
REFUSED_READ(LEVELS, tex1DLod)
REFUSED_READ(LEVELS, tex2DLod)
REFUSED_READ(LEVELS, tex3DLod)
REFUSED_READ(LEVELS, tex1DGrad)
REFUSED_READ(LEVELS, tex2DGrad)
REFUSED_READ(LEVELS, tex3DGrad)
REFUSED_READ(LEVELS, tex2Dgather)
REFUSED_CALL(LEVELS, cudaMallocMipmappedArray)
REFUSED_CALL(LEVELS, cudaGetMipmappedArrayLevel)
REFUSED_CALL(LEVELS, cudaFreeMipmappedArray)

struct cudaIpcMemHandle_t {
    char reserved[64];
};
struct cudaIpcEventHandle_t {
    char reserved[64];
};
enum { cudaIpcMemLazyEnablePeerAccess = 1 };
#define PROCESSES "memory and events that processes share"
REFUSED_CALL(PROCESSES, cudaIpcGetMemHandle)
REFUSED_CALL(PROCESSES, cudaIpcOpenMemHandle)
REFUSED_CALL(PROCESSES, cudaIpcCloseMemHandle)
REFUSED_CALL(PROCESSES, cudaIpcGetEventHandle)
REFUSED_CALL(PROCESSES, cudaIpcOpenEventHandle)

#undef LEVELS
#undef PROCESSES
#undef NOT_THERE
#undef REFUSED
#undef REFUSED_READ
#undef REFUSED_CALL

#endif
