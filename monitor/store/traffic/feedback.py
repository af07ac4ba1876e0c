"""Feedback: appended once each, then linked to what it speaks of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from monitor.domain.feedback import CorrectionDay, Feedback, FeedbackKind, Link, LinkMethod
from monitor.domain.interaction import Interaction
from monitor.store.engine.append import Inserted, append_new, row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import IDS, LINKS, TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.interaction_row import to_interaction

RESEND_MARGIN: Final = timedelta(days=1)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)
AGES: Final = ("age_s", "age_before_s")
WHITE_SPACE: Final = " \t\r\n"  # DuckDB's trim takes off spaces alone


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySchedule:
    """When a signal without an interaction is looked at again: first after `first_s`, then after pauses as long as it
    is old, of `longest_s` at most, until it is `given_up_after_s` old. For `longest_s` a weak link may still change.
    """

    first_s: float = 2.0
    longest_s: float = 600.0
    given_up_after_s: float = 7 * 86_400.0

    def oldest(self, now: datetime) -> datetime:
        """Signals received before this are given up."""
        return now - timedelta(seconds=self.given_up_after_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """Signals without an interaction: those that are still tried, and those that were given up."""

    waiting: int
    given_up: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A signal as it stands, and whether another has taken its place."""

    feedback: Feedback
    overridden: bool


def insert(tx: Tx, rows: Sequence[Feedback]) -> Inserted:
    """Append the signals that are not there yet, and let the later word of a revisable one replace the earlier.

    A case that the earlier word proposed and nobody decided yet goes with it.
    """
    plain = [row_of(row) for row in rows if not row.revisable]
    once = append_new(tx, "insert_new_feedback", "feedback", plain, at="at", margin=RESEND_MARGIN)
    revised = _revise(tx, [row for row in rows if row.revisable])
    return Inserted(accepted=once.accepted + revised.accepted, duplicates=once.duplicates + revised.duplicates)


def _revise(tx: Tx, rows: Sequence[Feedback]) -> Inserted:
    """A revision bears any time, so its id is looked for among all signals. Of two in one batch the later stays."""
    if not rows:
        return Inserted(accepted=0, duplicates=0)
    latest = {row.id: row for row in sorted(rows, key=lambda row: row.at)}
    batch = _table([*latest.values()])
    tx.execute("withdraw_revised_candidates", batch=batch)
    changed = tx.execute("revise_feedback", batch=batch)
    addable = [row for row in latest.values() if not row.only_revises]
    added = tx.execute("insert_new_feedback", batch=_table(addable), since=EPOCH, until=LATEST) if addable else 0
    return Inserted(accepted=changed + added, duplicates=len(rows) - changed - added)


def _table(rows: Sequence[Feedback]) -> pa.Table:
    return table_of(TABLES["feedback"], [row_of(row) for row in rows])


def retract(tx: Tx, ids: Sequence[str]) -> None:
    """Remove signals as if they had never been given, with the cases of theirs that nobody decided yet."""
    if ids:
        batch = table_of(IDS, [{"id": id_} for id_ in ids])
        tx.execute("withdraw_candidates_of_feedback", batch=batch)
        tx.execute("remove_feedback", batch=batch)


def by_id(tx: Tx, id_: str) -> Feedback | None:
    row = tx.one("feedback_by_id", id=id_)
    return None if row is None else to_feedback(row)


def of_trace(tx: Tx, id_: str, trace_id: str) -> Stored | None:
    """The signal with this id, if it speaks of this trace."""
    for row in tx.query("feedback_of_trace", id=id_, trace_id=trace_id):
        overridden = row.pop("overridden")
        return Stored(feedback=to_feedback(row), overridden=overridden)
    return None


def page_of_spans(
    tx: Tx, q: PageQuery, span_ids: Sequence[str], *, prefix: str, only: Sequence[str] = (), but: Sequence[str] = ()
) -> Page[Feedback]:
    """The signals whose ids begin with `prefix`, which speak of these spans and are kept to be given out again.

    `only` and `but` are the names that they must have, and must not have.
    """
    asked: dict[str, Any] = {"span_ids": list(span_ids), "prefix": prefix, "only": list(only), "but": list(but)}
    return fetch_page(tx, "page_feedback_of_spans", q, to_feedback, at="at", **asked)


def due_for_link(
    tx: Tx, *, now: datetime, before: datetime | None, patience: RetrySchedule, limit: int, skip: int = 0
) -> list[Feedback]:
    """The signals without an interaction whose pause ended since `before` (None: all), newest first, and young ones
    that a trace or a conversation alone led to theirs.
    """
    rows = tx.query(
        "feedback_due_for_link",
        now=now,
        before=before,
        oldest=patience.oldest(now),
        settling=now - timedelta(seconds=patience.longest_s),
        first_s=patience.first_s,
        longest_s=patience.longest_s,
        limit=limit,
        skip=skip,
    )
    return [to_feedback({key: value for key, value in row.items() if key not in AGES}) for row in rows]


def count_unlinked(tx: Tx, now: datetime, patience: RetrySchedule) -> Unlinked:
    return Unlinked(**tx.query("count_unlinked_feedback", oldest=patience.oldest(now))[0])


def links_to_kept_calls(tx: Tx, since: datetime) -> list[Link]:
    """Of signals linked to the second report of a call, received since then: the link to the report that is kept."""
    rows = tx.query("feedback_of_duplicates", since=since)
    return [Link(**row | {"method": LinkMethod(row["method"])}) for row in rows]


def set_links(tx: Tx, links: Sequence[Link]) -> None:
    """Write down which interaction each signal belongs to."""
    if links:
        tx.execute("link_feedback", batch=table_of(LINKS, [row_of(link) for link in links]))


def corrections_without_candidate(tx: Tx, deployment: str, limit: int) -> list[tuple[Feedback, Interaction]]:
    """The newest linked signals that say what the output of a readable question should have been, if that question is
    no candidate of the deployment yet. Whether they really propose a case is for monitor/feedback to say.
    """
    rows = tx.query("corrections_without_candidate", deployment=deployment, limit=limit, space=WHITE_SPACE)
    corrections = [to_feedback(row) for row in rows]
    wanted = table_of(IDS, [{"id": item.linked_interaction_id} for item in corrections])
    found = {row["id"]: to_interaction(row) for row in tx.query("interactions_by_ids", batch=wanted)}
    return [(item, found[str(item.linked_interaction_id)]) for item in corrections]


def correction_days(tx: Tx, deployment: str, since: datetime, until: datetime) -> list[CorrectionDay]:
    """Of each day in [since, until) with production traffic, oldest first."""
    return [
        CorrectionDay(**row) for row in tx.query("correction_days", deployment=deployment, since=since, until=until)
    ]


def page(tx: Tx, q: PageQuery) -> Page[Feedback]:
    return fetch_page(tx, "page_feedback", q, to_feedback, at="at")


def count(tx: Tx) -> int:
    return int(tx.query("count_feedback")[0]["feedback"])


def to_feedback(row: Row) -> Feedback:
    return Feedback(**row | {"kind": FeedbackKind(row["kind"])})
