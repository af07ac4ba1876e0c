"""Runs one Python program in bubblewrap."""

import os
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import IO, Final

from replay.errors import ReplayError
from replay.machine import this_machine
from replay.sandbox.base import SandboxError
from replay.sandbox.limits import Ending, Executed, SandboxLimits
from replay.sandbox.system_calls import call_filter

GUARD: Final = Path(__file__).with_name("guard.py")
INSIDE: Final = "/sandbox"
WORKPLACE: Final = "/tmp"  # noqa: S108 (inside the sandbox: empty, in memory, of one program)
MISSING: Final = (
    "the scorer needs the sandbox bubblewrap (bwrap), which is not installed; install it with "
    "`apt-get install bubblewrap` or `dnf install bubblewrap`"
)
UNUSABLE: Final = (
    "the sandbox bubblewrap does not start here: {why}; allow user namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1, or in a container a seccomp profile that permits them)"
)
_SYSTEM: Final = ("/usr", "/lib", "/lib64", "/bin")  # the libraries of the interpreter, read-only
_FREE_UIDS: Final = range(2_000_000_000, 2_100_000_000)  # of no person and no service
_AT_ONCE = threading.BoundedSemaphore(this_machine().threads)  # programs at once: more would only wait for cores
MEBI: Final = 1 << 20


def run_python(program: str, limits: SandboxLimits, *, stdin: str = "") -> Executed:
    """Run the text of a program, with `stdin`, and return how it ended. Raise SandboxError without a sandbox.

    The program runs as the main module. It has Python's standard library, an empty folder /tmp in memory, no network,
    no environment, no other process and no file of the machine except the interpreter. It ends with this process.
    """
    require_sandbox()
    with _AT_ONCE:
        return _run(program, limits, stdin)


@cache
def require_sandbox() -> None:
    """Raise SandboxError, with the reason and the action, if bubblewrap cannot run here. Checked once."""
    if shutil.which("bwrap") is None:
        raise SandboxError(MISSING)
    probe = _run("print(42)", SandboxLimits(), "")
    if probe.stdout != "42\n":
        raise SandboxError(UNUSABLE.format(why=probe.stderr.strip()[-200:] or f"exit code {probe.exit_code}"))


