"""A PostgreSQL server with a standby, ways to it that can be cut and are far, and wrong clocks."""

import asyncio
import contextlib
import glob
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
# A reboot is another boot id, which only the administrator can show a process: in a mount namespace of its own.
BOOT_ID = "/proc/sys/kernel/random/boot_id"
CAN_REBOOT = os.geteuid() == 0 and subprocess.run(
    ["unshare", "-m", "mount", "--bind", "/dev/null", BOOT_ID], stderr=subprocess.DEVNULL).returncode == 0


def with_clock(offset):
    """The environment of a process whose clock is wrong by so much; the usual one without faketime."""
    if not offset or not FAKETIME:
        return dict(os.environ)
    # What no clock on the wall shows is left alone, as an operator leaves it alone who sets one.
    return {**os.environ, "LD_PRELOAD": FAKETIME[0], "FAKETIME": offset, "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}


class Proxy:
    """A way from a worker to the present server, which can be far, and be cut."""

    def __init__(self):
        self.upstream = None
        self.cut_until = {"requests": 0.0, "answers": 0.0}
        # Seconds that each direction takes.
        self.delay = 0.0
        self.pairs = set()
        self.port = 0

    async def begin(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        await asyncio.sleep(self.delay)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.close()
            return
        pair = (writer, far_writer)
        self.pairs.add(pair)
        # At the end of the program its tasks are canceled.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(
                self.pump(reader, far_writer, "requests"), self.pump(far_reader, writer, "answers"))
        self.pairs.discard(pair)

    async def pump(self, reader, writer, direction):
        arriving = asyncio.Queue()
        carrier = asyncio.create_task(self.carry(arriving, writer, direction))
        try:
            while data := await reader.read(65536):
                arriving.put_nowait((time.monotonic() + self.delay, data))
        except OSError:
            pass
        arriving.put_nowait((time.monotonic() + self.delay, b""))
        await carrier

    async def carry(self, arriving, writer, direction):
        try:
            while True:
                moment, data = await arriving.get()
                await asyncio.sleep(max(0, moment - time.monotonic()))
                # What comes while the way is cut arrives late, or never.
                while data and time.monotonic() < self.cut_until[direction]:
                    await asyncio.sleep(0.1)
                if not data:
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self, directions, seconds):
        for direction in directions:
            self.cut_until[direction] = time.monotonic() + seconds

    def close_all(self):
        for near, far in list(self.pairs):
            near.close()
            far.close()

    def heal(self):
        self.cut_until = {"requests": 0.0, "answers": 0.0}
        self.delay = 0.0


class Server:
    """A PostgreSQL server and its synchronous standby."""

    def __init__(self, folder):
        self.folder = folder
        self.number = 0
        self.programs = PROGRAMS[-1]
        self.port = free_port()
        self.make_primary()
        self.standby = None

    def run(self, name, *arguments, check=True, clock=None):
        command = [f"{self.programs}/{name}", *map(str, arguments)]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        with open(self.folder / "postgres.out", "ab") as out:
            done = subprocess.run(
                command, stdout=out, stderr=out, cwd=self.folder, env=with_clock(clock))
        if check and done.returncode != 0:
            sys.exit(f"{name} failed: {(self.folder / 'postgres.out').read_text()[-2000:]}")
        return done.returncode == 0

    def make_primary(self):
        self.data = self.folder / "data0"
        self.run("initdb", "-D", self.data, "--no-sync", "-A", "trust", "-U", "postgres")
        self.start(self.data, self.port)

    def start(self, data, port, clock=None):
        has_started = self.run(
            "pg_ctl", "-D", data, "-w", "-l", f"{data}.log", "-o",
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} "
            "-c shared_buffers=16MB -c max_connections=50 -c wal_receiver_status_interval=1s", "start",
            check=False, clock=clock)
        if not has_started:
            sys.exit(f"the server does not start: {Path(f'{data}.log').read_text()[-2000:]}")

    def stop(self, data, mode):
        self.run("pg_ctl", "-D", data, "-w", "-m", mode, "stop", check=False)

    def sql(self, text):
        return subprocess.run(
            [f"{self.programs}/psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres",
             "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", text],
            capture_output=True, text=True, check=True).stdout.strip()

    def make_standby(self, clock=None, way=None):
        """Makes a standby that the server waits for; over a way that can be cut it follows, and is not waited for."""
        self.number += 1
        data, port = self.folder / f"data{self.number}", free_port()
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", way or self.port, "-U", "postgres", "-D", data,
                 "-R", "-c", "fast", "-X", "stream")
        self.start(data, port, clock)
        self.standby = (data, port)
        if way is not None:
            return
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf()")
        wait(lambda: self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
             == "1", 30, "the standby is not synchronous")

    def back_up(self):
        """Makes a backup of the server, and returns its folder."""
        self.number += 1
        backup = self.folder / f"data{self.number}"
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-D", backup,
                 "-c", "fast", "-X", "stream")
        return backup

    def restore(self, backup):
        """A backup takes the place of the server, which has lost its disk, and that of its standby."""
        self.stop(self.data, "immediate")
        old = [self.data]
        if self.standby:
            self.stop(self.standby[0], "immediate")
            old.append(self.standby[0])
        self.data, self.standby = backup, None
        # Without a standby the server that waits for one would wait for ever.
        with open(backup / "postgresql.auto.conf", "a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.start(backup, self.port)
        for folder in old:
            shutil.rmtree(folder, ignore_errors=True)

    def promote(self):
        """The server dies, and its standby takes over."""
        self.stop(self.data, "immediate")
        old = self.data
        self.data, self.port = self.standby
        # Without another standby it would wait for ever.
        self.run("pg_ctl", "-D", self.data, "-w", "promote")
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        self.sql("SELECT pg_reload_conf()")
        shutil.rmtree(old, ignore_errors=True)
        self.standby = None

    def end(self):
        for data in self.folder.glob("data?*"):
            if data.is_dir():
                self.stop(data, "immediate")


def free_port():
    """A port that no connection gets as its own end, as those from 32,768 on: a server that was down needs it again."""
    while True:
        port = random.randrange(15_000, 30_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def wait(condition, seconds, trouble):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.2)
    sys.exit(trouble)
