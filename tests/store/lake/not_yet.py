"""The tests of `tests/store` that a lake does not pass, with the reason."""

from typing import Final

UNDONE: Final = "the test undoes a write to both kinds of tables; a lake commits the large tables first"
NEVER: Final[dict[str, str]] = {
    "aggregates/test_settled_days.py::test_what_is_read_never_depends_on_what_is_settled": UNDONE,
    "aggregates/test_settled_runs.py::test_what_is_read_never_depends_on_what_is_settled": UNDONE,
    "runs/test_outcome_ends.py::test_facts_and_folds_in_any_order_give_the_rows_of_updates": UNDONE,
    "runs/test_outcomes.py::test_the_sql_folds_as_the_words_do": UNDONE,
    "traffic/test_feedback_facts.py::test_facts_and_folds_in_any_order_give_the_rows_of_updates": UNDONE,
}
"""Tests that are skipped, because they are about a file: `FILE::NAME`, below tests/store."""
NOT_YET: Final[dict[str, str]] = {}
"""Tests that a lake must pass later. One that passes fails the run, so that its line is removed."""


def reason_of(file: str, test: str, reasons: dict[str, str]) -> str | None:
    """Return the reason for a test, with or without its parameters; None for a test that has no reason."""
    return reasons.get(f"{file}::{test}") or reasons.get(f"{file}::{test.partition('[')[0]}")
