/* output.c - files written beside the old file, which take its place when complete.
 *
 * The new file has no name (O_TMPFILE) until it is complete, so a killed process leaves nothing
 * behind; on file systems without O_TMPFILE it is ".gpumm-..." in the same folder. When complete, it
 * gets its name in one step (rename). The rules are those of editors:
 *
 * - a symbolic link stays, and its target is replaced;
 * - the new file has the old file's mode and owner;
 * - the old file is overwritten instead if a new file would lose something (other hard links, an
 *   owner that this process may not set, access lists, attributes), or if the folder accepts no new
 *   name. The new data lie complete beside the old file (or in the folder of temporary files) before
 *   that; if overwriting fails in the middle, they stay and the error names them;
 * - pipes, character devices such as terminals, and files reached through /proc/self/fd (such as
 *   /dev/stdout) are written to directly.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "error.h"
#include "gpumm.h"
#include "memory/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* Linux's own limit of links. */
enum { MOST_LINKS = 40 };

struct gpumm_output {
  int fd;
  int stream;               /* written to directly */
  int in_place;             /* the old file is overwritten, not replaced */
  atomic_int error;         /* the first errno of a write, or 0 */
  char name[PATH_MAX];      /* as given, for messages */
  char target[PATH_MAX];    /* with links followed */
  char folder[PATH_MAX];    /* of the new file, with a slash; "": the current one */
  char temporary[PATH_MAX]; /* "" while the new file has no name */
};

static gpumm_status fail_write (const gpumm_output *o, int error) {
  return gpumm_fail (GPUMM_INVALID, "cannot write %s: %s", o->name, strerror (error));
}

/* ---- names -------------------------------------------------------------------------------- */

/* The length of the folder part of a path, with its slash, or 0. */
static size_t folder_length (const char *path) {
  const char *slash = strrchr (path, '/');
  return slash ? (size_t) (slash - path) + 1 : 0;
}

/* Follows links, even to names that do not exist yet. Returns 0 or an errno. *magic: the last link
 * is in /proc and leads to an open file, not to a name. */
static int follow (char target[PATH_MAX], int *magic) {
  *magic = 0;
  for (int links = 0; links <= MOST_LINKS; links++) {
    char to[PATH_MAX], joined[PATH_MAX];
    struct stat info;
    struct statfs system;
    if (lstat (target, &info) != 0 || !S_ISLNK (info.st_mode))
      return 0;
    const size_t folder = folder_length (target);
    snprintf (joined, sizeof joined, "%.*s", (int) folder, folder ? target : "");
    if (statfs (folder ? joined : ".", &system) == 0 && system.f_type == PROC_SUPER_MAGIC) {
      *magic = 1;
      return 0;
    }
    const ssize_t length = readlink (target, to, sizeof to - 1);
    if (length < 0)
      return errno;
    to[length] = 0;
    const int used = to[0] == '/'
                         ? snprintf (joined, sizeof joined, "%s", to)
                         : snprintf (joined, sizeof joined, "%.*s%s", (int) folder, target, to);
    if (used < 0 || (size_t) used >= sizeof joined)
      return ENAMETOOLONG;
    memcpy (target, joined, (size_t) used + 1);
  }
  return ELOOP;
}

/* Makes a new name in the folder at each call. Returns 0 or an errno. */
static int make_name (gpumm_output *o) {
  static atomic_uint calls;
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  const unsigned mixed = (unsigned) now.tv_nsec * 2654435761u + atomic_fetch_add (&calls, 1);
  const int used = snprintf (o->temporary, sizeof o->temporary, "%s.gpumm-%d-%08x", o->folder,
                             (int) getpid (), mixed);
  return used > 0 && (size_t) used < sizeof o->temporary ? 0 : ENAMETOOLONG;
}

static const char *folder_of_temporaries (void) {
  const char *folder = getenv ("TMPDIR");
  return folder && folder[0] == '/' ? folder : "/tmp";
}

/* ---- open --------------------------------------------------------------------------------- */

