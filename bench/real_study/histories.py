"""Half a year of nights of GPT-4: how often identical nights alarm, and the alert on the first night of June."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.drift_study.shares import Share
from bench.real_study.nights import BASELINE, document, nights
from bench.real_study.subsets import draw, judge
from bench.real_study.versions import Versions, primes
from monitor.drift.backtest import backtest_document

MARCH, JUNE = "gpt-4-0314", "gpt-4-0613"
HORIZON = 180
BEFORE, AFTER = BASELINE + 6, 3  # nights around the change: enough for its first look


@dataclass(frozen=True, slots=True, kw_only=True)
class Identical:
    """Histories of March alone: with an alert of any kind, and with a regression alert."""

    resample: float
    alerts: Share
    regressions: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Histories in which June follows. `first_night`: a regression on its first night; of those `named`: the alert's
    one channel is the primes; `listed`: the comparison lists a fall of the primes.
    """

    resample: float
    cases: int
    announced: bool
    first_night: Share
    named: Share
    listed: Share


def identical_nights(resample: float, *, runs: int, seed: int, cases: int = 300, horizon: int = HORIZON) -> Identical:
    """Every history has its own cases, and nights that differ as the recorded endpoint makes them differ."""
    alerts = [_march_alone(resample, cases, horizon, [seed, run]) for run in range(runs)]
    worse = [[alert for alert in found if alert["kind"] != "behaviour"] for found in alerts]
    return Identical(
        resample=resample,
        alerts=Share(yes=sum(map(bool, alerts)), n=runs),
        regressions=Share(yes=sum(map(bool, worse)), n=runs),
    )


def _march_alone(resample: float, cases: int, horizon: int, seed: list[int]) -> list[dict[str, Any]]:
    part, own = _part(cases, seed)
    passed = nights(part, [MARCH] * (BASELINE + horizon), resample=resample, seed=own)
    return _alerts(document(part, passed, known=None, horizon=horizon, seed=own))


def march_to_june(resample: float, *, runs: int, seed: int, announced: bool, cases: int = 300) -> Change:
    """Return whether the regression was detected on June's first night, and whether the category was named."""
    served = [*[MARCH] * BEFORE, *[JUNE] * AFTER]
    told = []
    for run in range(runs):
        part, own = _part(cases, [seed, run])
        passed = nights(part, served, resample=resample, seed=own)
        line = document(part, passed, known=BEFORE if announced else None, horizon=HORIZON, seed=own)
        listed = "prime" in judge(passed[:BEFORE], passed[BEFORE : BEFORE + 1], part.categories).fell
        told += [(alert["channel"] == "prime", listed) for alert in _alerts(line) if _is_first(alert)]
    return Change(
        resample=resample,
        cases=cases,
        announced=announced,
        first_night=Share(yes=len(told), n=runs),
        named=Share(yes=sum(named for named, _ in told), n=len(told)),
        listed=Share(yes=sum(listed for _, listed in told), n=len(told)),
    )


def _is_first(alert: dict[str, Any]) -> bool:
    return bool(alert["night"] == BEFORE and alert["kind"] == "score")


def _part(cases: int, seed: list[int]) -> tuple[Versions, int]:
    """A history's own cases, and the seed of its nights."""
    rng = np.random.default_rng(seed)
    return draw(primes(), cases, rng), int(rng.integers(2**31))


def _alerts(line: dict[str, object]) -> list[dict[str, Any]]:
    found: Any = backtest_document(line)["alerts"]
    return list(found)
