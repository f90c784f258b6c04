"""The servers that are sent to: on the loopback, on a free port, ended by process id."""

import contextlib
import socket
import subprocess
import time
from pathlib import Path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(folder):
    """A self-signed certificate for localhost, with a P-256 key as APNs has one."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", folder / "server.key", "-out", folder / "server.pem"],
        check=True, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def running(command, port, seconds_max=10):
    """A server process that accepts connections; it is ended with the block."""
    server = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        wait_until_open(server, port, seconds_max)
        yield server
    finally:
        server.terminate()
        try:
            server.wait(timeout=seconds_max)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_until_open(server, port, seconds_max):
    deadline = time.monotonic() + seconds_max
    while True:
        if server.poll() is not None:
            raise SystemExit(f"the server ended at once: {server.args}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if time.monotonic() > deadline:
            raise SystemExit(f"the server does not listen: {server.args}")
        time.sleep(0.02)


def cpu_seconds(server):
    """Processor time of a running server so far, of all its threads, to the nanosecond."""
    tasks = Path(f"/proc/{server.pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def nghttpd(folder, port, workers=1, cleartext=False, path=None):
    """nghttpd over an empty folder: every request has the same short page with status 404.

    With a path there is an empty file in the folder: a request for it has 200 and no body.
    """
    root = folder / ("empty" if path is None else "one-file")
    root.mkdir(exist_ok=True)
    if path is not None:
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return ["nghttpd", "--address=127.0.0.1", f"--htdocs={root}",
            "--max-concurrent-streams=4096", f"--workers={workers}",
            *(["--no-tls", str(port)] if cleartext
              else [str(port), folder / "server.key", folder / "server.pem"])]


def simulator(fanfare, folder, port, *options, cleartext=False, fixed_limit=True):
    """`fanfare simulate`, which serves all its streams from the beginning, and always.

    Without `fixed_limit` the stream limit is one until the first success and after each rejection, and
    goes up with the next success, as APNs was seen to have it.
    """
    return [fanfare, "simulate", "--listen", f"127.0.0.1:{port}",
            *(["--fixed-stream-limit"] if fixed_limit else []),
            *(["--cleartext"] if cleartext
              else ["--tls-certificate", folder / "server.pem", "--tls-key", folder / "server.key"]),
            *options]
