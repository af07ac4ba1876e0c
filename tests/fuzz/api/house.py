"""A daemon with two deployments and tokens of all roles, and schemathesis over its OpenAPI document."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml

from tests.api.records import interaction, thumb
from tests.kills.process import Daemon

ROOT: Final = Path(__file__).parents[3]
NOWHERE: Final = "http://127.0.0.1:9/v1"
CANARY: Final = "canary-7f3a"
MINE, THEIRS = "shop", f"{CANARY}-bot"
SETS: Final = {MINE: "questions", THEIRS: f"{CANARY}-set"}
ROLES: Final = ("ingest", "read", "review", "operate", "reveal", "admin")
LIMITED: Final = "limited"
TOKENS: Final[dict[str, dict[str, Any]]] = {
    LIMITED: {"roles": ["ingest", "read", "review", "operate", "reveal"], "deployments": [MINE]},
    "everything": {"roles": list(ROLES)},
    "limited-reader": {"roles": ["read"], "deployments": [MINE]},
    **{role: {"roles": [role]} for role in ROLES},
}
SCHEMATHESIS: Final = """
[checks]
# Ids and cursors in requests are random: a valid request for an object that does not exist is refused.
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "415", "422", "429", "503"]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]
"""
# The address of the fuzzer would guess many tokens, and the throttle answers 429 instead of 401. That no route answers
# without a token is tested for every route in tests/api/test_roles.py.
EXCLUDED: Final = "ignored_auth"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one run of schemathesis found. `failures` are those of its checks, and errors of the connection."""

    token: str
    seed: int
    statuses: Counter[str]
    failures: list[str]

    @property
    def requests(self) -> int:
        return self.statuses.total()


@contextmanager
def fuzzed_daemon(folder: Path) -> Iterator[Daemon]:
    """Start a daemon that has data of both deployments."""
    with Daemon(folder=folder, model_url=NOWHERE) as daemon:
        daemon.config.write_text(yaml.safe_dump(_configured(yaml.safe_load(daemon.config.read_text()))))
        (folder / "schemathesis.toml").write_text(SCHEMATHESIS)
        daemon.start("--log-level", "warning")
        daemon.wait_ready()
        for deployment in SETS:
            _furnish(daemon, deployment)
        yield daemon


def run(daemon: Daemon, token: str, *, seed: int, seconds: int, only: str | None = None) -> Result:
    """Send generated requests with one token for a time, and return what the checks found."""
    report, counts = daemon.folder / f"report-{seed}.json", daemon.folder / f"counts-{seed}.json"
    options = ["--include-path-regex", only] if only else []
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(daemon.folder / "schemathesis.toml")),
        *(
            "run",
            str(_document(daemon)),
            "--url",
            daemon.api,
            "-H",
            f"Authorization: Bearer {token}",
            "--checks",
            "all",
        ),
        *("--exclude-checks", EXCLUDED),
        *("--max-time", str(seconds), "--seed", str(seed), "--continue-on-failure", "--no-shrink"),
        *("--suppress-health-check", "all", "--request-timeout", "60", "--report", "json"),
        *("--report-json-path", str(report), *options),
    ]
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "tests.fuzz.api.leak_check",
        "DRIFTD_FUZZ_CANARY": CANARY if "deployments" in TOKENS[token] else "",
        "DRIFTD_FUZZ_COUNTS": str(counts),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=daemon.folder)
    (daemon.folder / f"output-{seed}.txt").write_text(done.stdout + done.stderr)
    if not report.exists() or not counts.exists():
        raise RuntimeError(f"schemathesis ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    found = json.loads(report.read_text())
    failures = [f"{each['title']}: {name}" for each in found["failures"] for name in each["operations"]]
    failures += [str(error)[:300] for error in found["errors"]]
    return Result(token=token, seed=seed, statuses=Counter(json.loads(counts.read_text())), failures=failures)


def _document(daemon: Daemon) -> Path:
    """Return the OpenAPI document as a file: schemathesis itself waits only ten seconds for it."""
    path = daemon.folder / "openapi.json"
    if not path.exists():
        path.write_text(daemon.http.get(f"{daemon.api}/openapi.json", timeout=120).raise_for_status().text)
    return path


def _configured(tree: dict[str, Any]) -> dict[str, Any]:
    deployment, one_set = next(iter(tree["deployments"].values())), next(iter(tree["sets"].values()))
    tree["deployments"] = {name: deployment | {"sets": [set_name]} for name, set_name in SETS.items()}
    tree["sets"] = dict.fromkeys(SETS.values(), one_set)
    tree["api"]["tokens"] = [
        {"name": name, "sha256": hashlib.sha256(name.encode()).hexdigest(), **fields} for name, fields in TOKENS.items()
    ]
    tree["api"]["rate_limit"] = {"requests_per_s": 100_000, "burst": 1_000_000}
    return tree


def _furnish(daemon: Daemon, deployment: str) -> None:
    """Send calls, corrections, a change, a set, a run and a silence of one deployment, with its name in every text."""
    calls = [interaction(id=f"{deployment}-{n}", deployment=deployment, **_texts(deployment)) for n in range(20)]
    _post(daemon, "interactions", calls)
    for n in range(5):
        _post(
            daemon,
            "feedback",
            thumb(id=f"f-{deployment}-{n}", deployment=deployment, interaction_id=f"{deployment}-{n}"),
        )
    _post(daemon, "changes", {"deployment": deployment, "model": f"{deployment}-model"})
    cases = [{"id": f"{deployment}-case-{n}", "input": f"{deployment}?", "reference": deployment} for n in range(5)]
    _post(daemon, "sets", {"name": SETS[deployment], "cases": cases, "allow_sealed": True})
    _post(daemon, "runs", {"deployment": deployment, "set_name": SETS[deployment]})
    ends_at = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    silence = {"matchers": [f"deployment={deployment}"], "comment": deployment, "ends_at": ends_at}
    _post(daemon, "silences", silence)


def _texts(text: str) -> dict[str, Any]:
    asked, answered = ({"role": role, "content": text} for role in ("user", "assistant"))
    return {
        "request": {"model": "gpt-4", "messages": [asked]},
        "response": {"model": f"{text}-model", "messages": [answered]},
    }


_AS_ROOT: Final = {"Authorization": "Bearer everything"}


def _post(daemon: Daemon, path: str, body: object) -> None:
    answer = daemon.http.post(f"{daemon.api}/api/v1/{path}", json=body, headers=_AS_ROOT)
    if answer.status_code >= 400 and answer.status_code != 409:  # 409: the loops were faster
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text[:500]}")
