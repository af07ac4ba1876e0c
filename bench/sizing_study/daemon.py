"""The measured daemon: `driftd serve` with one deployment, a set that is open and one that is sealed."""

import json
import os
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.ingest_study.bodies import SERVICE
from bench.ingest_study.programs import ROOT, TRACES
from bench.ingest_study.server import Recipe, free_port
from bench.ingest_study.words import prose
from bench.replay_study.process import Command, run_to_end
from bench.replay_study.questions import question, right_answer
from replay.evalsets.sealing import key_text

SETS: Final = ("open", "sealed")
CASE_CHARACTERS: Final = 1_000
REPLY_CHARACTERS: Final = 600
CONCURRENCY: Final = 50
TIMEOUT_S: Final = 1_800.0
_CONFIG = """\
store: {{memory_limit_mb: {memory_mb}}}
api: {{port: {api}}}
ingest: {{otlp: {{port: {otlp}}}, otlp_grpc: {{port: 0}}}}
traffic_reports: {{enabled: false}}
deployments: {{{deployment}: {{target: mock, sets: [open, sealed], turn_signals: "{turns}"}}}}
targets: {{mock: {{base_url: "{base_url}", model: mock-model, concurrency: {at_once}}}}}
sets:
  open: {{kind: dynamic, scorers: [{{kind: contains}}]}}
  sealed: {{kind: frozen, key_file: set.key, exposure_budget: null, scorers: [{{kind: contains}}]}}
"""


def prepare(folder: Path, base_url: str, *, cases: int, memory_mb: int, turns: bool) -> Recipe:
    """Write the configuration and import both sets into a new database. Return how to start its daemon. With `turns` it
    judges the turns of users.
    """
    api, otlp = free_port(), free_port()
    (folder / "set.key").write_text(key_text(os.urandom(32)))
    (folder / "driftd.yaml").write_text(
        _CONFIG.format(
            memory_mb=memory_mb,
            api=api,
            otlp=otlp,
            deployment=SERVICE,
            base_url=base_url,
            at_once=CONCURRENCY,
            turns="on" if turns else "off",
        )
    )
    _write_cases(folder / "cases.jsonl", cases)
    for name in SETS:
        driftd(folder, "sets", "import", name, "cases.jsonl")
    return Recipe(
        argv=[*_DRIFTD, "serve"],
        folder=folder,
        env=environment(folder),
        address=f"http://127.0.0.1:{otlp}",
        path=TRACES,
        ready=f"http://127.0.0.1:{api}/healthz",
        data=[folder / "data"],
    )


def driftd(folder: Path, *words: str) -> Any:
    """Run a command of driftd in the folder. Return its JSON document when `--json` is one of the words."""
    said = run_to_end(
        Command(argv=[*_DRIFTD, *words], folder=folder, env=environment(folder)), timeout_s=TIMEOUT_S
    ).said
    return json.loads(said) if "--json" in words else said


def environment(folder: Path) -> dict[str, str]:
    """Return an environment without the settings of the user, and with the code of the checkout."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "HOME": str(folder), "NO_PROXY": "127.0.0.1"}


def _write_cases(path: Path, cases: int) -> None:
    rng = Random(3)
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, cases + 1):
            text = f"{prose(rng, CASE_CHARACTERS)} {question(number)}"
            case = {"id": f"case-{number}", "input": text, "references": [right_answer(number)], "category": "sums"}
            file.write(json.dumps(case) + "\n")


_DRIFTD = (sys.executable, "-c", "from monitor.cli.main import main; main()")