def _in_memory(content: bytes) -> IO[bytes]:
    """Return a file in memory with the content, at its start."""
    file = os.fdopen(os.memfd_create("program"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def _run(program: str, limits: SandboxLimits, stdin: str) -> Executed:
    begun = time.monotonic()
    content = program.encode("utf-8", "replace")
    with _in_memory(content) as file, _in_memory(b"") as status, _in_memory(_calls()) as calls:
        process = subprocess.Popen(  # noqa: S603 (the sandbox is there for untrusted input)
            _command(file.fileno(), status.fileno(), calls.fileno(), limits),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[file.fileno(), status.fileno(), calls.fileno()],
            start_new_session=True,
        )
        try:
            talk = _Talk(process, stdin.encode("utf-8", "replace"), limits)
            ending, out, err = talk.until_end(begun + limits.seconds)
        finally:
            _kill(process)
        status.seek(0)
        started = b"exit-code" in status.read()  # bubblewrap reports it only if the program was started
    if ending is Ending.EXITED and not started:
        raise SandboxError(UNUSABLE.format(why=err.decode("utf-8", "replace").strip()[-200:] or "no reason given"))
    code = process.returncode
    if ending is Ending.EXITED and (code < 0 or code > 128):  # bubblewrap reports signal n as 128 + n
        ending = Ending.KILLED
    return Executed(
        ending=ending,
        exit_code=code if ending is Ending.EXITED else None,
        stdout=out.decode("utf-8", "replace"),
        stderr=err.decode("utf-8", "replace"),
        seconds=time.monotonic() - begun,
    )


def _command(program: int, status: int, calls: int, limits: SandboxLimits) -> list[str]:
    """Return the command line. As root the guard gives up the user, because the limit of processes never binds root."""
    uid = secrets.choice(_FREE_UIDS) if os.geteuid() == 0 else -1
    user = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if uid >= 0 else ["--unshare-user"]
    binds = [part for path in _readable() for part in (*_parents(path), "--ro-bind", path, path)]
    links = [part for path in _SYSTEM if (target := _link(path)) for part in ("--symlink", target, path)]
    memory, files = limits.memory_mb * MEBI, limits.files_mb * MEBI
    return [
        *("bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *("--cap-drop", "ALL", *user, "--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"),
        *("--json-status-fd", str(status), "--seccomp", str(calls)),
        *(*binds, *links, "--proc", "/proc", "--dev", "/dev"),
        *("--perms", "0755", "--dir", INSIDE, "--ro-bind", str(GUARD), f"{INSIDE}/guard.py"),
        *("--perms", "0444", "--ro-bind-data", str(program), f"{INSIDE}/program.py"),
        *(
            "--perms",
            "1777",
            "--size",
            str(files),
            "--tmpfs",
            WORKPLACE,
            "--remount-ro",
            "/dev",
            "--remount-ro",
            "/",
            "--chdir",
            WORKPLACE,
        ),
        *("--", os.path.realpath(sys.executable), "-I", "-S", f"{INSIDE}/guard.py"),
        *map(str, (uid, memory, limits.cpu_seconds, limits.processes, files)),
        f"{INSIDE}/program.py",
    ]


def _calls() -> bytes:
    try:
        return call_filter()
    except ReplayError as error:
        raise SandboxError(UNUSABLE.format(why=error)) from None


def _readable() -> list[str]:
    """Return the folders of the interpreter and its libraries."""
    prefix = os.path.realpath(sys.base_prefix)
    system = [path for path in _SYSTEM if Path(path).is_dir() and not Path(path).is_symlink()]
    return [*system, *([] if any(prefix.startswith(f"{path}/") or prefix == path for path in system) else [prefix])]


def _parents(path: str) -> list[str]:
    """Return the options that create the folders above: bubblewrap would create them for root only."""
    above = [str(parent) for parent in reversed(Path(path).parents) if str(parent) != "/"]
    return [part for parent in above for part in ("--perms", "0755", "--dir", parent)]


def _link(path: str) -> str | None:
    return str(Path(path).readlink()) if Path(path).is_symlink() else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill bubblewrap: the kernel then ends every process of its namespace."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            _close(stream)


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:  # the program ended without reading its input
        return


class _Talk:
    """Writes the input of a process and reads its outputs, up to the limits."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limits: SandboxLimits) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._stdin, self._left = process, process.stdin, stdin
        self._room = limits.output_kb * 1024
        self._texts = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}

    def until_end(self, deadline: float) -> tuple[Ending, bytes, bytes]:
        """Return the ending and the two outputs, each up to the limit."""
        ending = self._exchange(deadline)
        out, err = self._texts.values()
        return ending, bytes(out[: self._room]), bytes(err[: self._room])

    def _exchange(self, deadline: float) -> Ending:
        with selectors.DefaultSelector() as selector:
            os.set_blocking(self._stdin.fileno(), False)
            selector.register(self._stdin.fileno(), selectors.EVENT_WRITE, self._write)
            for fd in self._texts:
                selector.register(fd, selectors.EVENT_READ, self._read)
            while self._texts.keys() & {key.fd for key in selector.get_map().values()}:
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    return Ending.TIMEOUT
                for key, _ in selector.select(left_s):
                    if not key.data(key.fd):
                        selector.unregister(key.fd)
                        self._finish(key.fd)
                if sum(map(len, self._texts.values())) > self._room:
                    return Ending.OUTPUT
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))  # a program may close its outputs and go on
        except subprocess.TimeoutExpired:
            return Ending.TIMEOUT
        return Ending.EXITED

    def _read(self, fd: int) -> bool:
        """Return whether more may come."""
        text = os.read(fd, 65_536)
        self._texts[fd] += text
        return bool(text)

    def _write(self, fd: int) -> bool:
        """Return whether input is left."""
        try:
            self._left = self._left[os.write(fd, self._left[:65_536]) :]
        except BrokenPipeError:
            self._left = b""
        return bool(self._left)

    def _finish(self, fd: int) -> None:
        # After the unregistration: a fork in another thread keeps a closed descriptor in the selector alive.
        if fd not in self._texts:
            _close(self._stdin)
