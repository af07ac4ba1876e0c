"""The prompts of versions, as they were announced, seen in traffic or sent by replays."""

from dataclasses import dataclass, field
from datetime import datetime

from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPrompt:
    """The system message of traffic, with the name that traffic gives it."""

    text: str = field(repr=False)
    prompt_id: str | None
    prompt_version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedPrompt:
    """The prompt of a replay: a template, or the system message as it stands."""

    text: str = field(repr=False)
    is_template: bool
    prompt_id: str | None = None
    prompt_version: str | None = None


def store_announced(tx: Tx, deployment: str, version: str, text: str, at: datetime) -> None:
    """Keep the text that was values with the version; the newest one values stays."""
    tx.execute("forget_prompt", deployment=deployment, version=version)
    row = {"deployment": deployment, "version": version, "text": text, "at": at}
    tx.insert("prompt", table_of(TABLES["prompt"], [row]))


def announced(tx: Tx, deployment: str, version: str) -> str | None:
    row = tx.one("announced_prompt", deployment=deployment, version=version)
    return row["text"] if row else None


def observed(tx: Tx, deployment: str, version: str) -> ObservedPrompt | None:
    """What stood before the newest production call of the version."""
    row = tx.one("observed_prompt", deployment=deployment, version=version)
    return ObservedPrompt(**row) if row else None


def store_replayed(tx: Tx, deployment: str, digest: str, prompt: ReplayedPrompt) -> None:
    """Keep what a replay sends under the digest that its manifest records; what is kept already stays."""
    values = {name: getattr(prompt, name) for name in ("text", "is_template", "prompt_id", "prompt_version")}
    tx.execute("insert_replayed_prompt", deployment=deployment, digest=digest, **values)


def replayed(tx: Tx, deployment: str, digest: str) -> ReplayedPrompt | None:
    row = tx.one("replayed_prompt", deployment=deployment, digest=digest)
    return ReplayedPrompt(**row) if row else None
