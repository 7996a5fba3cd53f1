#include "report/figures.h"

#include <string.h>

/* The list of all figures, in the order in which a device's page shows them, from the rooms' figures.def. */

#define XF "Xiao and Feng 2010, "
#define FX "Feng and Xiao 2010, "

const struct figure figures[] = {
#include "micro/barrier/figures.def"
#include "micro/own/figures.def"
#include "micro/gpus/figures.def"
#include "harness/figures.def"
#include "fft/figures.def"
#include "bitonic/figures.def"
#include "swat/matrix/figures.def"
#include "micro/warps/figures.def"
#include "nw/figures.def"
#include "micro/hops/figures.def"
#include "micro/decode/figures.def"
#include "micro/litmus/figures.def"
#include "micro/components/figures.def"
#include "swat/batch/figures.def"
#include "sum/figures.def"
    {.name = "fidelity",
     .script = "fidelity",
     .result = "predicted",
     .series = MEASURED_AND_PREDICTED,
     .quantity = MICROSECONDS,
     .x_label = "microseconds measured",
     .axes = LOG_X | LOG_Y,
     .title = "Time that the memory machine predicts, over the time measured",
     .place = "ours",
     .question = "machine",
     .help = "A point is one measured point of one program. On the line its prediction is exact; between the "
             "dotted lines it is within a factor of 1.5."},
};
const size_t figures_count = sizeof figures / sizeof *figures;

/* ---- questions ---- */

const struct question questions[] = {
    {"cost", "What does a barrier cost, and of what?"},
    {"algorithms", "When is a barrier in the kernel worth it?"},
    {"gpus", "What does a barrier across several GPUs cost?"},
    {"warps", "How should warps and tiles wait for each other?"},
    {"tiles", "How should blocks wait for each other's data?"},
    {"shuffles", "Shuffle or shared memory?"},
    {"memory", "What may a load return that nothing orders?"},
    {"sums", "Do algorithms with few barriers pay?"},
    {"floor", "Does a barrier in the kernel pay when the data leave the L2 cache?"},
    {"machine", "How well does the memory machine predict this GPU?"},
    {"changed", "Which results are of an older kernel?"},
};
const size_t questions_count = sizeof questions / sizeof *questions;

const char *question_text(const char *name)
{
    for (size_t i = 0; i < questions_count; i++)
        if (strcmp(questions[i].name, name) == 0)
            return questions[i].text;
    return "Others";
}
