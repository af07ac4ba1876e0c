"""Senders that behave like exporters: resend a batch until it is acknowledged, then send the next one."""

import threading
from dataclasses import dataclass, field
from typing import Any

import grpc
import httpx

from tests.kills.batches import OF_ITS_OWN, ROUND, Sent, calls

RETRY_S = 0.1
TIMEOUT_S = 30.0
IMPATIENT = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 300)]
COME_BACK = (  # OTLP's retryable codes that a full, stopping or killed daemon may lead to
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)


@dataclass(slots=True)
class Sender:
    """One thread. `left` is the batch that was in flight when it stopped, without an answer."""

    name: str
    addresses: dict[str, str]
    stop: threading.Event
    size: int = 10
    acknowledged: list[Sent] = field(default_factory=list)
    left: list[Sent] = field(default_factory=list)
    again: int = 0
    wrong: list[str] = field(default_factory=list)  # answers that are neither an acknowledgement nor a "come back"

    def run(self) -> None:
        number = 0
        where = self.addresses["grpc"].removeprefix("http://")
        with httpx.Client(timeout=TIMEOUT_S) as client, grpc.insecure_channel(where, options=IMPATIENT) as channel:
            lines = Lines(client=client, channel=channel)
            while not self.stop.is_set():
                found = calls(self.name, number, self.size)
                for kind in ROUND:
                    own = OF_ITS_OWN.get(kind)
                    self._deliver(lines, kind(calls(f"{self.name}/{own}", number, self.size) if own else found))
                number += 1

    def _deliver(self, lines: "Lines", batch: Sent) -> None:
        while not self.stop.is_set():
            if self._send(lines, batch):
                self.acknowledged.append(batch)
                return
            self.again += 1
            self.stop.wait(RETRY_S)
        self.left.append(batch)

    def _send(self, lines: "Lines", batch: Sent) -> bool:
        return self._call(lines.channel, batch) if batch.to == "grpc" else self._post(lines.client, batch)

    def _call(self, channel: grpc.Channel, batch: Sent) -> bool:
        export: Any = channel.unary_unary(batch.path)
        answer = export.future(batch.body, timeout=TIMEOUT_S)
        if answer.code() not in (grpc.StatusCode.OK, *COME_BACK):
            self.wrong.append(f"{batch.path}: {answer.code()} {answer.details()[:200]}")
        return bool(answer.code() is grpc.StatusCode.OK)

    def _post(self, client: httpx.Client, batch: Sent) -> bool:
        try:
            answer = client.post(self.addresses[batch.to] + batch.path, content=batch.body, headers=batch.headers)
        except httpx.HTTPError:
            return False
        if answer.status_code not in (200, 429, 503):
            self.wrong.append(f"{batch.path}: {answer.status_code} {answer.text[:200]}")
        return answer.status_code == 200


@dataclass(frozen=True, slots=True)
class Lines:
    """The open connections of one sender."""

    client: httpx.Client
    channel: grpc.Channel


class Senders:
    """Several senders at once, between `start` and `finish`."""

    def __init__(self, addresses: dict[str, str], *, count: int, names: str) -> None:
        self._stop = threading.Event()
        self.all = [Sender(name=f"{names}-{i}", addresses=addresses, stop=self._stop) for i in range(count)]
        self._threads = [threading.Thread(target=s.run, name=s.name, daemon=True) for s in self.all]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(2 * TIMEOUT_S)
            assert not thread.is_alive(), f"{thread.name} does not end"

    @property
    def acknowledged(self) -> list[Sent]:
        return [batch for sender in self.all for batch in list(sender.acknowledged)]

    @property
    def left(self) -> list[Sent]:
        return [batch for sender in self.all for batch in sender.left]

    @property
    def again(self) -> int:
        return sum(sender.again for sender in self.all)

    @property
    def wrong(self) -> list[str]:
        return [line for sender in self.all for line in sender.wrong]
