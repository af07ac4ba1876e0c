"""Test rows, inserted through the modules of the store."""

import hashlib
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification, NotifyReason
from monitor.domain.baseline import AcceptedBaseline
from monitor.domain.candidate_review import CandidateReview
from monitor.domain.compaction import Compaction, CompactionKind
from monitor.domain.evalset import Refresh, SetKind
from monitor.domain.failure_group import FailureGroup
from monitor.domain.feedback import Candidate, CandidateState
from monitor.domain.finding import Finding, SetReplay, Verdict
from monitor.domain.interaction import ChatMessage
from monitor.domain.judge_standing import JudgeIdentity
from monitor.domain.rescore import Rescore
from monitor.domain.result_import import ResultImport
from monitor.domain.review import Action, Decision
from monitor.domain.run import Run, RunState, Trigger
from monitor.domain.sentinel import REFERENCE, Sentinel, SentinelVerdict
from monitor.domain.silence import Silence, matcher_of
from monitor.domain.traffic_report import TrafficReport, TrafficReportKind, TrafficReportState
from monitor.domain.turn import TurnProgress, TurnSignal
from monitor.domain.version import Change, ChangeKind, How, Version
from monitor.feedback.reviewing.snapshot import content_of, snapshot_of
from monitor.store.findings import alerts, baselines, findings, silences, traffic_reports
from monitor.store.judging import rescores, sentinels
from monitor.store.maintenance import compactions
from monitor.store.results import imports
from monitor.store.runs import outcomes, runs
from monitor.store.sets import candidates, failure_groups, refreshes, reviews
from monitor.store.sets import revisions as evalsets
from monitor.store.traffic import interactions, versions
from monitor.store.turns import progress, signals
from replay.evalsets.case_codec import case_from_json
from replay.types import JudgedBy, Outcome, Reply, Score, ScoredOutcome
from tests.api.house import NOW, SEALER, House, import_cases
from tests.api.records import CASES
from tests.api.token_rows import add_token
from tests.store.build import interaction as a_call
from tests.store.build import turn_signal

HIDDEN = "because 7 has no divisor"


def add_version(house: House, row_id: str, deployment: str = "bot", at: datetime = NOW) -> Version:
    version = Version(
        id=row_id,
        deployment=deployment,
        label=f"label of {row_id}",
        identity={"response_model": row_id},
        first_seen=at,
        how=How.OBSERVED,
    )
    with house.store.write() as tx:
        versions.insert(tx, version)
    return version


def add_change(
    house: House,
    row_id: str,
    to_version: str,
    deployment: str = "bot",
    at: datetime = NOW,
    from_version: str | None = None,
) -> Change:
    change = Change(
        id=row_id,
        deployment=deployment,
        at=at,
        noted_at=at,
        kind=ChangeKind.MODEL,
        how=How.OBSERVED,
        from_version=from_version,
        to_version=to_version,
        evidence={"seen": 40},
    )
    with house.store.write() as tx:
        versions.insert_change(tx, change)
    return change


def add_run(house: House, row_id: str, set_name: str = "private", **changes: Any) -> Run:
    """Add a planned run of the current revision; import cases first."""
    with house.store.write() as tx:
        revision = evalsets.current(tx, set_name)
        assert revision is not None
        run = Run(
            **{
                "id": row_id,
                "deployment": "bot",
                "set_name": set_name,
                "set_kind": revision.kind,
                "revision": revision.revision,
                "trigger": Trigger.SCHEDULED,
                "planned_at": NOW,
                "state": RunState.PLANNED,
                "trace_prefix": "0123456789abcdef",
                "samples": 1,
                "cases": revision.cases,
                **changes,
            }
        )
        runs.insert(tx, run)
    return run


def add_complete_run(
    house: House,
    row_id: str,
    passes: dict[str, bool],
    set_name: str = "private",
    night: int = 0,
    version: str = "v1",
    **changes: Any,
) -> Run:
    """Add a run that has scored these cases, `night` days after the first."""
    start = NOW + timedelta(days=night)
    run = add_run(house, row_id, set_name, planned_at=start, version=version, **changes)
    scored = [_scored(case_id, passed, start) for case_id, passed in passes.items()]
    sealed = run.set_kind is SetKind.FROZEN
    with house.store.write() as tx:
        outcomes.append(tx, row_id, scored, (lambda text, at: SEALER.seal(text.encode(), at)) if sealed else None)
        runs.set_running(tx, row_id, start)
        runs.finish(tx, row_id, RunState.COMPLETE, version, start + timedelta(minutes=5), {"run_id": row_id}, None)
    return run


