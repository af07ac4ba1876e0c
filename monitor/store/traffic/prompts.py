"""The prompts of versions: announced, observed in traffic, or sent by replays."""

from dataclasses import dataclass, field
from datetime import datetime

from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPrompt:
    """The system message of traffic, with the prompt name that the traffic reports."""

    text: str = field(repr=False)
    prompt_id: str | None
    prompt_version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedPrompt:
    """The prompt of a replay: a template, or the complete system message."""

    text: str = field(repr=False)
    is_template: bool
    prompt_id: str | None = None
    prompt_version: str | None = None


def store_announced(tx: Tx, deployment: str, version: str, text: str, at: datetime) -> None:
    """Store the text that was announced with the version. It replaces an older text."""
    tx.execute("forget_prompt", deployment=deployment, version=version)
    row = {"deployment": deployment, "version": version, "text": text, "at": at}
    tx.insert("prompt", table_of(TABLES["prompt"], [row]))


def announced(tx: Tx, deployment: str, version: str) -> str | None:
    row = tx.one("announced_prompt", deployment=deployment, version=version)
    return row["text"] if row else None


def observed(tx: Tx, deployment: str, version: str) -> ObservedPrompt | None:
    """Return the system message of the newest production call of the version."""
    row = tx.one("observed_prompt", deployment=deployment, version=version)
    return ObservedPrompt(**row) if row else None


def of_version(tx: Tx, deployment: str, version: str | None) -> str | None:
    """Return the announced prompt of a version, else the one of its traffic. A redacted one counts as unknown."""
    if version is None:
        return None
    text = announced(tx, deployment, version)
    if text is not None:
        return text
    seen = observed(tx, deployment, version)
    return None if seen is None else seen.text


def store_replayed(tx: Tx, deployment: str, digest: str, prompt: ReplayedPrompt) -> None:
    """Store the prompt of a replay under the digest that its manifest records. A stored prompt is not changed."""
    values = {name: getattr(prompt, name) for name in ("text", "is_template", "prompt_id", "prompt_version")}
    tx.execute("insert_replayed_prompt", deployment=deployment, digest=digest, **values)


def replayed(tx: Tx, deployment: str, digest: str) -> ReplayedPrompt | None:
    row = tx.one("replayed_prompt", deployment=deployment, digest=digest)
    return ReplayedPrompt(**row) if row else None
