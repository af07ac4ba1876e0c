"""Changes that a deployment pipeline announces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor.changes.fingerprint import Identity, identity_from, prompt_name
from monitor.changes.kind import differing, kind_of
from monitor.domain.version import Change, ChangeKind, How, Version
from monitor.errors import UsageError
from replay.targets.prompt import prompt_hash

VERSION = "prompt_version"  # in the evidence of a change whose prompt traffic calls by its text
CLOCK_SKEW = timedelta(minutes=1)  # how far the announcer's clock may run before ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What is new; a field that is None stays as it is. `model` is the name that the responses will report."""

    deployment: str
    at: datetime | None = None
    model: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_text: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """The rows to insert. Both are None when the deployment already runs what is announced."""

    version: Version | None
    change: Change | None


def announce(
    announcement: Announcement,
    *,
    fields: tuple[str, ...],
    current: str | None,
    known: Sequence[Version],
    now: datetime,
    change_id: str,
    prompt_id: str | None = None,
    last: Change | None = None,
) -> Announced:
    """Return the version and the change of an announcement; `fields` are the identity fields of the deployment.

    `prompt_id` is the configured id of the prompt, `last` the newest change of the deployment. A repeated announcement,
    or one after traffic has shown the change, is not a second change.

    An announcement without model or prompt (new tools, new code) is a change of unknown kind from the current version
    to itself. A new version of a prompt that traffic identifies by its text is a prompt change from the version to
    itself, because the text is not known yet. Raise UsageError when the announcement is not valid.
    """
    _check(announcement, fields, now)
    versions = {version.id: version for version in known}
    before = versions.get(current or "")
    identity = _identity(announcement, fields, before, prompt_id)
    if before is not None and identity.digest == before.id and not _is_invisible(announcement, before, last):
        return Announced(version=None, change=None)
    change = _change(announcement, before, identity, now=now, change_id=change_id)
    new = identity.digest not in versions
    return Announced(version=_version(announcement, identity, change) if new else None, change=change)


def _check(announcement: Announcement, fields: tuple[str, ...], now: datetime) -> None:
    where = f"deployment {announcement.deployment!r}"
    if announcement.at is not None and announcement.at.tzinfo is None:
        raise UsageError(f"{where}: 'at' has no time zone; write it as 2026-11-21T02:00:00Z")
    if announcement.at is not None and announcement.at > now + CLOCK_SKEW:
        raise UsageError(
            f"{where}: 'at' {announcement.at.isoformat()} is in the future; announce a change when it is deployed"
        )
    for factor, names in _named(announcement).items():
        if not any(name in fields for name in names):
            raise UsageError(
                f"{where}: a new {factor} is not a change here: the identity fields are {', '.join(fields)}"
            )


def _named(announcement: Announcement) -> dict[str, tuple[str, ...]]:
    """Return the factors in the announcement, with the identity fields that they belong to."""
    prompt = announcement.prompt_id or announcement.prompt_version or announcement.prompt_text is not None
    model = {"model": ("response_model", "request_model")} if announcement.model else {}
    return {**model, **({"prompt": ("prompt",)} if prompt else {})}


def _is_invisible(announcement: Announcement, before: Version, last: Change | None) -> bool:
    """Return whether no identity field shows what is announced. A prompt version that is recorded already is not
    new.
    """
    if _is_version_of_text(announcement, before):
        noted = (
            last is not None
            and last.to_version == before.id
            and last.evidence.get(VERSION) == announcement.prompt_version
        )
        return not noted
    return not _named(announcement)


def _is_version_of_text(announcement: Announcement, before: Version | None) -> bool:
    """Return whether only a prompt version is announced, and the current version identifies its prompt by the text."""
    alone = announcement.prompt_version and not announcement.prompt_id and announcement.prompt_text is None
    return bool(alone and before is not None and "@" not in before.identity.get("prompt", ""))


def _identity(
    announcement: Announcement, fields: tuple[str, ...], before: Version | None, prompt_id: str | None
) -> Identity:
    values = {name: before.identity.get(name, "") if before else "" for name in fields}
    named = _named(announcement)
    if _is_version_of_text(announcement, before):
        named.pop("prompt")
    for factor, names in named.items():
        value = announcement.model or "" if factor == "model" else _prompt(announcement, values["prompt"], prompt_id)
        values.update({name: value for name in names if name in fields})
    if "response_model" in fields and not values["response_model"]:
        raise UsageError(
            f"deployment {announcement.deployment!r} has no version yet; announce its model too (model, --model), "
            "or send traffic or replay a set first"
        )
    return identity_from(values)


def _prompt(announcement: Announcement, before: str, prompt_id: str | None) -> str:
    """Return the new name of the prompt. A version alone belongs to the current prompt, else to the configured one."""
    named = "@" in before
    if announcement.prompt_version and not announcement.prompt_id and (named or announcement.prompt_text is None):
        known = before.rpartition("@")[0] if named else prompt_id
        if not known:
            raise UsageError(
                f"deployment {announcement.deployment!r}: its prompt has no id yet; announce it too "
                "(prompt_id, --prompt-id), or set targets.NAME.prompt"
            )
        return f"{known}@{announcement.prompt_version}"
    if not announcement.prompt_id and named:
        raise UsageError(
            f"deployment {announcement.deployment!r}: traffic calls its prompt {before!r}, not by its text; "
            "announce its version (prompt_version, --prompt-version)"
        )
    text = announcement.prompt_text
    return prompt_name(announcement.prompt_id, announcement.prompt_version, None if text is None else prompt_hash(text))


def _change(
    announcement: Announcement, before: Version | None, identity: Identity, *, now: datetime, change_id: str
) -> Change:
    fields: Mapping[str, str] = before.identity if before else {}
    evidence: dict[str, Any] = {"differs": list(differing(fields, identity.fields)) if before else []}
    kind = kind_of(fields, identity.fields) if before else ChangeKind.UNKNOWN
    note = announcement.note
    if _is_version_of_text(announcement, before):
        evidence[VERSION] = announcement.prompt_version
        kind = ChangeKind.PROMPT if kind is ChangeKind.UNKNOWN else kind
        note = "; ".join(part for part in (f"prompt version {announcement.prompt_version}", announcement.note) if part)
    if note:
        evidence["note"] = note
    return Change(
        id=change_id,
        deployment=announcement.deployment,
        at=announcement.at or now,
        noted_at=now,
        kind=kind,
        how=How.ANNOUNCED,
        from_version=before.id if before else None,
        to_version=identity.digest,
        evidence=evidence,
    )


def _version(announcement: Announcement, identity: Identity, change: Change) -> Version:
    return Version(
        id=identity.digest,
        deployment=announcement.deployment,
        label=identity.label,
        identity=identity.fields,
        first_seen=change.at,
        how=How.ANNOUNCED,
        evidence={"note": announcement.note} if announcement.note else {},
    )
