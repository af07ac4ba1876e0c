"""Items of the API, with one builder for each kind."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from monitor.api.schema import (
    AlertItem,
    CategoryCount,
    ChangeItem,
    ComparisonItem,
    DeploymentItem,
    FailureCount,
    FindingItem,
    NotificationItem,
    RunItem,
    SetItem,
    VersionItem,
)

FIRST_NIGHT = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)
OLD, NEW = "a1b2c3d4e5f6", "f6e5d4c3b2a1"
LABELS = {OLD: "gpt-4-0314 · prompt 3f2a9c", NEW: "gpt-4-0613 · prompt 3f2a9c"}
BOT = "support-bot"


def version(version_id: str, *, current: bool = False) -> VersionItem:
    return VersionItem(
        id=version_id,
        deployment=BOT,
        label=LABELS[version_id],
        identity={"response_model": LABELS[version_id].split()[0]},
        first_seen=FIRST_NIGHT,
        how="observed",
        current=current,
    )


def deployment(name: str = BOT, *, current: str | None = OLD, open_alerts: int = 0, **fields: Any) -> DeploymentItem:
    return DeploymentItem(
        **{
            "name": name,
            "target": "gpt-4",
            "sets": ["primes", "corrections"],
            "current_version": version(current, current=True) if current else None,
            "interactions": 12345,
            "open_alerts": open_alerts,
            "candidates": {"proposed": 0, "ready": 0, "accepted": 0, "rejected": 0},
            **fields,
        }
    )


def eval_set(name: str, kind: str, cases: int) -> SetItem:
    return SetItem.model_validate(
        {
            "name": name,
            "kind": kind,
            "revision": "9f" * 32,
            "created_at": FIRST_NIGHT,
            "cases": cases,
            "sealed": kind == "frozen",
            "parent": None,
            "origin": "primes.jsonl",
        }
    )


def run(
    name: str, at: datetime, categories: Mapping[str, tuple[int, int]], version_id: str | None = OLD, **fields: Any
) -> RunItem:
    """`categories` has the passed and scored counts; half of the failures are wrong answers, half have no marker."""
    passed, scored = (sum(pair[i] for pair in categories.values()) for i in (0, 1))
    failed = scored - passed
    return RunItem(
        **{
            "id": f"run-{at:%Y%m%dT%H%M%S}-{name}",
            "deployment": BOT,
            "set_name": name,
            "set_kind": "frozen" if name == "primes" else "dynamic",
            "revision": "9f" * 32,
            "trigger": "scheduled",
            "state": "complete",
            "planned_at": at,
            "started_at": at,
            "finished_at": at + timedelta(minutes=4),
            "version": version_id,
            "version_label": LABELS.get(version_id or ""),
            "change_id": None,
            "cases": scored,
            "samples": 1,
            "outcomes": scored,
            "scored": scored,
            "passed": passed,
            "pass_rate": passed / scored if scored else None,
            "categories": [CategoryCount(category=c, passed=p, scored=s) for c, (p, s) in categories.items()],
            "failure_categories": [
                FailureCount(failure_category="wrong_answer", count=failed - failed // 5),
                FailureCount(failure_category="no_choice", count=failed // 5),
            ],
            "cost_usd": 1.5,
            "duration_s": 240.0,
            "manifest": None,
            "error": None,
            **fields,
        }
    )


def comparison(
    baseline: float, candidate: float, *, n: int, to_fail: int, to_pass: int, **fields: Any
) -> ComparisonItem:
    effect = candidate - baseline
    return ComparisonItem(
        **{
            "metric": "pass_rate",
            "baseline": baseline,
            "candidate": candidate,
            "effect": effect,
            "ci_low": effect - 0.048,
            "ci_high": effect + 0.048,
            "p_value": 0.5,
            "flipped_to_fail": to_fail,
            "flipped_to_pass": to_pass,
            "n": n,
            "mde": 0.0531,
            "mde_discordance": 0.19,
            "mde_source": "a/a",
            "categories": [],
            "failure_shifts": [],
            "worst_cases": [],
            "flipped_case_ids": [],
            **fields,
        }
    )


def finding(about: RunItem, verdict: str, reason: str, compared: ComparisonItem | None, **fields: Any) -> FindingItem:
    return FindingItem.model_validate(
        {
            "id": f"finding-{about.id}",
            "deployment": about.deployment,
            "at": (about.finished_at or about.planned_at) + timedelta(minutes=1),
            "signal": "score",
            "segment": "overall",
            "set_name": about.set_name,
            "set_kind": about.set_kind,
            "verdict": verdict,
            "severity": "critical" if verdict == "regression" else "info",
            "reason": reason,
            "alpha": 0.05,
            "candidate_run": about.id,
            "baseline_run": None,
            "from_version": OLD,
            "to_version": about.version,
            "change_id": None,
            "comparison": compared.model_dump() if compared else None,
            **fields,
        }
    )


def change(change_id: str, at: datetime, before: str | None, after: str, **fields: Any) -> ChangeItem:
    return ChangeItem(
        **{
            "id": change_id,
            "deployment": BOT,
            "at": at,
            "noted_at": at + timedelta(minutes=4),
            "kind": "model",
            "how": "observed",
            "from_version": before,
            "to_version": after,
            "evidence": {"interactions": 20},
            **fields,
        }
    )


def alert(about: FindingItem, summary: str, **fields: Any) -> AlertItem:
    return AlertItem(
        **{
            "id": f"alert-{about.set_name}",
            "rule": "QualityRegression",
            "group_id": f"alert-{about.set_name}",
            "labels": {"alertname": "QualityRegression", "deployment": about.deployment, "severity": "critical"},
            "deployment": about.deployment,
            "set_name": about.set_name,
            "state": "firing",
            "severity": "critical",
            "summary": summary,
            "finding_id": about.id,
            "last_finding_id": about.id,
            "pending_since": about.at,
            "fired_at": about.at,
            "resolved_at": None,
            "updated_at": about.at,
            "from_version": OLD,
            "to_version": NEW,
            "from_version_label": LABELS[OLD],
            "to_version_label": LABELS[NEW],
            **fields,
        }
    )


def notification(about: AlertItem, **fields: Any) -> NotificationItem:
    return NotificationItem(
        **{
            "id": f"note-{about.id}",
            "group_id": "alert-primes",
            "alert_id": about.id,
            "receiver": "oncall-webhook",
            "reason": "first",
            "attempt": 1,
            "status": "sent",
            "planned_at": about.updated_at,
            "at": about.updated_at,
            "error": None,
            **fields,
        }
    )
