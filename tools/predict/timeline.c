#include "tools/predict/timeline.h"
#include "base/failure.h"
#include "base/memory.h"
#include "tools/predict/spending.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_SPANS 1000000 /* largest number of spans in a timeline; a browser needs about 1 KB for each */

/* A record of the unnamed file: a span or, if `name` is not empty, a launch. Times are time units since the
 * machine was installed. */
struct record {
    struct machine_span span;
    char name[64];
    unsigned blocks, threads;
};

/* The header at the beginning of the file; it has the counts, which both processes see. */
struct header {
    unsigned long long spans, more;
};

static const char *out_path;
static FILE *notes, *out;
static struct header header;
/* the counts after the last launch, and the counts that timeline_keep() has kept */
static struct {
    struct header header;
    long bytes;
} last, kept;

void timeline_open(const char *path)
{
    out_path = path;
    out = fopen(path, "w");
    if (!out)
        fail(EXIT_BAD_INPUT, "--timeline: %s: %s", path, strerror(errno));
    notes = tmpfile();
    if (!notes || fwrite(&header, sizeof header, 1, notes) != 1 || fflush(notes) != 0)
        fail(EXIT_CANNOT, "no file for the timeline: %s", strerror(errno));
    last.bytes = ftell(notes);
}

static void write_record(const struct record *record)
{
    if (fwrite(record, sizeof *record, 1, notes) != 1)
        fail(EXIT_CANNOT, "the timeline cannot be noted: %s", strerror(errno));
}

void timeline_span(const struct machine_span *span)
{
    struct record record = {.span = *span};
    if (header.spans == MOST_SPANS) {
        header.more++;
        return;
    }
    header.spans++;
    record.span.at = spending_stable(span->at);
    record.span.whom = spending_stable(span->whom);
    record.span.from += machine_now();
    record.span.to += machine_now();
    write_record(&record);
}

static void write_header(void)
{
    if (pwrite(fileno(notes), &header, sizeof header, 0) != sizeof header)
        fail(EXIT_CANNOT, "the timeline cannot be noted: %s", strerror(errno));
}

void timeline_launch(const struct machine_launched *launched)
{
    struct record record = {.span = {.from = machine_now() - launched->units, .to = machine_now()},
                            .blocks = launched->blocks,
                            .threads = launched->threads};
    snprintf(record.name, sizeof record.name, "%.*s", (int)sizeof record.name - 1, launched->name);
    write_record(&record);
    fflush(notes);
    write_header();
    last.header = header;
    last.bytes = ftell(notes);
}

void timeline_keep(void)
{
    kept = last;
}

void timeline_restore(void)
{
    header = kept.header;
    fflush(notes);
    if (ftruncate(fileno(notes), kept.bytes) != 0)
        fail(EXIT_CANNOT, "the timeline cannot be noted: %s", strerror(errno));
    write_header();
}

/* ---- called in the tool's process ---- */

