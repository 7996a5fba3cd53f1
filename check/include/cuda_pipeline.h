/* The functions that copy into shared memory by cp.async (CUDA C++ Programming Guide, "Pipeline Primitives
 * Interface"). */
#ifndef GPUSYNC_CHECK_CUDA_PIPELINE_H
#define GPUSYNC_CHECK_CUDA_PIPELINE_H

CHECK_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    machine_copy_small(to, from, (unsigned)bytes, (unsigned)(bytes - zeros));
}
CHECK_DEVICE void __pipeline_commit()
{
    machine_copies_commit(0);
}
CHECK_DEVICE void __pipeline_wait_prior(size_t left)
{
    machine_copies_wait(0, (unsigned)left, 0);
}

#endif
