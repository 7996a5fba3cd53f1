/*
 * Processes for a library whose ranks are processes, in a program of one process: this program runs once more
 * for each further GPU (a peer). Peers receive messages and answer. If one of them ends, the present attempt
 * ends (harness/check.h).
 */
#ifndef MICRO_PEERS_H
#define MICRO_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In a process that peers_start started, calls `serve` and then exits. main calls it first. */
void peers_serve(int argc, char **argv, void (*serve)(void));

/* Starts peers until there are `count`; they end with this process at the latest. */
void peers_start(unsigned count);
bool peers_are_there(void);

/* peers_tell sends a message to all peers, peers_tell_one to one peer. */
void peers_tell(const void *message, size_t bytes);
void peers_tell_one(unsigned peer, const void *message, size_t bytes);
/* Receives a peer's answer. */
void peers_hear(unsigned peer, void *message, size_t bytes);

/* For `serve`: peers_are_told receives the first process's next message and returns false if that process has
 * ended; peers_answer sends an answer. */
bool peers_are_told(void *message, size_t bytes);
void peers_answer(const void *message, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
