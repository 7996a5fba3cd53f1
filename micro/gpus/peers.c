#include "micro/gpus/peers.h"
#include "base/failure.h"
#include "harness/check.h"
#include "sync/multi_gpu_barrier.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SERVES "--serve-as-peer"

static int to_peer[GPUSYNC_MOST_GPUS];
static unsigned peer_count;
static int to_first = -1; /* in a peer, the socket to the first process; otherwise -1 */

static bool send_all(int socket, const void *message, size_t bytes)
{
    const char *at = message;
    for (ssize_t sent; bytes > 0; at += sent, bytes -= (size_t)sent) {
        sent = send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            sent = 0;
        else if (sent <= 0)
            return false;
    }
    return true;
}

static bool receive_all(int socket, void *message, size_t bytes)
{
    char *at = message;
    for (ssize_t got; bytes > 0; at += got, bytes -= (size_t)got) {
        got = recv(socket, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            return false;
    }
    return true;
}

void peers_serve(int argc, char **argv, void (*serve)(void))
{
    if (argc != 3 || strcmp(argv[1], SERVES) != 0)
        return;
    to_first = atoi(argv[2]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve();
    exit(EXIT_VERIFIED);
}

/* Replaces this process by a new instance of the program, which gets its end of the socket. */
static void __attribute__((noreturn)) become_peer(int socket)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    execl("/proc/self/exe", "peer", SERVES, number, (char *)NULL);
    _exit(EXIT_CANNOT);
}

void peers_start(unsigned count)
{
    for (; peer_count < count; peer_count++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            cannot_measure("no socket to another process: %s", strerror(errno));
        pid_t child = fork();
        if (child < 0)
            cannot_measure("no other process: %s", strerror(errno));
        if (child == 0) {
            int kept = dup(ends[1]); /* the copy of the socket stays open after exec */
            if (kept < 0)
                _exit(EXIT_CANNOT);
            become_peer(kept);
        }
        close(ends[1]);
        to_peer[peer_count] = ends[0];
    }
}

bool peers_are_there(void)
{
    return peer_count > 0;
}

void peers_tell_one(unsigned peer, const void *message, size_t bytes)
{
    if (!send_all(to_peer[peer], message, bytes))
        cannot_measure("the process of another GPU has ended");
}

void peers_tell(const void *message, size_t bytes)
{
    for (unsigned peer = 0; peer < peer_count; peer++)
        peers_tell_one(peer, message, bytes);
}

void peers_hear(unsigned peer, void *message, size_t bytes)
{
    if (!receive_all(to_peer[peer], message, bytes))
        cannot_measure("the process of another GPU has ended");
}

bool peers_are_told(void *message, size_t bytes)
{
    return receive_all(to_first, message, bytes);
}

void peers_answer(const void *message, size_t bytes)
{
    if (!send_all(to_first, message, bytes))
        exit(EXIT_CANNOT);
}
