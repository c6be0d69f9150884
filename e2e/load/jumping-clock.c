/*
 * Moves the wall clock of one program by as many seconds as a file says, and the clock since the machine's start by as many as it
 * says behind them: cc -shared -fPIC, then LD_PRELOAD. The monotonic clock is unchanged: it stands still while a machine sleeps.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*reading)(clockid_t, struct timespec *);

struct offsets {
  int64_t wall, since_boot;
};

static const volatile struct offsets *offset;
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
  if (result != 0 || offset == NULL) return result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += offset->wall;
  if (clock == CLOCK_BOOTTIME) time->tv_sec += offset->since_boot;
  return result;
}

/* What is read here knows nothing of the offset; whoever does not find it asks the clock. */
static int is_hidden(const char *path) {
  return offset != NULL && offset->since_boot != 0 && strcmp(path, "/proc/uptime") == 0;
}

static int opened(const char *path, int flags, mode_t mode) {
  if (!is_hidden(path)) return openat(AT_FDCWD, path, flags, mode);
  errno = ENOENT;
  return -1;
}

int open(const char *path, int flags, ...) {
  va_list words;
  va_start(words, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(words, mode_t) : 0;
  va_end(words);
  return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list words;
  va_start(words, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(words, mode_t) : 0;
  va_end(words);
  return opened(path, flags | O_LARGEFILE, mode);
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
