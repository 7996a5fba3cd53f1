/* The conditions that a GPU measured under, from the driver's management library where it is. */
#ifndef GPUSYNC_MACHINE

#include "harness/check.h"
#include "harness/device.h"

#include <cjson/cJSON.h>
#include <dlfcn.h>
#include <math.h>
#include <time.h>

/* As in nvml.h, which the CUDA Toolkit does not always bring along (NVML API Reference Guide). */
typedef struct card *card_handle;
enum { NVML_SUCCESS = 0, NVML_TEMPERATURE_GPU = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };

/* The library belongs to the driver: a program that is linked with it would not start where there is none. */
static void *library(void)
{
    static void *handle;
    if (!handle)
        handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    return handle;
}

/* The card by its place on the bus: the library counts cards otherwise than the runtime does. */
static bool find_card(void *nvml, card_handle *card)
{
    int (*init)(void), (*by_bus)(const char *, card_handle *);
    char bus[32];
    int device;
    *(void **)&init = dlsym(nvml, "nvmlInit_v2");
    *(void **)&by_bus = dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    return init && by_bus && init() == NVML_SUCCESS && by_bus(bus, card) == NVML_SUCCESS;
}

/* As struct nvmlFieldValue_t, for one field. */
struct field_value {
    unsigned field, scope;
    long long time, latency;
    int type, status;
    union {
        double real;
        unsigned whole;
        unsigned long long long_whole;
    } value;
};
#define FIELD_POWER_INSTANT 186 /* NVML_FI_DEV_POWER_INSTANT, in mW */

double device_power_watts(void)
{
    int (*read)(card_handle, int, struct field_value *);
    void *nvml = library();
    static card_handle card;
    struct field_value power = {.field = FIELD_POWER_INSTANT};
    if (!nvml || (!card && !find_card(nvml, &card)))
        return NAN;
    *(void **)&read = dlsym(nvml, "nvmlDeviceGetFieldValues");
    if (!read || read(card, 1, &power) != NVML_SUCCESS || power.status != NVML_SUCCESS)
        return NAN;
    return 1e-3 * power.value.whole;
}

static void add_time(cJSON *json)
{
    char text[32];
    time_t now = time(NULL);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON_AddStringToObject(json, "time", text);
}

void add_conditions(cJSON *conditions)
{
    int (*temperature)(card_handle, int, unsigned *), (*clock)(card_handle, int, unsigned *);
    int (*power)(card_handle, unsigned *);
    void *nvml = library();
    card_handle card;
    unsigned value;
    if (!nvml || !find_card(nvml, &card))
        return;
    *(void **)&temperature = dlsym(nvml, "nvmlDeviceGetTemperature");
    *(void **)&clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
    *(void **)&power = dlsym(nvml, "nvmlDeviceGetPowerUsage");
    cJSON *json = cJSON_CreateObject();
    add_time(json);
    if (temperature && temperature(card, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
        cJSON_AddNumberToObject(json, "temperature_celsius", value);
    if (clock && clock(card, NVML_CLOCK_SM, &value) == NVML_SUCCESS)
        cJSON_AddNumberToObject(json, "sm_clock_hz", 1e6 * value);
    if (clock && clock(card, NVML_CLOCK_MEM, &value) == NVML_SUCCESS)
        cJSON_AddNumberToObject(json, "memory_clock_hz", 1e6 * value);
    if (power && power(card, &value) == NVML_SUCCESS)
        cJSON_AddNumberToObject(json, "power_watts", 1e-3 * value);
    cJSON_AddItemToArray(conditions, json);
}

#endif
