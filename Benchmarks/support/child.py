"""One child process, with what the kernel has counted of it."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Usage:
    """A finished child: seconds, bytes, and what it wrote to standard output."""

    user: float
    system: float
    wall: float
    peak_bytes: int
    exit_code: int
    output: str
    # The most that was seen of memory of its own; 0 if it was not watched.
    own_bytes: int = 0

    @property
    def cpu(self):
        return self.user + self.system


class Watch(threading.Thread):
    """Looks fifty times a second at the memory of a process that is its own.

    That leaves out the pages of files, of programs and libraries above all: processes share them, and the
    kernel takes them back when memory is short.
    """

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.status = Path(f"/proc/{pid}/status")
        self.bytes, self.ended = 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.02):
            with contextlib.suppress(OSError):
                for line in self.status.read_text().splitlines():
                    if line.startswith("RssAnon:"):
                        self.bytes = max(self.bytes, int(line.split()[1]) * 1024)


def run(command, seconds_max=120, read=None, watch=False):
    """Runs a command to its end and takes its own counts, not those of other children.

    `read` takes what it writes to its pipe, and returns what is kept of it; by default all.
    `watch` also looks at the memory of its own, which takes some time of a processor.
    The peak cannot read below this process's own, because the kernel carries it over a fork.
    """
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    watcher = Watch(child.pid)
    if watch:
        watcher.start()
    limit = threading.Timer(seconds_max, child.send_signal, [signal.SIGKILL])
    limit.start()
    try:
        output = (read or (lambda pipe: pipe.read()))(child.stdout).decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
    finally:
        limit.cancel()
        watcher.ended.set()
    wall = time.monotonic() - begin
    # Popen has not seen the end; told of it, it does not wait again.
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode < 0:
        raise SystemExit(f"ended by signal {-child.returncode}: {' '.join(command)}")
    return Usage(usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss * 1024,
                 child.returncode, output, watcher.bytes)
