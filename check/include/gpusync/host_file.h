/* Included in a file that is not CUDA (.cpp) before its first line, after gpusync/cuda.h: undefines what nvcc
 * defines only in CUDA files. */
#undef __CUDACC__
#undef __CUDA_ARCH__
#undef __CUDACC_VER_MAJOR__
#undef __CUDACC_VER_MINOR__
