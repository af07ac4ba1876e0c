"""Reports of calls, and random traces of an application."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from monitor.domain.call_tree import Link
from monitor.domain.interaction import Status
from monitor.domain.reports import Report

START = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
OK, FAILED = Status.OK, Status.ERROR


def call(id_: str, parent: str | None = None, *, starts_ms: float = 0, takes_ms: float = 1000, **told: Any) -> Report:
    started_at = START + timedelta(milliseconds=starts_ms)
    defaults: dict[str, Any] = {"convention": "openinference", "status": OK, "inputs": f"in {id_}", "outputs": "out"}
    return Report(
        id=id_,
        span_id=id_,
        parent_span_id=parent,
        started_at=started_at,
        ended_at=started_at + timedelta(milliseconds=takes_ms),
        **defaults | told,
    )


@dataclass
class Made:
    """A random trace: its reports and links, and the real calls of each report."""

    reports: list[Report] = field(default_factory=list)
    links: dict[str, Link] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


def trace(rng: random.Random) -> Made:
    """Return a random application with steps, tools and calls. Each call has one to three spans, and may be retried."""
    made, spans = Made(), iter(range(10_000))
    now = 0.0

    def step(parent: str | None, depth: int) -> None:
        nonlocal now
        for _ in range(rng.randint(1, 3)):
            kind = rng.choice(["call", "step", "tool", "call"]) if depth else "call"
            if kind == "call":
                request(parent, depth)
            else:
                id_ = f"s{next(spans):04d}"
                made.links[id_] = Link(parent, kind == "tool")
                step(id_, depth - 1)

    def request(parent: str | None, depth: int) -> None:
        """Add one framework span, with or without a wrapper, around attempts; the last attempt may succeed."""
        nonlocal now
        began, wraps, above = now, rng.randint(0, 2), parent
        answered = rng.random() < 0.7
        outer = []
        for _ in range(wraps):
            id_ = f"s{next(spans):04d}"
            outer.append((id_, above))
            above = id_
            if rng.random() < 0.4:
                between = f"s{next(spans):04d}"
                made.links[between] = Link(above, False)
                above = between
        attempts = rng.randint(1, 3) if wraps else 1
        for n in range(attempts):
            if wraps and depth and rng.random() < 0.2:  # the framework runs a tool that calls a model itself
                tool = f"s{next(spans):04d}"
                made.links[tool] = Link(above, True)
                request(tool, 0)
            id_, started = f"s{next(spans):04d}", now
            now += rng.randint(2, 3000)
            failed = not (answered and n == attempts - 1)
            made.asked.add(id_)
            made.reports.append(told(id_, above, started, failed=failed, outer=False))
            now += 5000  # separate in time, so that texts do not connect them
        made.reports += [told(id_, up, began, failed=not answered, outer=True) for id_, up in outer]

    def told(id_: str, parent: str | None, started: float, *, failed: bool, outer: bool) -> Report:
        knows = rng.random() < 0.5
        return call(
            id_,
            parent,
            starts_ms=started,
            takes_ms=now - started,
            status=FAILED if failed else OK,
            convention=rng.choice(["openinference", "otel-genai"]),
            inputs=rng.choice(["refund?", "hello", ""]),
            outputs="" if failed else rng.choice(["30 days", "hi", ""]),
            response_id=f"r-{id_}" if knows and not failed and not outer else None,
        )

    step(None, 3)
    return made
