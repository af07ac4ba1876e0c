"""Write a large store by SQL, to measure the API at the size of years: `python bench/large_store.py FOLDER`.

FOLDER gets `driftd.yaml` and the database: 10 million calls of three deployments over 60 days (7, 2 and 1 million),
one correction for each hundred calls, 1,000 runs of a set of 1,000 cases over 300 days with a million outcomes, and
four versions of each deployment. One block of calls and one run are made by the product's own code; the rest are
copies of them under other ids and times. Past days and ended runs are settled. The detector of turns is off: it would
judge ten million calls while the answers are timed.
"""

import argparse
import random
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import duckdb
from msgspec.structs import replace

from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.config.policy import to_policy
from monitor.domain.evalset import SetKind
from monitor.domain.finding import Finding, SetReplay, Verdict
from monitor.domain.interaction import ChatMessage, CostSource, FinishReason, Interaction, Status, UsageSource
from monitor.domain.run import Run, RunState, Trigger
from monitor.domain.version import Change, ChangeKind, How, Version
from monitor.jobs.maintenance.rollup_loop import IDLE_S, RollupLoop
from monitor.jobs.maintenance.settle_loop import SettleLoop
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import findings
from monitor.store.runs import outcomes, runs
from monitor.store.sets import sealed_sets
from monitor.store.traffic import interactions, versions
from replay.types import Case, Message, Outcome, Reply, Score, ScoredOutcome

BLOCK: Final = 100_000  # calls that are made one by one
BATCH: Final = 5_000
DAYS: Final = 60  # of calls
RUN_DAYS: Final = 300
VERSIONS: Final = 4
DEPLOYMENTS: Final = ("bot",) * 7 + ("shop",) * 2 + ("desk",)
SETS: Final = {"bot": "private", "shop": "shop-set", "desk": "desk-set"}
WORDS: Final = (
    "order", "delivery", "refund", "invoice", "account", "password", "kettle", "parcel", "week", "return", "policy",
    "manager", "address", "payment", "card", "please", "could", "would", "send", "after", "before", "receive",
    "delay", "customer", "number", "email", "confirm", "article", "warranty", "exchange",
)  # fmt: skip
REFUSAL: Final = "I'm sorry, but I can't help with that. "
CONFIG: Final = """\
store: {path: driftd.duckdb}
api: {port: PORT}
ingest: {otlp: {port: 0}, otlp_grpc: {port: 0}}
traffic_reports: {enabled: false}
deployments:
  bot: {target: model, sets: [private], turn_signals: "off"}
  shop: {target: model, sets: [shop-set], turn_signals: "off"}
  desk: {target: model, sets: [desk-set], turn_signals: "off"}
targets:
  model: {base_url: "http://127.0.0.1:9/v1", model: gpt-4}
sets:
  private: {kind: dynamic, scorers: [{kind: contains}]}
  shop-set: {kind: dynamic, scorers: [{kind: contains}]}
  desk-set: {kind: dynamic, scorers: [{kind: contains}]}
"""
COPIES_OF_CALLS: Final = """
INSERT INTO interaction
SELECT * REPLACE (
    id || '-' || $n AS id, conversation_id || '-' || $n AS conversation_id,
    started_at - $seconds * to_seconds($n) AS started_at, received_at - $seconds * to_seconds($n) AS received_at,
    $version AS identity
)
FROM block
ORDER BY started_at
"""
CORRECTIONS: Final = """
INSERT INTO feedback BY NAME
SELECT 'f-' || id AS id, deployment, started_at + to_hours(1) AS "at", started_at + to_hours(1) AS received_at,
    'thumb' AS kind, 'user' AS source, -1.0 AS value, id AS interaction_id, true AS is_correction,
    id AS linked_interaction_id, 'interaction_id' AS link_method
FROM interaction
WHERE hash(id) % 100 = 0
"""
COPIES_OF_OUTCOMES: Final = """
INSERT INTO outcome
SELECT * REPLACE ('run-' || $n AS run_id, started_at - $seconds * to_seconds($n) AS started_at)
FROM outcome
WHERE run_id = 'run-0'
"""
COPIES_OF_SCORES: Final = """
INSERT INTO score
SELECT * REPLACE (
    'run-' || $n AS run_id, CASE WHEN hash(case_id || $n) % 50 = 0 THEN 0.0 ELSE value END AS value,
    CASE WHEN hash(case_id || $n) % 50 = 0 THEN 'fail' ELSE label END AS label,
    CASE WHEN hash(case_id || $n) % 50 = 0 THEN 'wrong_fact' ELSE failure_category END AS failure_category
)
FROM score
WHERE run_id = 'run-0'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The numbers of rows. `calls` is a multiple of `block`, the calls that are made one by one."""

    calls: int = 10_000_000
    runs: int = 1_000
    cases: int = 1_000
    block: int = BLOCK

    @property
    def blocks(self) -> int:
        return self.calls // self.block

    @property
    def block_s(self) -> float:
        """Return the time that one block of calls covers."""
        return DAYS * 86_400 / self.blocks

    @property
    def run_gap(self) -> timedelta:
        return timedelta(days=RUN_DAYS) / self.runs


