"""The prompts of versions, as they were announced or seen in traffic."""

from dataclasses import dataclass, field
from datetime import datetime

from monitor.store.columns import TABLES, table_of
from monitor.store.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPrompt:
    """The system message of traffic, with the name that traffic gives it."""

    text: str = field(repr=False)
    prompt_id: str | None
    prompt_version: str | None


def keep_announced(tx: Tx, deployment: str, version: str, text: str, at: datetime) -> None:
    """Keep the text that was told with the version; the newest one told stays."""
    tx.execute("forget_prompt", deployment=deployment, version=version)
    row = {"deployment": deployment, "version": version, "text": text, "at": at}
    tx.insert("prompt", table_of(TABLES["prompt"], [row]))


def announced(tx: Tx, deployment: str, version: str) -> str | None:
    row = tx.one("announced_prompt", deployment=deployment, version=version)
    return row["text"] if row else None


def observed(tx: Tx, deployment: str, version: str) -> SeenPrompt | None:
    """What stood before the newest production call of the version."""
    row = tx.one("observed_prompt", deployment=deployment, version=version)
    return SeenPrompt(**row) if row else None
