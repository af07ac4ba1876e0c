"""Folds the facts that were appended for the rows of a table into these rows. No reader sees a difference."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from monitor.store.engine.append_only import FOLDED_AT_COMMIT
from monitor.store.engine.transaction import Tx


def fold(tx: Tx) -> int:
    """Fold all facts, whatever the limit of the request, and return their number.

    Retention and erasure fold first: their statements remove rows of the table itself.
    """
    with tx.within(None):
        return sum(FOLDS[table](tx) for table in sorted(tx.waiting_facts()))


def fold_before_commit(tx: Tx) -> None:
    """Fold the facts of `FOLDED_AT_COMMIT` that the transaction appended. Only a store with one writer may call it."""
    with tx.within(None):
        for table in sorted(FOLDED_AT_COMMIT & tx.appended_facts):
            FOLDS[table](tx)


def any_fact(tx: Tx) -> bool:
    """Return whether a fact is not folded yet."""
    return bool(tx.waiting_facts())


def _fold_feedback(tx: Tx) -> int:
    tx.execute("fold_feedback_ends")
    tx.execute("fold_feedback_links")
    tx.execute("fold_feedback_revisions")
    return tx.execute("forget_feedback_links") + tx.execute("forget_feedback_ends")


def _fold_calls(tx: Tx) -> int:
    tx.execute("fold_interaction_ends")
    tx.execute("fold_interaction_revisions")
    return tx.execute("forget_interaction_ends")


def _fold_dead_letters(tx: Tx) -> int:
    tx.execute("fold_dead_letter_ends")
    tx.execute("fold_dead_letter_revisions")
    return tx.execute("forget_dead_letter_ends")


def _fold_outcomes(tx: Tx) -> int:
    tx.execute("fold_outcome_ends")
    return tx.execute("forget_outcome_ends")


def _fold_scores(tx: Tx) -> int:
    tx.execute("fold_score_ends")
    return tx.execute("forget_score_ends")


def _fold_texts(tx: Tx) -> int:
    tx.execute("fold_span_content_ends")
    return tx.execute("forget_span_content_ends")


def _fold_turns(tx: Tx) -> int:
    tx.execute("fold_turn_signal_ends")
    tx.execute("fold_turn_signal_revisions")
    return tx.execute("forget_turn_signal_ends")


FOLDS: Final[Mapping[str, Callable[[Tx], int]]] = MappingProxyType(
    {
        "dead_letter": _fold_dead_letters,
        "feedback": _fold_feedback,
        "interaction": _fold_calls,
        "outcome": _fold_outcomes,
        "score": _fold_scores,
        "span_content": _fold_texts,
        "turn_signal": _fold_turns,
    }
)
"""The function that folds the facts of a table and returns their number, by table."""
