"""Cases of the fake daemon: their trends, the history of each, and replies."""

from collections.abc import Mapping
from datetime import timedelta

from monitor.api.schema import CaseItem, OutcomeItem, ScoreItem
from monitor.api.schema.case_histories import (
    CaseAnswerItem,
    CaseHistoryItem,
    CaseOriginItem,
    CaseRepliesItem,
    CaseRevisionItem,
    CaseRunItem,
    CaseTrendItem,
    CaseTrendsItem,
    CaseVersionItem,
)
from monitor.api.schema.runs import ToolCallItem

from .fake_daemon import FakeDaemon
from .items import BOT, FIRST_NIGHT, LABELS, NEW, OLD

NIGHTS = 5
REVISION = "0123456789abcdef"


def trend(number: int) -> CaseTrendItem:
    """Return case `prime-N`: cases with an even number newly fail, the others always pass."""
    fails = number % 2 == 0
    return CaseTrendItem(
        case_id=f"prime-{number}",
        category="prime" if number % 3 else "composite",
        severity="high" if number < 2 else "medium",
        part=None,
        cluster="teens" if number < 3 else None,
        runs=NIGHTS,
        failed=int(fails),
        fail_share=0.2 if fails else 0.0,
        pairs=NIGHTS,
        disagreeing=0,
        night_pairs=NIGHTS - 2,
        flips=0,
        passed=not fails,
        failure_category="wrong_answer" if fails else None,
        states=["failing", "newly_failing"] if fails else ["too_easy"],
    )


def trends_of(daemon: FakeDaemon, query: Mapping[str, str]) -> CaseTrendsItem:
    """Return one page of the cases with the filters `state`, `category` and `text`; a cursor is a number."""
    every = [trend(number) for number in range(daemon.cases)]
    matching = [
        item
        for item in every
        if query.get("category", item.category) == item.category and query.get("text", "") in item.case_id
    ]
    chosen = [item for item in matching if query.get("state") in {None, *item.states}]
    start, limit = int(query.get("cursor", "0")), int(query.get("limit", "50"))
    return CaseTrendsItem(
        set_name=query["set_name"],
        revision=REVISION,
        deployment=BOT,
        run_id=query.get("run_id", "run-4"),
        at=FIRST_NIGHT + timedelta(days=NIGHTS - 1),
        runs=NIGHTS,
        total=len(chosen),
        states={"failing": sum(item.passed is False for item in matching)},
        categories=["composite", "prime"],
        severities=["high", "medium"],
        parts=[],
        failure_categories=["wrong_answer"],
        items=chosen[start : start + limit],
        next_cursor=str(start + limit) if start + limit < len(chosen) else None,
    )


def history_of(daemon: FakeDaemon, query: Mapping[str, str]) -> CaseHistoryItem:
    item = trend(int(query["case_id"].removeprefix("prime-")))
    runs = [_run(night, item) for night in range(NIGHTS)]
    return CaseHistoryItem(
        set_name=query["set_name"],
        revision=REVISION,
        sealed=daemon.sealed,
        deployment=BOT,
        trend=item,
        failed_versions=item.failed,
        runs=runs,
        versions=[_version(OLD, runs[:-1]), _version(NEW, runs[-1:])],
        revisions=[
            CaseRevisionItem(revision=REVISION, at=FIRST_NIGHT, origin="primes.yaml", part=None, change="entered")
        ],
        origin=CaseOriginItem(
            candidate_id="candidate-7",
            deployment=BOT,
            interaction_id="call-7",
            failure_category="wrong_answer",
            proposed_at=FIRST_NIGHT,
            decided_at=FIRST_NIGHT,
            decided_by="ann",
        ),
        exposure=None,
        variants=[trend(number) for number in range(3) if item.cluster and f"prime-{number}" != item.case_id],
    )


def _run(night: int, item: CaseTrendItem) -> CaseRunItem:
    version = OLD if night < NIGHTS - 1 else NEW
    passed = version == OLD or item.passed is True
    failure = "none" if passed else "wrong_answer"
    return CaseRunItem(
        run_id=f"run-{night}",
        at=FIRST_NIGHT + timedelta(days=night),
        version=version,
        version_label=LABELS[version],
        trigger="scheduled",
        passed=passed,
        same_content=True,
        answers=[
            CaseAnswerItem(sample=0, kind="sample", passed=passed, value=float(passed), failure_category=failure),
            CaseAnswerItem(sample=1, kind="repeat", passed=passed, value=float(passed), failure_category=failure),
        ],
    )


def _version(version: str, runs: list[CaseRunItem]) -> CaseVersionItem:
    passes = sum(run.passed is True for run in runs)
    return CaseVersionItem(
        version=version,
        version_label=LABELS[version],
        first_at=runs[0].at,
        nights=len(runs),
        failed=len(runs) - passes,
        answers=2 * len(runs),
        passes=2 * passes,
        pass_rate=passes / len(runs),
        ci_low=0.0,
        ci_high=1.0,
    )


def replies_of(daemon: FakeDaemon, query: Mapping[str, str]) -> CaseRepliesItem:
    """Return one reply with a tool call. A sealed set has texts only on request."""
    opened = not daemon.sealed or query.get("reveal") == "true"
    return CaseRepliesItem(
        run_id=query["run_id"],
        sealed=daemon.sealed,
        case=CaseItem(
            id=query["case_id"],
            set_name="primes",
            revision=REVISION,
            category="prime",
            severity="high",
            input=[{"role": "user", "content": "Is 7 a prime?"}] if opened else None,
            references=["yes"] if opened else None,
        ),
        outcomes=[_outcome(query, opened=opened)],
    )


def _outcome(query: Mapping[str, str], *, opened: bool) -> OutcomeItem:
    return OutcomeItem(
        run_id=query["run_id"],
        case_id=query["case_id"],
        sample=0,
        started_at=FIRST_NIGHT,
        attempts=1,
        text=f"No, says {query['run_id']}." if opened else None,
        latency_ms=1234.0,
        finish_reason="stop",
        model="gpt-4",
        input_tokens=12,
        output_tokens=1,
        cost_usd=0.00125,
        error_class=None,
        tool_calls=[ToolCallItem(id="t", name="divide", arguments='{"by": 7}', result="1")] if opened else None,
        scores=[
            ScoreItem(
                scorer="rubric",
                scorer_version="1",
                value=0.0,
                label="fail",
                failure_category="wrong_answer",
                reason="7 is a prime" if opened else None,
                metric="rubric",
            )
        ],
    )
