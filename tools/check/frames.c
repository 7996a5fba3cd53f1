#include "tools/check/frames.h"
#include "base/memory.h"
#include "machine/machine.h"
#include "machine/ptx.h"
#include "tools/check/checked_program.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first byte of the program in memory; the linker defines the symbol. */
extern const char __executable_start[];

/* ---- addr2line, which answers one address after the other ---- */

static FILE *questions, *answers; /* NULL if addr2line does not run */

static void __attribute__((noreturn)) become_addr2line(const int from[2], const int to[2])
{
    char program[64];
    snprintf(program, sizeof program, "/proc/%d/exe", (int)getppid());
    dup2(from[0], STDIN_FILENO);
    dup2(to[1], STDOUT_FILENO);
    if (!freopen("/dev/null", "w", stderr))
        _exit(127);
    close(from[1]);
    close(to[0]);
    execlp("addr2line", "addr2line", "-a", "-i", "-e", program, (char *)NULL);
    _exit(127);
}

static void start_addr2line(void)
{
    static bool is_started;
    int from[2], to[2];
    if (is_started || pipe(from) != 0)
        return;
    is_started = true;
    if (pipe(to) != 0)
        return;
    fflush(NULL);
    checked_program_helper = fork();
    if (checked_program_helper == 0)
        become_addr2line(from, to);
    close(from[0]);
    close(to[1]);
    questions = fdopen(from[1], "w");
    answers = fdopen(to[0], "r");
}

/* An instruction's frames, including the frames of inlined functions and hidden frames. */
struct answer {
    unsigned long address; /* address in the program's file */
    unsigned count;
    struct {
        char *path;
        unsigned line;
    } lines[MOST_FRAMES];
};

static struct answer **known;
static size_t known_count;

static bool is_address(const char *line)
{
    return strncmp(line, "0x", 2) == 0;
}

static void add_place(void *context, const char *path, unsigned line)
{
    struct answer *answer = context;
    if (answer->count == MOST_FRAMES)
        return;
    answer->lines[answer->count].path = copy_text(path);
    answer->lines[answer->count++].line = line;
}

static void add_line(struct answer *answer, char *line)
{
    char *end = strrchr(line, ':');
    if (!end || line[0] == '?')
        return;
    *end = '\0';
    /* "(discriminator 2)" may follow the line number */
    add_place(answer, line, (unsigned)strtoul(end + 1, NULL, 10));
}

/* Asks addr2line for an address, and then for address 0, because the answer to 0 marks the end of the first
 * answer. */
static void ask(struct answer *answer)
{
    char line[4200];
    unsigned addresses = 0;
    start_addr2line();
    if (!questions || !answers || fprintf(questions, "%lx\n0\n", answer->address) < 0 || fflush(questions))
        return;
    while (addresses < 2 && fgets(line, sizeof line, answers))
        if (is_address(line))
            addresses++;
        else
            add_line(answer, line);
    if (addresses == 2)
        (void)fgets(line, sizeof line, answers); /* the answer "??:0" to address 0 */
}

/* Returns the frames of the instruction before this return address, which is an offset in the program. */
static const struct answer *answer_of(unsigned long offset)
{
    Dl_info info;
    bool is_ptx = ptx_is_place((uint32_t)offset);
    unsigned long address = is_ptx ? offset : offset - 1;
    if (!is_ptx && dladdr(__executable_start, &info))
        address += (unsigned long)(__executable_start - (const char *)info.dli_fbase);
    for (size_t i = 0; i < known_count; i++)
        if (known[i]->address == address)
            return known[i];
    struct answer *answer = allocate(sizeof *answer);
    answer->address = address;
    if (is_ptx)
        ptx_place_lines((uint32_t)offset, add_place, answer);
    else
        ask(answer);
    known = with_room(known, sizeof *known, known_count, 1);
    return known[known_count++] = answer;
}

/* ---- trails ---- */

/* Adds a frame. A lambda that is called in the line where it is written gets no frame of its own. */
static void add_frame(struct trail *trail, struct source *source, unsigned line)
{
    const struct frame *before = trail->count ? &trail->frames[trail->count - 1] : NULL;
    if (before && before->source == source && before->line == line)
        return;
    if (trail->count < MOST_FRAMES)
        trail->frames[trail->count++] = (struct frame){source, line, source_function_at(source, line)};
}

