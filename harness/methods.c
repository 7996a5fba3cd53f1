#include "harness/methods.h"

#define FIELDS(...) __VA_ARGS__

const struct variant sync_variants[SYNC_METHODS] = {
#define METHOD(ID, type, variant, method) [SYNC_##ID] = {.id = SYNC_##ID, variant},
#include "harness/methods.def"
#undef METHOD
};

const struct sync_method sync_methods[SYNC_METHODS] = {
#define METHOD(ID, type, variant, method) [SYNC_##ID] = {method},
#include "harness/methods.def"
#undef METHOD
};
