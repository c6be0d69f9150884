/*
 * Receiving from the kernel's netlink sockets fails with the error whose number stands in the file DEAF_NETLINK, as long as
 * there is one. The program under test makes system calls without the C library. So the kernel hands each recvfrom(2) of the
 * process to this library (seccomp), which carries out those that shall succeed as recvmsg(2). Programs that it starts inherit
 * both.
 *
 *   cc -shared -fPIC -o deaf-netlink.so deaf-netlink.c
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const char *path;

static int wanted(int socket) {
  char text[16] = "";
  int family = 0;
  socklen_t length = sizeof family;
  int file;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &length) != 0 || family != AF_NETLINK) return 0;
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  if (read(file, text, sizeof text - 1) < 0) text[0] = '\0';
  close(file);
  return atoi(text);
}

static void receive(int number, siginfo_t *info, void *where) {
  greg_t *registers = ((ucontext_t *)where)->uc_mcontext.gregs;
  int before = errno;
  int socket = (int)registers[REG_RDI];
  struct iovec octets = {(void *)registers[REG_RSI], (size_t)registers[REG_RDX]};
  socklen_t *length = (socklen_t *)registers[REG_R9];
  struct msghdr message = {.msg_iov = &octets, .msg_iovlen = 1, .msg_name = (void *)registers[REG_R8]};
  int error = wanted(socket);
  long got = -1;
  (void)number;
  (void)info;
  if (length != NULL && message.msg_name != NULL) message.msg_namelen = *length;
  if (error == 0) {
    got = syscall(SYS_recvmsg, socket, &message, (int)registers[REG_R10]);
    error = errno;
  }
  if (got >= 0 && message.msg_name != NULL && length != NULL) *length = message.msg_namelen;
  registers[REG_RAX] = got >= 0 ? got : -error;
  errno = before;
}

__attribute__((constructor)) static void begin(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_recvfrom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  struct sigaction action = {.sa_sigaction = receive, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK};
  path = getenv("DEAF_NETLINK");
  if (path == NULL) return;
  sigaction(SIGSYS, &action, NULL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
