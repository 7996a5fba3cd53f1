#include "harness/conditions.h"

#include <cjson/cJSON.h>
#include <sys/utsname.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef GPUSYNC_MACHINE

void add_conditions(struct cJSON *conditions)
{
    (void)conditions;
}

#else

#include "harness/check.h"

#include <cjson/cJSON.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <time.h>

/* The declarations of nvml.h that are used here (NVML API Reference Guide). They are repeated because some
 * CUDA Toolkits lack the header. */
typedef struct card *card_handle;
enum { NVML_SUCCESS = 0, NVML_TEMPERATURE_GPU = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };

/* Opens NVML, the driver's management library, at run time. A program that is linked with it would not start
 * on a system without the driver. */
static void *library(void)
{
    static void *handle;
    if (!handle)
        handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    return handle;
}

/* Finds NVML's handle of the CUDA device by its place on the PCI bus, because NVML numbers the cards in
 * another order than the CUDA runtime. */
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

/* the same struct as nvmlFieldValue_t in nvml.h */
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
/* NVML_FI_DEV_POWER_INSTANT, the number of NVML's field for the present power in mW */
#define FIELD_POWER_INSTANT 186

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

void make_slug(const char *prefix, const char *name, char *slug, size_t bytes)
{
    snprintf(slug, bytes, "%s%s", prefix, name);
    for (char *c = slug; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
}

/* Copies the processor's name from /proc/cpuinfo: the value of the first line that begins with "model
 * name". */
static void processor_name(char *name, size_t bytes)
{
    char line[256];
    snprintf(name, bytes, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

cJSON *describe_host(void)
{
    char processor[256];
    struct utsname system;
    processor_name(processor, sizeof processor);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "processor", processor);
    cJSON_AddNumberToObject(json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        cJSON_AddStringToObject(json, "system", system.sysname);
        cJSON_AddStringToObject(json, "release", system.release);
    }
    return json;
}
