/*
 * Once the file $SOTTO_TRIAL_PANIC exists, the engine's thread gets an error from the system when it waits for its sockets.
 * Tokio then panics in that thread.
 *
 *   cc -shared -fPIC -o engine-panics.so engine-panics.c
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef int (*wait_function)(int, struct epoll_event *, int, int);

int epoll_wait(int poll, struct epoll_event *events, int most, int patience) {
  static wait_function real;
  if (!real) real = (wait_function)dlsym(RTLD_NEXT, "epoll_wait");
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  const char *file = getenv("SOTTO_TRIAL_PANIC");
  int found = real(poll, events, most, patience);
  if (strcmp(name, "sotto-engine") == 0 && file && access(file, F_OK) == 0) {
    unlink(file);
    errno = EBADF;
    return -1;
  }
  return found;
}
