/* This header is empty: gpusync/cuda.h, which every program includes first, declares what nvcc's header of
 * this name does. */
