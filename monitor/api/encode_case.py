"""Cases over runs on the wire."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from monitor.api import encode
from monitor.api.schema import case_histories as wire
from monitor.domain.case_history import CaseAnswer, CaseCandidate, CaseRevision, CaseTrend, HistoryRun, ListedCase
from monitor.domain.run import CaseResult
from monitor.stats.wilson import wilson

Labels = Mapping[tuple[str, str], str]
FRESH = "fresh"


def trend(case: ListedCase, found: CaseTrend, newest: CaseResult | None) -> wire.CaseTrendItem:
    return wire.CaseTrendItem(
        case_id=case.case_id,
        category=case.category,
        severity=case.severity,
        part=case.part,
        cluster=case.cluster,
        runs=found.runs,
        failed=found.failed,
        fail_share=found.fail_share,
        pairs=found.pairs,
        disagreeing=found.disagreeing,
        night_pairs=found.night_pairs,
        flips=found.flips,
        passed=found.passed,
        failure_category=newest.failure_category if newest is not None and found.passed is False else None,
        states=[state.value for state in found.states],
    )


def runs(found: Sequence[HistoryRun], answers: Sequence[CaseAnswer], labels: Labels) -> list[wire.CaseRunItem]:
    """Return each run with its answers. A run without an answer to the case is listed without a verdict."""
    by_run = {run_id: list(group) for run_id, group in groupby(answers, key=lambda row: row.run_id)}
    return [_run(run, by_run.get(run.run_id, []), labels) for run in found]


def _run(run: HistoryRun, answers: Sequence[CaseAnswer], labels: Labels) -> wire.CaseRunItem:
    return wire.CaseRunItem(
        run_id=run.run_id,
        at=run.at,
        version=run.version,
        version_label=encode.label(labels, run.deployment, run.version),
        trigger=run.trigger,
        passed=_verdict(answers),
        same_content=all(row.same_content for row in answers),
        answers=[_answer(row) for row in answers],
    )


def _verdict(answers: Sequence[CaseAnswer]) -> bool | None:
    """Return whether at least half of the scored samples pass."""
    scored = [row.passed for row in answers if row.kind == "sample" and row.passed is not None]
    return 2 * sum(scored) >= len(scored) if scored else None


def _answer(row: CaseAnswer) -> wire.CaseAnswerItem:
    return wire.CaseAnswerItem.model_validate(row, from_attributes=True)


def versions(found: Sequence[wire.CaseRunItem]) -> list[wire.CaseVersionItem]:
    """Return the pass rate of each version, in the order of their first run. Fresh samples are left out."""
    by_version: dict[str | None, list[wire.CaseRunItem]] = {}
    for run in found:
        if run.same_content and run.passed is not None:
            by_version.setdefault(run.version, []).append(run)
    return [_version(rows) for rows in by_version.values()]


def _version(rows: Sequence[wire.CaseRunItem]) -> wire.CaseVersionItem:
    scored = [row.passed for run in rows for row in run.answers if row.kind != FRESH and row.passed is not None]
    share = sum(scored) / len(scored)
    low, high = wilson(share, len(scored))
    return wire.CaseVersionItem(
        version=rows[0].version,
        version_label=rows[0].version_label,
        first_at=rows[0].at,
        nights=len(rows),
        failed=sum(run.passed is False for run in rows),
        answers=len(scored),
        passes=sum(scored),
        pass_rate=share,
        ci_low=float(low),
        ci_high=float(high),
    )


def revisions(found: Sequence[CaseRevision]) -> list[wire.CaseRevisionItem]:
    """Return the revision that the case entered with and those that changed its content, the oldest first."""
    items: list[wire.CaseRevisionItem] = []
    for row, before in zip(found, [None, *found[:-1]], strict=True):
        if before is None or before.content_mac != row.content_mac:
            items.append(
                wire.CaseRevisionItem(
                    revision=row.revision,
                    at=row.created_at,
                    origin=row.origin,
                    part=row.part,
                    change="entered" if before is None else "changed",
                )
            )
    return items


def origin(found: CaseCandidate | None) -> wire.CaseOriginItem | None:
    if found is None:
        return None
    return wire.CaseOriginItem(
        candidate_id=found.id,
        deployment=found.deployment,
        interaction_id=found.interaction_id,
        failure_category=found.failure_category,
        proposed_at=found.proposed_at,
        decided_at=found.decided_at,
        decided_by=found.decided_by,
    )
