/* Counts the calls that change files, and kills the process or lets a call fail at one of them.
 *
 * FAULT_LOG   a file that gets one line a call: what, path (and where to)
 * FAULT_AT    the number of the call, from one
 * FAULT_KIND  kill, or the number of an errno
 * FAULT_DENIED  the end of a path that may not be read
 * FAULT_STICKY  every later call of the kind that can fail so fails too
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

static void note(const char *what, const char *a, const char *b) {
  const char *log = getenv("FAULT_LOG");
  if (!log) return;
  static int (*real_open)(const char *, int, ...);
  static ssize_t (*real_write)(int, const void *, size_t);
  if (!real_open) real_open = dlsym(RTLD_NEXT, "open");
  if (!real_write) real_write = dlsym(RTLD_NEXT, "write");
  int fd = real_open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd < 0) return;
  char line[8300];
  int n = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, a, b ? b : "");
  if (real_write(fd, line, n) < 0) { /* the log is only for reading */ }
  close(fd);
}

/* One more call; returns the errno it is to fail with, or 0. */
static int fault(const char *what, const char *a, const char *b) {
  note(what, a, b);
  calls++;
  const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
  if (!at || !kind) return 0;
  int due = atoi(at);
  if (strcmp(kind, "kill") == 0) {
    if (calls == due) { kill(getpid(), SIGKILL); pause(); }
    return 0;
  }
  return calls == due || (calls > due && getenv("FAULT_STICKY")) ? atoi(kind) : 0;
}

static const char *name_of(int fd, char *buffer, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, buffer, size - 1);
  buffer[n < 0 ? 0 : n] = 0;
  return buffer;
}

/* A device, and no file of a folder in memory. */
static int is_device(const char *path) {
  return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

static int counts(int fd, char *buffer, size_t size) {
  return fd > 2 && name_of(fd, buffer, size)[0] == '/' && !is_device(buffer) && strncmp(buffer, "/proc/", 6);
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)
#define FAIL(what, a, b) do { int e = fault(what, a, b); if (e) { errno = e; return -1; } } while (0)

static int is_denied(const char *path) {
  const char *end = getenv("FAULT_DENIED");
  return end && strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list l; va_start(l, flags); mode = va_arg(l, mode_t); va_end(l); } \
    REAL(int, #name, const char *, int, ...); \
    if (is_denied(path)) { errno = EACCES; return -1; } \
    if (flags & O_CREAT && !is_device(path)) FAIL("create", path, 0); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void *data, size_t size) {
  char path[4096];
  REAL(ssize_t, "write", int, const void *, size_t);
  if (counts(fd, path, sizeof path)) FAIL("write", path, 0);
  return real(fd, data, size);
}

ssize_t writev(int fd, const struct iovec *data, int count) {
  char path[4096];
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  if (counts(fd, path, sizeof path)) FAIL("write", path, 0);
  return real(fd, data, count);
}

#define SYNC(name) \
  int name(int fd) { \
    char path[4096]; \
    REAL(int, #name, int); \
    if (counts(fd, path, sizeof path)) FAIL("sync", path, 0); \
    return real(fd); \
  }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name) \
  int name(int fd, off_t size) { \
    char path[4096]; \
    REAL(int, #name, int, off_t); \
    if (counts(fd, path, sizeof path)) FAIL("truncate", path, 0); \
    return real(fd, size); \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  FAIL("rename", from, to);
  return real(from, to);
}

int link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *);
  FAIL("link", from, to);
  return real(from, to);
}

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  FAIL("unlink", path, 0);
  return real(path);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  FAIL("mkdir", path, 0);
  return real(path, mode);
}