static void add_frames(struct trail *trail, const struct answer *answer)
{
    for (unsigned i = 0; i < answer->count; i++) {
        struct source *source = source_find(answer->lines[i].path);
        if (source)
            add_frame(trail, source, answer->lines[i].line);
    }
}

/* Used if no frame is in a file that reports may name: adds the last frame, whatever its file is. */
static void add_hidden(struct trail *trail, const struct answer *answer)
{
    if (!answer->count)
        return;
    const char *path = answer->lines[answer->count - 1].path, *last = strrchr(path, '/');
    struct source *source = allocate(sizeof *source);
    *source = (struct source){
        .origin = SOURCE_HIDDEN, .path = copy_text(path), .shown = copy_text(last ? last + 1 : path)};
    add_frame(trail, source, answer->lines[answer->count - 1].line);
}

static bool is_own(const struct frame *frame)
{
    return frame->source->origin == SOURCE_OWN;
}

static void choose_named(struct trail *trail)
{
    bool is_found = false;
    for (unsigned i = 0; i < trail->count; i++) {
        if (!is_own(&trail->frames[i]))
            continue;
        trail->named = i;
        is_found = true;
        if (!source_is_wrapper(trail->frames[i].function))
            return;
    }
    if (!is_found)
        trail->named = 0;
}

/* Reads the offsets of a mark's list. Returns where the list ends. */
static const char *read_list(const char *at, struct trail *trail, bool *has_innermost)
{
    const struct answer *first = NULL;
    for (bool is_first = true;; is_first = false) {
        char *end;
        unsigned long offset = strtoul(at, &end, 16);
        if (end == at)
            break;
        const struct answer *answer = answer_of(offset);
        add_frames(trail, answer);
        if (is_first) {
            first = answer;
            *has_innermost = trail->count > 0;
        }
        at = end;
        if (*at != ',')
            break;
        at++;
    }
    if (!trail->count && first)
        add_hidden(trail, first);
    return at;
}

/* A mark and its trail. */
struct known_mark {
    char *mark;
    size_t length;
    struct trail *trail;
};
static struct known_mark *marks;
static size_t mark_count;

static bool is_of_kernel(const struct frame *frame)
{
    return frame->function && frame->function->is_kernel;
}

static void finish_trail(struct trail *trail)
{
    const struct frame *last = trail->count ? &trail->frames[trail->count - 1] : NULL;
    trail->kernel = last && is_of_kernel(last) ? last->function->name : "";
    choose_named(trail);
}

const struct trail *frames_of(const char *text, const char **end)
{
    size_t length = strcspn(text, (const char[]){MARK_ENDS, '\0'});
    *end = text + length + (text[length] == MARK_ENDS);
    for (size_t i = 0; i < mark_count; i++)
        if (marks[i].length == length && strncmp(marks[i].mark, text, length) == 0)
            return marks[i].trail;
    struct trail *trail = allocate(sizeof *trail);
    bool has_innermost = false;
    const char *at = read_list(text + 1, trail, &has_innermost);
    if (*at == '|' && !has_innermost) {
        *trail = (struct trail){0};
        read_list(at + 1, trail, &has_innermost);
    }
    finish_trail(trail);
    marks = with_room(marks, sizeof *marks, mark_count, 1);
    marks[mark_count++] = (struct known_mark){copy_text(text), length, trail};
    return trail;
}

const struct frame *frames_named(const struct trail *trail)
{
    return trail && trail->count ? &trail->frames[trail->named] : NULL;
}

bool frames_are_same_line(const struct trail *a, const struct trail *b)
{
    const struct frame *of_a = frames_named(a), *of_b = frames_named(b);
    if (!of_a || !of_b)
        return of_a == of_b;
    return of_a->line == of_b->line && strcmp(of_a->source->path, of_b->source->path) == 0;
}

/* ---- texts ---- */

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void frames_line(const struct trail *trail, char *text, size_t size)
{
    const struct frame *frame = frames_named(trail);
    if (frame)
        snprintf(text, size, "%s:%u", frame->source->shown, frame->line);
    else
        snprintf(text, size, "an unknown line");
}

