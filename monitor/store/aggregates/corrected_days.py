"""Which settled days a change of feedback concerns: those of the calls that it corrects."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from monitor.domain.feedback import Feedback, Link
from monitor.store.aggregates.settled_days import NEVER, settled_until, unsettle, unsettle_calls
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import IDS, LINKS, table_of
from monitor.store.engine.transaction import Tx


@contextmanager
def unsettling(tx: Tx, feedback_ids: Sequence[str]) -> Iterator[None]:
    """Remove the stored counts of the days whose corrections the block changes. It writes or removes these signals."""
    if not feedback_ids or settled_until(tx) == NEVER:
        yield
        return
    before = _corrected(tx, feedback_ids)
    yield
    unsettle_calls(tx, before + _corrected(tx, feedback_ids))


def counted_at_once(rows: Sequence[Feedback]) -> list[str]:
    """Return the ids of new signals that change a count before a loop links them."""
    return [row.id for row in rows if row.overrides or (row.is_correction and row.linked_interaction_id)]


def unsettle_links(tx: Tx, links: Sequence[Link]) -> None:
    """Remove the stored counts of the days of calls that get a correction or lose it, before the links are stored."""
    if settled_until(tx) == NEVER:
        return
    batch = table_of(LINKS, [row_of(link) for link in links])
    linked = {row["id"]: row["linked_interaction_id"] for row in tx.query("corrections_to_link", batch=batch)}
    moved = [link for link in links if link.feedback_id in linked and linked[link.feedback_id] != link.interaction_id]
    placed = [link for link in moved if link.deployment is not None and link.started_at is not None]
    unsettle(tx, [str(link.deployment) for link in placed], [link.started_at for link in placed if link.started_at])
    unplaced = [link.interaction_id for link in moved if link.deployment is None or link.started_at is None]
    unsettle_calls(tx, unplaced + [linked[link.feedback_id] for link in moved if linked[link.feedback_id] is not None])


def _corrected(tx: Tx, feedback_ids: Sequence[str]) -> list[str]:
    batch = table_of(IDS, [{"id": id_} for id_ in feedback_ids])
    return [row["id"] for row in tx.query("linked_corrections", batch=batch)]
