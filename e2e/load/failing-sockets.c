/*
 * Receiving and accepting fail with the error whose number stands in the file FAILING_SOCKETS, as long as one does: as the
 * system does when it is out of memory, for example. This concerns sockets of internet families only.
 *
 *   cc -shared -fPIC -o failing-sockets.so failing-sockets.c
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static int wanted(const char *call, int socket) {
  const char *path = getenv("FAILING_SOCKETS");
  struct sockaddr_storage own;
  socklen_t length = sizeof own;
  char name[32];
  int number = 0;
  FILE *file;
  if (path == NULL || getsockname(socket, (struct sockaddr *)&own, &length) != 0) return 0;
  if (own.ss_family != AF_INET && own.ss_family != AF_INET6) return 0;
  file = fopen(path, "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%31s %d", name, &number) != 2 || __builtin_strcmp(name, call) != 0) number = 0;
  fclose(file);
  return number;
}

int recvmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout) {
  static int (*real)(int, struct mmsghdr *, unsigned, int, struct timespec *);
  int number = wanted("recvmmsg", socket);
  if (number != 0) return errno = number, -1;
  if (real == NULL) real = dlsym(RTLD_NEXT, "recvmmsg");
  return real(socket, messages, count, flags, timeout);
}

int accept4(int socket, struct sockaddr *from, socklen_t *length, int flags) {
  static int (*real)(int, struct sockaddr *, socklen_t *, int);
  int number = wanted("accept4", socket);
  if (number != 0) return errno = number, -1;
  if (real == NULL) real = dlsym(RTLD_NEXT, "accept4");
  return real(socket, from, length, flags);
}
