"""dedrift 0.5.0 as a program: its command line in its own environment, a project folder for each history.

It is licensed AGPL-3.0: nothing of it is imported or copied here. What is said to it and what it answers is what its
documentation describes: JSON lines for `log`, and the exit codes of `check`.
"""

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from bench.drift_study.rivals.environment import RivalUnavailableError, environment_python

DRIFT, OK, INCONCLUSIVE = 2, 0, 3  # exit codes of `dedrift check`
MOST_S = 600


class Project:
    """One agent's project. Cycles are logged whole, so that each is final when it is checked."""

    def __init__(self, folder: Path, *, repetitions: int) -> None:
        self.folder = folder
        self._program = environment_python("dedrift").with_name("dedrift")
        self._run("init", str(folder))
        config = folder / ".dedrift" / "config.toml"
        text = config.read_text(encoding="utf-8")
        named = "canary_repetitions = 7"
        if named not in text:
            raise RivalUnavailableError(f"dedrift: its configuration does not hold '{named}' any more")
        config.write_text(text.replace(named, f"canary_repetitions = {repetitions}"), encoding="utf-8")

    def log(self, records: Iterable[dict[str, object]], *, each_cycle: int) -> None:
        file = self.folder / "records.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        self._run("log", str(file), "--finalize-cycles", "--expected-records", str(each_cycle), *self._where)

    def freeze_first(self, cycles: int) -> None:
        self._run("baseline", "set", "--first", str(cycles), *self._where)

    def check(self, inference: str) -> int:
        """The exit code: 2 for drift, 0 for none, 3 where it cannot say."""
        return self._run("check", "--inference", inference, *self._where, allowed=(DRIFT, OK, INCONCLUSIVE))

    @property
    def _where(self) -> tuple[str, str]:
        return ("--project", str(self.folder))

    def _run(self, *arguments: str, allowed: tuple[int, ...] = (0,)) -> int:
        done = subprocess.run(
            [str(self._program), *arguments],
            capture_output=True,
            text=True,
            timeout=MOST_S,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"},
        )
        if done.returncode not in allowed:
            said = " ".join((done.stderr or done.stdout).split())[-400:]
            raise RivalUnavailableError(f"dedrift: '{' '.join(arguments[:2])}' left with {done.returncode}: {said}")
        return done.returncode
