#include "tools/check/explore/hang.h"
#include "tools/check/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_OF_A_MODEL 200
#define RUNS_OF_A_NUMBER 6    /* number of runs for each number of resident blocks that is tried */
#define MOST_SECONDS_OF_RUN 4 /* limit of time of a run in seconds; it is low, since many runs hang */
#define MOST_REPORT 500       /* size of the report of a run that hung */
/* after this number of hung runs under a model, the model gets no further runs */
#define ENOUGH 3

/* The models of progress, with the strongest first. Neither OBE nor HSA is weaker than the other. The last
 * entry, lockstep, promises no progress: it is the way in which GPUs before Volta execute the lanes of a
 * warp. `stronger` is the model that promises this one's promises and one more, or -1. */
static const struct model {
    const char *name, *promises;
    enum machine_progress progress;
    bool lockstep;
    int stronger;
} models[HANG_MODELS] = {
    {"fair", "every block begins and goes on", MACHINE_FAIR, false, -1},
    {"LOBE", "blocks begin in the order of their numbers; those that have begun go on", MACHINE_LOBE, false,
     MACHINE_FAIR},
    {"HSA+OBE", "those that have begun go on, and the lowest that has not ended", MACHINE_HSA_OBE, false,
     MACHINE_LOBE},
    {"OBE", "those that have begun go on", MACHINE_OBE, false, MACHINE_HSA_OBE},
    {"HSA", "the lowest that has not ended goes on", MACHINE_HSA, false, MACHINE_HSA_OBE},
    {"lockstep", "fair, but the lanes of a warp go together (before Volta)", MACHINE_FAIR, true, -1}};

/* The runs of the program under one model of progress, while they are made. */
struct trial {
    const struct model *model;
    /* counts of the runs made: all runs, and runs that hung */
    struct model_runs *found;
    unsigned next, runs; /* number of runs that have begun, and number of runs to make */
    /* number of resident blocks; 0 means that next_setting() chooses a number for each run */
    unsigned resident;
    struct machine_grids grids;
};

/* Returns a small number of resident blocks for a run. Every second run has 1 resident block. A program that
 * waits for blocks which have not begun then hangs, since most models promise nothing to such blocks. */
static unsigned few(unsigned run)
{
    return run % 2 == 0 ? 1 : 2u << run / 2 % 5;
}

/* Stores the setting of the next run. Returns false if the model needs no more runs. */
static bool next_setting(struct trial *t, struct setting *setting)
{
    static const enum machine_schedule schedules[] = {MACHINE_RANDOM, MACHINE_ADVERSARIAL, MACHINE_DELAYS};
    if (t->next >= t->runs || t->found->hung + t->found->late >= ENOUGH)
        return false;
    bool begins_few = t->model->progress != MACHINE_FAIR && t->model->progress != MACHINE_HSA;
    *setting = (struct setting){.number = 1 + t->next,
                                .memory = MACHINE_COHERENT,
                                .schedule = schedules[t->next % 3],
                                .progress = t->model->progress,
                                .resident = t->resident  ? t->resident
                                            : begins_few ? few(t->next)
                                                         : 0,
                                .lockstep = t->model->lockstep};
    t->next++;
    return true;
}

static void add(struct trial *t, const struct run_outcome *outcome)
{
    t->found->runs++;
    if (outcome->grids.blocks >= t->grids.blocks)
        t->grids = outcome->grids;
    t->found->late += outcome->end == RUN_TOO_LONG;
    if (outcome->end == RUN_HUNG && !t->found->hung++)
        snprintf(t->found->text, sizeof t->found->text, "%s", outcome->text);
}

static void make_runs(struct runs *runs, struct trial *t)
{
    struct setting setting;
    struct run_outcome outcome;
    for (;;) {
        while (runs_have_room(runs) && next_setting(t, &setting))
            runs_start(runs, setting);
        if (!runs_wait(runs, &setting, &outcome))
            return;
        add(t, &outcome);
    }
}

/* Returns the least number of resident blocks with which the program ends under the model LOBE, or 0 if
 * none was found. It doubles the number until the program ends, and then halves the interval. */
static unsigned least_resident(struct trial t, struct runs *runs, unsigned blocks)
{
    unsigned below = 0, enough = 1;
    for (bool is_found = false; !is_found || enough - below > 1;) {
        unsigned tried = is_found ? below + (enough - below) / 2 : enough;
        struct model_runs found = {0};
        t.model = &models[MACHINE_LOBE];
        t.found = &found;
        t.next = 0;
        t.runs = RUNS_OF_A_NUMBER;
        t.resident = tried;
        make_runs(runs, &t);
        if (found.runs == 0)
            return 0; /* no time is left for the search */
        if (!found.hung && !found.late) {
            enough = tried;
            is_found = true;
        } else {
            below = tried;
            if (!is_found && enough >= blocks)
                return 0;
            enough = is_found ? enough : 2 * enough < blocks ? 2 * enough : blocks;
        }
    }
    return enough;
}

/* A schedule that a stronger model allows, a weaker one allows, too. The runs of each model are drawn for
 * themselves, so the runs of the stronger one may have met a schedule that those of the weaker one have not.
 * Returns the strongest model with a run that shows that the program does not end under `model`, or -1. */
