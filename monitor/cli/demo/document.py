"""The result of the demo as one JSON document, read from the API of the daemon."""

from collections.abc import Callable, Mapping
from typing import Any

from monitor.stats.holm import holm
from monitor.stats.mcnemar import exact_mcnemar
from monitor.stats.mde import smallest_detectable_effect

Listing = Callable[[str], list[dict[str, Any]]]
Row = Mapping[str, Any]


def document(listed: Listing) -> dict[str, Any]:
    """Return the document. Rates are fractions, effects are candidate minus baseline, intervals are 95 %, p is the
    two-sided exact McNemar test of the two runs; it is null for a finding that the nights decided.
    """
    findings = oldest_first(listed("findings"))
    runs = oldest_first(listed("runs"))
    labels = {version["id"]: version["label"] for version in listed("versions")}
    return {
        "schema": 1,
        "interactions": len(listed("interactions")),
        "feedback": len(listed("feedback")),
        "changes": [_change(c, labels) for c in oldest_first(listed("changes"))],
        "runs": [_run(r) for r in runs],
        "comparisons": [_comparison(f) for f in findings if f["comparison"] is not None],
        "alerts": [_alert(a) for a in oldest_first(listed("alerts"))],
        "notifications": [_notification(n) for n in oldest_first(listed("notifications"))],
    }


def oldest_first(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reverse a list of the API, which lists newest first."""
    return items[::-1]


def resample_of(run: Row) -> float:
    """Return the share of resampled answers that the endpoint reported; the manifest of the run has it."""
    reported = (run["manifest"] or {}).get("reported", {}).get("recorded-resample", {})
    return max((float(share) for share in reported), default=0.0)


def _change(change: Row, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": change["id"],
        "deployment": change["deployment"],
        "at": change["at"],
        "kind": change["kind"],
        "how": change["how"],
        "from_version": labels.get(change["from_version"] or "", change["from_version"]),
        "to_version": labels.get(change["to_version"], change["to_version"]),
    }


def _run(run: Row) -> dict[str, Any]:
    return {
        "run_id": run["id"],
        "deployment": run["deployment"],
        "set": run["set_name"],
        "set_kind": run["set_kind"],
        "revision": run["revision"],
        "version": run["version_label"],
        "phase": _phase(run),
        "trigger": run["trigger"],
        "cases": run["cases"],
        "repeats": run["repeats"],
        "outcomes": run["outcomes"],
        "scored": run["scored"],
        "pass_rate": run["pass_rate"],
        "cost_usd": run["cost_usd"],
        "duration_s": run["duration_s"],
        "resample": resample_of(run),
    }


def _phase(run: Row) -> str:
    if run["trigger"] == "change":
        return "after_change"
    return "quiet" if resample_of(run) else "plumbing"


def _comparison(finding: Row) -> dict[str, Any]:
    pair = finding["comparison"]
    kept = ("metric", "baseline", "candidate", "effect", "ci_low", "ci_high")
    counts = ("flipped_to_fail", "flipped_to_pass", "n")
    category = ("category", "n", "baseline", "candidate")
    p_values = [exact_mcnemar(row["flipped_to_fail"], row["flipped_to_pass"]) for row in (pair, *pair["categories"])]
    return {
        "id": finding["id"],
        "set": finding["set_name"],
        "set_kind": finding["set_kind"],
        "baseline_run": finding["baseline_run"],
        "candidate_run": finding["candidate_run"],
        **{key: pair[key] for key in (*kept, *counts)},
        "p_value": p_values[0],
        "mde": smallest_detectable_effect(pair["n"], pair["mde_discordance"]),
        "verdict": finding["verdict"],
        "categories": [
            {**{key: row[key] for key in category}, "p_value_adjusted": p_value}
            for row, p_value in zip(pair["categories"], holm(p_values)[1:], strict=True)
        ],
    }


def _alert(alert: Row) -> dict[str, Any]:
    kept = ("id", "finding_id", "state", "severity", "deployment")
    return {
        **{key: alert[key] for key in kept},
        "from_version": alert["from_version_label"],
        "to_version": alert["to_version_label"],
        "summary": alert["summary"],
        "fired_at": alert["fired_at"],
    }


def _notification(notification: Row) -> dict[str, Any]:
    return {key: notification[key] for key in ("alert_id", "receiver", "attempt", "status", "at")}
