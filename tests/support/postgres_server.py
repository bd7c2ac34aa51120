"""A throwaway PostgreSQL server on a Unix socket in its own directory. Needs Debian's postgresql; it refuses root."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1


def programs():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else None


class PostgresServer:
    """with PostgresServer() as server: ... server.dsn ... It ends with the block, and with this process whatever becomes of that."""

    def __enter__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="slidemesh-postgres-"))
        self.user = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.server = None
        self._run("initdb", "-D", self.directory / "data", "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def dsn(self):
        return f"host={self.directory} user=postgres dbname=postgres"

    def start(self):
        command = [programs() / "postgres", "-D", self.directory / "data", "-k", self.directory, "-c", "listen_addresses=", "-F",
                   "-c", "log_min_messages=fatal"]
        self.server = subprocess.Popen(command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT), **self.user)
        give_up = time.monotonic() + 120.0
        while self._run("pg_isready", "-q", "-h", self.directory, check=False).returncode != 0:
            if time.monotonic() > give_up or self.server.poll() is not None:
                raise RuntimeError("the PostgreSQL server did not start")
            time.sleep(0.05)

    def processes(self):
        """Of the server and its children so far; sessions to come inherit what is set for the first."""
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children").read_text()
        return [self.server.pid, *map(int, children.split())]

    def kill(self):
        """As a power cut would."""
        if self.server is not None:
            self.server.send_signal(signal.SIGQUIT)
            self.server.wait()
            self.server = None

    def _run(self, program, *arguments, check=True):
        return subprocess.run([programs() / program, *arguments], cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=check, **self.user)

    def query(self, text):
        """The answer of one SQL statement, unadorned."""
        return subprocess.run([programs() / "psql", "-At", "-h", self.directory, "-U", "postgres", "-d", "postgres", "-c", text], cwd="/",
                              capture_output=True, text=True, check=True, **self.user).stdout.strip()
