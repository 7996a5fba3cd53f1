/* Tests that every parser accepts each input of its corpus, or refuses it in one line. */
#include "tests/check.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdlib.h>

static void replay(const struct fuzz_target *target, const char *path)
{
    static unsigned char data[1 << 20];
    FILE *file = fopen(path, "rb");
    check(file != NULL, "%s can be read", path);
    size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    if (file)
        fclose(file);
    fuzz_one(target, data, size);
    check(true, "%s is read or refused", path);
}

int main(void)
{
    for (size_t i = 0; i < fuzz_targets_count; i++) {
        char folder[64], path[512];
        snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", fuzz_targets[i].name);
        DIR *corpus = opendir(folder);
        struct dirent *entry;
        int inputs = 0;
        while (corpus && (entry = readdir(corpus)))
            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
                replay(&fuzz_targets[i], path);
                inputs++;
            }
        if (corpus)
            closedir(corpus);
        check(inputs >= 3, "%s has inputs", folder);
    }
    return checks_done();
}
