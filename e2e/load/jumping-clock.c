/*
 * Moves the wall clock of one program by as many seconds as a file says: cc -shared -fPIC, then LD_PRELOAD. Monotonic clocks are
 * unchanged, as when a person sets the time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*reading)(clockid_t, struct timespec *);

static const volatile int64_t *offset;
static reading real;

__attribute__((constructor)) static void open_offset(void) {
  real = (reading)dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("JUMPING_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  /* other code may call this before the constructor ran */
  if (real == NULL) real = (reading)dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result == 0 && offset != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += *offset;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time;
  int result = clock_gettime(CLOCK_REALTIME, &time);
  if (result == 0 && now != NULL) *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
  return result;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
