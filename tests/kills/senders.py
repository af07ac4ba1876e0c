"""Senders that do what exporters do: send a batch again until it is acknowledged, then the next."""

import threading
from dataclasses import dataclass, field

import httpx

from tests.kills.batches import ROUND, Sent, calls

RETRY_S = 0.1
TIMEOUT_S = 30.0


@dataclass(slots=True)
class Sender:
    """One thread. `left` is the batch it was sending when it was stopped: nobody told it whether that landed."""

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
        with httpx.Client(timeout=TIMEOUT_S) as client:
            while not self.stop.is_set():
                found = calls(self.name, number, self.size)
                for kind in ROUND:
                    of_kind = calls(f"{self.name}/json", number, self.size) if kind is ROUND[-1] else found
                    self._deliver(client, kind(of_kind))
                number += 1

    def _deliver(self, client: httpx.Client, batch: Sent) -> None:
        while not self.stop.is_set():
            if self._send(client, batch):
                self.acknowledged.append(batch)
                return
            self.again += 1
            self.stop.wait(RETRY_S)
        self.left.append(batch)

    def _send(self, client: httpx.Client, batch: Sent) -> bool:
        try:
            answer = client.post(self.addresses[batch.to] + batch.path, content=batch.body, headers=batch.headers)
        except httpx.HTTPError:
            return False
        if answer.status_code not in (200, 429, 503):
            self.wrong.append(f"{batch.path}: {answer.status_code} {answer.text[:200]}")
        return answer.status_code == 200


class Senders:
    """Several at once, between `start` and `finish`."""

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
