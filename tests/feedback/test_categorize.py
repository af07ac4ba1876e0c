import pytest

from monitor.feedback.categorize import categorize

TAXONOMY = ("wrong_answer", "Tone")


@pytest.mark.parametrize(
    ("given", "category"),
    [
        ("wrong_answer", "wrong_answer"),
        (" tone ", "Tone"),
        ("WRONG_ANSWER", "wrong_answer"),
        ("slow", "uncategorised"),
        ("", "uncategorised"),
        (None, "uncategorised"),
    ],
)
def test_only_names_of_the_taxonomy_are_categories(given: str | None, category: str) -> None:
    assert categorize(given, TAXONOMY) == category


def test_an_empty_taxonomy_categorizes_nothing() -> None:
    assert categorize("wrong_answer", ()) == "uncategorised"
