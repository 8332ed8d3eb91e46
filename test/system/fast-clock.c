/*
 * Preloaded (LD_PRELOAD), makes time pass FAST_CLOCK times as fast for one process: its clocks advance faster and its
 * time-outs are shorter by that factor. FAST_CLOCK_SINCE is the moment at which fast time begins, in nanoseconds of
 * CLOCK_MONOTONIC; processes with the same one share their time. Without it, fast time begins with the process.
 * Time-outs are rounded up, so that a wait never ends early. CPU clocks, timerfd and interval timers stay as they are:
 * Node waits with none of them. For Linux from 5.11 and glibc from 2.30 on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define SIGSET_SIZE 8
typedef int64_t nanoseconds;
typedef struct timespec timespec;

static int64_t factor = 1;
static nanoseconds since;

static nanoseconds from(const timespec *at) { return at->tv_sec * SECOND + at->tv_nsec; }
static timespec to(nanoseconds span) { return (timespec){span / SECOND, span % SECOND}; }

static nanoseconds real(clockid_t clock) {
  timespec at;
  syscall(SYS_clock_gettime, clock, &at);
  return from(&at);
}
static nanoseconds fast(clockid_t clock) { return real(clock) + (real(CLOCK_MONOTONIC) - since) * (factor - 1); }

/* The factor is read last: until then every clock is real. */
__attribute__((constructor)) static void start(void) {
  const char *given = getenv("FAST_CLOCK_SINCE"), *times = getenv("FAST_CLOCK");
  since = given ? atoll(given) : real(CLOCK_MONOTONIC);
  if (times && atoll(times) > 0) factor = atoll(times);
}

/* How long to wait in real time: for a span of fast time, and until a moment of fast time. */
static timespec shorter(nanoseconds span) { return to(span <= 0 ? 0 : (span + factor - 1) / factor); }
static timespec shorter_until(clockid_t clock, const timespec *at) { return shorter(from(at) - fast(clock)); }
/* An absolute time-out does not say by which clock it counts; only the time of day is decades ahead. */
static clockid_t clock_of(const timespec *at) { return at->tv_sec > 1000000000 ? CLOCK_REALTIME : CLOCK_MONOTONIC; }
static timespec real_moment(const timespec *at) {
  timespec span = shorter_until(clock_of(at), at);
  return to(real(CLOCK_MONOTONIC) + from(&span));
}

int clock_gettime(clockid_t clock, timespec *at) {
  timespec found;
  if (syscall(SYS_clock_gettime, clock, &found)) return -1;
  /* libuv may time its loop by a coarse clock: 4 ms of it would be seconds. */
  if (clock == CLOCK_REALTIME_COARSE) clock = CLOCK_REALTIME;
  if (clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW) clock = CLOCK_MONOTONIC;
  int is_time = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
  *at = is_time ? to(fast(clock)) : found;
  return 0;
}
int gettimeofday(struct timeval *at, void *zone) {
  (void)zone;
  timespec now = to(fast(CLOCK_REALTIME));
  *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t *at) {
  time_t now = fast(CLOCK_REALTIME) / SECOND;
  return at ? (*at = now) : now;
}

int epoll_pwait2(int epoll, struct epoll_event *events, int max, const timespec *span, const sigset_t *mask) {
  timespec wait = span ? shorter(from(span)) : to(0);
  return syscall(SYS_epoll_pwait2, epoll, events, max, span ? &wait : NULL, mask, SIGSET_SIZE);
}
int epoll_pwait(int epoll, struct epoll_event *events, int max, int milliseconds, const sigset_t *mask) {
  timespec span = to(milliseconds * 1000000LL);
  return epoll_pwait2(epoll, events, max, milliseconds < 0 ? NULL : &span, mask);
}
int epoll_wait(int epoll, struct epoll_event *events, int max, int milliseconds) {
  return epoll_pwait(epoll, events, max, milliseconds, NULL);
}
int ppoll(struct pollfd *files, nfds_t count, const timespec *span, const sigset_t *mask) {
  timespec wait = span ? shorter(from(span)) : to(0);
  return syscall(SYS_ppoll, files, count, span ? &wait : NULL, mask, SIGSET_SIZE);
}
int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  timespec span = to(milliseconds * 1000000LL);
  return ppoll(files, count, milliseconds < 0 ? NULL : &span, NULL);
}
int pselect(int max, fd_set *in, fd_set *out, fd_set *bad, const timespec *span, const sigset_t *mask) {
  timespec wait = span ? shorter(from(span)) : to(0);
  struct { const sigset_t *mask; size_t size; } given = {mask, SIGSET_SIZE};
  return syscall(SYS_pselect6, max, in, out, bad, span ? &wait : NULL, &given);
}
int select(int max, fd_set *in, fd_set *out, fd_set *bad, struct timeval *given) {
  timespec span = given ? (timespec){given->tv_sec, given->tv_usec * 1000} : to(0);
  return pselect(max, in, out, bad, given ? &span : NULL, NULL);
}

/* What is left of an interrupted sleep is fast time again. */
int nanosleep(const timespec *span, timespec *left) {
  timespec wait = shorter(from(span)), rest;
  int failed = syscall(SYS_nanosleep, &wait, &rest);
  if (failed && left) *left = to(from(&rest) * factor);
  return failed;
}
int clock_nanosleep(clockid_t clock, int flags, const timespec *given, timespec *left) {
  timespec wait = flags & TIMER_ABSTIME ? shorter_until(clock, given) : shorter(from(given)), rest;
  int failed = syscall(SYS_nanosleep, &wait, &rest);
  if (failed && left) *left = to(from(&rest) * factor);
  return failed ? errno : 0;
}
int usleep(useconds_t microseconds) {
  timespec span = to(microseconds * 1000LL);
  return nanosleep(&span, NULL);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
  timespec moment = real_moment(until);
  return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &moment);
}
int sem_timedwait(sem_t *semaphore, const timespec *until) {
  timespec moment = real_moment(until);
  return sem_clockwait(semaphore, CLOCK_MONOTONIC, &moment);
}

/* os.uptime() reads this file before it asks a clock. */
static int open_file(const char *path, int flags, mode_t mode) {
  if (strcmp(path, "/proc/uptime")) return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int file = memfd_create("uptime", MFD_CLOEXEC);
  dprintf(file, "%.3f 0.00\n", fast(CLOCK_BOOTTIME) / 1e9);
  lseek(file, 0, SEEK_SET);
  return file;
}
#define OPEN(name)                                   \
  int name(const char *path, int flags, ...) {       \
    va_list more;                                    \
    va_start(more, flags);                           \
    mode_t mode = va_arg(more, mode_t);              \
    va_end(more);                                    \
    return open_file(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)
