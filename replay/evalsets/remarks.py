"""What is worth a look in a set whose cases can all be read; cases are named by their ids, never quoted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replay.evalsets.canonical import canonical_json
from replay.normal_form import normal_form
from replay.types import UNCATEGORISED, Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence about one case."""

    case_id: str
    text: str


def remarks(cases: Sequence[Case]) -> list[Remark]:
    """In the order of the cases: what nothing can score, questions asked twice, phrases that exclude each other."""
    return [*_unscorable(cases), *_asked_twice(cases), *_contradicting(cases), *_uncategorised(cases)]


def expects_something(case: Case) -> bool:
    """Whether any scorer or judge could tell a right answer from a wrong one; `ideal` is for people."""
    return bool(
        case.references or case.must_include or case.must_not or case.schema or case.tests or case.rubric
        or case.tool_results
    )  # fmt: skip


def _unscorable(cases: Sequence[Case]) -> Iterator[Remark]:
    for case in cases:
        if not expects_something(case):
            yield Remark(
                case_id=case.id, text="expects nothing that can be scored; add references, must_include or a rubric"
            )


def _asked_twice(cases: Sequence[Case]) -> Iterator[Remark]:
    first: dict[object, str] = {}
    for case in cases:
        asked = tuple((message.role, _folded(message.content)) for message in case.input)
        before = first.setdefault((asked, canonical_json(case.variables), case.tools), case.id)
        if before != case.id:
            yield Remark(case_id=case.id, text=f"asks what {before} asks")


def _contradicting(cases: Sequence[Case]) -> Iterator[Remark]:
    for case in cases:
        forbidden = [_folded(phrase) for phrase in case.must_not if phrase.strip()]
        if any(phrase in _folded(wanted) for wanted in case.must_include for phrase in forbidden):
            yield Remark(case_id=case.id, text="must include what it must not say; no answer can pass")


def _uncategorised(cases: Sequence[Case]) -> Iterator[Remark]:
    named = [case for case in cases if case.category != UNCATEGORISED]
    if named:
        for case in cases:
            if case.category == UNCATEGORISED:
                yield Remark(case_id=case.id, text="has no category, others have")


def _folded(text: str) -> str:
    """As texts are compared: NFKC, lower case, single spaces."""
    return " ".join(normal_form(text, "NFKC").casefold().split())
