#include "machine/weak/races.h"
#include "base/memory.h"
#include "machine/cuda/arrays.h"
#include "machine/cuda/source_line.h"

#include <stdlib.h>
#include <string.h>

/* Where the program begins in memory: the linker says. */
extern const char __executable_start[];

uint32_t race_site(const void *instruction)
{
    return (uint32_t)((const char *)instruction - __executable_start);
}

static const void *instruction_at(uint32_t site)
{
    return __executable_start + site;
}

/* ---- those that were found ---- */

struct found {
    struct race race;
    unsigned threads; /* of a block */
    unsigned long long times;
    struct array array; /* that the address is in; 0 bytes: in none that is known */
};
static struct found *found;
static size_t found_count;

#define PLACES_OF_FOUND 4096u
static unsigned place_of_found[PLACES_OF_FOUND]; /* index plus one, by pair of sites; open addressing */

#define MOST_PAIRS (PLACES_OF_FOUND / 2)

static unsigned *place_of(uint32_t first_site, uint32_t second_site, enum race_kind kind)
{
    uint64_t key = ((uint64_t)first_site << 32 | second_site) * 8 + (uint64_t)kind;
    unsigned at = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES_OF_FOUND;
    for (; place_of_found[at]; at = (at + 1) % PLACES_OF_FOUND) {
        const struct race *other = &found[place_of_found[at] - 1].race;
        if (other->first_site == first_site && other->second_site == second_site && other->kind == kind)
            break;
    }
    return &place_of_found[at];
}

bool race_again(uint32_t first_site, uint32_t second_site, enum race_kind kind)
{
    unsigned place = *place_of(first_site, second_site, kind);
    if (place)
        found[place - 1].times++;
    return place;
}

void race_note(const struct race *race, unsigned threads_in_block)
{
    if (found_count == MOST_PAIRS)
        return;
    unsigned *place = place_of(race->first_site, race->second_site, race->kind);
    found = with_room(found, sizeof *found, found_count, 1);
    const struct array *array = race->is_shared ? NULL : array_of(race->address);
    found[found_count] = (struct found){*race, threads_in_block, 1, array ? *array : (struct array){0}};
    *place = (unsigned)++found_count;
}

size_t machine_races(void)
{
    return found_count;
}

void races_forget(void)
{
    memset(place_of_found, 0, sizeof place_of_found);
    found_count = 0;
}

/* ---- reports ---- */

#define LINE_BYTES 160
struct line {
    char text[LINE_BYTES];
};

static struct line line_of(uint32_t site)
{
    struct line line = {""};
    source_line(instruction_at(site), line.text, sizeof line.text);
    return line;
}

static void print_place(FILE *file, const struct found *f)
{
    const struct race *r = &f->race;
    size_t bytes = r->bytes ? r->bytes : 1;
    if (r->is_shared) {
        fprintf(file, "byte %zu of shared memory", (size_t)r->address);
    } else if (f->array.bytes) {
        struct line line;
        source_line(f->array.instruction, line.text, sizeof line.text);
        fprintf(file, "[%zu] of the array from %s", (size_t)((r->address - f->array.begin) / bytes),
                line.text);
    } else {
        fprintf(file, "address %p", (void *)r->address);
    }
}

/* What would order the two; `last` is how the second thread's block last heard of another thread. */
static void print_cure(FILE *file, const struct found *f)
{
    const struct race *r = &f->race;
    bool has_last = r->last.reader != NO_THREAD;
    struct line wrote = {""}, read = {""};
    if (has_last) {
        wrote = line_of(r->last.writer_site);
        read = line_of(r->last.reader_site);
    }
    bool same_block = r->first / f->threads == r->second / f->threads;
    const char *scope = same_block ? "cta" : "gpu",
               *fence = same_block ? "__threadfence_block" : "__threadfence";
    fputs("    mend: ", file);
    switch (has_last || r->both_strong ? r->cure : AS_IT_IS) {
    case RELEASED:
        fprintf(file, "a release before the write at %s (fence.release.%s, or %s())", wrote.text, scope,
                fence);
        break;
    case ACQUIRED:
        fprintf(file, "an acquire after the read at %s (fence.acquire.%s, or %s())", read.text, scope, fence);
        break;
    case RELEASED_ACQUIRED:
        fprintf(file, "a release before the write at %s and an acquire after the read at %s (%s() does both)",
                wrote.text, read.text, fence);
        break;
    case WIDE:
        fputs(r->both_strong
                  ? "a wider scope of both accesses (their scopes do not include each other's thread)"
                  : "a wider scope of the fences or accesses between the two",
              file);
        break;
    case WIDE_AND_BOTH:
        fprintf(file,
                "a release before the write at %s and an acquire after the read at %s, both of a wider scope",
                wrote.text, read.text);
        break;
    case AS_IT_IS:
        fputs(same_block
                  ? "__syncthreads(), or a flag, between the two: nothing leads from the one to the other"
                  : "a barrier or a flag between the two: nothing leads from the one to the other",
              file);
        break;
    }
    fputc('\n', file);
}

void machine_print_races(FILE *file)
{
    static const char *const does[] = {"reads", "overwrites", "changes", "overwrites", "changes"};
    static const char *const did[] = {"wrote", "wrote", "wrote", "read", "read"};
    for (size_t i = 0; i < found_count; i++) {
        const struct race *r = &found[i].race;
        unsigned threads = found[i].threads;
        struct line first = line_of(r->first_site), second = line_of(r->second_site);
        fprintf(file, "race: block %u thread %u at %s %s ", r->second / threads, r->second % threads,
                second.text, does[r->kind]);
        print_place(file, &found[i]);
        fprintf(file, ", which block %u thread %u %s at %s; nothing orders them (%llu times)\n",
                r->first / threads, r->first % threads, did[r->kind], first.text, found[i].times);
        if (the_machine.memory.cures)
            print_cure(file, &found[i]);
    }
}
