"""tests/terminal.py - Octave on a terminal of its own, for tests that read what a user sees.

The octave of the environment variable OCTAVE is opened, or octave-cli.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pty
import re
import select
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROMPT = b"gpumm-test> "


def octave(build, *more):
    return [os.environ.get("OCTAVE", "octave-cli"), "--no-history", "--norc", "--quiet", "--no-gui", "--path",
            f"{ROOT}/octave", "--path", f"{ROOT}/teaching", "--path", f"{build}/package", *more]


def begin(arguments, environment, stdout=None, stderr=None):
    """A process on a terminal of its own, with a pipe in the place of stdout or stderr."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment)
        if stdout is not None:
            os.dup2(stdout, 1)
        if stderr is not None:
            os.dup2(stderr, 2)
        os.execlp(arguments[0], *arguments)
    return pid, terminal


def read(source):
    """Some bytes, or none at the end."""
    try:
        return os.read(source, 65536)
    except OSError:
        return b""


class Terminal:
    def __init__(self, build, environment):
        self.said = b""
        self.pid, self.terminal = begin(octave(build, "--interactive", "--no-line-editing"), environment)
        self.wait(b">", 60)
        self.run('PS1 (["gpumm-" "test> "]); PS2 ("")', 60) # in two parts: the terminal shows what is typed

    def wait(self, pattern, seconds):
        """Reads until the pattern comes: what came before it, its match, and the seconds that took."""
        begun = time.monotonic()
        while True:
            match = re.search(pattern, self.said)
            if match:
                self.said = self.said[match.end():]
                return match.string[:match.start()], match, time.monotonic() - begun
            left = begun + seconds - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"no {pattern!r} within {seconds} s; Octave said {self.said[-2000:]!r}")
            if select.select([self.terminal], [], [], left)[0]:
                more = read(self.terminal)
                if not more:
                    _, status = os.waitpid(self.pid, 0)
                    raise ChildProcessError(f"Octave ended with status {status}; it said {self.said[-2000:]!r}")
                self.said += more

    def send(self, line):
        os.write(self.terminal, line.encode() + b"\n")

    def run(self, line, seconds=600):
        """Runs a line, and returns what it printed."""
        self.said = b""
        self.send(line)
        return self.wait(PROMPT, seconds)[0]

    def press(self):
        """Ctrl-C."""
        os.write(self.terminal, b"\x03")
