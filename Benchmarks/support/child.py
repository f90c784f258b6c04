"""One child process, with what the kernel has counted of it."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass


@dataclass
class Usage:
    """A finished child: seconds, bytes, and what it wrote to standard output."""

    user: float
    system: float
    wall: float
    peak_bytes: int
    exit_code: int
    output: str

    @property
    def cpu(self):
        return self.user + self.system


def run(command, seconds_max=120, read=None):
    """Runs a command to its end and takes its own counts, not those of other children.

    `read` takes what it writes to its pipe, and returns what is kept of it; by default all.
    The peak cannot read below this process's own, because the kernel carries it over a fork.
    """
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    limit = threading.Timer(seconds_max, child.send_signal, [signal.SIGKILL])
    limit.start()
    try:
        output = (read or (lambda pipe: pipe.read()))(child.stdout).decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
    finally:
        limit.cancel()
    wall = time.monotonic() - begin
    # Popen has not seen the end; told of it, it does not wait again.
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode < 0:
        raise SystemExit(f"ended by signal {-child.returncode}: {' '.join(command)}")
    return Usage(usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss * 1024,
                 child.returncode, output)
