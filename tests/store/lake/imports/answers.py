"""Asks every GET of the API of a stopped driftd, and the same requests of another one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from monitor.app import build
from monitor.cli.connection.transport import InProcessTransport
from monitor.cli.demo.settings import TOKEN_FILE
from monitor.config.load import load

WHERE: Final = "http://127.0.0.1"
MOST: Final = 8  # requests for different objects of one path
PAGE: Final = 7  # rows of a page of a list that is read to its end
PAGES: Final = 4
LAST: Final = ("reveal", "/sets/export")  # they write the audit log and the log of accesses
NOUNS: Final = (
    "interactions", "changes", "candidates", "turns", "rescores", "findings", "alerts", "silences", "reports",
    "compactions", "dead_letters", "results/imports",
)  # fmt: skip
"""The lists whose items have an id and a path of their own."""

Params = tuple[tuple[str, str], ...]


class FixedClock:
    """A clock whose time does not change."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Asked:
    path: str
    params: Params = ()

    def __str__(self) -> str:
        return self.path + ("?" + "&".join(f"{name}={value}" for name, value in self.params) if self.params else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    body: Any


@dataclass(slots=True)
class Asker:
    """Sends requests to one driftd, and keeps its answers."""

    transport: InProcessTransport
    answers: dict[Asked, Answer] = field(default_factory=dict)

    def ask(self, asked: Asked) -> Any:
        response = self.transport.send("GET", asked.path, params=_grouped(asked.params), timeout_s=60.0)
        try:
            body = json.loads(response.content)
        except ValueError:
            body = response.content.decode("utf-8", "replace")
        self.answers[asked] = Answer(status=response.status, body=body)
        return body

    def get(self, path: str, **params: str) -> Any:
        return self.ask(Asked(path=path, params=tuple(params.items())))


@contextmanager
def asker(config: Path, now: datetime) -> Iterator[Asker]:
    """Open the store of a configuration without its loops, at an instant that does not pass."""
    app = build(load(config, {}), clock=FixedClock(now), serving=False)
    token = (config.parent / TOKEN_FILE).read_text().strip()
    transport = InProcessTransport(app.api, WHERE, {"Authorization": f"Bearer {token}"})
    try:
        yield Asker(transport)
    finally:
        transport.close()
        app.stop()


def explore(one: Asker) -> list[Asked]:
    """Ask every GET of the document, with ids that its lists have, and return the requests in their order."""
    document = one.transport.send("GET", "/openapi.json", params={}, timeout_s=60.0).content
    paths = {path: methods["get"] for path, methods in json.loads(document)["paths"].items() if "get" in methods}
    values = _values(one)
    planned = [
        asked for path, described in paths.items() for asked in _requests(path, described.get("parameters", []), values)
    ]
    for asked in sorted(dict.fromkeys(planned), key=lambda asked: any(each in str(asked) for each in LAST)):
        one.ask(asked)
        _read_on(one, asked)
    return list(one.answers)


def _read_on(one: Asker, asked: Asked) -> None:
    """Read the pages that follow the first one of a list."""
    for _ in range(PAGES):
        body = one.answers[asked].body
        cursor = body.get("next_cursor") if isinstance(body, dict) else None
        if cursor is None or ("limit", str(PAGE)) not in asked.params:
            return
        kept = tuple(pair for pair in asked.params if pair[0] != "cursor")
        asked = Asked(path=asked.path, params=(*kept, ("cursor", cursor)))
        one.ask(asked)


def _values(one: Asker) -> dict[str, list[str]]:
    """Return values of the parameters, by name; ids of objects have the first part of their path as the name."""

    def items(path: str, **params: str) -> list[dict[str, Any]]:
        return list(one.get(f"/api/v1/{path}", limit="500", **params)["items"])

    def spread(values: Sequence[str]) -> list[str]:
        kept = list(dict.fromkeys(values))
        return kept[:: max(1, len(kept) // MOST)]

    runs, sets = items("runs"), sorted({each["name"] for each in items("sets")})
    deployment = runs[0]["deployment"]
    found = {noun: spread([each["id"] for each in items(noun)]) for noun in NOUNS}
    compared = [(a["id"], b["id"]) for a, b in zip(runs, runs[2:], strict=False) if a["set_name"] == b["set_name"]]
    calls = items("interactions")
    return found | {
        "runs": spread([each["id"] for each in runs]),
        "run_id": [each["id"] for each in runs][:4],
        "deployment": [deployment],
        "set_name": sets,
        "case_id": spread([each["id"] for name in sets for each in items("cases", set_name=name)])[:4],
        "baseline": [old for _, old in compared][:4],
        "candidate": [new for new, _ in compared][:4],
        "version": spread([each["version"] for each in runs if each["version"]]),
        "table": ["interaction", "run", "outcome", "audit_entry"],
        "scorer": ["choice"],
        "number": ["0"],
        "digest": ["0" * 64],
        "rules": spread([each["name"] for each in one.get("/api/v1/rules")["items"]]),
        "text": ["prime", "7"],
        "since": [calls[len(calls) // 2]["started_at"]],
        "until": [calls[len(calls) // 2]["started_at"]],
        "user": spread([each["user_id"] for each in calls if each.get("user_id")])[:2],
        "category": spread([each["category"] for each in calls if each.get("category")])[:3],
        "severity": ["medium", "high"],
        "trace_id": [calls[0]["trace_id"]] if calls[0].get("trace_id") else [],
        "status": ["ok", "error"],
        "feedback": ["true", "false"],
        "corrected": ["true", "false"],
        "refused": ["true", "false"],
        "traffic": ["true", "false"],
        "reveal": ["true"],
        "flagged": ["true", "false"],
        "failure_category": ["missed_prime", "false_prime"],
        "by": ["all", "day", "version", "route", "category", "scores"],
        "state": ["accepted", "proposed", "firing", "open"],
        "days": ["7"],
        "nights": ["3"],
        "count": ["5"],
        "metric": ["choice"],
        "direction": ["to_fail", "to_pass"],
        "order": ["name"],
        "limit": [str(PAGE)],
    }


def _requests(path: str, parameters: Sequence[Mapping[str, Any]], values: Mapping[str, list[str]]) -> Iterator[Asked]:
    """Yield the requests of a path: one for each object, each set and each run, and each optional parameter."""
    needed = [each["name"] for each in parameters if each["in"] == "query" and each.get("required")]
    optional = [each["name"] for each in parameters if each["in"] == "query" and not each.get("required")]
    ways = list(islice(_filled(path, values), MOST))
    required = list(_combined(path, needed, values))
    for way in ways:
        for params in required:
            yield Asked(path=way, params=params)
    for name in optional:
        for value in values.get(name, []):
            for params in required[:3]:
                yield Asked(path=ways[0], params=(*params, (name, value)))


def _filled(path: str, values: Mapping[str, list[str]]) -> Iterator[str]:
    found = re.search(r"\{(\w+)\}", path)
    if found is None:
        yield path
        return
    noun = path.removeprefix("/api/v1/").partition("/{")[0]
    for value in values.get(noun) or ["x"]:
        yield path.replace(found[0], value)


def _combined(path: str, needed: Sequence[str], values: Mapping[str, list[str]]) -> Iterator[Params]:
    """Yield values for all required parameters. Runs or versions that are compared belong together."""
    if path.startswith("/api/v1/choices/"):
        [deployment] = values["deployment"]
        candidates = tuple(("candidate", f"{deployment}@{version}") for version in values["version"])
        for name in values["set_name"]:
            yield (*candidates, ("set_name", name))
        return
    if {"baseline", "candidate"} <= {*needed}:
        pairs = zip(values["baseline"], values["candidate"], strict=True)
        if path.endswith("/versions"):
            pairs = zip(values["version"][1:], values["version"], strict=False)
        others = [name for name in needed if name not in ("baseline", "candidate")]
        for baseline, candidate in pairs:
            for rest in _product(others, values):
                yield (("baseline", baseline), ("candidate", candidate), *rest)
        return
    yield from _product(needed, values)


def _product(names: Sequence[str], values: Mapping[str, list[str]]) -> Iterator[Params]:
    if not names:
        yield ()
        return
    for value in values.get(names[0]) or ["x"]:
        for rest in _product(names[1:], values):
            yield ((names[0], value), *rest)


def _grouped(params: Params) -> dict[str, object]:
    found: dict[str, list[str]] = {}
    for name, value in params:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