def calls(now: datetime, size: Size, start: int, count: int, rng: random.Random) -> list[Interaction]:
    """Calls that end at `now`, evenly over one block's share of the days."""
    gap_s = size.block_s / size.block
    return [_call(n, now - timedelta(seconds=gap_s * (size.block - n)), rng) for n in range(start, start + count)]


def _call(n: int, at: datetime, rng: random.Random) -> Interaction:
    failed, refused = rng.random() < 0.01, rng.random() < 0.03
    answer = (REFUSAL if refused else "") + " ".join(rng.choices(WORDS, k=45))
    item = Interaction(
        id=f"{rng.getrandbits(128):032x}",
        deployment=DEPLOYMENTS[n % len(DEPLOYMENTS)],
        started_at=at,
        received_at=at,
        duration_ms=rng.lognormvariate(6.5, 0.6),
        source="otlp",
        convention="genai",
        conversation_id=f"{rng.getrandbits(64):016x}",
        trace_id=f"{rng.getrandbits(128):032x}",
        span_id=f"{rng.getrandbits(64):016x}",
        response_id=f"chatcmpl-{rng.getrandbits(96):024x}",
        provider="openai",
        request_model="gpt-4",
        response_model="gpt-4-0613",
        prompt_hash="3f2a9c",
        identity="v1",
        input_messages=(ChatMessage(role="user", content=" ".join(rng.choices(WORDS, k=20))),),
        output_messages=(ChatMessage(role="assistant", content=answer),),
        finish_reason=FinishReason.STOP,
        input_tokens=rng.randint(20, 400),
        output_tokens=rng.randint(20, 400),
        usage_source=UsageSource.EMITTED,
        cost_usd=rng.uniform(0.001, 0.01),
        cost_source=CostSource.COMPUTED,
        price_table="1",
        category=rng.choice(WORDS[:8]),
        attributes={"service.name": "bot"},
    )
    return replace(item, status=Status.ERROR, error_class="timeout", output_messages=()) if failed else item


def write_calls(store: Store, now: datetime, size: Size) -> None:
    rng = random.Random(1)
    for start in range(0, size.block, BATCH):
        with store.write() as tx:
            interactions.insert(tx, calls(now, size, start, min(BATCH, size.block - start), rng))


def write_runs(store: Store, now: datetime, size: Size) -> None:
    """The sets, the versions, all complete runs, the outcomes of the newest, and a verdict for each."""
    cases = [
        Case(
            id=f"case-{n}",
            input=(Message(role="user", content=f"Question {n}"),),
            references=("yes",),
            category=WORDS[n % 10],
        )
        for n in range(size.cases)
    ]
    begin = now - timedelta(days=RUN_DAYS)
    with store.write() as tx:
        revisions = {}
        for deployment, name in SETS.items():
            _write_versions(tx, deployment, now)
            revision, _ = sealed_sets.write_revision(
                tx, name=name, kind=SetKind.DYNAMIC, cases=cases, sealer=None, now=begin, origin="bench"
            )
            revisions[deployment] = revision.revision
        outcomes.append(tx, "run-0", [_outcome(case.id, now) for case in cases], None, all_new=True)
        for n in range(size.runs):
            _write_run(tx, n, now - n * size.run_gap, revisions, size)


def _version(share: float) -> str:
    """Return the version that serves at a share of the time, 0 for the oldest and 1 for now."""
    return f"v{min(VERSIONS - 1, int(share * VERSIONS)) + 1}"


def _write_versions(tx: Tx, deployment: str, now: datetime) -> None:
    for n in range(VERSIONS):
        at, label = now - timedelta(days=DAYS * (1 - n / VERSIONS)), f"gpt-4-{n + 1:04}"
        version = Version(
            id=f"v{n + 1}", deployment=deployment, label=label, identity={"response_model": label},
            first_seen=at, how=How.OBSERVED,
        )  # fmt: skip
        versions.insert(tx, version)
        if n:
            change = Change(
                id=f"change-{deployment}-{n}", deployment=deployment, at=at, noted_at=at, kind=ChangeKind.MODEL,
                how=How.OBSERVED, from_version=f"v{n}", to_version=f"v{n + 1}",
            )  # fmt: skip
            versions.insert_change(tx, change)


def _outcome(case_id: str, at: datetime) -> ScoredOutcome:
    reply = Reply(
        text="yes, " + " ".join(WORDS),
        latency_ms=400.0,
        model="gpt-4-0613",
        cost_usd=0.01,
        input_tokens=90,
        output_tokens=30,
    )
    outcome = Outcome(case_id=case_id, sample=0, started_at=at, attempts=1, trace_id="0" * 32, reply=reply)
    score = Score(scorer="contains", scorer_version="1", value=1.0, label="pass", failure_category="none", reason="")
    return ScoredOutcome(outcome=outcome, scores=(score,))


