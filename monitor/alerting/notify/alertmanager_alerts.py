"""Converts payloads to alerts of Alertmanager, and finds those that must be sent again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from monitor.alerting.notify.chat import cut
from monitor.alerting.render import Rendered
from monitor.domain.alert import AlertState

RESOLVED_FOR = timedelta(minutes=5)  # Alertmanager's contract: a resolution is repeated for this time
_MOST_DESCRIPTION = 10_000  # characters; Alertmanager has no limit, but the receivers behind it have
_LINKS = {"runbook_url": "runbook_url", "dashboard_url": "dashboard"}
_TEST_LABELS = {"alertname": "DriftdTest", "test": "true"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """An alert as Alertmanager knows it. The labels are its identity there.

    `got_at` is the time of the first delivery of this state. `ends_at` is None while the alert fires.
    """

    id: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    starts_at: datetime
    got_at: datetime
    ends_at: datetime | None = None
    generator_url: str | None = None

    @property
    def identity(self) -> frozenset[tuple[str, str]]:
        return frozenset(self.labels.items())

    def to_json(self, now: datetime, hold: timedelta) -> dict[str, Any]:
        """Return the body of the API. An alert that fires ends `hold` after now unless it is sent again."""
        ends_at = self.ends_at or max(now, self.starts_at) + hold
        body: dict[str, Any] = {
            "labels": dict(self.labels),
            "annotations": dict(self.annotations),
            "startsAt": self.starts_at.isoformat(),
            "endsAt": max(ends_at, self.starts_at).isoformat(),
        }
        return body if self.generator_url is None else body | {"generatorURL": self.generator_url}


def posted_of(
    payload: Mapping[str, Any], rendered: Rendered, extra: Mapping[str, str], got_at: datetime
) -> list[Posted]:
    """Return the alerts of a payload, one for each set of labels. `extra` are labels of the configuration.

    An alert that is suppressed and fires is left out: driftd notifies no one of it. The lead alert has the whole
    message as its description.
    """
    lead_id = (payload.get("alert") or {}).get("id")
    found: list[Posted] = []
    for entry in _entries(payload):
        firing = entry.get("state") != AlertState.RESOLVED
        if not entry.get("fired_at") or (firing and entry.get("suppressed")):
            continue
        ends_at = None if firing else datetime.fromisoformat(entry.get("resolved_at") or got_at.isoformat())
        generator_url = entry.get("dashboard_url")
        found.append(
            Posted(
                id=str(entry["id"]),
                labels={**extra, **entry["labels"]},
                annotations=_annotations(payload, entry, rendered if entry["id"] == lead_id else None),
                starts_at=datetime.fromisoformat(entry["fired_at"]),
                got_at=got_at,
                ends_at=ends_at,
                generator_url=str(generator_url) if generator_url else None,
            )
        )
    return _newest(found)


def standing(deliveries: Sequence[Sequence[Posted]]) -> list[Posted]:
    """Return the newest state that Alertmanager got, for each set of labels. Deliveries are in their order.

    Alertmanager does not know that an alert changed its labels, for example its severity. The alert with the earlier
    labels ends at that delivery. A resolution is final, also when the clock went back and it seems to be older.
    """
    over = {one.id for delivery in deliveries for one in delivery if one.ends_at is not None}
    by_labels: dict[frozenset[tuple[str, str]], Posted] = {}
    by_id: dict[str, Posted] = {}
    for delivery in deliveries:
        for one in delivery:
            if one.ends_at is None and one.id in over:
                continue
            before = by_id.get(one.id)
            if before is not None and before.identity != one.identity:
                earlier = by_labels[before.identity]
                if earlier.id == one.id and earlier.ends_at is None:
                    by_labels[before.identity] = replace(earlier, got_at=one.got_at, ends_at=one.got_at)
            by_id[one.id] = one
            known = by_labels.get(one.identity)
            if known is None or one.starts_at >= known.starts_at:
                by_labels[one.identity] = _with_first_time(one, known)
    return list(by_labels.values())


def due(posted: Iterable[Posted], now: datetime) -> list[Posted]:
    """Return those that fire, and those that resolved within the last five minutes."""
    return [one for one in posted if one.ends_at is None or now - one.got_at < RESOLVED_FOR]


def _with_first_time(one: Posted, known: Posted | None) -> Posted:
    """A later delivery that repeats a resolution does not begin the five minutes again."""
    if known is None or one.ends_at is None or known.ends_at is None or known.id != one.id:
        return one
    return replace(one, got_at=known.got_at)


def _newest(found: Sequence[Posted]) -> list[Posted]:
    """Keep the newest of the alerts with the same labels: an older episode is resolved."""
    newest: dict[frozenset[tuple[str, str]], Posted] = {}
    for one in found:
        known = newest.get(one.identity)
        if known is None or one.starts_at > known.starts_at:
            newest[one.identity] = one
    return list(newest.values())


def _entries(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the alerts of the payload. A test, and a payload of an older release, have one."""
    entries = payload.get("alerts")
    if isinstance(entries, list) and entries:
        return entries
    alert = payload["alert"]
    named = {
        "set": (payload.get("set") or {}).get("name"),
        "series": (payload.get("production") or {}).get("series"),
        "source": (payload.get("source") or {}).get("name") if isinstance(payload.get("source"), Mapping) else None,
    }
    labels = {
        "alertname": str(alert.get("rule") or "QualityRegression"),
        "deployment": str(payload.get("deployment") or "driftd"),
        "severity": str(alert.get("severity") or "warning"),
        **{name: str(value) for name, value in named.items() if value},
    }
    if payload.get("reason") == "test":
        labels |= _TEST_LABELS
    return [{**alert, "labels": labels, "dashboard_url": payload.get("dashboard_url")}]


def _annotations(payload: Mapping[str, Any], entry: Mapping[str, Any], rendered: Rendered | None) -> dict[str, str]:
    summary = str(entry.get("summary") or "")
    if rendered is not None:
        parts = {"title": rendered.title, "summary": rendered.summary or summary}
        parts["description"] = cut(rendered.text, _MOST_DESCRIPTION)
    else:
        labels = entry["labels"]
        parts = {"title": f"{labels['alertname']} · {labels['deployment']}", "summary": summary}
    links = {name: str(entry[key]) for key, name in _LINKS.items() if entry.get(key)}
    ids = {"alert_id": str(entry["id"]), "group_id": str((payload.get("group") or {}).get("id") or "")}
    return {name: text for name, text in {**parts, **links, **ids}.items() if text}
