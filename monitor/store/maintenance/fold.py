"""Folds the facts that were appended for the rows of a table into these rows. No reader sees a difference."""

from monitor.store.engine.transaction import Tx


def fold(tx: Tx) -> int:
    """Fold all facts, whatever the limit of the request, and return their number.

    Retention and erasure fold first: their statements remove rows of the table itself.
    """
    with tx.within(None):
        if not any_fact(tx):
            return 0
        tx.execute("fold_feedback_ends")
        tx.execute("fold_feedback_links")
        tx.execute("fold_feedback_revisions")
        return tx.execute("forget_feedback_links") + tx.execute("forget_feedback_ends")


def any_fact(tx: Tx) -> bool:
    """Return whether a fact is not folded yet."""
    return bool(tx.query("any_fact"))
