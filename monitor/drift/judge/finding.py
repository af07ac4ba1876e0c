"""Builds the finding that is stored, alerted on and shown."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from monitor.domain.finding import Finding, SetReplay
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import CaseResult, Run, RunState
from monitor.domain.version import Change, ChangeKind, How
from monitor.drift.detect.decision import Decision
from monitor.drift.judge.baseline import Baseline
from monitor.drift.judge.compare import compare_pairs
from monitor.drift.judge.deciding_test import deciding_test, keep_deciding_numbers
from monitor.drift.judge.pairing import pair_cases
from monitor.drift.judge.verdict import choose_alpha, judge


def unidentified_version_change(finding: Finding, version: str, *, change_id: str, now: datetime) -> Change:
    """Return the change that records an unidentified version. The name of the version did not change, so it is a change
    from the version to itself.
    """
    evidence = finding.evidence
    assert evidence is not None, "an unidentified version is detected from nights"
    return Change(
        id=change_id,
        deployment=finding.deployment,
        at=evidence.onset_at or now,
        noted_at=now,
        kind=ChangeKind.UNKNOWN,
        how=How.OBSERVED,
        from_version=version,
        to_version=version,
        evidence={"behaviour": finding.id, "replay": finding.replay.candidate_run, "since_run": evidence.onset_run},
    )


def build_finding(
    *,
    candidate: Run,
    candidate_results: Sequence[CaseResult],
    baseline: Baseline | None,
    baseline_results: Sequence[CaseResult],
    streaks: Mapping[str, int],
    aa_discordance: float | None,
    policy: DriftPolicy,
    change: Change | None,
    finding_id: str,
    now: datetime,
    decision: Decision | None = None,
) -> Finding:
    """Return the finding of one run. `candidate_results` has every case of its revision, scored or not.

    A failed run is not compared, even when it has answers. An insufficient run is compared where cases can be paired:
    its numbers are shown, and its verdict stays. `decision` is the decision of the nights of the set; None where the
    run is not one of them.
    """
    failed = candidate.state is RunState.FAILED
    pairs = () if failed or baseline is None else pair_cases(baseline_results, candidate_results)
    alpha = choose_alpha(candidate, baseline, change, policy, decision)
    comparison = compare_pairs(pairs, streaks=streaks, aa_discordance=aa_discordance, alpha=alpha)
    judgement = judge(
        candidate=candidate,
        results=candidate_results,
        baseline=baseline,
        pairs=pairs,
        comparison=comparison,
        alpha=alpha,
        policy=policy,
        decision=decision,
    )
    evidence = decision.evidence if decision is not None else None
    decided = deciding_test(judgement.basis, comparison, evidence, alpha)
    return Finding(
        id=finding_id,
        deployment=candidate.deployment,
        at=now,
        signal="score",
        segment="overall",
        subject=SetReplay(set_name=candidate.set_name, set_kind=candidate.set_kind, candidate_run=candidate.id),
        verdict=judgement.verdict,
        severity=judgement.severity,
        reason=judgement.reason,
        alpha=alpha,
        baseline_run=baseline.run.id if baseline is not None else None,
        from_version=_from_version(baseline, change),
        to_version=candidate.version or (change.to_version if change is not None else None),
        change_id=change.id if change is not None else candidate.change_id,
        comparison=None if comparison is None else keep_deciding_numbers(comparison, decided),
        evidence=evidence,
        decided=decided,
    )


def _from_version(baseline: Baseline | None, change: Change | None) -> str | None:
    """Return the version that the candidate was compared with; without a comparison, the old version of the change."""
    if baseline is not None:
        return baseline.run.version
    return change.from_version if change is not None else None
