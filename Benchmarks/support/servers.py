"""The servers that are sent to: on the loopback, on a free port, ended by process id."""

import contextlib
import socket
import subprocess
import time


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
def running(command, port):
    """A server process that accepts connections; it is ended with the block."""
    server = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        wait_until_open(server, port)
        yield server
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_until_open(server, port, seconds_max=10):
    deadline = time.monotonic() + seconds_max
    while True:
        if server.poll() is not None:
            raise SystemExit(f"the server ended at once: {server.args}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if time.monotonic() > deadline:
            raise SystemExit(f"the server does not listen: {server.args}")
        time.sleep(0.02)


def nghttpd(folder, port, workers=1):
    """nghttpd over an empty folder: every request has the same short page with status 404."""
    (folder / "empty").mkdir(exist_ok=True)
    return ["nghttpd", "--address=127.0.0.1", f"--htdocs={folder / 'empty'}",
            "--max-concurrent-streams=4096", f"--workers={workers}", str(port),
            folder / "server.key", folder / "server.pem"]


def simulator(fanfare, folder, port, *options):
    return [fanfare, "simulate", "--listen", f"127.0.0.1:{port}",
            "--certificate", folder / "server.pem", "--key", folder / "server.key",
            "--fixed-stream-limit", *options]
