/* test_output.c - what is written takes its name whole or not at all.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "gpumm_tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void save (const char *name, const char *text) {
  FILE *file = fopen (name, "w");
  CHECK (file && fputs (text, file) >= 0 && fclose (file) == 0, "%s: %s", name, strerror (errno));
}

/* Does the file hold exactly that? */
static int holds (const char *name, const char *text) {
  char found[200];
  FILE *file = fopen (name, "r");
  if (!file)
    return 0;
  const size_t length = fread (found, 1, sizeof found - 1, file);
  fclose (file);
  found[length] = 0;
  return strcmp (found, text) == 0;
}

static int entries (const char *folder) {
  int count = 0;
  DIR *open = opendir (folder);
  for (const struct dirent *e; open && (e = readdir (open));)
    count += strcmp (e->d_name, ".") != 0 && strcmp (e->d_name, "..") != 0;
  if (open)
    closedir (open);
  return count;
}

static gpumm_status replace (const char *name, const char *text) {
  gpumm_output *output = NULL;
  gpumm_status status = gpumm_output_open (name, &output);
  if (!status)
    status = gpumm_output_append (output, text, strlen (text));
  if (!status)
    return gpumm_output_commit (output);
  gpumm_output_abort (output);
  return status;
}

static struct stat about (const char *name) {
  struct stat info = {0};
  CHECK (lstat (name, &info) == 0, "%s: %s", name, strerror (errno));
  return info;
}

static void refused (const char *name, const char *text) {
  CHECK (replace (name, "new") == GPUMM_INVALID && strstr (gpumm_last_error (), text), "\"%s\": %s",
         name, gpumm_last_error ());
}

/* Runs a test in a process of its own; does it come to its end? */
static void apart (void (*test) (void)) {
  fflush (stdout);
  const pid_t child = fork ();
  if (child == 0) {
    check_failed = 0;
    test ();
    fflush (stdout);
    _exit (check_failed ? 1 : 0);
  }
  int status = -1;
  waitpid (child, &status, 0);
  CHECK (WIFEXITED (status) && WEXITSTATUS (status) == 0, "status %x", (unsigned) status);
}

static void test_names (void) {
  char long_name[256];
  memset (long_name, 'x', 255);
  long_name[255] = 0;
  const char *const names[] = {
      "plain", "a;$(touch y)`touch y`", "sub/it", "-f", "a\nb", "a'\"\\%@", "\xff\xfe", long_name};
  CHECK (mkdir ("sub", 0777) == 0, "%s", strerror (errno));
  CHECK (gpumm_output_append (NULL, "x", 1) == GPUMM_INVALID
             && gpumm_output_put (NULL, 0, "x", 1) == GPUMM_INVALID
             && gpumm_output_reserve (NULL, 1) == GPUMM_INVALID && !gpumm_output_is_stream (NULL),
         "no output");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    OK (replace (names[i], "first"));
    CHECK (holds (names[i], "first") && (about (names[i]).st_mode & 07777) == 0640, "%s", names[i]);
    CHECK (!replace (names[i], "") && holds (names[i], ""), "%s", names[i]);
    CHECK (unlink (names[i]) == 0, "%s", names[i]);
  }
  CHECK (entries ("sub") == 0 && entries (".") == 1, "%d are left", entries ("."));
  refused ("sub", "Is a directory");
  refused ("sub/", "Is a directory");
  refused ("new/", "Is a directory");
  refused ("nowhere/a", "No such file");
  refused ("", "no file given");
  char too_long[5000];
  memset (too_long, 'a', sizeof too_long - 1);
  too_long[sizeof too_long - 1] = 0;
  refused (too_long, "File name too long");
  CHECK (rmdir ("sub") == 0, "something is left");
}

