"""The time of the answers of the API."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import httpx

REFERENCE: Final = "/healthz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """The times of one request, in milliseconds. `pages` names the pages that make it. `cpu_ms` is the CPU time of the
    daemon per request, with that of its loops in the meantime.
    """

    target: str
    pages: tuple[str, ...]
    status: int
    bytes: int
    first_ms: float
    times_ms: tuple[float, ...]
    cpu_ms: float

    @property
    def p50_ms(self) -> float:
        return quantile(self.times_ms, 0.5)

    @property
    def p95_ms(self) -> float:
        return quantile(self.times_ms, 0.95)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def time_answer(client: httpx.Client, pid: int, target: str, rounds: int, pages: Iterable[str] = ()) -> Timed:
    """Send the request to the daemon `pid` once, then `rounds` times."""
    times_ms: list[float] = []
    for number in range(rounds + 1):
        if number == 1:
            used_s = cpu_s(pid)
        began_s = time.perf_counter()
        answer = client.get(target)
        times_ms.append((time.perf_counter() - began_s) * 1e3)
    return Timed(
        target=target,
        pages=tuple(sorted(set(pages))),
        status=answer.status_code,
        bytes=len(answer.content),
        first_ms=times_ms[0],
        times_ms=tuple(times_ms[1:]),
        cpu_ms=(cpu_s(pid) - used_s) * 1e3 / rounds,
    )


def shape(target: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return what two requests share that differ only in a time or a cursor: they are measured once."""
    parts = urlsplit(target)
    return parts.path, tuple(
        (name, "" if name in {"since", "until", "cursor"} else value) for name, value in sorted(parse_qsl(parts.query))
    )


def distinct(targets: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return one request of each shape with its pages, from pairs of request and page."""
    first: dict[object, str] = {}
    found: dict[str, set[str]] = {}
    for target, page in targets:
        found.setdefault(first.setdefault(shape(target), target), set()).add(page)
    return found
