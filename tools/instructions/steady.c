/*
 * Preloaded into redis-server so that two runs of the same commands execute the same instructions.
 * Clocks advance by a fixed step per reading, and everything random starts from the same seed.
 * On SIGUSR2 callgrind writes its counts to a file and starts again from zero.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <valgrind/callgrind.h>

/* Microseconds per reading. Redis reads a clock several times per command. */
#define STEP_US 5

/* 2026-12-01T00:00:00Z. */
static uint64_t now_us = 1796083200000000ull;

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  now_us += STEP_US;
  at->tv_sec = now_us / 1000000;
  at->tv_usec = now_us % 1000000;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  (void)clock;
  now_us += STEP_US;
  at->tv_sec = now_us / 1000000;
  at->tv_nsec = now_us % 1000000 * 1000;
  return 0;
}

time_t time(time_t *at) {
  time_t seconds = now_us / 1000000;
  if (at) *at = seconds;
  return seconds;
}

/* Skip lists draw their levels from random(). */
void srandom(unsigned int seed) { (void)seed; }
void srand(unsigned int seed) { (void)seed; }

/* Redis reads the seed of its hash tables from /dev/urandom. Builds with large files use fopen64. */
static FILE *open_steady(const char *name, const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) =
      (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, name);
  return real(strcmp(path, "/dev/urandom") == 0 ? "/dev/zero" : path, mode);
}
FILE *fopen(const char *path, const char *mode) { return open_steady("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_steady("fopen64", path, mode); }

/*
 * Redis waits for the next command without a timeout. With one, a client that is slow because the
 * machine is busy would cost instructions: each timeout is another round of the event loop.
 */
int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
  int (*real)(int, struct epoll_event *, int, int) =
      (int (*)(int, struct epoll_event *, int, int)) dlsym(RTLD_NEXT, "epoll_wait");
  return real(epoll, events, most, timeout == 0 ? 0 : -1);
}

static void dump(int signal) {
  (void)signal;
  CALLGRIND_DUMP_STATS;
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action = {0};
  action.sa_handler = dump;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, 0);
  /* The server ends with the process that started it, however that one ends. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}