JUDGE = JudgedBy(model="judge-1", prompt_hash="p" * 64, rubric_version="1-aa")


def add_judged_run(
    house: House,
    row_id: str,
    passes: dict[tuple[str, int], bool],
    set_name: str = "private",
    night: int = 0,
    judge: JudgedBy = JUDGE,
) -> Run:
    """Add a run with the verdicts of a judge on samples (case id, sample) of cases."""
    start = NOW + timedelta(days=night)
    run = add_run(house, row_id, set_name, planned_at=start, version="v1")
    sealed = run.set_kind is SetKind.FROZEN
    with house.store.write() as tx:
        rows = [_judged(case_id, sample, passed, start, judge) for (case_id, sample), passed in passes.items()]
        outcomes.append(tx, row_id, rows, (lambda text, at: SEALER.seal(text.encode(), at)) if sealed else None)
        runs.set_running(tx, row_id, start)
        runs.finish(tx, row_id, RunState.COMPLETE, "v1", start + timedelta(minutes=5), {"run_id": row_id}, None)
    return run


def add_rescore(house: House, row_id: str) -> Rescore:
    """Add a complete rescore of the judged run without any score."""
    row = Rescore(
        id=row_id,
        run_id="run-judged",
        deployment="bot",
        set_name="private",
        scorer="rubric",
        at=NOW,
        who="ann",
        state="complete",
    )
    with house.store.write() as tx:
        rescores.insert(tx, row)
    return row


def add_import(house: House, row_id: str) -> None:
    """Add an open import of results."""
    row = ResultImport(
        id=row_id,
        source="upload",
        name="a.json",
        digest=row_id,
        deployment="bot",
        set_name="tasks",
        at=NOW,
        who="ann",
        reader="1.0",
        bytes=2,
        files=1,
    )
    with house.store.write() as tx:
        imports.insert(tx, row)


def add_sentinel(house: House, row_id: str, scorer: str = "rubric") -> Sentinel:
    """Add a sentinel of a judge with a passing reference."""
    case = case_from_json(dict(CASES[0]), "case")
    row = Sentinel(
        id=row_id,
        deployment="bot",
        set_name="private",
        scorer=scorer,
        run_id="run-judged",
        case_id=case.id,
        sample=0,
        passes=True,
        failure_category="none",
        sealed=True,
        content=sentinels.frozen(row_id, case, Reply(text="yes", latency_ms=1.0), SEALER),
        added_at=NOW,
        added_by="ann",
    )
    judge = JudgeIdentity(model=JUDGE.model, prompt=JUDGE.prompt_hash, rubric=JUDGE.rubric_version)
    reference = SentinelVerdict(
        sentinel_id=row_id, round=REFERENCE, at=NOW, value=1.0, raw=4.0, reason=None, judge=judge
    )
    with house.store.write() as tx:
        sentinels.insert(tx, [row], [reference])
    return row


def _judged(case_id: str, sample: int, passed: bool, at: datetime, judge: JudgedBy) -> ScoredOutcome:
    scored = _scored(case_id, passed, at)
    verdict = replace(scored.scores[0], scorer="rubric", raw=4.0 if passed else 1.0, judged_by=judge)
    part = replace(verdict, component="tone", decides=False)
    reply = Reply(text=f"{case_id}/{sample}: yes, {HIDDEN}", latency_ms=20.0, model="gpt-4-0314")
    return ScoredOutcome(outcome=replace(scored.outcome, sample=sample, reply=reply), scores=(verdict, part))


def add_sample(house: House, run_id: str, case_id: str, sample: int, *, passed: bool) -> None:
    """Add one more scored sample of a case to a run of a frozen set."""
    with house.store.write() as tx:
        scored = [_scored(case_id, passed, NOW, sample)]
        outcomes.append(tx, run_id, scored, lambda text, at: SEALER.seal(text.encode(), at))


def _scored(case_id: str, passed: bool, at: datetime, sample: int = 0) -> ScoredOutcome:
    reply = Reply(text=f"{case_id}: yes, {HIDDEN}", latency_ms=20.0, model="gpt-4-0314", cost_usd=0.01)
    outcome = Outcome(case_id=case_id, sample=sample, started_at=at, attempts=1, trace_id="0" * 32, reply=reply)
    score = Score(
        scorer="contains",
        scorer_version="1",
        value=1.0 if passed else 0.0,
        label="pass" if passed else "fail",
        failure_category="none" if passed else "wrong_answer",
        reason=f"reason: {HIDDEN}",
    )
    return ScoredOutcome(outcome=outcome, scores=(score,))


