import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from replay.normal_form import BREAK, MOST_MARKS, normal_form
from tests.growth import grows_linearly

MARKS = "\u0300\u0327"  # of two combining classes: to sort them is what takes long


@given(text=st.text())
def test_other_texts_are_as_the_standard_has_them(text: str) -> None:
    assert normal_form(text) == unicodedata.normalize("NFC", text)
    assert normal_form(text, "NFKC") == unicodedata.normalize("NFKC", text)


def test_a_long_run_of_marks_is_broken_and_one_that_fits_is_not() -> None:
    fits = "e" + "\u0327" * MOST_MARKS
    assert normal_form(fits) == unicodedata.normalize("NFC", fits)
    assert normal_form(fits + "\u0327").count(BREAK) == 1
    assert normal_form("x" + fits + "y" + fits + "\u0327").count(BREAK) == 1


@given(text=st.text(st.sampled_from("ae\u0301\u0300\u0327\u0344é x"), max_size=200))
def test_a_normal_form_stays_as_it_is(text: str) -> None:
    assert normal_form(normal_form(text)) == normal_form(text)


def test_many_marks_take_no_longer_than_other_characters() -> None:
    grows_linearly(lambda size: "a" + MARKS * (size // 2), normal_form, size=4_000)
