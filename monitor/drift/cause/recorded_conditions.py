"""Which recorded conditions differ between the nights before an onset and the nights since."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from monitor.domain.run import Run
from monitor.domain.version import Change, ChangeKind
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import RecordedEvidence, recorded_evidence

_MODEL = ("model",)
_PROMPT = ("system_prompt_hash", "template_hash", "prompt_id", "prompt_version")
_PARAMETERS = ("temperature", "top_p", "max_tokens", "seed")
_SHORT = 16  # characters of a digest that people are shown

Values = frozenset[str]
Read = Callable[[Run, str], Values]
Subject = TypeVar("Subject", ChangeKind, Suspect)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """`evidence` has the meaning for each suspect, `differences` the same as text."""

    evidence: RecordedEvidence
    differences: tuple[str, ...]


def compare_conditions(
    before: Sequence[Run],
    after: Sequence[Run],
    *,
    judge_before: Values,
    judge_after: Values,
    changes: Sequence[Change] = (),
) -> Conditions:
    """Return what the manifests of both sides record differently. `changes` are those that the nights since replayed.

    A condition differs when a night since the onset has a value that no night before it had. A new fingerprint or
    another address is a hint. A change of unknown kind counts only when the manifests record no difference.
    """
    differing_fields: list[tuple[ChangeKind, str]] = [
        *_differing_fields(before, after, ChangeKind.MODEL, _target, _MODEL),
        *_differing_fields(before, after, ChangeKind.MODEL, _reported, _MODEL),
        *_differing_fields(before, after, ChangeKind.PROMPT, _target, _PROMPT),
        *_differing_fields(before, after, ChangeKind.PARAMETERS, _target, _PARAMETERS),
    ]
    kinds = {kind for kind, _ in differing_fields} | {change.kind for change in changes} - {ChangeKind.UNKNOWN}
    version_step = _step(_versions(before), _versions(after))
    if not kinds and (version_step is not None or changes):
        kinds = {ChangeKind.UNKNOWN}
    hints = [
        *_differing_fields(before, after, Suspect.MODEL, _reported, ("system_fingerprint",)),
        *_differing_fields(before, after, Suspect.ENVIRONMENT, _target, ("base_url", "settings_hash")),
    ]
    judges, revisions = _step(judge_before, judge_after), _step(_revisions(before), _revisions(after))
    evidence = recorded_evidence(
        kinds,
        judge_changed=_judge_changed(before, after, changed=judges is not None),
        set_changed=revisions is not None,
        hinted=[suspect for suspect, _ in hints],
    )
    sentences = [*(text for _, text in differing_fields), *(text for _, text in hints)]
    named = [("version", version_step if not sentences else None), ("judge", judges), ("set revision", revisions)]
    return Conditions(
        evidence=evidence, differences=(*sentences, *(f"{name}: {step}" for name, step in named if step is not None))
    )


def _differing_fields(
    before: Sequence[Run], after: Sequence[Run], kind: Subject, read: Read, fields: Sequence[str]
) -> list[tuple[Subject, str]]:
    """Return each field that differs, with its subject."""
    rows = []
    for field in fields:
        then = frozenset[str]().union(*(read(run, field) for run in before))
        now = frozenset[str]().union(*(read(run, field) for run in after))
        step = _step(then, now)
        if step is not None:
            name = f"served {field}" if read is _reported else field.replace("_", " ")
            rows.append((kind, f"{name}: {step}"))
    return rows


def _step(then: Values, now: Values) -> str | None:
    """Return `gpt-4-0314 to gpt-4-0613`; None when no value is new, or one side has none."""
    added = sorted(now - then)
    if not then or not added:
        return None
    return f"{', '.join(text[:_SHORT] for text in sorted(then))} to {', '.join(text[:_SHORT] for text in added)}"


def _target(run: Run, field: str) -> Values:
    """Return the value of a target field. An unset parameter is a value like any other; a run without a manifest has
    none.
    """
    target = _part(run, "target")
    return frozenset({"unset" if target.get(field) is None else str(target[field])} if target else ())


def _reported(run: Run, field: str) -> Values:
    return frozenset(_part(run, "reported").get(field) or ())


def _part(run: Run, name: str) -> Mapping[str, Any]:
    return (run.manifest or {}).get(name) or {}


def _versions(side: Sequence[Run]) -> Values:
    return frozenset(run.version for run in side if run.version is not None)


def _revisions(side: Sequence[Run]) -> Values:
    return frozenset(run.revision for run in side)


def _judge_changed(before: Sequence[Run], after: Sequence[Run], *, changed: bool) -> bool | None:
    """Return None for a hosted judge with one version, because its host may change it."""
    hosted = any((run.manifest or {}).get("judge") for run in (*before, *after))
    return True if changed else None if hosted else False
