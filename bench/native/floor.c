/*
 * The floor: the least work that a UDP server on this system can do. It reads a batch, copies each id into one prepared response,
 * and writes the batch back. It looks at nothing else, so its responses suit only a generator that matches by id.
 *
 *   floor PORT
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BATCH = 64, LARGEST_QUERY = 512, ID = 2 };

/* NOERROR, one question `a. A`, one answer 203.0.113.7 */
static const unsigned char answer[] = {
    0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 1, 'a', 0, 0, 1, 0, 1,
    0xc0, 12, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4, 203, 0, 113, 7};

static unsigned char queries[BATCH][LARGEST_QUERY];
static unsigned char answers[BATCH][sizeof answer];
static struct sockaddr_in clients[BATCH];
static struct iovec in[BATCH], out[BATCH];
static struct mmsghdr received[BATCH], replies[BATCH];

static void prepare(void)
{
    for (int i = 0; i < BATCH; i++) {
        memcpy(answers[i], answer, sizeof answer);
        in[i] = (struct iovec){queries[i], LARGEST_QUERY};
        out[i] = (struct iovec){answers[i], sizeof answer};
        received[i].msg_hdr = (struct msghdr){.msg_name = &clients[i], .msg_iov = &in[i], .msg_iovlen = 1};
        replies[i].msg_hdr = (struct msghdr){
            .msg_name = &clients[i], .msg_namelen = sizeof clients[i], .msg_iov = &out[i], .msg_iovlen = 1};
    }
}

static int listen_on(const char *port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    int door = socket(AF_INET, SOCK_DGRAM, 0);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (door < 0 || bind(door, (struct sockaddr *)&here, sizeof here) < 0) {
        perror("floor");
        exit(1);
    }
    return door;
}

static void reply(int door, int count)
{
    for (int sent = 0; sent < count;) {
        int now = sendmmsg(door, replies + sent, (unsigned)(count - sent), 0);
        if (now > 0)
            sent += now;
        else if (errno != EINTR)
            sent++; /* a client that has ended must not stop the others */
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: floor PORT\n");
        return 2;
    }
    int door = listen_on(argv[1]);
    prepare();
    for (;;) {
        for (int i = 0; i < BATCH; i++)
            received[i].msg_hdr.msg_namelen = sizeof clients[i];
        int count = recvmmsg(door, received, BATCH, MSG_WAITFORONE, NULL);
        for (int i = 0; i < count; i++)
            memcpy(answers[i], queries[i], ID);
        if (count > 0)
            reply(door, count);
    }
}