def add_candidate(house: House, row_id: str, at: datetime = NOW, **fields: Any) -> Candidate:
    candidate = Candidate(
        **{
            "id": row_id,
            "deployment": "bot",
            "interaction_id": "call-1",
            "feedback_id": "thumb-1",
            "input_text": "Is 9 a prime?",
            "expected": "No.",
            "category": "prime",
            "failure_category": "wrong_answer",
            "content_hash": row_id,
            "state": CandidateState.PROPOSED,
            "proposed_at": at,
            **fields,
        }
    )
    with house.store.write() as tx:
        candidates.insert(tx, [candidate])
    return candidate


def add_decision(house: House, about: Candidate, at: datetime = NOW) -> None:
    entry = Decision(
        id=f"review-of-{about.id}",
        candidate_id=about.id,
        deployment=about.deployment,
        at=at,
        who="ann",
        action=Action.EDIT,
        state=about.state,
    )
    with house.store.write() as tx:
        candidates.record(tx, [about], [entry])


def add_review(house: House, row_id: str, about: Candidate, reviewer: str = "ann", at: datetime = NOW) -> None:
    row = CandidateReview(
        id=row_id,
        candidate_id=about.id,
        deployment=about.deployment,
        at=at,
        reviewer=reviewer,
        action=Action.ACCEPT,
        content=content_of(about),
        snapshot=snapshot_of(about),
        revision=about.revision,
        applied=False,
    )
    with house.store.write() as tx:
        reviews.insert(tx, [row])


def add_finding(house: House, row_id: str, at: datetime = NOW, **changes: Any) -> Finding:
    replay = {"set_name": "private", "set_kind": SetKind.FROZEN, "candidate_run": "run-2"}
    own = {name: changes.pop(name, default) for name, default in replay.items()}
    finding = Finding(
        **{
            "id": row_id,
            "deployment": "bot",
            "at": at,
            "signal": "score",
            "segment": "overall",
            "verdict": Verdict.REGRESSION,
            "severity": "critical",
            "reason": "fewer cases pass",
            "alpha": 0.05,
            "subject": SetReplay(**own),
            **changes,
        }
    )
    with house.store.write() as tx:
        findings.insert(tx, finding)
    return finding


def add_alert(house: House, row_id: str, at: datetime = NOW, **changes: Any) -> Alert:
    alert = Alert(
        **{
            "id": row_id,
            "dedup_key": row_id,
            "deployment": "bot",
            "set_name": "private",
            "state": AlertState.FIRING,
            "severity": "critical",
            "summary": "bot got worse",
            "finding_id": "finding-1",
            "last_finding_id": "finding-1",
            "pending_since": at,
            "updated_at": at,
            "fired_at": at,
            "from_version": "v1",
            "to_version": "v2",
            **changes,
        }
    )
    with house.store.write() as tx:
        alerts.upsert(tx, alert)
    return alert


def add_notification(house: House, row_id: str, at: datetime = NOW, group_id: str = "") -> None:
    notification = Notification(
        id=row_id,
        alert_id="alert-1",
        receiver="console",
        reason=NotifyReason.FIRST,
        payload={"secret": "payload"},
        state=DeliveryState.SENT,
        planned_at=at,
        attempt=1,
        sent_at=at,
        group_id=group_id,
    )
    with house.store.write() as tx:
        alerts.insert_notifications(tx, [notification])


def add_baseline(house: House, baseline_id: str, *, at: datetime = NOW) -> None:
    accepted = AcceptedBaseline(
        id=baseline_id,
        deployment="bot",
        set_name="private",
        run_id="run-1",
        counts_from=at,
        finding_id=f"finding of {baseline_id}",
        at=at,
        who="ana",
        reason="the cheaper model is good enough",
    )
    with house.store.write() as tx:
        baselines.accept(tx, accepted, None)


def add_compaction(house: House, compaction_id: str, *, at: datetime = NOW) -> None:
    order = Compaction(
        id=compaction_id, kind=CompactionKind.ERASE, at=at, who="dpo", removed={"feedback": 2}, user_hash="s:h"
    )
    with house.store.write() as tx:
        compactions.insert(tx, order)


PAGE = b"<!DOCTYPE html><title>drift</title>"


