/*
 * The answers of a run on the host: the sequential reference that they are compared with, the comparison, and
 * their output. The host's processors share the work in chunks of CHUNK numbers.
 */
#ifndef SUM_ANSWERS_CUH
#define SUM_ANSWERS_CUH

#include "base/memory.h"
#include "base/parallel.h"
#include "harness/check.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "sum/running_sum.cuh"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK ((size_t)1 << 16) /* how many numbers one call of parallel_for sums or checks */

static struct {
    const numbers *input;
    running_sum *up_to;        /* up_to[c] is the sum of all numbers before chunk c */
    unsigned long long *wrong; /* wrong[c] is the number of wrong answers in chunk c */
    void *items;               /* the answers of the last verified run, in the type of the input */
    size_t count;              /* number of elements in `items`: 1 for a sum */
} answers;

/* Calls `call` with a zero whose C type is the one that the kernels use for numbers of type `type`. */
template <class Call>
static void with_type(number_type type, Call call)
{
    switch (type) {
    case INT32:
        return call(0u);
    case INT64:
        return call(0ull);
    case FLOAT:
        return call(0.0f);
    default:
        return call(0.0);
    }
}

/* ---- the sequential reference, with which answers are compared ---- */

static size_t chunks_of_input(void)
{
    return (answers.input->count + CHUNK - 1) / CHUNK;
}

static unsigned end_of_chunk(size_t chunk)
{
    size_t end = (chunk + 1) * CHUNK;
    return end < answers.input->count ? (unsigned)end : answers.input->count;
}

static void sum_chunk(size_t chunk)
{
    running_sum *sum = &answers.up_to[chunk + 1];
    for (size_t i = chunk * CHUNK; i < end_of_chunk(chunk); i++)
        add(sum, answers.input->items[i]);
}

/* Computes the sums before each chunk of `input`, and the total in the element after the last chunk. `input`
 * must stay until answers_free(). */
static void answers_reference(const numbers *input)
{
    answers.input = input;
    size_t chunks = chunks_of_input();
    answers.up_to = (running_sum *)allocate((chunks + 1) * sizeof *answers.up_to);
    answers.wrong = (unsigned long long *)allocate(chunks * sizeof *answers.wrong);
    for (size_t c = 0; c <= chunks; c++)
        answers.up_to[c] = {};
    parallel_for(chunks, sum_chunk);
    for (size_t c = 1; c <= chunks; c++)
        add_sum(&answers.up_to[c], answers.up_to[c - 1]);
}

static void answers_free(void)
{
    free(answers.up_to);
    free(answers.wrong);
    free(answers.items);
    answers = {};
}

/* ---- the comparison ---- */

/* Copies `count` answers from the device. */
template <class T>
static void answers_download(const T *from, size_t count)
{
    answers.items = reallocate(answers.items, count * sizeof(T));
    CHECK(cudaMemcpy(answers.items, from, count * sizeof(T), cudaMemcpyDeviceToHost));
    answers.count = count;
}

template <class T>
static number answer(size_t i)
{
    T value = ((T *)answers.items)[i];
    return {is_real(answers.input->type) ? 0 : (uint64_t)value, (double)value};
}

template <class T>
static void check_chunk(size_t chunk)
{
    running_sum now = answers.up_to[chunk];
    unsigned long long wrong = 0;
    for (size_t i = chunk * CHUNK; i < end_of_chunk(chunk); i++) {
        add(&now, answers.input->items[i]);
        number found = answer<T>(i);
        wrong += !is_right(answers.input->type, &found, &now.sum, now.magnitude, i + 1);
    }
    answers.wrong[chunk] = wrong;
}

/* Compares the prefix sums that were copied from the device with the correct ones, and returns how many are
 * wrong. */
template <class T>
static unsigned long long wrong_prefix_sums(void)
{
    unsigned long long wrong = 0;
    parallel_for(chunks_of_input(), check_chunk<T>);
    for (size_t c = 0; c < chunks_of_input(); c++)
        wrong += answers.wrong[c];
    return wrong;
}

/* Compares the one sum that was copied from the device with the sum of the input. */
template <class T>
static bool is_total_right(void)
{
    const running_sum *all = &answers.up_to[chunks_of_input()];
    number found = answer<T>(0);
    return is_right(answers.input->type, &found, &all->sum, all->magnitude, answers.input->count);
}

/* Writes the answers that were copied from the device, one on each line. */
static void answers_write(FILE *file)
{
    for (size_t i = 0; i < answers.count; i++) {
        number found = {};
        with_type(answers.input->type, [&](auto zero) { found = answer<decltype(zero)>(i); });
        if (is_real(answers.input->type))
            fprintf(file, "%.17g\n", found.real);
        else if (answers.input->type == INT32)
            fprintf(file, "%d\n", (int)found.whole);
        else
            fprintf(file, "%lld\n", (long long)found.whole);
    }
}

#endif
