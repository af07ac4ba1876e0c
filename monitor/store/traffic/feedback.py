"""Feedback: each signal is appended once. Its link, a revision and a retraction are appended later, as facts.

Statements read `current_feedback`: each signal once, with its facts. `monitor/store/maintenance/fold.py` folds them
into the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from monitor.domain.deployment_limit import DeploymentLimit
from monitor.domain.feedback import CorrectionDay, Feedback, FeedbackKind, Link, LinkMethod
from monitor.domain.interaction import Interaction
from monitor.store.aggregates import traffic_counts
from monitor.store.aggregates.corrected_days import counted_at_once, unsettle_links, unsettling
from monitor.store.aggregates.settled_days import WHITE_SPACE
from monitor.store.engine.append import Inserted, append_new, row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import IDS, LINKS, TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.interaction_row import to_interaction

RESEND_MARGIN: Final = timedelta(days=1)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)
AGES: Final = ("age_s", "age_before_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySchedule:
    """When driftd retries a signal without an interaction.

    The first retry is after `first_s`. Each following pause is as long as the age of the signal, at most `longest_s`. A
    signal is given up when it is `given_up_after_s` old. A weak link can still change for `longest_s`.
    """

    first_s: float = 2.0
    longest_s: float = 600.0
    given_up_after_s: float = 7 * 86_400.0

    def oldest(self, now: datetime) -> datetime:
        """Return the receive time before which signals are given up."""
        return now - timedelta(seconds=self.given_up_after_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """The number of signals without an interaction: still retried, and given up."""

    waiting: int
    given_up: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored signal, and whether another signal has overridden it."""

    feedback: Feedback
    overridden: bool


def insert(tx: Tx, rows: Sequence[Feedback], limit: DeploymentLimit | None = None) -> Inserted:
    """Append new signals. A newer version of a revisable signal is appended too, and the older one ends.

    An undecided candidate of the older version is removed too. `limit` is that of the sender: it revises and overrides
    only signals of its deployments.
    """
    if limit is not None:
        rows = _of_limited_sender(tx, rows, limit)
    plain = [row_of(row) for row in rows if not row.revisable]
    with unsettling(tx, counted_at_once(rows)):
        once = append_new(tx, "insert_new_feedback", "feedback", plain, at="at", margin=RESEND_MARGIN)
    revised = _revise(tx, [row for row in rows if row.revisable], limit)
    return Inserted(accepted=once.accepted + revised.accepted, duplicates=once.duplicates + revised.duplicates)


def _of_limited_sender(tx: Tx, rows: Sequence[Feedback], limit: DeploymentLimit) -> list[Feedback]:
    """Return the signals with the limit of their sender, and without the names of signals that it does not see."""
    named = [row.overrides for row in rows if row.overrides is not None]
    seen = {row.id for row in rows}
    with tx.within(limit):
        seen.update(id_ for id_ in dict.fromkeys(named) if by_id(tx, id_) is not None)
    return [
        replace(row, limited_to=limit.text, overrides=row.overrides if row.overrides in seen else None) for row in rows
    ]


def _revise(tx: Tx, rows: Sequence[Feedback], limit: DeploymentLimit | None) -> Inserted:
    """Append new and changed revisable signals. A revision may have any time, so all signals are searched for its id.

    Of two revisions in one batch the later one is kept.
    """
    if not rows:
        return Inserted(accepted=0, duplicates=0)
    latest = {row.id: row for row in sorted(rows, key=lambda row: row.at)}
    batch = _table([*latest.values()])
    with tx.within(limit):
        if revised := tx.query("revised_corrections", batch=batch):
            _withdraw(tx, table_of(IDS, revised))
    addable = [row for row in latest.values() if not row.only_revises]
    with unsettling(tx, list(latest)):
        changed = _append_revisions(tx, batch, limit)
        added = tx.execute("insert_new_feedback", batch=_table(addable), since=EPOCH, until=LATEST) if addable else 0
    return Inserted(accepted=changed + added, duplicates=len(rows) - changed - added)


def _append_revisions(tx: Tx, batch: pa.Table, limit: DeploymentLimit | None) -> int:
    revision = _next_revision(tx)
    with tx.within(limit):
        changed = tx.execute("revise_feedback", batch=batch, revision=revision)
    if changed:
        with tx.within(None):  # the earlier row may have another deployment than its link
            tx.execute("end_revised_feedback", batch=batch, revision=revision)
    return changed


def _next_revision(tx: Tx) -> int:
    """Return the number of the next fact. It is larger than that of every row and every fact."""
    with tx.within(None):
        return int(tx.query("next_feedback_revision")[0]["revision"])


