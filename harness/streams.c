#include "harness/streams.h"
#include "harness/check.h"
#include "harness/device.h"

static struct {
    cudaStream_t stream;
    /* event that this side stream records when harness_stream() begins to wait for it (join_streams) */
    cudaEvent_t done;
} sides[SIDE_STREAMS];
static cudaEvent_t begun; /* event that harness_stream() records when the side streams begin (fork_streams) */

static void make_streams(void)
{
    CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    for (int i = 0; i < SIDE_STREAMS; i++) {
        CHECK(cudaStreamCreate(&sides[i].stream));
        CHECK(cudaEventCreateWithFlags(&sides[i].done, cudaEventDisableTiming));
    }
}

cudaStream_t side_stream(int number)
{
    return sides[number].stream;
}

void fork_streams(void)
{
    if (!begun)
        make_streams();
    CHECK(cudaEventRecord(begun, harness_stream()));
    for (int i = 0; i < SIDE_STREAMS; i++)
        CHECK(cudaStreamWaitEvent(sides[i].stream, begun, 0));
}

void join_streams(void)
{
    for (int i = 0; i < SIDE_STREAMS; i++) {
        CHECK(cudaEventRecord(sides[i].done, sides[i].stream));
        CHECK(cudaStreamWaitEvent(harness_stream(), sides[i].done, 0));
    }
}

static bool early;

bool runs_begin_early(void)
{
    return early;
}

void begin_runs_early(bool new_early)
{
    early = new_early;
}
