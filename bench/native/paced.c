/*
 * Queries over UDP by a timetable, and how long each response took: one client for bursts, pauses and pages.
 *
 *   paced ADDRESS PORT at|after PATIENCE_MS RETRY_MS < TIMETABLE
 *
 * A line of the timetable is MICROSECONDS NAME: since the start (at), or since the response before (after). A query without a
 * response is repeated every RETRY_MS (0: never) and given up PATIENCE_MS after it was first sent. Prints one line of JSON:
 * microseconds from the intended moment to the response, null where none came, and how many responses were errors or without
 * data.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { MOST = 20000, LARGEST = 4096, HEADER = 12, NAME = 256 };

struct asked {
    double due, sent_last, taken;
    int is_sent, is_over;
    char name[NAME];
};

static struct asked all[MOST];
static int count, errors;
static unsigned first_id;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double lesser(double left, double right)
{
    return left < right ? left : right;
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

static void ask(int door, int index)
{
    unsigned id = (first_id + (unsigned)index) & 0xffff;
    unsigned char query[HEADER + NAME + 8] = {(unsigned char)(id >> 8), (unsigned char)id, 1, 0, 0, 1};
    const unsigned char a_in[4] = {0, 1, 0, 1};
    size_t length = HEADER + put_name(query + HEADER, all[index].name);
    memcpy(query + length, a_in, sizeof a_in);
    send(door, query, length + sizeof a_in, 0);
    all[index].is_sent = 1;
    all[index].sent_last = now_us();
}

static void receive(int door)
{
    unsigned char reply[LARGEST];
    ssize_t got;
    while ((got = recv(door, reply, sizeof reply, MSG_DONTWAIT)) >= 0) {
        double at = now_us();
        int index = (int)((((unsigned)reply[0] << 8 | reply[1]) - first_id) & 0xffff);
        if (got < HEADER || index >= count || !all[index].is_sent || all[index].is_over)
            continue;
        all[index].taken = at - all[index].due;
        all[index].is_over = 1;
        errors += (reply[3] & 0x0f) != 0 || (reply[6] == 0 && reply[7] == 0);
    }
}

static void read_timetable(void)
{
    double at;
    while (count < MOST && scanf("%lf %255s", &at, all[count].name) == 2) {
        all[count].due = at;
        all[count++].taken = -1;
    }
}

/* When the query next needs attention; INFINITY when it is over. */
static double tend(int door, int index, double patience, double retry)
{
    struct asked *it = &all[index];
    double now = now_us();
    if (it->is_over)
        return INFINITY;
    if (!it->is_sent) {
        if (now < it->due)
            return it->due;
        ask(door, index);
    }
    if (now >= it->due + patience) {
        it->is_over = 1;
        return INFINITY;
    }
    if (retry > 0 && now >= it->sent_last + retry)
        ask(door, index);
    double next = it->due + patience;
    return retry > 0 ? lesser(next, it->sent_last + retry) : next;
}

static void wait_until(int door, double moment)
{
    long long left = (long long)((moment - now_us()) * 1e3);
    if (left < 0)
        left = 0;
    struct timespec most = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    struct pollfd readable = {.fd = door, .events = POLLIN};
    if (ppoll(&readable, 1, &most, NULL) > 0)
        receive(door);
}

static void ask_by_the_clock(int door, double patience, double retry)
{
    double start = now_us();
    for (int i = 0; i < count; i++)
        all[i].due += start;
    for (;;) {
        double next = INFINITY;
        for (int i = 0; i < count; i++)
            next = lesser(next, tend(door, i, patience, retry));
        if (next == INFINITY)
            return;
        wait_until(door, next);
    }
}

static void ask_one_by_one(int door, double patience, double retry)
{
    for (int i = 0; i < count; i++) {
        double next;
        all[i].due += now_us();
        while ((next = tend(door, i, patience, retry)) != INFINITY)
            wait_until(door, next);
    }
}

static void report(void)
{
    printf("{\"errors\":%d,\"us\":[", errors);
    for (int i = 0; i < count; i++) {
        if (all[i].taken < 0)
            printf("%snull", i > 0 ? "," : "");
        else
            printf("%s%.1f", i > 0 ? "," : "", all[i].taken);
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: paced ADDRESS PORT at|after PATIENCE_MS RETRY_MS < TIMETABLE\n");
        return 2;
    }
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[2]))};
    int door = socket(AF_INET, SOCK_DGRAM, 0);
    if (inet_pton(AF_INET, argv[1], &server.sin_addr) != 1 || door < 0 ||
        connect(door, (struct sockaddr *)&server, sizeof server) < 0) {
        perror("paced");
        return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1);
    first_id = (unsigned)now_us() & 0xffff;
    double patience = atof(argv[4]) * 1e3, retry = atof(argv[5]) * 1e3;
    read_timetable();
    if (strcmp(argv[3], "after") == 0)
        ask_one_by_one(door, patience, retry);
    else
        ask_by_the_clock(door, patience, retry);
    report();
    return 0;
}
