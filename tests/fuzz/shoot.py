"""Send hostile requests and record failures: a 5xx, no answer, or a rejected batch with a valid record."""

import threading
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import httpx

from tests.fuzz.requests import Request

PATIENCE_S = 60.0


@dataclass(slots=True)
class Shots:
    """The results. `landed` are the ids of acknowledged valid records."""

    addresses: dict[str, str]  # "api" and "otlp"
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    landed: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)  # protects the three fields above

    def fire(self, requests: Iterable[Request], *, at_once: int = 4) -> None:
        with (
            httpx.Client(timeout=PATIENCE_S, limits=httpx.Limits(max_connections=at_once)) as client,
            ThreadPoolExecutor(at_once) as pool,
        ):
            for _ in pool.map(lambda request: self._shoot(client, request), requests):
                pass

    def _shoot(self, client: httpx.Client, request: Request) -> None:
        headers = {name.encode(): value.encode() for name, value in request.headers.items()}  # httpx rejects other text
        try:
            answer = client.post(self.addresses[request.to] + request.path, content=request.body, headers=headers)
        except httpx.HTTPError as error:
            self._note(request, "none", f"{type(error).__name__}: {error}")
            return
        self._note(request, str(answer.status_code), answer.text[:300])

    def _note(self, request: Request, status: str, said: str) -> None:
        with self._lock:
            self.statuses[status] += 1
            if status == "200":
                if request.lands:
                    self.landed.append(request.lands)
            elif not request.refused or status == "none" or status[0] != "4":
                self.wrong.append(f"{request.name[:80]} ({request.path}): {status} {said}")
