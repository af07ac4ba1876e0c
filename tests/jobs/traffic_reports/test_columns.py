from collections.abc import Sequence
from typing import Any

from monitor.drift.production.input_columns import COLUMNS
from monitor.jobs.traffic_reports.columns import MOST_LABELS, derive
from tests.jobs.traffic import as_table, call

Rows = Sequence[dict[str, Any]]


def derived(
    reference: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    return derive(as_table(reference).to_pydict(), as_table(now).to_pydict())


def one(**fields: Any) -> dict[str, Any]:
    """The columns of a single call."""
    _, now = derived([call(0, "reference")], [call(1, "now", **fields)])
    return {name: values[0] for name, values in now.items()}


def test_every_declared_column_is_made_and_no_other() -> None:
    reference, now = derived([call(0, "reference")] * 3, [call(0, "now")] * 2)
    assert set(reference) == set(now) == {column.name for column in COLUMNS}
    assert {len(values) for values in reference.values()} == {3}
    assert {len(values) for values in now.values()} == {2}


def test_a_number_is_taken_in_doublings() -> None:
    assert (one(output_chars=0)["output_chars"], one(output_chars=1023)["output_chars"]) == (0.0, 10.0)


def test_absent_texts_are_missing_and_not_empty() -> None:
    made = one(input_text=None, output_text=None, input_chars=None, output_chars=None, content="absent")
    missing = {"input_chars", "output_chars", "input_language", "output_language", "refusal", "topic"}
    assert {name for name, value in made.items() if value is None} >= missing
    assert made["content"] == "absent"


def test_an_empty_answer_is_no_refusal_and_has_no_language() -> None:
    made = one(output_text="", output_chars=0)
    assert (made["refusal"], made["output_language"], made["output_chars"]) == ("no", None, 0.0)


def test_a_negative_latency_is_a_clock_that_was_wrong() -> None:
    assert one(latency_ms=-3.0)["latency_ms"] is None


def test_a_label_with_a_value_for_every_call_is_cut_to_the_frequent_ones() -> None:
    frequent = [call(n, "reference", category=f"c{n % 5}") for n in range(500)]
    rare = [call(n, "now", category=f"user {n}") for n in range(300)]
    reference, now = derived(frequent, rare)
    assert set(reference["category"]) == {f"c{n}" for n in range(5)}
    assert len(set(now["category"])) <= MOST_LABELS
    assert "other" in now["category"]


def test_a_long_label_is_cut_to_one_line() -> None:
    assert one(category="a\nb" + "c" * 100)["category"] == "a b" + "c" * 37


def test_where_the_product_names_categories_no_topics_are_made_up() -> None:
    reference, now = derived(
        [call(n, "reference", category="billing") for n in range(400)], [call(n, "now") for n in range(60)]
    )
    assert set(reference["topic"]) | set(now["topic"]) == {None}
