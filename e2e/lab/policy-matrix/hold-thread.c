/*
 * Stops the thread with the given number for as long as this program runs; SIGSTOP would stop the whole process.
 *
 *   cc -o hold-thread hold-thread.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
  pid_t thread = count == 2 ? atoi(words[1]) : 0;
  int status;
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) {
    perror("ptrace");
    return 1;
  }
  waitpid(thread, &status, __WALL);
  puts("held");
  fflush(stdout);
  /* the thread goes on when its tracer ends */
  pause();
}