/* Makes a new file in the folder, with or without a name. Returns 0 or an errno. */
static int make_file (gpumm_output *o, mode_t mode) {
  /* naming it later needs /proc */
  if (access ("/proc/self/fd", X_OK) == 0) {
    o->fd = open (o->folder[0] ? o->folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (o->fd >= 0)
      return 0;
  }
  for (int attempt = 0; attempt < 100; attempt++) {
    const int error = make_name (o);
    if (error)
      return error;
    o->fd = open (o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (o->fd >= 0)
      return 0;
    if (errno != EEXIST)
      break;
  }
  o->temporary[0] = 0;
  return errno;
}

/* Would a new file lose an attribute of this one? Security labels do not count: the system sets
 * them. */
static int has_attributes (const char *target) {
  char names[4096];
  const ssize_t length = listxattr (target, names, sizeof names);
  if (length < 0)
    return errno == ERANGE;
  for (const char *name = names; name < names + length; name += strlen (name) + 1)
    if (strcmp (name, "security.selinux") != 0)
      return 1;
  return 0;
}

/* 0, or an errno. */
static int open_beside (gpumm_output *o, const struct stat *old) {
  snprintf (o->folder, sizeof o->folder, "%.*s", (int) folder_length (o->target), o->target);
  if (!old)
    return make_file (o, 0666);
  if (faccessat (AT_FDCWD, o->target, W_OK, AT_EACCESS) != 0)
    return errno;
  o->in_place = old->st_nlink > 1 || has_attributes (o->target);
  int error = make_file (o, 0600);
  if (error == EACCES || error == EPERM || error == EROFS) {
    const int used = snprintf (o->folder, sizeof o->folder, "%s/", folder_of_temporaries ());
    o->in_place = 1;
    if (used > 0 && (size_t) used < sizeof o->folder)
      error = make_file (o, 0600);
  }
  if (error)
    return error;
  struct stat info;
  if (fstat (o->fd, &info) != 0)
    return errno;
  if ((info.st_uid != old->st_uid || info.st_gid != old->st_gid)
      && fchown (o->fd, old->st_uid, old->st_gid) != 0)
    o->in_place = 1;
  else if (fchmod (o->fd, old->st_mode & 07777) != 0)
    o->in_place = 1;
  return 0;
}

/* Returns 0 or an errno. Does not wait for a pipe without a reader. */
static int open_stream (gpumm_output *o) {
  o->stream = 1;
  o->fd = open (o->target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (o->fd < 0)
    return errno;
  const int flags = fcntl (o->fd, F_GETFL);
  return flags < 0 || fcntl (o->fd, F_SETFL, flags & ~O_NONBLOCK) != 0 ? errno : 0;
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
  struct stat old;
  int magic, error = follow (o->target, &magic);
  if (!error) {
    const int exists = stat (o->target, &old) == 0;
    if (!exists && errno != ENOENT)
      error = errno;
    else if (!exists)
      error = o->target[strlen (o->target) - 1] == '/' ? EISDIR : open_beside (o, NULL);
    else if (S_ISDIR (old.st_mode))
      error = EISDIR;
    else if (magic || S_ISFIFO (old.st_mode) || S_ISCHR (old.st_mode))
      error = open_stream (o);
    else if (S_ISREG (old.st_mode))
      error = open_beside (o, &old);
    else {
      const gpumm_status status = gpumm_fail (GPUMM_INVALID, "cannot write %s: not a file", name);
      gpumm_output_abort (o);
      return status;
    }
  }
  if (error) {
    const gpumm_status status = fail_write (o, error);
    gpumm_output_abort (o);
    return status;
  }
  *output = o;
  return GPUMM_OK;
}

int gpumm_output_is_stream (const gpumm_output *o) {
  return o->stream;
}

/* ---- write -------------------------------------------------------------------------------- */

static gpumm_status note (gpumm_output *o, int error) {
  int none = 0;
  atomic_compare_exchange_strong (&o->error, &none, error);
  return fail_write (o, error);
}

gpumm_status gpumm_output_reserve (gpumm_output *o, size_t bytes) {
  const int error = o->stream ? 0 : fallocate (o->fd, 0, 0, (off_t) bytes) != 0 ? errno : 0;
  /* a file system that cannot reserve room reports at a write that it is full */
  return bytes == 0 || error == 0 || error == EOPNOTSUPP || error == ENOSYS ? GPUMM_OK
                                                                            : note (o, error);
}

gpumm_status gpumm_output_append (gpumm_output *o, const void *data, size_t bytes) {
  const char *from = data;
  while (bytes > 0) {
    const ssize_t done = write (o->fd, from, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return note (o, done < 0 ? errno : EIO);
    from += done;
    bytes -= (size_t) done;
  }
  return GPUMM_OK;
}

gpumm_status gpumm_output_put (gpumm_output *o, size_t offset, const void *data, size_t bytes) {
  const char *from = data;
  while (bytes > 0) {
    const ssize_t done = pwrite (o->fd, from, bytes, (off_t) offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return note (o, done < 0 ? errno : EIO);
    from += done;
    offset += (size_t) done;
    bytes -= (size_t) done;
  }
  return GPUMM_OK;
}

/* ---- commit ------------------------------------------------------------------------------- */

/* Names a file without a name, in its folder. Returns 0 or an errno. */
static int give_name (gpumm_output *o) {
  char handle[64];
  int error = EEXIST;
  snprintf (handle, sizeof handle, "/proc/self/fd/%d", o->fd);
  for (int attempt = 0; error == EEXIST && attempt < 100; attempt++) {
    error = make_name (o);
    if (!error && linkat (AT_FDCWD, handle, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) != 0)
      error = errno;
  }
  if (error)
    o->temporary[0] = 0;
  return error;
}

/* Copies the contents of o to an open file. Returns 0 or an errno. */
static int copy (const gpumm_output *o, int to, off_t bytes) {
  enum { PIECE = 1 << 20 };
  int error = 0;
  char *piece = malloc (PIECE);
  if (!piece)
    return ENOMEM;
  for (off_t at = 0; !error && at < bytes;) {
    const ssize_t got = pread (o->fd, piece, PIECE, at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      error = got < 0 ? errno : EIO;
    for (ssize_t done = 0; !error && done < got;) {
      const ssize_t put = pwrite (to, piece + done, (size_t) (got - done), at + done);
      if (put >= 0)
        done += put;
      else if (errno != EINTR)
        error = errno;
    }
    at += got > 0 ? got : 0;
  }
  free (piece);
  return error;
}

/* Overwrites the old file, after reserving the disk space. */
static gpumm_status overwrite (gpumm_output *o) {
  struct stat info;
  int error = 0;
  if (!o->temporary[0])
    error = give_name (o); /* if overwriting is interrupted, the user finds the new file */
  if (error)
    return fail_write (o, error);
  const int to = open (o->target, O_WRONLY | O_CLOEXEC);
  if (to < 0 || fstat (o->fd, &info) != 0)
    error = errno;
  else if (info.st_size > 0 && fallocate (to, FALLOC_FL_KEEP_SIZE, 0, info.st_size) != 0
           && errno != EOPNOTSUPP && errno != ENOSYS)
    error = errno;
  if (error) {
    if (to >= 0)
      close (to);
    return fail_write (o, error);
  }
  error = copy (o, to, info.st_size);
  if (!error && (ftruncate (to, info.st_size) != 0 || fsync (to) != 0))
    error = errno;
  if (close (to) != 0 && !error)
    error = errno;
  if (!error)
    return GPUMM_OK;
  const gpumm_status status =
      gpumm_fail (GPUMM_INVALID, "cannot write %s: %s; the complete new file is %s", o->name,
                  strerror (error), o->temporary);
  o->temporary[0] = 0; /* keep it */
  return status;
}

gpumm_status gpumm_output_commit (gpumm_output *o) {
  if (!o)
    return GPUMM_OK;
  const int failed = atomic_load (&o->error);
  gpumm_status status = failed ? fail_write (o, failed) : GPUMM_OK;
  if (!status && o->stream) {
    if (close (o->fd) != 0)
      status = fail_write (o, errno);
    o->fd = -1;
  } else if (!status && o->in_place)
    status = overwrite (o);
  else if (!status) {
    int error = o->temporary[0] ? 0 : give_name (o);
    if (!error) {
      /* some file systems report a full disk only here */
      error = close (o->fd) != 0 ? errno : 0;
      o->fd = -1;
      if (!error && rename (o->temporary, o->target) != 0)
        error = errno;
      else if (!error)
        o->temporary[0] = 0;
    }
    /* a mount point, or another user's file in a sticky folder */
    if (error == EBUSY || error == EXDEV || error == EPERM || error == EACCES) {
      if (o->fd < 0)
        o->fd = open (o->temporary, O_RDWR | O_CLOEXEC);
      status = o->fd < 0 ? fail_write (o, error) : overwrite (o);
    } else if (error)
      status = fail_write (o, error);
  }
  gpumm_output_abort (o);
  return status;
}

void gpumm_output_abort (gpumm_output *o) {
  if (!o)
    return;
  if (o->fd >= 0)
    close (o->fd);
  if (o->temporary[0])
    (void) unlink (o->temporary);
  gpumm_release (o);
}
