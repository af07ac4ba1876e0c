"""Send batches over several connections and print the results: `python -m bench.ingest_study.sender ADDRESS …`.

This is a separate process with plain sockets and encoded bodies, so that it costs little compared with any server. With
`--rate`, batches are due at fixed times, and the latency of an acknowledgement includes the wait for its turn.
"""

import argparse
import json
import os
import socket
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from bench.ingest_study.bodies import Body, body

BODIES = 4  # different texts of each connection; a ticket makes each one unique
RETRY_S = 0.05
TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """The task of the sender. `rate` is in spans per second over all connections, 0 for as fast as answers arrive."""

    address: str
    path: str
    batch: int
    connections: int
    seconds: float
    rate: float = 0.0
    first: int = 0  # the number of the first span
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Sent:
    """The results. `acks_ms` count from the time when a batch was due, or from its sending without a rate."""

    spans: int = 0
    began_at: float = 0.0  # of the system-wide monotonic clock
    ended_at: float = 0.0
    refused: int = 0
    cpu_s: float = 0.0
    acks_ms: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Connection(threading.Thread):
    """One connection: it sends a batch, waits for the answer, and sends the next."""

    def __init__(self, errand: Errand, index: int, bodies: list[Body], begin_at: float) -> None:
        super().__init__(name=f"sender-{index}")
        self.sent = Sent(began_at=begin_at)
        self._errand, self._index, self._bodies = errand, index, bodies
        parts = urlsplit(errand.address)
        self._place = (str(parts.hostname), int(parts.port or 80))
        self._own_headers = "".join(f"{name}: {value}\r\n" for name, value in errand.headers)

    def run(self) -> None:
        with socket.create_connection(self._place, timeout=TIMEOUT_S) as link:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number, until = 0, self.sent.began_at + self._errand.seconds
            time.sleep(max(0.0, self.sent.began_at - time.monotonic()))
            while (now := time.monotonic()) < until and not self.sent.wrong:
                due = self._due(number, now)
                if due >= until:
                    break
                time.sleep(max(0.0, due - time.monotonic()))
                self._deliver(link, number)
                self.sent.ended_at = time.monotonic()
                self.sent.acks_ms.append(1000 * (self.sent.ended_at - due))
                number += 1

    def _due(self, number: int, now: float) -> float:
        errand = self._errand
        if not errand.rate:
            return now
        turn = number * errand.connections + self._index
        return self.sent.began_at + turn * errand.batch / errand.rate

    def _deliver(self, link: socket.socket, number: int) -> None:
        errand = self._errand
        turn = number * errand.connections + self._index
        chosen = self._bodies[number % len(self._bodies)]
        content = chosen.sent(errand.first + turn * errand.batch, time.time_ns())
        head = (
            f"POST {errand.path} HTTP/1.1\r\nHost: {urlsplit(errand.address).netloc}\r\n{self._own_headers}"
            f"Content-Type: application/x-protobuf\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        while (status := _exchange(link, head.encode() + content)) in (429, 503):
            self.sent.refused += 1
            time.sleep(RETRY_S)
        if status != 200:
            self.sent.wrong.append(f"status {status}")
        self.sent.spans += chosen.spans


def _exchange(link: socket.socket, request: bytes) -> int:
    """Return the status of the answer; the body is ignored."""
    link.sendall(request)
    received = b""
    while (end := received.find(b"\r\n\r\n")) < 0:
        received += _more(link)
    head = received[:end].lower()
    length = _length(head)
    while length is not None and len(received) < end + 4 + length:
        received += _more(link)
    while length is None and not received.endswith(b"0\r\n\r\n"):  # a chunked answer
        received += _more(link)
    return int(head.split(b" ", 2)[1])


def _length(head: bytes) -> int | None:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return None


def _more(link: socket.socket) -> bytes:
    found = link.recv(65536)
    if not found:
        raise ConnectionError("the server closed the connection")
    return found


def send(errand: Errand) -> Sent:
    """Run all connections to their end, and return their results together."""
    bodies = [[body(errand.batch, seed=100 * i + j) for j in range(BODIES)] for i in range(errand.connections)]
    begin_at, cpu_before_s = time.monotonic() + 0.2, time.process_time()
    threads = [Connection(errand, i, own, begin_at) for i, own in enumerate(bodies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = [thread.sent for thread in threads]
    return Sent(
        spans=sum(one.spans for one in sent),
        began_at=begin_at,
        ended_at=max(one.ended_at for one in sent),
        refused=sum(one.refused for one in sent),
        cpu_s=time.process_time() - cpu_before_s,
        acks_ms=[ack for one in sent for ack in one.acks_ms],
        wrong=[line for one in sent for line in one.wrong],
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("errand", type=json.loads, help="the fields of an Errand as JSON")
    parser.add_argument("--cores", default="", help="to run on: numbers with commas between them")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, {int(core) for core in options.cores.split(",")})
    found = options.errand
    errand = Errand(**found | {"headers": tuple(tuple(pair) for pair in found.get("headers", ()))})
    sys.stdout.write(json.dumps(asdict(send(errand))) + "\n")


if __name__ == "__main__":
    main()
