"""The first process of a container: it runs one program with its limits and prints a report as one line of JSON.

It runs with the standard library of Python 3.11 or later only. The order is JSON, compressed with zlib, as base64 in
the variables `ORDER_0`, `ORDER_1` and so on: `program`, `stdin`, `limits`, `nonce`, and `guard`, the program that sets
the limits. The report begins with the nonce. The program has the same user, so the kernel hides the memory, the
descriptors and the variables of this process from it. As process 1 of its container, no process inside can kill it.
"""

import base64
import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable
from typing import Any

SET_DUMPABLE = 4  # prctl(2)
POLL_S = 0.05
FOLDER = "/tmp"  # noqa: S108 (in memory, of this container)


def main() -> None:
    begun = time.monotonic()
    hide()
    order = read_order()
    limits = order["limits"]
    report = run(order, limits, begun)
    report["seconds"] = time.monotonic() - begun
    sys.stdout.write("\n" + order["nonce"] + json.dumps(report) + "\n")
    sys.stdout.flush()


def hide() -> None:
    """Hide this process from others of the same user, and ignore their signals."""
    if ctypes.CDLL(None, use_errno=True).prctl(SET_DUMPABLE, 0, 0, 0, 0):
        sys.exit("prctl(PR_SET_DUMPABLE) failed")
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda *_: None)  # unlike SIG_IGN, a program does not inherit it


def read_order() -> dict[str, Any]:
    parts: list[str] = []
    number = 0
    while f"ORDER_{number}" in os.environ:
        parts.append(os.environ[f"ORDER_{number}"])
        number += 1
    order: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode("".join(parts))))
    return order


def run(order: dict[str, Any], limits: dict[str, Any], begun: float) -> dict[str, Any]:
    """Run the program to its end. Return the report."""
    path = FOLDER + "/program.py"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(order["program"])
    numbers = (-1, limits["memory_mb"] << 20, limits["cpu_seconds"], limits["processes"] + 1, limits["files_mb"] << 20)
    child = subprocess.Popen(  # noqa: S603 (this is the purpose of the sandbox)
        [sys.executable, "-I", "-S", "-c", order["guard"], *map(str, numbers), path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=FOLDER,
        env={},
        start_new_session=True,
    )
    ending, texts = talk(child, order["stdin"].encode("utf-8", "replace"), limits, begun + limits["seconds"])
    end_all()
    code = child.wait()
    if ending == "exited" and code < 0:
        ending = "killed"
    room = limits["output_kb"] * 1024
    out, err = (bytes(text[:room]).decode("utf-8", "replace") for text in texts)
    return {"ending": ending, "exit_code": code if ending == "exited" else None, "stdout": out, "stderr": err}


def talk(
    child: "subprocess.Popen[bytes]", stdin: bytes, limits: dict[str, Any], deadline: float
) -> tuple[str, Iterable[bytearray]]:
    """Write the input and read the outputs of the program up to the limits. Return the ending and both outputs."""
    assert child.stdin is not None
    left = bytearray(stdin)
    texts: dict[Any, bytearray] = {child.stdout: bytearray(), child.stderr: bytearray()}
    room = limits["output_kb"] * 1024
    os.set_blocking(child.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdin, selectors.EVENT_WRITE)
        for stream in texts:
            selector.register(stream, selectors.EVENT_READ)
        reading = set(texts)
        while reading:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return "timeout", texts.values()
            if child.poll() is not None:
                end_all()  # its processes may have the outputs open
            for key, _ in selector.select(min(left_s, POLL_S)):
                if not moved(key, texts, left):
                    reading.discard(key.fileobj)
                    selector.unregister(key.fileobj)
                    close(key.fileobj)
            if sum(map(len, texts.values())) > room:
                return "output", texts.values()
    try:
        child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout", texts.values()
    return "exited", texts.values()


def moved(key: selectors.SelectorKey, texts: dict[Any, bytearray], left: bytearray) -> bool:
    """Read from an output or write to the input once. Return whether more may follow."""
    if key.fileobj in texts:
        read = os.read(key.fd, 65536)
        texts[key.fileobj] += read
        return bool(read)
    try:
        del left[: os.write(key.fd, left[:65536])]
    except BrokenPipeError:
        left.clear()
    return bool(left)


def close(stream: Any) -> None:
    try:
        stream.close()
    except BrokenPipeError:  # the program ended without reading its input
        return


def end_all() -> None:
    """Kill every other process of the container; without a namespace of its own, the group of the program ends with it.

    As process 1, kill(-1) reaches every process that this user may signal, except itself.
    """
    if os.getpid() == 1:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return


if __name__ == "__main__":
    main()
