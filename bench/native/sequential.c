/*
 * One query at a time over UDP, or A and AAAA of one name at once as getaddrinfo does: the next leaves when all responses are
 * there, and each name is new. This is the latency of a program on a desktop, without the queue of a load generator.
 *
 *   sequential PORT WARM_UP COUNT SUFFIX [pair | sockets PAUSE_US]
 *
 * With "sockets" each query is sent from a socket of its own, which is closed once the response is there, and all are for one name.
 *
 * Prints one line of JSON; times are in microseconds, over the COUNT queries behind the warm-up.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 4096, HEADER = 12, PATIENCE_MS = 1000, TRIED_BEFORE_GIVING_UP = 5 };

enum { A = 1, AAAA = 28, MOST_TYPES = 2 };

static const int types[MOST_TYPES] = {A, AAAA};
static int lost, failed, asked_at_once = 1, new_sockets;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static size_t put_name(unsigned char *at, const char *name)
{
    unsigned char *start = at;
    while (*name != '\0') {
        size_t length = strcspn(name, ".");
        *at++ = (unsigned char)length;
        memcpy(at, name, length);
        at += length;
        name += length + (name[length] == '.');
    }
    *at++ = 0;
    return (size_t)(at - start);
}

/* The ids of one name differ in the type. */
static unsigned id_of(unsigned number, int type)
{
    return (number * MOST_TYPES + (unsigned)type) & 0xffff;
}

static size_t write_query(unsigned char *query, unsigned number, int type, const char *suffix)
{
    unsigned id = id_of(number, type);
    const unsigned char head[HEADER] = {(unsigned char)(id >> 8), (unsigned char)id, 1, 0, 0, 1};
    const unsigned char type_in[4] = {0, (unsigned char)types[type], 0, 1};
    char name[256];
    snprintf(name, sizeof name, "s%u-%d.%s", new_sockets ? 0 : number, (int)getpid(), suffix);
    memcpy(query, head, HEADER);
    size_t length = HEADER + put_name(query + HEADER, name);
    memcpy(query + length, type_in, sizeof type_in);
    return length + sizeof type_in;
}

/* Microseconds until all responses are there, or a negative number when one did not come. */
static double ask(int door, unsigned number, const char *suffix)
{
    unsigned char query[LARGEST], reply[LARGEST];
    struct pollfd readable = {.fd = door, .events = POLLIN};
    int missing = (1 << asked_at_once) - 1;
    double start = now_us();
    for (int type = 0; type < asked_at_once; type++)
        if (send(door, query, write_query(query, number, type, suffix), 0) < 0)
            return -1;
    while (poll(&readable, 1, PATIENCE_MS) > 0) {
        ssize_t got = recv(door, reply, sizeof reply, 0);
        for (int type = 0; got >= HEADER && type < asked_at_once; type++) {
            if (((unsigned)reply[0] << 8 | reply[1]) != id_of(number, type) || (missing & 1 << type) == 0)
                continue;
            int no_error = (reply[3] & 0x0f) == 0, has_answer = reply[6] != 0 || reply[7] != 0;
            failed += !(no_error && has_answer);
            missing &= ~(1 << type);
        }
        if (missing == 0)
            return now_us() - start;
    }
    return -1;
}

static int open_door(const struct sockaddr_in *server)
{
    int door = socket(AF_INET, SOCK_DGRAM, 0);
    if (door < 0 || connect(door, (const struct sockaddr *)server, sizeof *server) < 0) {
        perror("sequential");
        exit(1);
    }
    return door;
}

static int ascending(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static void report(double *times, int answered, int count)
{
    double sum = 0;
    qsort(times, (size_t)answered, sizeof *times, ascending);
    for (int i = 0; i < answered; i++)
        sum += times[i];
    double mean = answered > 0 ? sum / answered : 0;
    double median = answered > 0 ? times[answered / 2] : 0;
    double p99 = answered > 0 ? times[(long)answered * 99 / 100] : 0;
    printf("{\"asked\":%d,\"answered\":%d,\"lost\":%d,\"failed\":%d,\"mean\":%.2f,\"median\":%.2f,\"p99\":%.2f}\n",
           count, answered, lost, failed, mean, median, p99);
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[5], "pair") == 0)
        asked_at_once = MOST_TYPES;
    else if (argc == 7 && strcmp(argv[5], "sockets") == 0)
        new_sockets = 1;
    else if (argc != 5) {
        fprintf(stderr, "usage: sequential PORT WARM_UP COUNT SUFFIX [pair | sockets PAUSE_US]\n");
        return 2;
    }
    int warm_up = atoi(argv[2]), count = atoi(argv[3]), answered = 0, asked = 0;
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int door = open_door(&server);
    double *times = calloc((size_t)count + 1, sizeof *times);
    if (times == NULL) {
        perror("sequential");
        return 1;
    }
    unsigned number = 0;
    for (; (int)number < warm_up; number++)
        ask(door, number, argv[4]);
    lost = failed = 0;
    for (; asked < count && lost < TRIED_BEFORE_GIVING_UP; asked++, number++) {
        if (new_sockets) {
            close(door);
            if (atoi(argv[6]) > 0)
                usleep((useconds_t)atoi(argv[6]));
            door = open_door(&server);
        }
        double taken = ask(door, number, argv[4]);
        if (taken < 0)
            lost++;
        else
            times[answered++] = taken;
    }
    report(times, answered, asked);
    return 0;
}
