"""How many turns of users the daemon judges and stores per second of CPU time.

`python bench/turn_speed.py [PATHS…] [--turns 1000 10000 50000] [--json]` stores the conversations of JSONL files in the
format of `bench/corrections.py` as calls of a deployment, repeated until there are enough turns, and runs the loop of
the daemon (monitor/jobs/turns/turn_loop.py) over them. Without files, it makes conversations of random words. The time
of reading the calls, of the detector and of the store counts. CPU time is that of all threads of the process, so that
the figure is one of a single core. The turns of each figure are one backlog: a turn must not cost more with a larger
one.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any

from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.interaction import ChatMessage, Interaction
from monitor.jobs.turns.judging import by_content
from monitor.jobs.turns.turn_loop import TurnLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions
from monitor.store.turns import signals

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
GENERATED = 500  # conversations, when no files are given
CONFIG = {
    "deployments": {"bot": {"target": "model"}},
    "targets": {"model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}},
}


class StillClock:
    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0


def calls(paths: list[Path], turns: int) -> Iterator[Interaction]:
    """Yield for each turn the call with the answer before it, and the call with the turn."""
    records = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    records = records or [_conversation(Random(n), corrects=n % 5 == 0) for n in range(GENERATED)]
    usable = [row for row in records if any(t["role"] == "assistant" for t in row["turns"][: row["target"]])]
    for n, row in enumerate(islice(cycle(usable), turns)):
        said = tuple(ChatMessage(role=t["role"], content=t["text"]) for t in row["turns"][: row["target"] + 1])
        last = max(place for place, message in enumerate(said) if message.role == "assistant")
        yield _call(f"{n}-answer", n, 0, said[:last], said[last])
        yield _call(f"{n}-turn", n, 1, said, ChatMessage(role="assistant", content="Thank you, I look again."))


def _conversation(rng: Random, *, corrects: bool) -> dict[str, Any]:
    """Return a question, an answer of twice the length, and a turn of the user."""
    said = [" ".join(f"word{rng.randrange(2_000)}" for _ in range(words)) for words in (60, 120, 12)]
    said[2] = ("No, that is wrong: " if corrects else "And what about ") + said[2]
    roles = ("user", "assistant", "user")
    return {"turns": [{"role": role, "text": text} for role, text in zip(roles, said, strict=True)], "target": 2}


def _call(name: str, n: int, second: int, asked: tuple[ChatMessage, ...], answer: ChatMessage) -> Interaction:
    at = NOW - timedelta(seconds=60 + n % 300 - second)
    return Interaction(
        id=name,
        deployment="bot",
        started_at=at,
        received_at=at,
        source="file",
        convention="native",
        conversation_id=f"talk-{n}",
        input_messages=asked,
        output_messages=(answer,),
    )


def measure(paths: list[Path], turns: int) -> dict[str, float]:
    """Return the turns, and how many were judged and stored per second."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "driftd.duckdb", clock=StillClock())
        rows = list(calls(paths, turns))
        for start in range(0, len(rows), 5_000):
            with store.write() as tx:
                interactions.insert(tx, rows[start : start + 5_000])
        policy = to_policy(Config.model_validate(CONFIG))
        policy = replace(policy, deployments={"bot": policy.deployments["bot"]})
        loop = TurnLoop(store=store, policy=policy, clock=StillClock(), choose=by_content, rng=Random(1))
        loop._judge_of("bot")  # noqa: SLF001 - loads the model; the first step has the search of the backlog
        judged, began, cpu = 0, perf_counter(), process_time()
        while found := loop.step():
            judged += found
        cpu, wall = process_time() - cpu, perf_counter() - began
        with store.read() as tx:
            flagged = sum(row.verdict.flagged for row in signals.page(tx, PageQuery(limit=1000)).items)
        store.close()
    return {
        "turns": judged,
        "cpu_s": round(cpu, 2),
        "cpu_ms_per_turn": round(1000 * cpu / judged, 3),
        "turns_per_cpu_s": round(judged / cpu),
        "turns_per_s": round(judged / wall),
        "flagged_of_newest_1000": flagged,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--turns", type=int, nargs="+", default=[10_000], help="one or more sizes (%(default)s)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for turns in options.turns:
        found = measure(options.paths, turns)
        if options.json:
            print(json.dumps(found), flush=True)
        else:
            print("\n".join(f"{name:24} {value:,}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
