/* Opens the device on which a test of synchronization runs. */
#ifndef TESTS_WEAK_DEVICE_H
#define TESTS_WEAK_DEVICE_H

#include "base/failure.h"
#include "harness/device.h"
#include "harness/memory.h"
#include "harness/options.h"

/* Opens the GPU of this computer or, for the memory machine, an H100 with the oldest values that PTX allows,
 * an adversarial schedule and reports of races. Returns the device. `name` is the test's name, for
 * messages. */
static inline device open_weak_device(const char *name)
{
    static options options;
    static device opened;
    set_program_name(name);
#ifdef GPUSYNC_MACHINE
    options.device = "h100";
    options.memory = "oldest";
    options.schedule = "adversarial";
    options.races = true;
#endif
    open_device(&options, &opened);
    return opened;
}

/* An array of the device, each byte of which is `fill` at the beginning. */
template <class T>
struct device_array {
    T *at = NULL;
    size_t bytes;
    explicit device_array(size_t count, int fill = 0) : bytes(count * sizeof(T))
    {
        allocate_on_device(at, bytes);
        set(fill);
    }
    device_array(const device_array &) = delete;
    ~device_array() { CHECK(cudaFree(at)); }
    operator T *() const { return at; }
    void set(int fill) { CHECK(cudaMemset(at, fill, bytes)); }
    void copy_to(T *host) const { CHECK(cudaMemcpy(host, at, bytes, cudaMemcpyDeviceToHost)); }
    void copy_from(const T *host) { CHECK(cudaMemcpy(at, host, bytes, cudaMemcpyHostToDevice)); }
};

#endif
