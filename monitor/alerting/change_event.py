"""The payload of a change event: a deployment has a new version, or a baseline was accepted. It notifies no one."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from monitor.alerting.message import SCHEMA
from monitor.alerting.version_diff import Difference
from monitor.domain.alert import NotifyReason
from monitor.domain.baseline import AcceptedBaseline
from monitor.domain.policy import AlertPolicy
from monitor.domain.version import Change, ChangeKind

_WHAT = {
    ChangeKind.MODEL: "the model",
    ChangeKind.PROMPT: "the prompt",
    ChangeKind.PARAMETERS: "the parameters",
    ChangeKind.CODE: "the code",
    ChangeKind.UNKNOWN: "the version",
}


def of_change(
    change: Change, *, from_label: str, to_label: str, diff: Sequence[Difference], policy: AlertPolicy
) -> dict[str, Any]:
    """Return the payload for a change of the version of a deployment. The labels are those of the two versions."""
    if change.from_version == change.to_version:
        summary = f"{change.deployment}: {_WHAT[change.kind]} changed without a new name ({change.how}): {to_label}"
    else:
        summary = f"{change.deployment}: {_WHAT[change.kind]} changed ({change.how}): {from_label} to {to_label}"
    return {
        **_base(change.deployment, change.at.isoformat(), summary, policy),
        "change": {"id": change.id, "kind": str(change.kind), "how": str(change.how)},
        "baseline": None,
        "from_version": {"id": change.from_version, "label": from_label},
        "to_version": {"id": change.to_version, "label": to_label},
        "diff": [asdict(each) | {"lines": list(each.lines)} for each in diff],
    }


def of_baseline(baseline: AcceptedBaseline, policy: AlertPolicy) -> dict[str, Any]:
    """Return the payload for an accepted baseline of a set or of a production series."""
    about = f"set {baseline.set_name}" if baseline.set_name is not None else f"series {baseline.series}"
    summary = f"{baseline.deployment}: {baseline.who} accepted a new baseline of {about}: {baseline.reason}"
    return {
        **_base(baseline.deployment, baseline.at.isoformat(), summary, policy),
        "change": None,
        "baseline": {
            "id": baseline.id,
            "set": baseline.set_name,
            "series": baseline.series,
            "by": baseline.who,
            "reason": baseline.reason,
            "counts_from": baseline.counts_from.isoformat(),
            "finding_id": baseline.finding_id,
        },
        "from_version": None,
        "to_version": None,
        "diff": [],
    }


def _base(deployment: str, at: str, summary: str, policy: AlertPolicy) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "reason": NotifyReason.CHANGE.value,
        "deployment": deployment,
        "at": at,
        "summary": summary,
        "links": {"dashboard": policy.dashboard_url},
    }
