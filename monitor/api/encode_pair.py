"""Converts the paired cases of two runs to items of the API schema. Pure functions."""

from collections.abc import Sequence
from typing import Literal

from monitor.api import encode
from monitor.api import schema as wire
from monitor.domain.run import CaseResult, Run
from monitor.drift.judge.pairing import Pair, failure_of, passes
from monitor.store.runs.outcomes import OutcomeRow


def flip(pair: Pair) -> wire.FlipItem:
    return wire.FlipItem(
        case_id=pair.after.case_id,
        category=pair.after.category,
        severity=pair.after.severity,
        baseline=_verdict(pair.before),
        candidate=_verdict(pair.after),
        failure_category=failure_of(pair),
    )


def side(run: Run, result: CaseResult, rows: Sequence[OutcomeRow]) -> wire.ComparedRunItem:
    assert result.value is not None, "only cases with a verdict are paired"
    return wire.ComparedRunItem(
        run_id=run.id,
        verdict=_verdict(result),
        value=result.value,
        failure_category=result.failure_category,
        outcomes=[encode.outcome(row) for row in rows],
    )


def _verdict(result: CaseResult) -> Literal["pass", "fail"]:
    return "pass" if passes(result) else "fail"
