import json
import random
import unicodedata
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from replay.evalsets.canonical import canonical_case, canonical_json, question_text, revision_hash, text_digest
from replay.evalsets.case_codec import case_from_json
from replay.types import Case, Image, Severity, Text, Tool, ToolResult
from tests.replay.evalsets.builders import case, case_lists, cases

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=10,
)


def test_the_canonical_form_is_sorted_tight_and_not_escaped() -> None:
    assert canonical_json({"b": [1, None], "a": "é ü"}) == '{"a":"é ü","b":[1,null]}'


@given(json_values)
def test_canonical_json_is_its_own_canonical_form(value: object) -> None:
    once = canonical_json(value)
    assert canonical_json(json.loads(once)) == once


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_spellings_of_one_text_have_one_canonical_form(text: str) -> None:
    assert canonical_json([unicodedata.normalize("NFD", text)]) == canonical_json([unicodedata.normalize("NFC", text)])


def test_a_newline_before_a_combining_mark_stays_a_newline() -> None:
    # Normalizing the finished JSON would join the n of the escape with the mark.
    assert json.loads(canonical_json("\n\u0303")) == "\n\u0303"


@given(cases())
def test_a_case_read_from_its_canonical_form_is_the_same(made: Case) -> None:
    assert case_from_json(json.loads(canonical_case(made)), "here") == made


@given(case_lists, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_change_the_revision(made: list[Case], rng: random.Random) -> None:
    shuffled = list(made)
    rng.shuffle(shuffled)
    assert revision_hash(shuffled) == revision_hash(made)


def test_any_difference_in_content_changes_the_revision() -> None:
    base = case()
    others = [
        replace(base, id="c2"),
        replace(base, input=case(question="Is 9 a prime number?").input),
        replace(base, references=("no",)),
        replace(base, references=()),
        replace(base, must_include=("yes",)),
        replace(base, must_not=("yes",)),
        replace(base, ideal="yes"),
        replace(base, category="prime"),
        replace(base, severity=Severity.HIGH),
        replace(base, provenance="correction"),
        replace(base, tools=(Tool(name="find_order"),)),
        replace(base, tools=(Tool(name="find_order"),), tool_results=(ToolResult(name="find_order", result="gone"),)),
        replace(base, variables={"shop": "kettles"}),
        replace(
            base,
            input=(
                replace(
                    base.input[0],
                    parts=(Text(text="Is 7 a prime number?"), Image(url="https://h/7")),
                ),
            ),
        ),
    ]
    hashes = {revision_hash([variant]) for variant in [base, *others]} | {revision_hash([base, others[0]])}
    assert len(hashes) == len(others) + 2


def test_a_revision_keeps_its_name_from_release_to_release() -> None:
    assert revision_hash([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert revision_hash([case("b"), case("a")]) == "61664d8e4327f89e5149b463b2aba8d9e1f7a2ccb307656ae8eca0cb7792b502"


def test_a_conversation_and_an_expectation_of_old_keep_their_name() -> None:
    old = {
        "id": "c1",
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Is 7 prime?"},
            {"role": "assistant", "content": "[Yes]"},
            {"role": "tool", "content": "7"},
            {"role": "user", "content": "Sure?"},
        ],
        "references": ["yes"],
        "must_include": ["yes"],
        "ideal": "Says yes.",
        "category": "prime",
        "severity": "high",
    }
    named = revision_hash([case_from_json(old, "here")])
    assert named == "c65800bc7fe230cb62678a0252358ebf8f2c74483d7a90c0248eebfd39f67060"


def test_a_question_is_compared_without_the_space_around_it() -> None:
    assert question_text(" Cafe\u0301?\n") == "Café?"
    assert text_digest(" Cafe\u0301?\n") == text_digest("Café?")
    assert text_digest("Café?") != text_digest("café?")