/* Appends a frame's line: ":5" if it is in the same file as the frame that the report names. */
static void append_line(char *text, size_t size, const struct trail *trail, const struct frame *frame)
{
    bool is_same = strcmp(frame->source->path, frames_named(trail)->source->path) == 0;
    append(text, size, "%s:%u", is_same ? "" : frame->source->shown, frame->line);
}

static void append_function(char *text, size_t size, const struct frame *frame)
{
    if (frame->function && *frame->function->name)
        append(text, size, ", in %s()", frame->function->name);
    else
        append(text, size, ", in a function");
}

/* Appends the frames between the named frame and the instruction: all wrappers of the user, and the library
 * function that the user's code calls. */
static void append_inner(char *text, size_t size, const struct trail *trail)
{
    for (unsigned i = trail->named; i-- > 0;) {
        const struct frame *frame = &trail->frames[i];
        if (is_own(frame)) {
            append_function(text, size, frame);
            append(text, size, " at ");
            append_line(text, size, trail, frame);
        } else if (is_own(&trail->frames[i + 1])) {
            append(text, size, ", in %s:%u", frame->source->shown, frame->line);
        }
    }
}

#define MOST_CALLERS 3

/* Writes the calls on the way to the instruction: first the calls from the named line inwards, then the calls
 * that led to the named line. An example is ", in wait() at :5, called at :41". Writes "" if there is nothing
 * to say. */
static void write_way(const struct trail *trail, char *text, size_t size)
{
    text[0] = '\0';
    if (!frames_named(trail))
        return;
    append_inner(text, size, trail);
    unsigned callers = 0;
    for (unsigned i = trail->named + 1; i < trail->count && callers < MOST_CALLERS; i++) {
        if (!is_own(&trail->frames[i]) || !trail->frames[i].function)
            continue;
        if (callers++ == 0)
            append_function(text, size, frames_named(trail));
        append(text, size, ", called at ");
        append_line(text, size, trail, &trail->frames[i]);
    }
}

/* Takes the words away that end the text, if they do. */
static bool take_end(char *text, size_t *length, const char *words)
{
    size_t bytes = strlen(words);
    if (*length < bytes || strcmp(text + *length - bytes, words) != 0)
        return false;
    *length -= bytes;
    text[*length] = '\0';
    return true;
}

/* Names the array that was allocated in the trail's line, whose text so far ends with ARRAY_FROM. Takes these
 * words and the index before them away, and writes the name with the index. Returns false if the line does
 * not show the name. */
static bool name_array(const struct trail *trail, char *text, size_t *length, char *named, size_t size)
{
    const struct frame *frame = frames_named(trail);
    char name[128], index[32] = "";
    if (!frame || !source_allocated(frame->source, frame->line, name, sizeof name) ||
        !take_end(text, length, ARRAY_FROM))
        return false;
    char *at = take_end(text, length, "] of ") ? strrchr(text, '[') : NULL;
    if (at) {
        snprintf(index, sizeof index, "%.20s]", at);
        *at = '\0';
        *length = (size_t)(at - text);
    }
    snprintf(named, size, "%s%s (allocated at ", name, index);
    return true;
}

char *frames_expand(const char *text, const struct trail **trails, unsigned most, unsigned *found)
{
    char *expanded = copy_text("");
    size_t length = 0;
    unsigned number = 0;
    while (*text) {
        char piece[2048] = "";
        size_t plain = strcspn(text, (const char[]){MARK_BEGINS, '\0'});
        if (plain) {
            plain = plain < sizeof piece ? plain : sizeof piece - 1;
            snprintf(piece, sizeof piece, "%.*s", (int)plain, text);
            text += plain;
        } else {
            const struct trail *trail = frames_of(text, &text);
            char way[1024];
            bool is_named = name_array(trail, expanded, &length, piece, sizeof piece);
            frames_line(trail, piece + strlen(piece), sizeof piece - strlen(piece));
            write_way(trail, way, sizeof way);
            /* a comma separates the calls from the rest of the sentence */
            append(piece, sizeof piece, "%s%s%s", way, is_named ? ")" : "",
                   !is_named && *way && *text == ' ' && text[1] != '(' ? "," : "");
            if (trails && number < most)
                trails[number] = trail;
            number++;
        }
        expanded = reallocate(expanded, length + strlen(piece) + 1);
        length += (size_t)sprintf(expanded + length, "%s", piece);
    }
    if (found)
        *found = number < most ? number : most;
    return expanded;
}
