"""The real application over a real DuckDB file, called through ASGI."""

import hashlib
import io
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI

from monitor.alerting.notify.console import Console
from monitor.api.app import build_api
from monitor.api.auth import Role, Token, Tokens, UserTokens
from monitor.api.context import ApiContext
from monitor.clock import Clock
from monitor.domain.interaction import Interaction
from monitor.domain.policy import Policy
from monitor.ingest.intake import Intake
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.replay_echo import EchoFilter
from monitor.ingest.normalize.unread_counts import UnreadCounts
from monitor.ingest.writer import Writer
from monitor.store.backup.backups import Backups
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from replay.evalsets.sealing import Sealer
from tests.api.policies import policy
from tests.api.records import CASES
from tests.ingest.pipeline import NOTHING_REDACTED

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
SEALER = Sealer(bytes(range(32)))
ECHOED_TRACE = "ab" * 16


class StillClock:
    def __init__(self, now: datetime = NOW) -> None:
        self.instant = now

    def now(self) -> datetime:
        return self.instant

    def monotonic(self) -> float:
        return self.instant.timestamp()


def token_of(*roles: Role) -> str:
    return "token-" + "-".join(sorted(roles))


def tokens_for_roles(clock: Clock | None = None, users: UserTokens | None = None) -> Tokens:
    """Return one token for each role, one with `reveal` and one with `review`."""
    wanted = [(role,) for role in Role] + [(Role.READ, Role.REVEAL), (Role.READ, Role.REVIEW)]
    configured = [
        Token(
            name=f"name of {token_of(*roles)}",
            sha256=hashlib.sha256(token_of(*roles).encode()).hexdigest(),
            roles=frozenset(roles),
        )
        for roles in wanted
    ]
    return Tokens(configured, clock=clock, users=users)


@dataclass(kw_only=True)
class House:
    store: FileStore
    backups: Backups
    intake: Intake
    clock: StillClock
    app: FastAPI
    portal: BlockingPortal
    http: httpx.AsyncClient
    wakes: list[None] = field(default_factory=list)

    def ask(self, method: str, path: str, *, token: str | None = None, **options: Any) -> httpx.Response:
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return self.portal.call(lambda: self.http.request(method, path, headers=headers, **options))

    def get(self, path: str, *, token: str | None = None, **params: Any) -> httpx.Response:
        return self.ask("GET", path, token=token, params=params)

    def post(self, path: str, body: Any, *, token: str | None = None, key: str | None = None) -> httpx.Response:
        headers = {"Idempotency-Key": key} if key is not None else {}
        return self.ask("POST", path, token=token, json=body, headers=headers)


@contextmanager
def open_house(
    folder: Path,
    *,
    tokens: Tokens | None = None,
    intake: Intake | None = None,
    ready: Callable[[], str | None] = lambda: None,
    writing: bool = True,
    with_normalizer: Normalizer | None = None,
    known: Policy | None = None,
    clock: StillClock | None = None,
    **overrides: Any,
) -> Iterator[House]:
    """Open the application. `writing=False` runs no writer: nothing is ever committed."""
    clock = clock or StillClock()
    intake = intake or Intake(10_000)
    wakes: list[None] = []
    with ExitStack() as teardown:
        store = Store.open(folder / "driftd.duckdb", clock=clock)
        teardown.callback(store.close)
        unread = UnreadCounts(clock)
        if writing:
            teardown.callback(_start_writer(store, intake, clock, unread))
        backups = Backups(store, folder / "driftd.duckdb.backup", clock, "0.1.0+test")
        context = ApiContext(
            store=store,
            backups=backups,
            intake=intake,
            normalizer=with_normalizer or normalizer(),
            policy=known or policy(),
            clock=clock,
            tokens=tokens or Tokens(),
            sealer_of={"private": SEALER}.get,
            wake=lambda: wakes.append(None),
            loop_states=lambda: {"writer": "running"},
            ready=ready,
            metrics=lambda: b"# HELP driftd_loop_steps_total Steps.\n",
            code_version="0.1.0+test",
            reports=folder / "traffic_reports",
            unread=unread,
            **{"receivers": {"console": Console("console", io.StringIO())}} | overrides,
        )
        app = build_api(context)
        portal = teardown.enter_context(start_blocking_portal())
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8400")
        teardown.callback(lambda: portal.call(http.aclose))
        yield House(
            backups=backups, store=store, intake=intake, clock=clock, app=app, portal=portal, http=http, wakes=wakes
        )


def normalizer() -> Normalizer:
    echo = EchoFilter(known_run=lambda trace: "run-1" if trace == ECHOED_TRACE else None, sealed=is_sealed)
    rules = DeploymentRules(default_deployment="bot")
    return Normalizer(rules=rules, identify=_identity, echo=echo, redactor=NOTHING_REDACTED)


def is_sealed(text: str) -> bool:
    return text.strip() == "Is 7 a prime?"


def _identity(_deployment: str, item: Interaction) -> str | None:
    return item.response_model


def _start_writer(store: Store, intake: Intake, clock: StillClock, unread: UnreadCounts) -> Callable[[], None]:
    stop = threading.Event()
    writer = Writer(store, intake, clock, max_delay_s=0.001, unread=unread)
    thread = threading.Thread(target=writer.run, args=(stop,), name="writer")
    thread.start()

    def end() -> None:
        stop.set()
        intake.close()
        thread.join()

    return end


def import_cases(
    house: House,
    set_name: str = "private",
    token: str | None = None,
    count: int = 3,
    *,
    allow_sealed: bool = False,
) -> str:
    """Import the first `count` cases and return the hash of the revision."""
    body = {"name": set_name, "cases": [dict(case) for case in CASES[:count]], "allow_sealed": allow_sealed}
    response = house.post("/api/v1/sets", body, token=token)
    assert response.status_code in (200, 201), response.text
    return str(response.json()["revision"])
