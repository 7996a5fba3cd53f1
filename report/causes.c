/* Makes the table of those numbers of the papers that a machine does not reproduce although it models the
 * paper's GPU. The table names the cause of each, which is the name of a limit in docs/machine.md.
 * results/papers/claims.json says which machine models which paper's GPU. */
#include "report/causes.h"
#include "report/claims.h"
#include "report/results.h"

#include <string.h>

/* Returns whether the machine `name` models the GPU of the claim's paper. */
static bool is_of_machine(const cJSON *claims, const cJSON *claim, const char *name)
{
    const cJSON *machine, *machines = cJSON_GetObjectItem(claims, "machines");
    cJSON_ArrayForEach(machine, cJSON_GetObjectItem(machines, text_of(claim, "paper")))
    {
        if (cJSON_IsString(machine) && strcmp(machine->valuestring, name) == 0)
            return true;
    }
    return false;
}

bool has_causes(const char *folder)
{
    bool has = false;
    cJSON *json = claims_read();
    const cJSON *claim;
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(json, "claims"))
    {
        has = has || is_of_machine(json, claim, check_folder(folder));
    }
    cJSON_Delete(json);
    return has;
}

/* Returns the cause that is shown for a claim that does not hold. A claim that holds has no cause; if one is
 * given nevertheless, the function returns a text that says so. */
static const char *cause_of(const cJSON *claim, enum claim_verdict verdict)
{
    const char *cause = text_of(claim, "cause");
    if (verdict == CLAIM_HOLDS || verdict == CLAIM_FITTED || verdict == CLAIM_BY_DEFINITION ||
        verdict == CLAIM_DEPENDS)
        return *cause ? "(none is needed)" : "";
    return *cause ? cause : "(none is known)";
}

static void add_claim(struct table *t, const cJSON *claim, const struct value *v, const char *folder)
{
    enum claim_verdict verdict = claim_verdict_on(claim, v, folder);
    const char *cause = cause_of(claim, verdict);
    if (verdict == CLAIM_NOT_MEASURABLE || !*cause)
        return;
    table_row(t);
    table_text(t, "%s, %s", text_of(claim, "paper"), text_of(claim, "place"));
    table_text(t, "%s", text_of(claim, "says"));
    claim_add_paper(t, claim);
    claim_add_value(t, claim, v, folder);
    table_text(t, "%s", cause);
}

void print_causes(const char *folder, enum form form, FILE *file)
{
    static const char *const head[] = {"paper", "claim", "paper says", "predicted", "cause"};
    cJSON *json = claims_read();
    struct table t = {NULL, 0};
    struct sources sources = {.folder = folder};
    const cJSON *claim;
    table_row(&t);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_text(&t, "%s", head[i]);
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(json, "claims"))
    {
        if (!is_of_machine(json, claim, check_folder(folder)))
            continue;
        struct value v = formula_value(text_of(claim, "formula"), &sources);
        add_claim(&t, claim, &v, folder);
    }
    sources_close(&sources);
    table_print(&t, form, file);
    table_free(&t);
    cJSON_Delete(json);
}
