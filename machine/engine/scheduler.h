/* The event loop, in which kernels run. */
#ifndef MACHINE_SCHEDULER_H
#define MACHINE_SCHEDULER_H

#include "machine/state.h"

/* Starts a kernel at the machine's present time. The caller has checked the launch, and the stream has no
 * kernel in progress. `order` is as in kernels_prepare(); *has_ended is set to true when the kernel ends,
 * and may be NULL. */
void scheduler_begin(const struct machine_launch *launch, const struct machine_stream *stream,
                     const struct task_order *order, bool *has_ended);

/* Runs until the stream's kernel has ended, or all kernels have if `stream` is NULL, and advances the
 * machine's clock to this time. Returns cudaErrorLaunchTimeout after a deadlock, which ends all kernels. */
cudaError_t scheduler_wait(const struct machine_stream *stream);

/* Is there an event of the kernels in progress before this time? */
bool scheduler_is_before(uint64_t time);
/* Runs until a kernel in progress ends, but handles no event from the time `until` on; UINT64_MAX means that
 * there is no limit. The machine's clock does not change. Returns cudaErrorLaunchTimeout after a deadlock,
 * which ends all kernels. With a limit, kernels that only poll are not deadlocked, because the host may then
 * launch a kernel that changes what they poll. */
cudaError_t scheduler_until_end_or(uint64_t until);

/* May another kernel begin now? */
bool scheduler_may_overlap(void);
/* Runs until a kernel in progress ends. Returns false if all kernels wait in vain, or if there is none. */
bool scheduler_until_end(void);
/* Describes the deadlock of the kernels in progress, and ends them. */
void scheduler_give_up(void);

#endif
