"""Complete items of the API schema, with the fields that a test sets."""

from datetime import UTC, datetime
from typing import Any

from monitor.api.schema import (
    AlertItem,
    CaseItem,
    CategoryCount,
    CategoryEffectItem,
    ChangeItem,
    ChangeVerdictItem,
    ComparisonItem,
    FailureCount,
    FailureShiftItem,
    FindingItem,
    FlipItem,
    NotificationItem,
    RunItem,
    SetItem,
    StatusItem,
    WorstCaseItem,
)

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def eval_set(**fields: Any) -> SetItem:
    return SetItem(
        **{
            "name": "primes",
            "kind": "frozen",
            "revision": "ab" * 32,
            "created_at": AT,
            "cases": 800,
            "sealed": True,
            "parent": None,
            "origin": "primes.jsonl",
            **fields,
        }
    )


def case(**fields: Any) -> CaseItem:
    return CaseItem(
        **{
            "id": "prime-1",
            "set_name": "primes",
            "revision": "ab" * 32,
            "category": "prime",
            "severity": "medium",
            "input": None,
            "references": None,
            **fields,
        }
    )


def run_item(**fields: Any) -> RunItem:
    return RunItem(
        **{
            "verdict": "ok",
            "verdict_reason": "no case flipped",
            "id": "run-1",
            "deployment": "support",
            "set_name": "primes",
            "set_kind": "frozen",
            "revision": "ab" * 32,
            "trigger": "manual",
            "state": "complete",
            "planned_at": AT,
            "started_at": AT,
            "finished_at": AT,
            "version": "0123456789ab",
            "version_label": "gpt-4-0314",
            "change_id": None,
            "cases": 4,
            "samples": 1,
            "outcomes": 4,
            "scored": 4,
            "passed": 3,
            "pass_rate": 0.75,
            "categories": [CategoryCount(category="prime", scored=4, passed=3)],
            "failure_categories": [FailureCount(failure_category="format", count=1)],
            "cost_usd": None,
            "duration_s": 1.5,
            "manifest": None,
            "error": None,
            **fields,
        }
    )


def change(**fields: Any) -> ChangeItem:
    return ChangeItem(
        **{
            "id": "change-1",
            "deployment": "support",
            "at": AT,
            "noted_at": AT,
            "kind": "model",
            "how": "announced",
            "from_version": "aaa",
            "to_version": "bbb",
            "evidence": {},
            **fields,
        }
    )


def change_verdict(outcome: str | None, **fields: Any) -> ChangeVerdictItem:
    verdict = {"pass": "ok", "fail": "regression", "unknown": "insufficient", None: None}[outcome]
    one = {
        "set_name": "primes",
        "state": "waiting" if verdict is None else "judged",
        "verdict": verdict,
        "reason": "waiting for its replay, which is running" if verdict is None else f"{verdict} of 40 cases",
        "run": "run-1",
        "outcomes": 10 if verdict is None else 40,
        "planned_outcomes": 40,
        "pass_rate": 0.75,
    }
    reason = "waiting for primes" if verdict is None else f"primes: {one['reason']}"
    return ChangeVerdictItem.model_validate(
        {
            "change": change().model_dump(),
            "verdict": verdict,
            "outcome": outcome,
            "reason": reason,
            "sets": [one],
            **fields,
        }
    )


def category(name: str, to_fail: int, to_pass: int, n: int = 100, **fields: Any) -> CategoryEffectItem:
    return CategoryEffectItem(
        **{
            "category": name,
            "n": n,
            "baseline": 0.8,
            "candidate": 0.8 + (to_pass - to_fail) / n,
            "effect": (to_pass - to_fail) / n,
            "ci_low": -0.2,
            "ci_high": 0.2,
            "flipped_to_fail": to_fail,
            "flipped_to_pass": to_pass,
            "p_value_adjusted": 1.0,
            "moved": False,
            **fields,
        }
    )


def comparison(**fields: Any) -> ComparisonItem:
    return ComparisonItem(
        **{
            "metric": "pass_rate",
            "baseline": 0.84,
            "candidate": 0.502,
            "effect": -0.338,
            "ci_low": -0.38,
            "ci_high": -0.29,
            "p_value": 1e-40,
            "flipped_to_fail": 477,
            "flipped_to_pass": 139,
            "n": 1000,
            "mde": 0.05,
            "mde_discordance": 0.2,
            "mde_source": "a/a",
            "categories": [category("prime", 400, 2, n=500)],
            "failure_shifts": [FailureShiftItem(failure_category="wrong_no", baseline=12, candidate=488)],
            "worst_cases": [
                WorstCaseItem(
                    case_id="prime-9", category="prime", severity="high", passing_nights=5, failure_category="wrong_no"
                )
            ],
            "flipped_case_ids": ["prime-9"],
            **fields,
        }
    )


def flip(case_id: str, **fields: Any) -> FlipItem:
    return FlipItem(
        **{
            "case_id": case_id,
            "category": "prime",
            "severity": "high",
            "baseline": "pass",
            "candidate": "fail",
            "failure_category": "wrong_no",
            **fields,
        }
    )


def finding(**fields: Any) -> FindingItem:
    return FindingItem(
        **{
            "id": "finding-1",
            "deployment": "support",
            "at": AT,
            "signal": "score",
            "segment": "overall",
            "set_name": "primes",
            "set_kind": "frozen",
            "verdict": "regression",
            "severity": "critical",
            "reason": "the pass rate fell from 84.0 % to 50.2 %",
            "alpha": 0.05,
            "candidate_run": "run-2",
            "baseline_run": "run-1",
            "from_version": "aaa",
            "to_version": "bbb",
            "change_id": "change-1",
            "comparison": comparison(),
            **fields,
        }
    )


def alert(**fields: Any) -> AlertItem:
    return AlertItem(
        **{
            "id": "alert-1",
            "rule": "QualityRegression",
            "group_id": "alert-1",
            "labels": {"alertname": "QualityRegression", "deployment": "support"},
            "deployment": "support",
            "set_name": "primes",
            "state": "firing",
            "severity": "critical",
            "summary": "support got worse",
            "finding_id": "finding-1",
            "last_finding_id": "finding-1",
            "pending_since": AT,
            "fired_at": AT,
            "resolved_at": None,
            "updated_at": AT,
            "from_version": "aaa",
            "to_version": "bbb",
            "from_version_label": "gpt-4-0314",
            "to_version_label": "gpt-4-0613",
            **fields,
        }
    )


def notification(**fields: Any) -> NotificationItem:
    return NotificationItem(
        **{
            "id": "n-1",
            "alert_id": "alert-1",
            "group_id": "alert-1",
            "receiver": "hook",
            "reason": "first",
            "attempt": 1,
            "status": "sent",
            "planned_at": AT,
            "at": AT,
            "error": None,
            **fields,
        }
    )


def status() -> StatusItem:
    return StatusItem(
        now=AT,
        code_version="0.1.0",
        store_bytes=3 * 2**20,
        intake_rows=0,
        intake_capacity=20_000,
        dead_letters=2,
        loops={"writer": "running"},
    )
