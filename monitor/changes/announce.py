"""Changes that a deploy pipeline tells of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor.changes.fingerprint import Identity, identity_from, prompt_name
from monitor.changes.kind import differing, kind_of
from monitor.domain.version import Change, ChangeKind, How, Version
from monitor.errors import UsageError
from replay.targets.prompt import prompt_hash

AHEAD = timedelta(minutes=1)  # how far the announcer's clock may run before ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What is new; everything left out stays as it is. `model` is the name that the responses will report."""

    deployment: str
    at: datetime | None = None
    model: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_text: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """The rows to insert. Neither is there when the deployment already runs what is announced."""

    version: Version | None
    change: Change | None


def announce(
    told: Announcement,
    *,
    fields: tuple[str, ...],
    current: str | None,
    known: Sequence[Version],
    now: datetime,
    change_id: str,
) -> Announced:
    """The version and the change an announcement stands for; `fields` are the deployment's identity fields.

    Told again, or told after traffic has shown it, it is no second change. One that names neither model nor prompt
    (new tools, new code) is a change of unknown kind from the current version to itself. UsageError when it cannot be
    understood.
    """
    _check(told, fields, now)
    versions = {version.id: version for version in known}
    before = versions.get(current or "")
    identity = _identity(told, fields, before)
    silent = not _named(told)
    if before is not None and identity.digest == before.id and not silent:
        return Announced(version=None, change=None)
    change = _change(told, before, identity, now=now, change_id=change_id)
    new = identity.digest not in versions
    return Announced(version=_version(told, identity, change) if new else None, change=change)


def _check(told: Announcement, fields: tuple[str, ...], now: datetime) -> None:
    where = f"deployment {told.deployment!r}"
    if told.at is not None and told.at.tzinfo is None:
        raise UsageError(f"{where}: 'at' has no time zone; write it as 2026-11-21T02:00:00Z")
    if told.at is not None and told.at > now + AHEAD:
        raise UsageError(f"{where}: 'at' {told.at.isoformat()} is in the future; announce a change when it is deployed")
    for factor, names in _named(told).items():
        if not any(name in fields for name in names):
            raise UsageError(f"{where}: a new {factor} is no change here, its identity is {', '.join(fields)}")


def _named(told: Announcement) -> dict[str, tuple[str, ...]]:
    """The factors the announcement speaks of, with the identity fields they stand in."""
    prompt = told.prompt_id or told.prompt_version or told.prompt_text is not None
    model = {"model": ("response_model", "request_model")} if told.model else {}
    return {**model, **({"prompt": ("prompt",)} if prompt else {})}


def _identity(told: Announcement, fields: tuple[str, ...], before: Version | None) -> Identity:
    values = {name: before.identity.get(name, "") if before else "" for name in fields}
    for factor, names in _named(told).items():
        value = told.model or "" if factor == "model" else _prompt(told, values["prompt"])
        values.update({name: value for name in names if name in fields})
    if "response_model" in fields and not values["response_model"]:
        raise UsageError(f"deployment {told.deployment!r} has no version yet: announce its model")
    return identity_from(values)


def _prompt(told: Announcement, before: str) -> str:
    """The prompt's new name. A version alone is one of the prompt that is there."""
    named = "@" in before
    if told.prompt_version and not told.prompt_id:
        if not named:
            raise UsageError(f"deployment {told.deployment!r}: its prompt has no id yet; announce prompt_id too")
        return f"{before.rpartition('@')[0]}@{told.prompt_version}"
    if not told.prompt_id and named:
        raise UsageError(
            f"deployment {told.deployment!r}: traffic calls its prompt {before!r}, not by its text; "
            "announce prompt_version"
        )
    text = told.prompt_text
    return prompt_name(told.prompt_id, told.prompt_version, None if text is None else prompt_hash(text))


def _change(told: Announcement, before: Version | None, identity: Identity, *, now: datetime, change_id: str) -> Change:
    fields: Mapping[str, str] = before.identity if before else {}
    evidence: dict[str, Any] = {"differs": list(differing(fields, identity.fields)) if before else []}
    if told.note:
        evidence["note"] = told.note
    return Change(
        id=change_id,
        deployment=told.deployment,
        at=told.at or now,
        noted_at=now,
        kind=kind_of(fields, identity.fields) if before else ChangeKind.UNKNOWN,
        how=How.ANNOUNCED,
        from_version=before.id if before else None,
        to_version=identity.digest,
        evidence=evidence,
    )


def _version(told: Announcement, identity: Identity, change: Change) -> Version:
    return Version(
        id=identity.digest,
        deployment=told.deployment,
        label=identity.label,
        identity=identity.fields,
        first_seen=change.at,
        how=How.ANNOUNCED,
        evidence={"note": told.note} if told.note else {},
    )
