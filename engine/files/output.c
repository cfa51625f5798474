/* output.c - files written beside the old file, which take its place when complete.
 *
 * The new file is called ".gpumm-..." until it is complete and on the disk (fsync). Then it takes
 * its name in one step (rename), with the old file's mode. A killed process leaves ".gpumm-..."
 * behind. A symbolic link stays, and the file that it leads to is replaced. Pipes, character
 * devices and descriptors of this process, such as /dev/stdout, are written to directly.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_tools.h"
#include "base/error.h"
#include "memory/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux's own limit of links. */
enum { MOST_LINKS = 40 };

struct gpumm_output {
  int fd;
  int stream;               /* written to directly */
  atomic_int error;         /* the first errno of a write, or 0 */
  char name[PATH_MAX];      /* as given, for messages */
  char target[PATH_MAX];    /* with links followed */
  char temporary[PATH_MAX]; /* "" if there is no new file */
};

static gpumm_status fail_write (const gpumm_output *o, int error) {
  return gpumm_fail (GPUMM_INVALID, "cannot write %s: %s", o->name, strerror (error));
}

/* ---- open --------------------------------------------------------------------------------- */

/* The length of the folder part of a path, with its slash, or 0. */
static size_t folder_length (const char *path) {
  const char *slash = strrchr (path, '/');
  return slash ? (size_t) (slash - path) + 1 : 0;
}

/* The descriptor of this process that the path in /proc/self/fd stands for, or -1. */
static int own_descriptor (const char *path) {
  char folder[PATH_MAX], named[PATH_MAX], own[PATH_MAX];
  snprintf (folder, sizeof folder, "%.*s.", (int) folder_length (path), path);
  return realpath (folder, named) && realpath ("/proc/self/fd", own) && strcmp (named, own) == 0
             ? atoi (path + folder_length (path))
             : -1;
}

/* Follows links, even to names that do not exist yet. *own is the descriptor of this process at
 * which they end, or -1. Returns 0 or an errno. */
static int follow (char target[PATH_MAX], int *own) {
  *own = -1;
  for (int links = 0; links <= MOST_LINKS; links++) {
    char to[PATH_MAX], joined[PATH_MAX];
    const ssize_t length = readlink (target, to, sizeof to - 1);
    if (length < 0) /* no link */
      return 0;
    *own = own_descriptor (target);
    if (*own >= 0)
      return 0;
    to[length] = 0;
    const int folder = to[0] == '/' ? 0 : (int) folder_length (target);
    const int used = snprintf (joined, sizeof joined, "%.*s%s", folder, target, to);
    if (used < 0 || (size_t) used >= sizeof joined)
      return ENAMETOOLONG;
    memcpy (target, joined, (size_t) used + 1);
  }
  return ELOOP;
}

