/* A program in a sandbox can change files only in its own folder, and reaches no network. It returns a sum of
 * 1 (it could write to /tmp), 2 (it could send a datagram) and 4 (it could not write to its own folder). */
// expect --sandbox: right
// expect: wrong "ended with status"
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

__global__ void work(int *a)
{
    a[threadIdx.x] = 1;
}

static bool can_write(std::string folder)
{
    std::string name = folder + "/gpusync-sandbox-" + std::to_string(getpid());
    FILE *file = fopen(name.c_str(), "w");
    bool written = file && fputs("x", file) >= 0 && fclose(file) == 0;
    unlink(name.c_str());
    return written;
}

static bool can_send()
{
    struct sockaddr_in to;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    to.sin_addr.s_addr = inet_addr("192.0.2.1"); // an address that nobody has (RFC 5737)
    int made = socket(AF_INET, SOCK_DGRAM, 0);
    bool sent = made >= 0 && sendto(made, "", 0, 0, (struct sockaddr *)&to, sizeof to) == 0;
    close(made);
    return sent;
}

int main()
{
    int *a;
    cudaMalloc(&a, 32 * sizeof *a);
    work<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    const char *own = getenv("TMPDIR");
    return can_write("/tmp") + 2 * can_send() + 4 * (own && !can_write(own));
}