/* Returns the name as JSON text: names of kernels and files can contain quotes and backslashes. */
static const char *quoted(const char *text)
{
    static char copies[2][512];
    static unsigned turn;
    char *copy = copies[turn++ % 2];
    size_t length = 0;
    for (; *text && length < sizeof copies[0] - 3; text++) {
        if (*text == '"' || *text == '\\')
            copy[length++] = '\\';
        copy[length++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    copy[length] = '\0';
    return copy;
}

/* Begins an event and writes its times. Both ends are rounded to whole nanoseconds, as Perfetto rounds them,
 * so that a span ends exactly where the next one begins: Perfetto drops spans that overlap. Writes nothing
 * and returns false if the event then has no duration: chrome://tracing would draw it inside another. */
static bool write_times(uint64_t from, uint64_t to, double units_per_us)
{
    long long begin = llround(1000 * (double)from / units_per_us),
              end = llround(1000 * (double)to / units_per_us);
    if (begin == end)
        return false;
    fprintf(out, ",\n{\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f", (double)begin / 1000,
            (double)(end - begin) / 1000);
    return true;
}

/* Returns the number of a warp's track. The number is not 0, because Perfetto takes thread 0 for no
 * thread. */
static unsigned track_of(const struct machine_span *s)
{
    return s->block * 64 + s->warp + 1;
}

static void write_span(const struct machine_span *s, double units_per_us)
{
    static const char *const names[SPENT_REASONS] = {[SPENT_WORK] = "work",
                                                     [SPENT_MEMORY] = "memory",
                                                     [SPENT_L1] = "L1",
                                                     [SPENT_SHARED] = "shared memory",
                                                     [SPENT_ORDER] = "fence, atomic or strong access",
                                                     [SPENT_UNIT] = "waits for atomics",
                                                     [SPENT_WAIT] = "waits",
                                                     [SPENT_SLEEP] = "sleeps",
                                                     [SPENT_BARRIER] = "barrier",
                                                     [SPENT_OUTSIDE] = "before its block"};
    char line[256], whom[256] = "";
    if (!write_times(s->from, s->to, units_per_us))
        return;
    spending_line(s->at, line, sizeof line);
    if (s->whom)
        spending_line(s->whom, whom, sizeof whom);
    fprintf(out, ",\"name\":\"%s %s\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u", names[s->reason], quoted(line),
            names[s->reason], s->multiprocessor + 1, track_of(s));
    if (*whom)
        fprintf(out, ",\"args\":{\"for a store at\":\"%s\"}", quoted(whom));
    fprintf(out, "}");
}

static void write_launch(const struct record *r, double units_per_us)
{
    if (write_times(r->span.from, r->span.to, units_per_us))
        fprintf(out, ",\"name\":\"%s, %u x %u\",\"cat\":\"kernel\",\"pid\":0,\"tid\":0}", quoted(r->name),
                r->blocks, r->threads);
}

/* Begins an event that describes a process, or a thread of it unless the thread is 0, up to its arguments. */
static void describe(const char *what, size_t process, size_t thread)
{
    fprintf(out, ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%zu", what, process);
    if (thread)
        fprintf(out, ",\"tid\":%zu", thread);
    fprintf(out, ",\"args\":{");
}

/* Names the process of a multiprocessor and the thread of a warp when they first occur. */
static void name_tracks(const struct machine_span *s)
{
    static unsigned char *named;
    static size_t room;
    size_t sm = s->multiprocessor, tid = track_of(s), most = sm > tid ? sm : tid;
    if (most >= room) {
        size_t more = 2 * most + 64;
        named = reallocate(named, more);
        memset(named + room, 0, more - room);
        room = more;
    }
    /* Without a sort index, viewers sort by name: multiprocessor 10 comes before 2. */
    if (!(named[sm] & 1)) {
        describe("process_name", sm + 1, 0);
        fprintf(out, "\"name\":\"multiprocessor %zu\"}}", sm);
        describe("process_sort_index", sm + 1, 0);
        fprintf(out, "\"sort_index\":%zu}}", sm + 1);
    }
    if (!(named[tid] & 2)) {
        describe("thread_name", sm + 1, tid);
        fprintf(out, "\"name\":\"block %u warp %u\"}}", s->block, s->warp);
        describe("thread_sort_index", sm + 1, tid);
        fprintf(out, "\"sort_index\":%zu}}", tid);
    }
    named[sm] |= 1;
    named[tid] |= 2;
}

void timeline_write(double units_per_us)
{
    struct record record;
    rewind(notes);
    if (fread(&header, sizeof header, 1, notes) != 1)
        header = (struct header){0};
    /* Without the unit chrome://tracing compares times to a microsecond, and draws shorter spans inside each
     * other. */
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\","
                 "\"pid\":0,\"args\":{\"name\":\"kernels\"}}");
    while (fread(&record, sizeof record, 1, notes) == 1)
        if (*record.name) {
            write_launch(&record, units_per_us);
        } else {
            name_tracks(&record.span);
            write_span(&record.span, units_per_us);
        }
    fprintf(out, "\n]}\n");
    bool has_failed = ferror(out);
    if (fclose(out) != 0 || has_failed)
        fail(EXIT_CANNOT, "--timeline: %s cannot be written", out_path);
    fprintf(stderr, "gpusync-predict: %s has %llu spans of warps", out_path, header.spans);
    if (header.more)
        fprintf(stderr, ", and not the %llu spans after them", header.more);
    fprintf(stderr, "; ui.perfetto.dev or chrome://tracing shows it\n");
}