/* Does not wait for a pipe without a reader. Returns 0 or an errno. */
static int open_stream (gpumm_output *o) {
  o->stream = 1;
  o->fd = open (o->target, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (o->fd < 0)
    return errno;
  const int flags = fcntl (o->fd, F_GETFL);
  return flags < 0 || fcntl (o->fd, F_SETFL, flags & ~O_NONBLOCK) != 0 ? errno : 0;
}

/* Makes the new file, with the mode of the old one, if there is one. Returns 0 or an errno. */
static int open_beside (gpumm_output *o, const struct stat *old) {
  static atomic_uint calls;
  char beside[PATH_MAX];
  if (old && faccessat (AT_FDCWD, o->target, W_OK, AT_EACCESS) != 0)
    return errno;
  const mode_t mode = old ? old->st_mode & 0777 : 0666;
  do {
    const int used =
        snprintf (beside, sizeof beside, "%.*s.gpumm-%d-%u", (int) folder_length (o->target),
                  o->target, (int) getpid (), atomic_fetch_add (&calls, 1));
    if (used < 0 || (size_t) used >= sizeof beside)
      return ENAMETOOLONG;
    o->fd = open (beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (o->fd < 0 && errno == EEXIST);
  if (o->fd < 0)
    return errno;
  strcpy (o->temporary, beside);
  if (!old)
    return 0;
  /* who may not give the file to its old owner owns it */
  const int given = fchown (o->fd, old->st_uid, old->st_gid);
  (void) given;
  return fchmod (o->fd, mode) != 0 ? errno : 0;
}

/* Returns 0 or an errno. */
static int open_target (gpumm_output *o) {
  struct stat old;
  int own;
  const int error = follow (o->target, &own);
  if (error)
    return error;
  if (own >= 0) { /* opened again, a file would be overwritten from its beginning */
    o->stream = 1;
    o->fd = fcntl (own, F_DUPFD_CLOEXEC, 0);
    return o->fd < 0 ? errno : 0;
  }
  if (stat (o->target, &old) != 0) {
    if (errno != ENOENT)
      return errno;
    return o->target[strlen (o->target) - 1] == '/' ? EISDIR : open_beside (o, NULL);
  }
  if (S_ISFIFO (old.st_mode) || S_ISCHR (old.st_mode))
    return open_stream (o);
  if (S_ISREG (old.st_mode))
    return open_beside (o, &old);
  return S_ISDIR (old.st_mode) ? EISDIR : EINVAL;
}

gpumm_status gpumm_output_open (const char *name, gpumm_output **output) {
  if (!name || !name[0] || !output)
    return gpumm_fail (GPUMM_INVALID, "no file given");
  *output = NULL;
  if (strlen (name) >= PATH_MAX)
    return gpumm_fail (GPUMM_INVALID, "cannot write %.60s...: %s", name, strerror (ENAMETOOLONG));
  gpumm_output *o = gpumm_allocate (1, sizeof *o);
  if (!o)
    return GPUMM_HOST_MEMORY;
  o->fd = -1;
  strcpy (o->name, name);
  strcpy (o->target, name);
  const int error = open_target (o);
  if (error) {
    const gpumm_status status = fail_write (o, error);
    gpumm_output_abort (o);
    return status;
  }
  *output = o;
  return GPUMM_OK;
}

int gpumm_output_is_stream (const gpumm_output *o) {
  return o && o->stream;
}

/* ---- write -------------------------------------------------------------------------------- */

static gpumm_status no_output (void) {
  return gpumm_fail (GPUMM_INVALID, "no output given");
}

/* Keeps the first failure, so that a commit fails too. */
static gpumm_status note (gpumm_output *o, int error) {
  int none = 0;
  if (!error)
    return GPUMM_OK;
  atomic_compare_exchange_strong (&o->error, &none, error);
  return fail_write (o, error);
}

gpumm_status gpumm_output_reserve (gpumm_output *o, size_t bytes) {
  if (!o)
    return no_output ();
  if (o->stream || bytes == 0)
    return GPUMM_OK;
  if (bytes > INT64_MAX)
    return note (o, EFBIG);
  /* a file system that cannot reserve any reports at a write that it is full */
  const int failed = fallocate (o->fd, 0, 0, (off_t) bytes) != 0;
  return note (o, failed && errno != EOPNOTSUPP && errno != ENOSYS ? errno : 0);
}

enum { AT_END = -1 };

/* Returns 0 or an errno. */
static int write_all (int fd, off_t at, const char *from, size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = at == AT_END ? write (fd, from, bytes) : pwrite (fd, from, bytes, at);
    if (done == 0 || (done < 0 && errno != EINTR))
      return done < 0 ? errno : EIO;
    const size_t moved = done < 0 ? 0 : (size_t) done;
    from += moved;
    bytes -= moved;
    at += at == AT_END ? 0 : (off_t) moved;
  }
  return 0;
}

gpumm_status gpumm_output_append (gpumm_output *o, const void *data, size_t bytes) {
  return o ? note (o, write_all (o->fd, AT_END, data, bytes)) : no_output ();
}

gpumm_status gpumm_output_put (gpumm_output *o, size_t offset, const void *data, size_t bytes) {
  if (!o)
    return no_output ();
  if (offset > INT64_MAX) /* as a signed offset it would be AT_END */
    return note (o, EFBIG);
  return note (o, write_all (o->fd, (off_t) offset, data, bytes));
}

/* ---- end ---------------------------------------------------------------------------------- */

gpumm_status gpumm_output_commit (gpumm_output *o) {
  if (!o)
    return GPUMM_OK;
  int error = atomic_load (&o->error);
  if (!error && !o->stream && fsync (o->fd) != 0)
    error = errno;
  /* some file systems report a full disk only here */
  if (close (o->fd) != 0 && !error)
    error = errno;
  o->fd = -1;
  if (!error && !o->stream && rename (o->temporary, o->target) != 0)
    error = errno;
  const gpumm_status status = error ? fail_write (o, error) : GPUMM_OK;
  if (!error)
    o->temporary[0] = 0;
  gpumm_output_abort (o);
  return status;
}

void gpumm_output_abort (gpumm_output *o) {
  if (!o)
    return;
  if (o->fd >= 0)
    (void) close (o->fd);
  if (o->temporary[0])
    (void) unlink (o->temporary);
  gpumm_release (o);
}
