#include "micro/barrier/part.h"
#include "harness/check.h"

#ifdef GPUSYNC_MACHINE

static cudaStream_t stream;

bool part_is_possible(void)
{
    return true;
}

unsigned part_open(unsigned most)
{
    need_library("green contexts", true, ""); /* this succeeds on the machine, unless a test makes it fail */
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    machine_confine_stream(stream, most);
    return most;
}

void part_enter(void) {}
void part_leave(void) {}

void part_close(void)
{
    CHECK(cudaStreamDestroy(stream));
}

cudaStream_t part_stream(void)
{
    return stream;
}

#elif CUDART_VERSION >= 12050

#include <cuda.h>
#include <stdio.h>

/* Pointers to functions of the CUDA driver, which are looked up at run time, so that no program is linked
 * with the driver. */
static struct {
    CUresult (*device_resource)(CUdevice, CUdevResource *, CUdevResourceType);
    CUresult (*split)(CUdevResource *, unsigned *, const CUdevResource *, CUdevResource *, unsigned,
                      unsigned);
    CUresult (*describe)(CUdevResourceDesc *, CUdevResource *, unsigned);
    CUresult (*create)(CUgreenCtx *, CUdevResourceDesc, CUdevice, unsigned);
    CUresult (*destroy)(CUgreenCtx);
    CUresult (*create_stream)(CUstream *, CUgreenCtx, unsigned, int);
    CUresult (*context_of)(CUcontext *, CUgreenCtx);
    CUresult (*push)(CUcontext);
    CUresult (*pop)(CUcontext *);
} driver;

static CUgreenCtx part;
static CUcontext context;
static CUstream stream;

/* Stores the address of the driver's function with this name. Returns false if the driver has none. */
static bool find(const char *name, void **function)
{
    enum cudaDriverEntryPointQueryResult state = cudaDriverEntryPointSymbolNotFound;
    cudaError_t error = cudaGetDriverEntryPointByVersion(name, function, 12050, cudaEnableDefault, &state);
    return error == cudaSuccess && state == cudaDriverEntryPointSuccess;
}

bool part_is_possible(void)
{
    return find("cuDeviceGetDevResource", (void **)&driver.device_resource) &&
           find("cuDevSmResourceSplitByCount", (void **)&driver.split) &&
           find("cuDevResourceGenerateDesc", (void **)&driver.describe) &&
           find("cuGreenCtxCreate", (void **)&driver.create) &&
           find("cuGreenCtxDestroy", (void **)&driver.destroy) &&
           find("cuGreenCtxStreamCreate", (void **)&driver.create_stream) &&
           find("cuCtxFromGreenCtx", (void **)&driver.context_of) &&
           find("cuCtxPushCurrent", (void **)&driver.push) && find("cuCtxPopCurrent", (void **)&driver.pop);
}

static void check_driver(CUresult result, const char *call)
{
    char reason[REASON_BYTES];
    snprintf(reason, sizeof reason, "%s: error %d of the driver", call, (int)result);
    need_library("green contexts", result == CUDA_SUCCESS, reason);
}
#define CHECK_DRIVER(call) check_driver((call), #call)

unsigned part_open(unsigned most)
{
    int device;
    unsigned groups = 1;
    CUdevResource all, group, rest;
    CUdevResourceDesc description;
    CHECK(cudaGetDevice(&device));
    CHECK_DRIVER(driver.device_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    /* rounds the number of multiprocessors down, since the driver would round it up */
    unsigned step = all.sm.smCoscheduledAlignment ? all.sm.smCoscheduledAlignment : 1;
    unsigned wanted = most / step * step;
    if (wanted < all.sm.minSmPartitionSize || wanted == 0)
        return 0;
    CHECK_DRIVER(driver.split(&group, &groups, &all, &rest, 0, wanted));
    CHECK_DRIVER(driver.describe(&description, &group, 1));
    CHECK_DRIVER(driver.create(&part, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
    CHECK_DRIVER(driver.create_stream(&stream, part, CU_STREAM_NON_BLOCKING, 0));
    CHECK_DRIVER(driver.context_of(&context, part));
    return group.sm.smCount;
}

cudaStream_t part_stream(void)
{
    return stream;
}

void part_enter(void)
{
    CHECK_DRIVER(driver.push(context));
}
void part_leave(void)
{
    CUcontext left;
    CHECK_DRIVER(driver.pop(&left));
}

void part_close(void)
{
    CHECK(cudaStreamDestroy(stream));
    CHECK_DRIVER(driver.destroy(part));
}

#else

bool part_is_possible(void)
{
    return false;
}
unsigned part_open(unsigned most)
{
    (void)most;
    return 0;
}
cudaStream_t part_stream(void)
{
    return NULL;
}
void part_enter(void) {}
void part_leave(void) {}
void part_close(void) {}

#endif
