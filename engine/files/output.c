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
 *   /dev/stdout) are written to directly, after what they hold.
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

/* Where a function here returns 0 or an errno: neither a file nor a stream. */
enum { NOT_A_FILE = -1 };

static gpumm_status fail_write (const gpumm_output *o, int error) {
  return gpumm_fail (GPUMM_INVALID, "cannot write %s: %s", o->name,
                     error == NOT_A_FILE ? "not a file" : strerror (error));
}

/* Closes a file that is open. Returns 0 or an errno. */
static int shut (int *fd) {
  const int error = *fd >= 0 && close (*fd) != 0 ? errno : 0;
  *fd = -1;
  return error;
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
    struct statfs system;
    const ssize_t length = readlink (target, to, sizeof to - 1);
    if (length < 0) /* no link */
      return 0;
    to[length] = 0;
    const int folder = (int) folder_length (target);
    snprintf (joined, sizeof joined, "%.*s", folder, target);
    *magic = statfs (folder ? joined : ".", &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
    if (*magic)
      return 0;
    const int used =
        snprintf (joined, sizeof joined, "%.*s%s", to[0] == '/' ? 0 : folder, target, to);
    if (used < 0 || (size_t) used >= sizeof joined)
      return ENAMETOOLONG;
    memcpy (target, joined, (size_t) used + 1);
  }
  return ELOOP;
}

/* Gives the new file a name of its own in its folder: makes the file (fd < 0), or names the one without
 * a name. Returns 0 or an errno. */
static int give_name (gpumm_output *o, mode_t mode) {
  static atomic_uint calls;
  char handle[64];
  int error = EEXIST;
  snprintf (handle, sizeof handle, "/proc/self/fd/%d", o->fd);
  for (int attempt = 0; error == EEXIST && attempt < 100; attempt++) {
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    const unsigned mixed = (unsigned) now.tv_nsec * 2654435761u + atomic_fetch_add (&calls, 1);
    const int used = snprintf (o->temporary, sizeof o->temporary, "%s.gpumm-%d-%08x", o->folder,
                               (int) getpid (), mixed);
    if (used < 0 || (size_t) used >= sizeof o->temporary)
      error = ENAMETOOLONG;
    else if (o->fd >= 0)
      error = linkat (AT_FDCWD, handle, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) != 0 ? errno : 0;
    else {
      o->fd = open (o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      error = o->fd < 0 ? errno : 0;
    }
  }
  if (error)
    o->temporary[0] = 0;
  return error;
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
  return give_name (o, mode);
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
    const char *folder = getenv ("TMPDIR");
    const int used =
        snprintf (o->folder, sizeof o->folder, "%s/", folder && folder[0] == '/' ? folder : "/tmp");
    o->in_place = 1;
    if (used > 0 && (size_t) used < sizeof o->folder)
      error = make_file (o, 0600);
  }
  if (error)
    return error;
  struct stat info;
  if (fstat (o->fd, &info) != 0)
    return errno;
  if (((info.st_uid != old->st_uid || info.st_gid != old->st_gid)
       && fchown (o->fd, old->st_uid, old->st_gid) != 0)
      || fchmod (o->fd, old->st_mode & 07777) != 0)
    o->in_place = 1;
  return 0;
}

/* The descriptor of this process that the name in /proc stands for, or -1. */
static int own_descriptor (const char *target) {
  char folder[PATH_MAX], named[PATH_MAX], own[PATH_MAX];
  const char *number = target + folder_length (target);
  snprintf (folder, sizeof folder, "%.*s", (int) folder_length (target), target);
  return realpath (folder, named) && realpath ("/proc/self/fd", own) && strcmp (named, own) == 0
             ? atoi (number)
             : -1;
}

/* Returns 0 or an errno. A file has one position for all who write to it through this descriptor:
 * opened again it would be overwritten from its beginning. Does not wait for a pipe without a
 * reader. */
