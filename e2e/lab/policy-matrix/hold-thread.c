/* Holds the thread with the number given for as long as it runs itself; SIGSTOP would hold the whole process.
   cc -o hold-thread hold-thread.c */
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
  /* a tracer that ends lets go */
  pause();
}
