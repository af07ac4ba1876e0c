"""A real PostgreSQL server for a test session, on a free port and in a folder of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from time import monotonic, sleep

from tests.ports import free_port

START_S = 30.0
USER = "postgres"


@dataclass(slots=True, kw_only=True)
class Postgres:
    """A server with its files in `folder`. `programs` is the folder of its programs. Its port stays the same."""

    programs: Path
    port: int
    folder: Path
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start the server, and wait until it answers. It does not wait for the disk."""
        options = ["-p", str(self.port), "-k", str(self.folder), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
        command = [*_as(_user()), str(self.programs / "postgres"), "-D", str(self.folder / "data"), *options]
        with (self.folder / "log").open("a") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        until = monotonic() + START_S
        ready = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode:
            if self._process.poll() is not None or monotonic() > until:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()}")
            sleep(0.05)

    def stop(self) -> None:
        """End the server and all its connections."""
        if self._process is not None:
            self._process.send_signal(SIGINT)  # SIGTERM waits for connections that a failed test left open
            self._process.wait()
            self._process = None

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def run(self, sql: str, database: str = "postgres") -> str:
        """Run a statement, and return its rows: one line each, with `|` between the columns."""
        command = [str(self.programs / "psql"), "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def dump(self, database: str) -> str:
        """Return every row of a database as text."""
        command = [str(self.programs / "pg_dump"), "--inserts", "-d", self.url(database)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def schema(self, database: str) -> list[str]:
        """Return the statements that create the tables, indexes, functions and triggers of driftd, without comments."""
        command = [
            str(self.programs / "pg_dump"),
            "--schema-only",
            "-n",
            "main",
            "-n",
            "commits",
            "-d",
            self.url(database),
        ]
        dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [line for line in dump.splitlines() if line and not line.startswith(("--", "\\"))]


def programs() -> Path:
    """Return the folder of PostgreSQL's programs."""
    if named := os.environ.get("POSTGRES"):
        return Path(named)
    script = Path(__file__).parents[1] / ".ci" / "postgres"
    return Path(subprocess.run([script], check=True, capture_output=True, text=True).stdout.strip())


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server, and end it."""
    where, folder = programs(), Path(tempfile.mkdtemp(prefix="driftd-postgres-"))
    shutil.chown(folder, _user())
    server = Postgres(programs=where, port=free_port(), folder=folder)
    try:
        settings = ["-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        init = [str(where / "initdb"), "-D", str(folder / "data"), *settings]
        subprocess.run([*_as(_user()), *init], check=True, capture_output=True, cwd=folder)
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> str:
    """Return the user of the server, which refuses to run as root."""
    return "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def _as(user: str) -> list[str]:
    # The server ends with the tests, even when they are killed. A change of the user would forget the signal.
    ending = ["setpriv", "--pdeathsig=INT", "--"]
    if os.geteuid():
        return ending
    return ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups", "--", *ending]
