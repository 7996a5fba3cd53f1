#include "report/questions.h"

#include <string.h>

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
