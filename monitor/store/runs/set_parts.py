"""The parts of a dynamic set: the part of each case, and the cases that were selected against a version."""

from monitor.domain.run import Run
from monitor.store.engine.transaction import Tx


def of_revision(tx: Tx, set_name: str, revision: str) -> dict[str, str | None]:
    """Return the part of each case by id; None for an imported case."""
    rows = tx.query("parts_of_revision", name=set_name, revision=revision)
    return {row["case_id"]: row["part"] for row in rows}


def selected_against(tx: Tx, run: Run) -> frozenset[str]:
    """Return the corrected cases that the version of the run failed in production and another version was replayed on.

    If that version comes back (a rollback), these cases fall compared with the version in between, because they were
    selected by its failures: regression to the mean in the other direction.
    """
    if run.version is None:
        return frozenset()
    names = {"deployment": run.deployment, "set_name": run.set_name, "revision": run.revision, "version": run.version}
    return frozenset(row["case_id"] for row in tx.query("cases_selected_against", **names))