static int witness_of(const struct hang_study *s, int model)
{
    int witness = models[model].stronger >= 0 ? witness_of(s, models[model].stronger) : -1;
    return witness >= 0 ? witness : s->of[model].hung ? model : -1;
}

static bool ends(const struct hang_study *s, enum machine_progress model)
{
    bool is_decided = true;
    for (int m = (int)model; m >= 0; m = models[m].stronger)
        is_decided = is_decided && !s->of[m].late;
    return s->of[model].runs && is_decided && witness_of(s, (int)model) < 0;
}

static const char *weakest_of(const struct hang_study *s)
{
    if (ends(s, MACHINE_OBE) && ends(s, MACHINE_HSA))
        return "OBE, and HSA";
    if (ends(s, MACHINE_OBE))
        return "OBE";
    if (ends(s, MACHINE_HSA))
        return "HSA";
    return ends(s, MACHINE_HSA_OBE) ? "HSA+OBE"
           : ends(s, MACHINE_LOBE)  ? "LOBE"
           : ends(s, MACHINE_FAIR)  ? "fair"
                                    : "none";
}

/* Returns the report of the first run under this model that hung, with source lines in place of marks. The
 * caller frees it. */
static char *report_of(const struct model_runs *of)
{
    char *text = frames_expand(of->text, NULL, 0, NULL);
    if (strlen(text) > MOST_REPORT)
        text[MOST_REPORT] = '\0';
    return text;
}

static void print_hung(const struct model_runs *of, const struct model *model)
{
    char *report = report_of(of);
    printf("progress: %-8s does not end in %u of %u runs (%s): %s\n", model->name, of->hung, of->runs,
           model->promises, report);
    free(report);
}

void hang_print(const struct hang_study *s)
{
    bool all_tried = true;
    for (int m = 0; m < HANG_MODELS; m++) {
        const struct model_runs *of = &s->of[m];
        all_tried = all_tried && of->runs;
        if (!of->runs)
            printf("progress: %-8s was not tried: no time was left (--seconds)\n", models[m].name);
        else if (witness_of(s, m) >= 0 && witness_of(s, m) != m)
            printf("progress: %-8s does not end (%s): a schedule of %s is one of its schedules\n",
                   models[m].name, models[m].promises, models[witness_of(s, m)].name);
        else if (!of->hung && of->late)
            printf("progress: %-8s is not decided: %u of %u runs did not end in time\n", models[m].name,
                   of->late, of->runs);
        else if (!of->hung)
            printf("progress: %-8s ends in %u runs (%s)\n", models[m].name, of->runs, models[m].promises);
        else
            print_hung(of, &models[m]);
    }
    printf("progress: the weakest model under which it ends%s: %s\n",
           all_tried ? "" : ", of those that were tried", s->weakest);
    if (s->resident)
        printf("progress: %u of its %u blocks must be resident at a time: %u multiprocessors of the machine, "
               "which hold %u each\n",
               s->resident, s->grids.blocks, (s->resident + s->grids.per_sm - 1) / s->grids.per_sm,
               s->grids.per_sm);
}

struct hang_study hang_study(struct limits limits, double seconds, unsigned before, unsigned hung,
                             const char *report)
{
    struct hang_study study = {.is_there = true};
    struct trial trial = {.runs = RUNS_OF_A_MODEL};
    if (hung) {
        study.of[MACHINE_FAIR].runs = before;
        study.of[MACHINE_FAIR].hung = hung;
        snprintf(study.of[MACHINE_FAIR].text, sizeof study.of[MACHINE_FAIR].text, "%s", report);
    }
    limits.kept = NULL;
    if (limits.seconds_of_run > MOST_SECONDS_OF_RUN)
        limits.seconds_of_run = MOST_SECONDS_OF_RUN;
    struct runs runs = runs_begin(limits, seconds);
    for (int m = 0; m < HANG_MODELS; m++) {
        trial.model = &models[m];
        trial.found = &study.of[m];
        trial.next = 0;
        make_runs(&runs, &trial);
    }
    study.weakest = weakest_of(&study);
    study.grids = trial.grids;
    if (ends(&study, MACHINE_FAIR) && study.grids.per_sm)
        study.resident = least_resident(trial, &runs, study.grids.blocks);
    if (study.resident < study.grids.cooperative)
        study.resident = study.grids.cooperative;
    runs_end(&runs);
    return study;
}

cJSON *hang_json(const struct hang_study *s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "weakest", s->weakest);
    cJSON_AddNumberToObject(json, "blocks", s->grids.blocks);
    cJSON_AddNumberToObject(json, "resident", s->resident);
    cJSON_AddNumberToObject(json, "resident_on_a_multiprocessor", s->grids.per_sm);
    cJSON *all = cJSON_AddArrayToObject(json, "models");
    for (int m = 0; m < HANG_MODELS; m++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "model", models[m].name);
        cJSON_AddNumberToObject(one, "runs", s->of[m].runs);
        cJSON_AddNumberToObject(one, "hung", s->of[m].hung);
        int witness = witness_of(s, m);
        cJSON_AddStringToObject(one, "witness", witness >= 0 ? models[witness].name : "");
        cJSON_AddNumberToObject(one, "not_finished", s->of[m].late);
        char *report = report_of(&s->of[m]);
        cJSON_AddStringToObject(one, "first", report);
        free(report);
        cJSON_AddItemToArray(all, one);
    }
    return json;
}