def _table(rows: Sequence[Feedback]) -> pa.Table:
    return table_of(TABLES["feedback"], [row_of(row) for row in rows])


def retract(tx: Tx, ids: Sequence[str]) -> None:
    """End signals, and remove their undecided candidates."""
    if ids:
        batch = table_of(IDS, [{"id": id_} for id_ in ids])
        _withdraw(tx, batch)
        with unsettling(tx, ids):
            tx.execute("retract_feedback", batch=batch, revision=_next_revision(tx))


def _withdraw(tx: Tx, batch: pa.Table) -> None:
    """Remove the undecided candidates of corrections, and the corrections from their groups."""
    tx.defer("withdraw_candidates_of_feedback", batch=batch)
    tx.defer("remove_members_of_corrections", batch=batch)


def by_id(tx: Tx, id_: str) -> Feedback | None:
    row = tx.one("feedback_by_id", id=id_)
    return None if row is None else to_feedback(row)


def of_trace(tx: Tx, id_: str, trace_id: str) -> Stored | None:
    """Return the signal with this id, if it refers to this trace."""
    for row in tx.query("feedback_of_trace", id=id_, trace_id=trace_id):
        overridden = row.pop("overridden")
        return Stored(feedback=to_feedback(row), overridden=overridden)
    return None


def page_of_spans(
    tx: Tx, q: PageQuery, span_ids: Sequence[str], *, prefix: str, only: Sequence[str] = (), but: Sequence[str] = ()
) -> Page[Feedback]:
    """Return the signals of these spans whose ids start with `prefix`.

    `only` lists the permitted names, `but` the excluded ones.
    """
    params: dict[str, Any] = {"span_ids": list(span_ids), "prefix": prefix, "only": list(only), "but": list(but)}
    return fetch_page(tx, "page_feedback_of_spans", q, to_feedback, at="at", **params)


def due_for_link(
    tx: Tx, *, now: datetime, before: datetime | None, patience: RetrySchedule, limit: int, skip: int = 0
) -> list[Feedback]:
    """Return the signals without an interaction whose pause ended since `before` (None: all), the newest first.

    Also return young signals that were linked only by trace or conversation, because a better match may still arrive.
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
    """Return links to the kept report, for signals received since then that are linked to a duplicate."""
    rows = tx.query("feedback_of_duplicates", since=since)
    return [Link(**row | {"method": LinkMethod(row["method"])}) for row in rows]


def set_links(tx: Tx, links: Sequence[Link]) -> None:
    """Append the interaction of each signal. Of two links of one signal the last one is kept."""
    if links:
        latest = [*{link.feedback_id: link for link in links}.values()]
        unsettle_links(tx, latest)
        batch = table_of(LINKS, [row_of(link) for link in latest])
        tx.execute("link_feedback", batch=batch, revision=_next_revision(tx))


def corrections_without_candidate(tx: Tx, deployment: str, limit: int) -> list[tuple[Feedback, Interaction]]:
    """Return the newest linked corrections of readable questions that belong to no group of the deployment yet.

    monitor/feedback decides whether they propose a case.
    """
    rows = tx.query("corrections_without_candidate", deployment=deployment, limit=limit, space=WHITE_SPACE)
    corrections = [to_feedback(row) for row in rows]
    wanted = table_of(IDS, [{"id": item.linked_interaction_id} for item in corrections])
    found = {row["id"]: to_interaction(row) for row in tx.query("interactions_by_ids", batch=wanted)}
    return [(item, found[str(item.linked_interaction_id)]) for item in corrections]


def correction_days(
    tx: Tx, deployments: Sequence[str], since: date, until: date
) -> dict[str, dict[date, CorrectionDay]]:
    """Return each UTC day of [since, until) with production traffic, the oldest first, by deployment."""
    calls = traffic_counts.by_day(tx, deployments, since, until)
    corrections = traffic_counts.corrections_by_day(tx, deployments, since, until)
    return {
        name: {
            day: CorrectionDay(interactions=calls[name][day], corrections=corrections[name].get(day, 0))
            for day in sorted(calls[name])
        }
        for name in deployments
    }


def page(tx: Tx, q: PageQuery) -> Page[Feedback]:
    return fetch_page(tx, "page_feedback", q, to_feedback, at="at")


def count(tx: Tx) -> int:
    return int(tx.query("count_feedback")[0]["feedback"])


def to_feedback(row: Row) -> Feedback:
    return Feedback(**row | {"kind": FeedbackKind(row["kind"])})
