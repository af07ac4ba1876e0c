"""Cases for the tests of this room: one with defaults, and any that can be."""

import unicodedata

from hypothesis import strategies as st

from replay.types import Case, Message, Severity


def case(case_id: str = "c1", question: str = "Is 7 a prime number?", reference: str = "yes", **fields: object) -> Case:
    return Case(id=case_id, input=(Message(role="user", content=question),), references=(reference,), **fields)  # type: ignore[arg-type]


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40).map(_nfc)
names = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=20).map(_nfc)
messages = st.builds(Message, role=st.sampled_from(["system", "user", "assistant", "tool"]), content=texts)
questions = st.builds(Message, role=st.just("user"), content=texts.filter(lambda text: bool(text.strip())))


@st.composite
def cases(draw: st.DrawFn, case_id: st.SearchStrategy[str] = names) -> Case:
    """Any case a file can describe, its texts in NFC."""
    return Case(
        id=draw(case_id),
        input=(*draw(st.lists(messages, max_size=3)), draw(questions)),
        references=tuple(draw(st.lists(texts, max_size=3))),
        must_include=tuple(draw(st.lists(texts, max_size=2))),
        must_not=tuple(draw(st.lists(texts, max_size=2))),
        ideal=draw(texts) or None,
        category=draw(names),
        severity=draw(st.sampled_from(Severity)),
        provenance=draw(names),
    )


case_lists = st.lists(cases(), max_size=6, unique_by=lambda made: made.id)
