/* A clock of day that jumps: loaded before libc (LD_PRELOAD), it adds the seconds in the file WEBSP_ENDURANCE_CLOCK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
static long *jump(void) {
  static long *at, none;
  if (!at) {
    int file = open(getenv("WEBSP_ENDURANCE_CLOCK") ? getenv("WEBSP_CLOCK") : "/dev/null", O_RDONLY);
    void *seen = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
    at = seen == MAP_FAILED ? &none : seen;
  }
  return at;
}
int clock_gettime(clockid_t id, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, now);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) now->tv_sec += *jump();
  return result;
}
int gettimeofday(struct timeval *now, void *zone) {
  struct timespec at;
  int result = clock_gettime(CLOCK_REALTIME, &at);
  now->tv_sec = at.tv_sec, now->tv_usec = at.tv_nsec / 1000;
  return result;
}
time_t time(time_t *out) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  if (out) *out = at.tv_sec;
  return at.tv_sec;
}
