"""Removes all data of a user, and everything derived from it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.store.aggregates import settled_days
from monitor.store.engine.schema import KEYS_OF_INTERACTIONS, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.maintenance.erase_cases import remove_cases
from monitor.store.maintenance.fold import fold
from monitor.store.sets import candidate_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """The number of removed rows by table, and the dynamic sets that lost cases."""

    removed: Mapping[str, int]
    sets: tuple[str, ...]


def erase_user(tx: Tx, user_id: str, at: datetime, *, stored_as: str | None = None) -> Erased:
    """Remove the interactions of a user and everything derived from them. Frozen sets do not change.

    `stored_as` is the hash under which user ids are stored. Rows with the plain id are removed too.

    An interaction without a user id in the same trace, or in the same conversation of the deployment, belongs to the
    user. After the commit no reader finds the rows; their bytes are gone after the next compaction.
    """
    fold(tx)
    names = list(dict.fromkeys((user_id, stored_as or user_id)))
    rows = tx.query("interactions_of_user", user_ids=names)
    batch = table_of(KEYS_OF_INTERACTIONS, rows)
    removed: dict[str, int] = {}
    sets: list[str] = []
    if rows:
        for set_name, case_ids in _cases_by_set(tx.query("cases_of_interactions", batch=batch)).items():
            _add(removed, remove_cases(tx, set_name, case_ids, at))
            sets.append(set_name)
        removed["candidate"] = tx.execute("remove_candidates_of_interactions", batch=batch)
        removed["candidate_member"] = tx.execute("remove_members_of_interactions", batch=batch)
        candidate_groups.forget_orphans(tx)
        removed["candidate_decision"] = tx.execute("remove_orphaned_decisions")
        removed["candidate_review"] = tx.execute("remove_orphaned_reviews")
        removed["sampled_candidate"] = tx.execute("remove_orphaned_samples")
        removed["reproduction"] = tx.execute("remove_orphaned_reproductions")
        removed["reproduction_reply"] = tx.execute("remove_orphaned_replies")
        tx.new_step()  # the interactions are last, because a repeated call finds the rest by them
        removed["turn_signal"] = tx.execute("remove_turn_signals_of_interactions", batch=batch)
        removed["feedback"] = tx.execute("remove_feedback_of_interactions", batch=batch)
        removed["interaction"] = tx.execute("remove_interactions", batch=batch)
        settled_days.unsettle_after_removal(tx)
        removed["span_content"] = tx.execute("remove_content_of_traces", batch=batch)
    removed["span_context"] = tx.execute("remove_context_of_users", user_ids=names, batch=batch)
    removed["turn_review"] = tx.execute("remove_orphaned_turn_reviews")
    for text in dict.fromkeys(spelling for name in names for spelling in _spellings(name)):
        tx.new_step()
        _add(removed, {"dead_letter": tx.execute("remove_dead_letters_containing", text=text)})
        _add(removed, {"idempotency": tx.execute("remove_responses_containing", text=text)})
    return Erased(removed={table: count for table, count in removed.items() if count}, sets=tuple(sets))


def _cases_by_set(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["set_name"], []).append(row["case_id"])
    return found


def _spellings(user_id: str) -> list[str]:
    """Return the id as text, and as JSON with and without escapes."""
    written = [user_id, json.dumps(user_id)[1:-1], json.dumps(user_id, ensure_ascii=False)[1:-1]]
    return list(dict.fromkeys(written))


def _add(removed: dict[str, int], more: Mapping[str, int]) -> None:
    for table, count in more.items():
        removed[table] = removed.get(table, 0) + count
