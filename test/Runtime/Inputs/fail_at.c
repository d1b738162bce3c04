/* Preloaded (LD_PRELOAD): of the calls that change something below the folder FAIL_UNDER, the FAIL_AT-th fails as on a full
 * disk, or with FAIL_HOW=kill ends the process before it is done. The number of calls is left in the file FAIL_COUNT. */
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
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

static int isUnder(const char *path) {
  const char *folder = getenv("FAIL_UNDER");
  return folder && strstr(path, folder) != NULL;
}

static int isFileUnder(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0)
    return 0;
  path[length] = 0;
  return isUnder(path);
}

/* Whether this call fails. */
static int fails(void) {
  char text[16];
  int file = syscall(SYS_openat, AT_FDCWD, getenv("FAIL_COUNT"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ++calls;
  syscall(SYS_write, file, text, snprintf(text, sizeof text, "%d\n", calls));
  close(file);
  if (calls != atoi(getenv("FAIL_AT")))
    return 0;
  if (strcmp(getenv("FAIL_HOW"), "kill") == 0)
    raise(SIGKILL);
  errno = ENOSPC;
  return 1;
}

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size) {
  return isFileUnder(fd) && fails() ? -1 : NEXT(write)(fd, data, size);
}
int fsync(int fd) { return isFileUnder(fd) && fails() ? -1 : NEXT(fsync)(fd); }
int rename(const char *from, const char *to) { return isUnder(to) && fails() ? -1 : NEXT(rename)(from, to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return isUnder(to) && fails() ? -1 : NEXT(renameat2)(a, from, b, to, flags);
}
int symlink(const char *to, const char *link) { return isUnder(link) && fails() ? -1 : NEXT(symlink)(to, link); }
int mkdir(const char *path, mode_t mode) { return isUnder(path) && fails() ? -1 : NEXT(mkdir)(path, mode); }
int remove(const char *path) { return isUnder(path) && fails() ? -1 : NEXT(remove)(path); }
int unlinkat(int folder, const char *path, int flags) {
  return (isUnder(path) || isFileUnder(folder)) && fails() ? -1 : NEXT(unlinkat)(folder, path, flags);
}
int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  return flags & O_CREAT && isUnder(path) && fails() ? -1 : NEXT(open)(path, flags, mode);
}
