"""What a run card tells beyond its run: which kinds of cases passed, and how the others failed."""

from dataclasses import dataclass

from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """The cases of one category and severity."""

    category: str
    severity: str
    cases: int
    scored: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumFailures:
    """Failed cases of one category and severity that failed in one way."""

    failure_category: str
    category: str
    severity: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinding:
    """What was concluded of the run, in short."""

    id: str
    verdict: str
    severity: str
    reason: str


def strata(tx: Tx, run_id: str) -> list[Stratum]:
    return [Stratum(**row) for row in tx.query("card_strata", run_id=run_id)]


def failures(tx: Tx, run_id: str) -> list[StratumFailures]:
    """The most frequent first."""
    return [StratumFailures(**row) for row in tx.query("card_failures", run_id=run_id)]


def findings(tx: Tx, run_id: str) -> list[RunFinding]:
    """The first one first."""
    return [RunFinding(**row) for row in tx.query("card_findings", run_id=run_id)]
