/*
 * What a library needs whose ranks are processes, in a program of one process: this program once more for each further
 * GPU. They are told what to do, and answer. If one of them ends, the attempt that is under way does (harness/cannot.h).
 */
#ifndef MICRO_PEERS_H
#define MICRO_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In a process that peers_start started: calls `serve`, and ends with it. To be called first in main. */
void peers_serve(int argc, char **argv, void (*serve)(void));

/* Starts so many; they end with this process at the latest. */
void peers_start(unsigned count);
bool peers_are_there(void);

/* To all of them, or to one ... */
void peers_tell(const void *message, size_t bytes);
void peers_tell_one(unsigned peer, const void *message, size_t bytes);
/* ... and its answer. */
void peers_hear(unsigned peer, void *message, size_t bytes);

/* In `serve`: what the first process tells next; false if it has ended. And an answer. */
bool peers_are_told(void *message, size_t bytes);
void peers_answer(const void *message, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
