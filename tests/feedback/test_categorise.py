import pytest

from monitor.feedback.categorise import categorise

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
    assert categorise(given, TAXONOMY) == category


def test_an_empty_taxonomy_categorises_nothing() -> None:
    assert categorise("wrong_answer", ()) == "uncategorised"
