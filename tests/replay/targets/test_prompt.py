import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.targets.prompt import prompt_hash


def test_the_hash_is_the_sha256_of_the_utf8_text() -> None:
    assert prompt_hash("Answer Yes or No.") == hashlib.sha256(b"Answer Yes or No.").hexdigest()


def test_composed_and_decomposed_letters_are_one_prompt() -> None:
    assert prompt_hash("caf\u00e9") == prompt_hash("cafe\u0301")


@pytest.mark.parametrize("other", ["answer Yes or No.", "Answer  Yes or No.", "Answer Yes or No"])
def test_a_prompt_that_reads_differently_has_another_hash(other: str) -> None:
    assert prompt_hash(other) != prompt_hash("Answer Yes or No.")


@given(st.text())
def test_surrounding_white_space_and_normal_form_do_not_count(text: str) -> None:
    assert prompt_hash(f"\n  {unicodedata.normalize('NFD', text)}\t\n") == prompt_hash(text)