static int open_stream (gpumm_output *o, int is_file) {
  const int own = is_file ? own_descriptor (o->target) : -1;
  o->stream = 1;
  if (own >= 0) {
    o->fd = fcntl (own, F_DUPFD_CLOEXEC, 0);
    return o->fd < 0 ? errno : 0;
  }
  o->fd = open (o->target, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
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
  const int missing = !error && stat (o->target, &old) != 0 ? errno : 0;
  if (missing)
    error = missing != ENOENT                          ? missing
            : o->target[strlen (o->target) - 1] == '/' ? EISDIR
                                                       : open_beside (o, NULL);
  else if (!error)
    error = S_ISDIR (old.st_mode)                             ? EISDIR
            : S_ISFIFO (old.st_mode) || S_ISCHR (old.st_mode) ? open_stream (o, 0)
            : magic                                           ? open_stream (o, 1)
            : S_ISREG (old.st_mode)                           ? open_beside (o, &old)
                                                              : NOT_A_FILE;
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

/* Reserves room for a file. Returns 0 or an errno. A file system that cannot reserve any reports at a
 * write that it is full. */
static int reserve (int fd, int mode, off_t bytes) {
  const int failed = bytes > 0 && fallocate (fd, mode, 0, bytes) != 0;
  return failed && errno != EOPNOTSUPP && errno != ENOSYS ? errno : 0;
}

gpumm_status gpumm_output_reserve (gpumm_output *o, size_t bytes) {
  if (!o)
    return no_output ();
  return note (o, o->stream ? 0 : bytes > INT64_MAX ? EFBIG : reserve (o->fd, 0, (off_t) bytes));
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

/* ---- commit ------------------------------------------------------------------------------- */

/* Copies the contents of o to an open file. Returns 0 or an errno. */
static int copy (const gpumm_output *o, int to, off_t bytes) {
  enum { PIECE = 1 << 20 };
  char *piece = malloc (PIECE);
  int error = piece ? 0 : ENOMEM;
  for (off_t at = 0; !error && at < bytes;) {
    const ssize_t got = pread (o->fd, piece, PIECE, at);
    if (got > 0) {
      error = write_all (to, at, piece, (size_t) got);
      at += got;
    } else if (got == 0 || errno != EINTR)
      error = got < 0 ? errno : EIO;
  }
  free (piece);
  return error;
}

/* Overwrites the old file, after reserving the disk space. If that is interrupted, the user finds the
 * new file by its name. */
static gpumm_status overwrite (gpumm_output *o) {
  struct stat info;
  int to = open (o->target, O_WRONLY | O_CLOEXEC), begun = 0;
  int error = to < 0 || fstat (o->fd, &info) != 0 ? errno : 0;
  if (!error)
    error = reserve (to, FALLOC_FL_KEEP_SIZE, info.st_size);
  if (!error) {
    begun = 1;
    error = copy (o, to, info.st_size);
  }
  if (!error && (ftruncate (to, info.st_size) != 0 || fsync (to) != 0))
    error = errno;
  const int late = shut (&to);
  error = error ? error : late;
  if (!error || !begun)
    return error ? fail_write (o, error) : GPUMM_OK;
  const gpumm_status status =
      gpumm_fail (GPUMM_INVALID, "cannot write %s: %s; the complete new file is %s", o->name,
                  strerror (error), o->temporary);
  o->temporary[0] = 0; /* keep it */
  return status;
}

gpumm_status gpumm_output_commit (gpumm_output *o) {
  if (!o)
    return GPUMM_OK;
  int error = atomic_load (&o->error);
  if (!error && !o->stream && !o->temporary[0])
    error = give_name (o, 0);
  if (!error && !o->in_place)
    error = shut (&o->fd); /* some file systems report a full disk only here */
  if (!error && !o->in_place && !o->stream) {
    if (rename (o->temporary, o->target) == 0)
      o->temporary[0] = 0;
    else
      error = errno;
    /* a mount point, or another user's file in a sticky folder */
    if (error == EBUSY || error == EXDEV || error == EPERM || error == EACCES) {
      o->fd = open (o->temporary, O_RDONLY | O_CLOEXEC);
      o->in_place = o->fd >= 0;
      error = o->in_place ? 0 : error;
    }
  }
  const gpumm_status status = error         ? fail_write (o, error)
                              : o->in_place ? overwrite (o)
                                            : GPUMM_OK;
  gpumm_output_abort (o);
  return status;
}

void gpumm_output_abort (gpumm_output *o) {
  if (!o)
    return;
  (void) shut (&o->fd);
  if (o->temporary[0])
    (void) unlink (o->temporary);
  gpumm_release (o);
}