static void test_mode_and_links (void) {
  save ("old", "old");
  CHECK (chmod ("old", 0751) == 0, "chmod");
  CHECK (!replace ("old", "new") && holds ("old", "new"), "%s", gpumm_last_error ());
  CHECK ((about ("old").st_mode & 07777) == 0751, "mode %o", about ("old").st_mode);

  /* symbolic links, one after another, from another folder, to what is not there */
  CHECK (mkdir ("sub", 0777) == 0 && symlink ("../old", "sub/one") == 0
             && symlink ("sub/one", "two") == 0 && symlink ("sub/new", "three") == 0
             && symlink ("loop", "loop") == 0,
         "%s", strerror (errno));
  CHECK (!replace ("two", "through two") && holds ("old", "through two"), "%s",
         gpumm_last_error ());
  CHECK (S_ISLNK (about ("two").st_mode) && S_ISLNK (about ("sub/one").st_mode), "a link is lost");
  CHECK ((about ("old").st_mode & 07777) == 0751, "mode %o", about ("old").st_mode);
  CHECK (!replace ("three", "dangling") && holds ("sub/new", "dangling"), "%s",
         gpumm_last_error ());
  CHECK (S_ISLNK (about ("three").st_mode), "a link is lost");
  refused ("loop", "Too many levels");

  CHECK (entries (".") == 5 && entries ("sub") == 2, "something is left");
  const char *const made[] = {"old", "sub/one", "sub/new", "two", "three", "loop"};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    CHECK (unlink (made[i]) == 0, "%s", made[i]);
  CHECK (rmdir ("sub") == 0 && entries (".") == 0, "something is left");
}

static void test_streams (void) {
  OK (replace ("/dev/null", "gone"));
  CHECK (S_ISCHR (about ("/dev/null").st_mode), "/dev/null was replaced");
  refused ("/dev/full", "No space left");
  CHECK (mkfifo ("pipe", 0600) == 0, "no pipe can be made");
  refused ("pipe", "No such device"); /* nobody reads, and it is not waited for */
  const int reader = open ("pipe", O_RDONLY | O_NONBLOCK);
  char text[20] = "";
  OK (replace ("pipe", "through a pipe"));
  CHECK (read (reader, text, sizeof text - 1) == 14 && strcmp (text, "through a pipe") == 0, "%s",
         text);
  CHECK (S_ISFIFO (about ("pipe").st_mode), "the pipe was replaced");
  close (reader);
  unlink ("pipe");

  /* what a process has open is itself written to */
  const int fd = open ("target", O_RDWR | O_CREAT, 0666);
  char name[40];
  snprintf (name, sizeof name, "/dev/fd/%d", fd);
  OK (replace (name, "by number"));
  OK (replace (name, ", twice"));
  CHECK (write (fd, ".", 1) == 1, "the end");
  CHECK (pread (fd, text, 17, 0) == 17 && memcmp (text, "by number, twice.", 17) == 0, "%s", text);
  close (fd);
  const int appends = open ("target", O_WRONLY | O_APPEND);
  snprintf (name, sizeof name, "/proc/self/fd/%d", appends);
  OK (replace (name, " More"));
  close (appends);
  CHECK (about ("target").st_size == 22, "%lld bytes", (long long) about ("target").st_size);
  unlink ("target");
  CHECK (entries (".") == 0, "something is left");
}

/* A process without rights of root, or root itself where there is no other. */
static void become_nobody (void) {
  if (geteuid () == 0)
    CHECK (setgid (65534) == 0 && setuid (65534) == 0, "%s", strerror (errno));
}

static void write_as_nobody (void) {
  become_nobody ();
  CHECK (!replace ("open/file", "new") && holds ("open/file", "new"), "%s", gpumm_last_error ());
  refused ("closed/file", "Permission denied");
  refused ("closed/new", "Permission denied");
  refused ("open/mine", "Permission denied");
}

static void test_rights (void) {
  CHECK (mkdir ("open", 0700) == 0 && mkdir ("closed", 0700) == 0, "%s", strerror (errno));
  save ("open/file", "old");
  save ("closed/file", "a longer text");
  save ("open/mine", "old");
  CHECK (chmod ("open/file", 0666) == 0 && chmod ("closed/file", 0666) == 0
             && chmod ("open/mine", 0444) == 0 && chmod ("open", 0777) == 0
             && chmod ("closed", 0555) == 0 && chmod (".", 0755) == 0,
         "%s", strerror (errno));
  apart (write_as_nobody);
  CHECK (holds ("open/file", "new") && holds ("closed/file", "a longer text")
             && holds ("open/mine", "old"),
         "something else was written");
  CHECK ((about ("open/file").st_mode & 07777) == 0666, "mode %o", about ("open/file").st_mode);
  CHECK (entries ("open") == 2 && entries ("closed") == 1, "something is left");
  CHECK (chmod ("closed", 0755) == 0 && unlink ("open/file") == 0 && unlink ("open/mine") == 0
             && unlink ("closed/file") == 0 && rmdir ("open") == 0 && rmdir ("closed") == 0,
         "%s", strerror (errno));
}

/* ---- no room ------------------------------------------------------------------------------ */

enum { MUCH = 3 << 20 };

