#include "base/map.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 16
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

static const char *text_of(const void *key)
{
    return *(const char *const *)key;
}

static uint64_t hash_of(const struct map *map, const void *key)
{
    uint64_t word = 0, hash = 0;
    if (!map->key_bytes)
        return hash_add(HASH_OF_NOTHING, text_of(key), strlen(text_of(key))) * MULTIPLIER >> 32;
    if (map->key_bytes == sizeof word) { /* the usual size */
        memcpy(&word, key, sizeof word);
        return word * MULTIPLIER >> 32;
    }
    for (size_t at = 0; at < map->key_bytes; at += sizeof word) {
        size_t left = map->key_bytes - at;
        memcpy(&word, (const char *)key + at, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * MULTIPLIER;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool has_key(const struct map *map, const void *item, const void *key)
{
    return map->key_bytes == sizeof(uint64_t) ? memcmp(item, key, sizeof(uint64_t)) == 0
           : map->key_bytes                   ? memcmp(item, key, map->key_bytes) == 0
                                              : strcmp(text_of(item), text_of(key)) == 0;
}

static void *item_at(const struct map *map, size_t number)
{
    return (char *)map->items + number * map->item_bytes;
}

/* Returns the place of the item with this key, or the free place where it belongs. */
static unsigned *place_of(const struct map *map, const void *key)
{
    for (size_t at = (size_t)hash_of(map, key);; at++) {
        unsigned *place = &map->places[at & (map->room - 1)];
        if (!*place || has_key(map, item_at(map, *place - 1), key))
            return place;
    }
}

/* Doubles the room. The table is at most half full, so that there are half as many items as places. */
static void grow(struct map *map)
{
    free(map->places);
    map->room = map->room ? 2 * map->room : LEAST_ROOM;
    map->places = allocate(map->room * sizeof *map->places);
    map->items = reallocate(map->items, map->room / 2 * map->item_bytes);
    for (size_t i = 0; i < map->count; i++)
        *place_of(map, item_at(map, i)) = (unsigned)i + 1;
}

void *map_find(const struct map *map, const void *key)
{
    unsigned number = map->count ? *place_of(map, key) : 0;
    return number ? item_at(map, number - 1) : NULL;
}

void *map_get(struct map *map, const void *key)
{
    if (2 * map->count >= map->room)
        grow(map);
    unsigned *place = place_of(map, key);
    if (!*place) {
        size_t key_bytes = map->key_bytes ? map->key_bytes : sizeof(char *);
        memcpy(item_at(map, map->count), key, key_bytes);
        memset((char *)item_at(map, map->count) + key_bytes, 0, map->item_bytes - key_bytes);
        *place = (unsigned)++map->count;
    }
    return item_at(map, *place - 1);
}

void map_clear(struct map *map)
{
    /* a table that is nearly empty is freed, so that clearing takes no longer than adding did */
    if (map->count < map->room / 16)
        return map_end(map);
    if (map->count)
        memset(map->places, 0, map->room * sizeof *map->places);
    map->count = 0;
}

void map_end(struct map *map)
{
    free(map->items);
    free(map->places);
    map->items = map->places = NULL;
    map->count = map->room = 0;
}