def add_traffic_report(house: House, traffic_report_id: str, *, at: datetime = NOW) -> None:
    folder = house.store.path.parent / "traffic_reports" / "bot"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{traffic_report_id}.html").write_bytes(PAGE)
    traffic_report = TrafficReport(
        id=traffic_report_id,
        deployment="bot",
        kind=TrafficReportKind.TRAFFIC,
        at=at,
        reference_since=at - timedelta(days=29),
        since=at - timedelta(days=1),
        until=at,
        state=TrafficReportState.MADE,
        reason="600 calls were compared",
        path=f"bot/{traffic_report_id}.html",
        sha256=hashlib.sha256(PAGE).hexdigest(),
        bytes=len(PAGE),
        distances={"topic": 0.25, "category": None},
        counts={"topic": (500, 100), "category": (0, 0)},
        evidence={"verdict": "insufficient", "missing": 14},
    )
    with house.store.write() as tx:
        traffic_reports.insert(tx, traffic_report)


def add_access_and_refresh(house: House, at: datetime) -> None:
    """Add a reveal of a private case and a refresh report."""
    with house.store.write() as tx:
        current = evalsets.current(tx, "private")
        assert current is not None
        evalsets.log_reveal(tx, at, "anna", "cases", "private", current.revision, ["a"])
        refreshes.insert(
            tx,
            Refresh(
                set_name="private",
                revision=current.revision,
                parent=None,
                at=at,
                cases=2,
                carried=1,
                entered=("b",),
                left={},
                replaced=(),
                excluded={},
            ),
        )


def add_silence(house: House, row_id: str, at: datetime = NOW) -> Silence:
    silence = Silence(
        id=row_id,
        matchers=(matcher_of("deployment=bot"),),
        created_by="ada",
        comment="move of the house",
        created_at=at,
        starts_at=at,
        ends_at=at + timedelta(hours=1),
    )
    with house.store.write() as tx:
        silences.insert(tx, silence)
    return silence


def add_turn(house: House, row_id: str, at: datetime = NOW, **fields: Any) -> TurnSignal:
    """Add a turn with its call and the progress of its detector."""
    talk = (ChatMessage(role="user", content="Is 7 a prime?"), ChatMessage(role="assistant", content="No."))
    asked = (*talk, ChatMessage(role="user", content="That is wrong"))
    call = f"call-of-{row_id}"
    row = turn_signal(row_id, deployment="bot", interaction_id=call, at=at, judged_at=at, **fields)
    until = NOW + timedelta(hours=1)
    version = row.verdict.version
    with house.store.write() as tx:
        interactions.insert(tx, [a_call(call, deployment="bot", started_at=at, received_at=at, input_messages=asked)])
        signals.write(tx, [row])
        known = TurnProgress(deployment="bot", version=version, began_at=NOW, since=NOW, until=until, seed=7)
        progress.put(tx, known)
    return row


def add_failure_group(house: House, id_: str, share: float = 0.2) -> None:
    group = FailureGroup(
        id=id_,
        deployment="bot",
        name="card_gift_voucher",
        terms={"gift": 0.5, "card": 0.3, "voucher": 0.2},
        members=("c1", "c2"),
        share=share,
        first_seen=NOW,
        last_seen=NOW,
    )
    with house.store.write() as tx:
        failure_groups.put(tx, [group])


def furnish(house: House, token: str | None = None) -> None:
    """Add one row of each kind, so that no list is empty."""
    import_cases(house, token=token)
    for number in (1, 2):
        at = NOW + timedelta(minutes=number)
        add_version(house, f"v{number}", at=at)
        add_change(house, f"change-{number}", f"v{number}", at=at)
        proposed = add_candidate(house, f"candidate-{number}", at=at)
        add_decision(house, proposed, at=at)
        add_review(house, f"review-{number}", proposed, at=at)
        add_finding(house, f"finding-{number}", at=at)
        add_alert(house, f"alert-{number}", at=at)
        add_silence(house, f"silence-{number}", at=at)
        add_notification(house, f"notification-{number}", at=at)
        add_compaction(house, f"compaction-{number}", at=at)
        add_baseline(house, f"baseline-{number}", at=at)
        add_traffic_report(house, f"traffic-report-{number}", at=at)
        add_turn(house, f"turn-{number}", at=at)
        add_failure_group(house, f"group-{number}")
        add_token(house, f"token-{number}", at=at)
    passes = {str(case["id"]): True for case in CASES}
    add_complete_run(house, "run-1", passes)
    add_complete_run(house, "run-2", passes | {"p-7": False}, night=1, version="v2")
    add_judged_run(house, "run-judged", {(case_id, 0): True for case_id in passes}, night=2)
    add_sentinel(house, "sentinel-1")
    add_rescore(house, "rescore-1")
    add_import(house, "import-1")
