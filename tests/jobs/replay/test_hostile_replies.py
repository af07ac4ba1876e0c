"""Any answer of a target is stored as a reply or as an error of its outcome, in sealed and open sets."""

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from monitor.api.encode import outcome as encode_outcome
from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.evalset import SetKind
from monitor.domain.run import Run, RunState, Trigger
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.plan import plan_run
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.replay.run_loop import ReplayLoop
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.spending import Spending
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import outcomes, runs
from monitor.store.runs.outcomes import OutcomeRow
from monitor.store.sets import sealed_sets
from replay.evalsets.sealing import Sealer, new_key
from replay.run.limits import Limits
from replay.run.rate_limit import PaceLimits
from replay.targets.base import Target
from replay.targets.table import build_target
from replay.types import Case, Message
from tests.jobs.nightly import Clock
from tests.replay.replays import SaysYes
from tests.replay.targets.replies import HOSTILE, mutated, replies
from tests.replay.targets.shapes import SHAPES, Shape

CASES = 40
FEW = settings(max_examples=2, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)
OUTAGE = "calls in a row failed"
CASES_OF_SET = [Case(id=f"c{i}", input=(Message(role="user", content=f"Is {i} a prime?"),)) for i in range(CASES)]


class Server:
    """Answers with the given bodies in order."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, bytes]] = []
        self.at = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        content_type, body = self.bodies[self.at % len(self.bodies)]
        self.at += 1
        return web.Response(body=body, content_type=content_type)


@contextmanager
def serving() -> Iterator[tuple[Server, str]]:
    server, loop = Server(), asyncio.new_event_loop()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    loop.run_until_complete(runner.setup())
    loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(runner.cleanup())
        loop.close()


@dataclass
class Line:
    """The replay and compare loops with their own store."""

    folder: Path
    sealed: bool
    target: Target | None = None
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        kind, key = ("frozen", {"key": "ab" * 32}) if self.sealed else ("dynamic", {})
        self.sealer = Sealer(new_key()) if self.sealed else None
        self.policy = to_policy(
            Config.model_validate(
                {
                    "deployments": {"support": {"target": "model", "sets": ["primes"]}},
                    "targets": {"model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}},
                    "sets": {"primes": {"kind": kind, "scorers": [{"kind": "exact"}], **key}},
                }
            )
        )
        self.store = Store.open(self.folder / "driftd.duckdb", clock=self.clock)
        with self.store.write() as tx:
            sealed_sets.write_revision(
                tx,
                name="primes",
                kind=SetKind(kind),
                cases=CASES_OF_SET,
                sealer=self.sealer,
                now=self.clock.now(),
                origin="test",
            )
        dependencies = ReplayDependencies(
            target_of=self._target,
            scorers_of=lambda _: [SaysYes()],
            sealer_of=lambda _: self.sealer,
            limits_of=lambda _: Limits(max_attempts=1, rounds=1, backoff_base_s=0.001),
            concurrency_of=lambda _: 4,
            pace_of=lambda _: PaceLimits(),
            prices_of=lambda _: None,
            announce=lambda: None,
        )
        self.replay = ReplayLoop(
            store=self.store,
            policy=self.policy,
            clock=self.clock,
            dependencies=dependencies,
            queue=RunQueue({"support": "model"}.get),
            spending=Spending(self.store, self.policy, self.clock),
            code_version="test",
        )
        asks = InvestigationDependencies(rejudge_of=lambda _: Rescoring(self.store, [SaysYes()], self.sealer))
        self.compare = VerdictLoop(store=self.store, policy=self.policy, clock=self.clock, dependencies=asks)

    def _target(self, _: str) -> Target:
        assert self.target is not None
        return self.target

    def played(self, target: Target) -> tuple[Run, list[OutcomeRow]]:
        """Run one replay of this target through both loops."""
        self.target, now = target, self.clock.now()
        with self.store.write() as tx:
            planned = plan_run(
                tx,
                deployment="support",
                eval_set=self.policy.sets["primes"],
                trigger=Trigger.MANUAL,
                planned_at=now,
                now=now,
            )
        assert planned is not None
        self.replay.step()
        self.compare.step()
        seal = self.sealer
        opened = None if seal is None else lambda text, context: seal.open(text, context).decode()
        with self.store.read() as tx:
            run = runs.get(tx, planned.id)
            assert run is not None
            split = (run.manifest or {}).get("extra", {}).get("split", {}).get("of", [run.id])  # by version
            rows = [row for part in split for row in outcomes.page(tx, part, PageQuery(limit=100), opened).items]
        return run, rows


def check(run: Run, rows: list[OutcomeRow]) -> None:
    """Check that the run ended normally, every case has a reply or an error, and the API returns all of it."""
    assert run.crashes == 0
    if run.state is RunState.FAILED:
        assert OUTAGE in (run.error or "")
        return
    assert run.state is RunState.COMPLETE
    assert {row.case_id for row in rows} == {case.id for case in CASES_OF_SET}
    assert all((row.error_class is None) != (row.text is None) for row in rows)
    json.dumps(run.manifest, allow_nan=False).encode()
    for row in rows:
        encode_outcome(row).model_dump_json().encode()


def body_of(shape: Shape, document: Any) -> tuple[str, bytes]:
    if not shape.streams:
        return "application/json", json.dumps(document).encode()
    events = document if isinstance(document, list) else [document]
    return "text/event-stream", b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events)


def bodies(shape: Shape) -> st.SearchStrategy[tuple[str, bytes]]:
    if shape.streams and shape.stream is not None:
        whole = [json.loads(each.split(b"data: ")[1]) for each in shape.stream("yes it is") if b"[DONE]" not in each]
        documents = mutated(whole)
    else:
        documents = replies({"http": "application"}.get(shape.name, shape.name))
    return documents.map(lambda document: body_of(shape, document))


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_whatever_a_server_answers_is_stored_or_an_error(tmp_path: Path, shape: Shape, *, sealed: bool) -> None:
    line = Line(tmp_path, sealed)
    with serving() as (server, address):

        @FEW
        @given(answers=st.lists(bodies(shape), min_size=CASES, max_size=CASES))
        def replayed(answers: list[tuple[str, bytes]]) -> None:
            server.bodies = answers
            check(*line.played(shape.build(address)))

        replayed()
    line.store.close()


def with_value(value: Any) -> dict[str, Any]:
    """Return a chat completion with the value in every field that driftd reads."""
    call = {"id": value, "type": "function", "function": {"name": value, "arguments": value}}
    message = {"role": "assistant", "content": "yes" if not isinstance(value, str) else f"yes {value}"}
    return {
        "id": value,
        "created": value,
        "model": value,
        "system_fingerprint": value,
        "choices": [{"index": 0, "message": {**message, "tool_calls": [call]}, "finish_reason": value}],
        "usage": {"prompt_tokens": value, "completion_tokens": value},
    }


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_every_hostile_value_in_every_field_of_a_reply_is_stored(tmp_path: Path, *, sealed: bool) -> None:
    line, chat = Line(tmp_path, sealed), SHAPES[0]
    with serving() as (server, address):
        server.bodies = [body_of(chat, with_value(value)) for value in HOSTILE]
        run, rows = line.played(chat.build(address))
    assert run.state is RunState.COMPLETE
    check(run, rows)
    assert sum(row.error_class is None for row in rows) >= CASES // 2
    line.store.close()


PROGRAM = """
import json, sys
number = int(json.load(sys.stdin)["case_id"].removeprefix("c"))
sys.stdout.buffer.write(json.load(open(sys.argv[1]))[number].encode())
"""


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_whatever_a_program_answers_is_stored_or_an_error(tmp_path: Path, *, sealed: bool) -> None:
    line = Line(tmp_path, sealed)
    program = tmp_path / "answer.py"
    program.write_text(PROGRAM)

    @FEW
    @given(documents=st.lists(replies("program"), min_size=CASES, max_size=CASES))
    def replayed(documents: list[Any]) -> None:
        (tmp_path / "answers.json").write_bytes(json.dumps([json.dumps(each) for each in documents]).encode())
        command = (sys.executable, "-SE", str(program), str(tmp_path / "answers.json"))
        check(*line.played(build_target("command", {"command": command, "timeout_s": 20.0})))

    replayed()
    line.store.close()
