"""A rival that runs in a process of its own: one JSON line in, one JSON line out."""

import atexit
import json
import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from bench.drift_study.cases import Floats
from bench.drift_study.rivals.environment import QUIET, RivalUnavailableError, environment_python
from bench.drift_study.rivals.series import Series


class RivalProcess:
    """A worker script, run by the python of the rival's environment; isolated, so that it finds no module of ours."""

    def __init__(self, rival: str, *, python: Path, script: Path) -> None:
        self.rival = rival
        self._process = subprocess.Popen(
            [str(python), "-I", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **QUIET, "OMP_NUM_THREADS": "1"},
        )

    def ask(self, question: Mapping[str, object]) -> list[float]:
        """The rival's statistic of every monitored night."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RivalUnavailableError(
                f"{self.rival}: its worker left with {self._process.wait()}; see its errors above"
            )
        return [float(value) for value in json.loads(answer)["statistic"]]

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(timeout=60)


@cache
def process_of(rival: str) -> RivalProcess:
    """One process a rival and a worker of ours, for as long as that lives."""
    script = Path(__file__).with_name(f"worker_{rival}.py")
    made = RivalProcess(rival, python=environment_python(rival), script=script)
    atexit.register(made.close)
    return made


def question_of(series: Series) -> dict[str, object]:
    """The nightly counts as the workers read them."""
    return {
        "baseline": series.baseline,
        "channels": {
            name: {"passes": series.passes[:, c].tolist(), "samples": series.samples[:, c].tolist()}
            for c, name in enumerate(series.channels)
        },
    }


def ask_rival(rival: str, series: Series) -> Floats:
    """[monitored]: what the rival's worker computes from the nightly counts."""
    return np.asarray(process_of(rival).ask(question_of(series)), dtype=np.float64)
