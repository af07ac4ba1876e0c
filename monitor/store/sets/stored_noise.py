"""The measured noise of sets, so that no request repeats the detection over all nights."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.store.engine.append import row_of
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredNoise:
    """A measurement. `inputs` identifies what it was computed from, `document` is the result as JSON."""

    inputs: str
    document: str


def newest(tx: Tx, deployment: str, set_name: str) -> StoredNoise | None:
    row = tx.one("stored_noise", deployment=deployment, set_name=set_name)
    return StoredNoise(**row) if row else None


def put(tx: Tx, deployment: str, set_name: str, found: StoredNoise) -> None:
    """Store a measurement in place of the older one."""
    key = {"deployment": deployment, "set_name": set_name}
    tx.execute("replace_noise", **key)
    tx.insert("set_noise", table_of(TABLES["set_noise"], [row_of(found) | key]))


def digests(tx: Tx, run_ids: Sequence[str]) -> dict[str, str | None]:
    """Return what identifies the stored results of each run that has them."""
    return {row["run_id"]: row["digest"] for row in tx.query("digests_of_runs", run_ids=list(run_ids))}
