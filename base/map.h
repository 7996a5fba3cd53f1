/*
 * A hash map. Its items are structs of one type that begin with their key. They are in one array, in the
 * order in which they were added. A pointer to an item is valid until another one is added.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct map {
    size_t key_bytes; /* 0 means that the key is a text: a pointer to its characters, which must stay */
    size_t item_bytes;
    void *items;
    size_t count;
    unsigned *places; /* hash table with open addressing: the number of an item plus 1; 0 is free */
    size_t room;      /* size of `places`, a power of two; 0 before it is allocated */
};

/* An empty map of items whose key is all that precedes the end of this member, without padding. */
#define MAP(type, last_of_key)                                                                               \
    {                                                                                                        \
        .key_bytes = offsetof(type, last_of_key) + sizeof(((type *)0)->last_of_key),                         \
        .item_bytes = sizeof(type)                                                                           \
    }
/* An empty map of items that begin with a pointer to a text. */
#define MAP_OF_TEXTS(type)                                                                                   \
    {                                                                                                        \
        .item_bytes = sizeof(type)                                                                           \
    }

/* Returns the item with the key to which `key` points, or NULL if there is none. */
void *map_find(const struct map *map, const void *key);

/* Returns the item with this key. If there was none, adds one, whose bytes after the key are 0. */
void *map_get(struct map *map, const void *key);

/* Removes all items. map_clear() keeps memory for as many as there were; map_end() frees it. */
void map_clear(struct map *map);
void map_end(struct map *map);

#ifdef __cplusplus
}
#endif

#endif