static gpumm_status replace_by_much (const char *name, int how) {
  char *much = check_allocate (MUCH, 1);
  gpumm_output *output = NULL;
  memset (much, 'm', MUCH);
  gpumm_status status = gpumm_output_open (name, &output);
  if (!status && how == 0) {
    CHECK (gpumm_output_reserve (output, SIZE_MAX) != GPUMM_OK, "2^64 bytes reserved");
    gpumm_output_abort (output);
    status = gpumm_output_open (name, &output);
    CHECK (status || gpumm_output_put (output, SIZE_MAX, much, 1) != GPUMM_OK, "put at 2^64");
    gpumm_output_abort (output);
    status = gpumm_output_open (name, &output);
    if (!status)
      status = gpumm_output_reserve (output, MUCH);
  } else if (!status && how == 1)
    status = gpumm_output_append (output, much, MUCH);
  else if (!status)
    status = gpumm_output_put (output, 1 << 20, much, MUCH);
  free (much);
  if (!status || how == 2) /* a failed write is not forgotten */
    return gpumm_output_commit (output);
  gpumm_output_abort (output);
  return status;
}

static void no_room (const char *text) {
  save ("old", "old");
  for (int how = 0; how < 3; how++) {
    const char *const names[] = {"old", "new"};
    for (int i = 0; i < 2; i++)
      CHECK (replace_by_much (names[i], how) == GPUMM_INVALID && strstr (gpumm_last_error (), text),
             "%s, %d: %s", names[i], how, gpumm_last_error ());
  }
  CHECK (holds ("old", "old"), "the old file is lost");
  CHECK (entries (".") == 1, "%d entries", entries ("."));
}

static void limit_of_file (void) {
  const struct rlimit limit = {2 << 20, 2 << 20};
  signal (SIGXFSZ, SIG_IGN);
  CHECK (setrlimit (RLIMIT_FSIZE, &limit) == 0, "%s", strerror (errno));
  no_room ("File too large");
}

static void full_disk (void) {
  CHECK (chdir ("disk") == 0, "%s", strerror (errno));
  no_room ("No space left");
}

static void test_no_room (void) {
  apart (limit_of_file);
  unlink ("old");
  CHECK (mkdir ("disk", 0777) == 0, "%s", strerror (errno));
  if (mount ("none", "disk", "tmpfs", 0, "size=2m") == 0) {
    apart (full_disk);
    CHECK (umount ("disk") == 0, "%s", strerror (errno));
  } else
    printf ("no disk to fill: %s\n", strerror (errno));
  rmdir ("disk");
}

/* ---- killed ------------------------------------------------------------------------------- */

static void test_killed (int times) {
  int whole = 0;
  for (int t = 0; t < times; t++) {
    save ("old", "old");
    int ready[2];
    CHECK (pipe (ready) == 0, "%s", strerror (errno));
    const pid_t child = fork ();
    if (child == 0) {
      (void) !write (ready[1], "r", 1);
      for (;;)
        if (replace_by_much ("old", 1))
          _exit (1);
    }
    char byte;
    CHECK (read (ready[0], &byte, 1) == 1, "the child does not begin");
    usleep ((useconds_t) check_between (0, 12000));
    kill (child, SIGKILL);
    int status;
    waitpid (child, &status, 0);
    CHECK (WIFSIGNALED (status), "the child ended by itself");
    close (ready[0]);
    close (ready[1]);
    const off_t size = about ("old").st_size;
    CHECK (size == MUCH || holds ("old", "old"), "%lld bytes are left", (long long) size);
    whole += size == MUCH;
    CHECK (entries (".") <= 2, "%d entries", entries ("."));
    DIR *open = opendir (".");
    for (const struct dirent *e; open && (e = readdir (open));)
      if (strncmp (e->d_name, ".gpumm-", 7) == 0)
        unlink (e->d_name);
    closedir (open);
  }
  printf ("killed %d times: %d new files, %d old ones\n", times, whole, times - whole);
  unlink ("old");
}

int main (void) {
  char folder[] = "/tmp/gpumm output XXXXXX";
  const char *const kills = getenv ("GPUMM_FUZZ");
  CHECK (mkdtemp (folder) && chdir (folder) == 0, "%s", strerror (errno));
  umask (0027);
  check_seed (1);
  test_names ();
  test_mode_and_links ();
  test_streams ();
  test_rights ();
  test_no_room ();
  test_killed (kills ? atoi (kills) : 40);
  CHECK (chdir ("/") == 0 && rmdir (folder) == 0, "%s is not empty", folder);
  return check_done ();
}