def _write_run(tx: Tx, n: int, at: datetime, revisions: dict[str, str], size: Size) -> None:
    run_id, deployment = f"run-{n}", DEPLOYMENTS[n % len(DEPLOYMENTS)]
    set_name, revision = SETS[deployment], revisions[deployment]
    days_ago = n * size.run_gap / timedelta(days=1)
    version = _version(max(0.0, 1 - days_ago / DAYS))
    run = Run(
        id=run_id, deployment=deployment, set_name=set_name, set_kind=SetKind.DYNAMIC, revision=revision,
        trigger=Trigger.SCHEDULED, planned_at=at, state=RunState.PLANNED, trace_prefix=f"{n:016x}",
        samples=1, cases=size.cases,
    )  # fmt: skip
    runs.insert(tx, run)
    runs.set_running(tx, run_id, at)
    runs.finish(tx, run_id, RunState.COMPLETE, version, at + timedelta(minutes=5), {"run_id": run_id}, None)
    finding = Finding(
        id=f"finding-{n}", deployment=deployment, at=at + timedelta(minutes=6), signal="score", segment="overall",
        subject=SetReplay(set_name=set_name, set_kind=SetKind.DYNAMIC, candidate_run=run_id),
        verdict=Verdict.OK, severity="info", reason="within the noise of this set", alpha=0.05,
    )  # fmt: skip
    findings.insert(tx, finding)


def copy(path: Path, size: Size) -> None:
    """Multiply what is there: all statements on one connection, without the product."""
    with duckdb.connect(path, config={"memory_limit": "4GB"}) as connection:
        _copy_calls(connection, size)
        connection.execute(CORRECTIONS)
        for n in range(1, size.runs):
            connection.execute(COPIES_OF_OUTCOMES, {"n": n, "seconds": size.run_gap.total_seconds()})
            connection.execute(COPIES_OF_SCORES, {"n": n})
        connection.execute("CHECKPOINT")


def _copy_calls(connection: duckdb.DuckDBPyConnection, size: Size) -> None:
    connection.execute("CREATE TEMP TABLE block AS FROM interaction")
    connection.execute("TRUNCATE interaction")
    for n in reversed(range(size.blocks)):  # oldest first, as calls arrive
        version = _version((size.blocks - n - 0.5) / size.blocks)
        connection.execute(COPIES_OF_CALLS, {"n": n, "seconds": size.block_s, "version": version})
        sys.stderr.write(f"\r{size.calls - n * size.block:,} calls")
    sys.stderr.write("\n")


def write_large_calls(path: Path, size: Size) -> None:
    """Write a database with calls alone: no run, and no correction."""
    path.parent.mkdir(parents=True, exist_ok=True)
    store = Store.open(path, clock=SystemClock())
    try:
        write_calls(store, SystemClock().now().astimezone(UTC), size)
    finally:
        store.close()
    with duckdb.connect(path, config={"memory_limit": "4GB"}) as connection:
        _copy_calls(connection, size)
        connection.execute("CHECKPOINT")


def settle(config: Path) -> None:
    """Store the counts of past days and the results of runs, as the loops of a daemon do after some time."""
    path = config.parent / "driftd.duckdb"
    clock = SystemClock()
    store, policy = Store.open(path, memory_limit_mb=4096, clock=clock), to_policy(load(config, {}))
    try:
        days, results = RollupLoop(store=store, policy=policy, clock=clock), SettleLoop(store=store, clock=clock)
        days.step()
        while days.poll_s != IDLE_S:
            days.step()
        results.step()
        while results.poll_s < 1.0:
            results.step()
    finally:
        store.close()


def write_large_store(folder: Path, size: Size, port: int) -> Path:
    """Write the configuration and the database into `folder`; gives the path of the configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    config, path, clock = folder / "driftd.yaml", folder / "driftd.duckdb", SystemClock()
    config.write_text(CONFIG.replace("PORT", str(port)))
    now = clock.now().astimezone(UTC)
    store = Store.open(path, clock=clock)
    try:
        write_calls(store, now, size)
        write_runs(store, now, size)
    finally:
        store.close()
    copy(path, size)
    settle(config)
    return config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=Size().calls, help="calls, a multiple of 100,000")
    parser.add_argument("--port", type=int, default=8400, help="of the API, in the configuration")
    asked = parser.parse_args()
    started = time.monotonic()
    write_large_store(asked.folder, Size(calls=asked.rows), asked.port)
    print(
        f"{asked.rows:,} calls in {time.monotonic() - started:.0f} s: driftd serve --config {asked.folder}/driftd.yaml"
    )


if __name__ == "__main__":
    main()
