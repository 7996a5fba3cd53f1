/* Comes before the first line of a file that is not CUDA (.cpp), after gpusync/cuda.h: what nvcc defines
 * in CUDA files alone is undefined here. */
#undef __CUDACC__
#undef __CUDA_ARCH__
#undef __CUDACC_VER_MAJOR__
#undef __CUDACC_VER_MINOR__
