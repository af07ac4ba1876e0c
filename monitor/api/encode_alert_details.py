"""Converts the details of an alert to items of the API schema. Pure functions."""

from collections.abc import Mapping, Sequence

from monitor.alerting.version_diff import Difference
from monitor.api.encode import Labels, label
from monitor.api.schema.alert_details import AlertDiffItem, AlertEvidenceItem, AlertNightItem, VersionDifferenceItem
from monitor.domain.alert import Alert
from monitor.domain.evidence import ChannelEvidence
from monitor.domain.finding import Finding, SetReplay

OVERALL = "overall"
_NUMBERS = ("e", "e_needed", "p", "p_needed", "worse", "delta", "interval")


def diff(
    row: Alert, labels: Labels, found: Sequence[Difference], prompts: tuple[str | None, str | None]
) -> AlertDiffItem:
    """Return the differences of the versions of an alert, with the texts of both prompts if they differ."""
    return AlertDiffItem(
        alert_id=row.id,
        from_version=row.from_version,
        to_version=row.to_version,
        from_label=label(labels, row.deployment, row.from_version),
        to_label=label(labels, row.deployment, row.to_version),
        differences=[
            VersionDifferenceItem(what=each.what, name=each.name, before=each.before, after=each.after)
            for each in found
        ],
        prompt_before=prompts[0],
        prompt_after=prompts[1],
    )


def evidence(
    row: Alert, opening: Finding | None, nights: Sequence[Finding], labels: Labels, most: int
) -> AlertEvidenceItem:
    """Return the evidence of each night for the channel that decided the finding that opened the alert."""
    channel, kind = _deciding(opening)
    rate_of = channel if kind == "score" else OVERALL
    return AlertEvidenceItem(
        alert_id=row.id,
        channel=channel,
        rate_of=rate_of,
        is_share=row.metric is None,
        most=most,
        nights=[_night(each, channel, kind, rate_of, labels) for each in nights],
    )


def _deciding(opening: Finding | None) -> tuple[str, str]:
    """Return the name and the kind of the channel that decided."""
    if opening is None:
        return OVERALL, "score"
    if opening.decided is not None:
        return opening.decided.channel, opening.decided.kind
    seen = opening.evidence
    if seen is not None and seen.channel is not None and seen.kind is not None:
        return seen.channel, seen.kind
    return OVERALL, "score"


def _night(found: Finding, channel: str, kind: str, rate_of: str, labels: Labels) -> AlertNightItem:
    rate, cases = _rate(found, rate_of)
    return AlertNightItem.model_validate(
        {
            "finding_id": found.id,
            "at": found.at,
            "run_id": found.subject.candidate_run if isinstance(found.subject, SetReplay) else None,
            "version": found.to_version,
            "version_label": label(labels, found.deployment, found.to_version),
            "verdict": found.verdict.value,
            "rate": rate,
            "cases": cases,
            **_numbers(found, channel, kind),
        }
    )


def _rate(found: Finding, rate_of: str) -> tuple[float | None, int | None]:
    compared = found.comparison
    if compared is None:
        return None, None
    row = next((each for each in compared.categories if each.category == rate_of), None)
    if row is not None and rate_of != OVERALL:
        return row.candidate, row.n
    return (compared.candidate, compared.n) if rate_of == OVERALL else (None, None)


def _numbers(found: Finding, channel: str, kind: str) -> Mapping[str, object]:
    """Return the evidence of the channel in this night: of the test of the open alert, else of the nightly tests."""
    row = _channel(found, channel, kind)
    numbers: dict[str, object] = {name: getattr(row, name, None) for name in _NUMBERS}
    if found.production is not None:
        numbers |= {"e": found.production.e, "e_needed": found.production.e_needed}
    return numbers


def _channel(found: Finding, channel: str, kind: str) -> ChannelEvidence | None:
    seen = found.evidence
    if seen is None:
        return None
    rows = [*([seen.open_alert_change] if seen.open_alert_change is not None else []), *seen.channels]
    return next((row for row in rows if row.channel == channel and row.kind == kind), None)
