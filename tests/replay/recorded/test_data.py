import gzip
from pathlib import Path
from typing import Any

import pytest

from replay.errors import ReplayError
from replay.evalsets.case_codec import case_from_json, case_to_json
from replay.recorded.data import RecordedData, load_recorded
from replay.types import Case, Message
from tests.replay.recorded.builders import JUNE, MARCH, line, lines


def written(folder: Path, content: bytes) -> Path:
    path = folder / "answers.jsonl"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("pack", [lambda raw: raw, gzip.compress])
def test_plain_and_packed_files_are_read_alike(tmp_path: Path, pack: Any) -> None:
    data = load_recorded(written(tmp_path, pack(lines(line()) + b"\n" + lines(line(id="q2", question="2?")))))
    assert [question.id for question in data.questions] == ["q1", "q2"]
    assert data.snapshots == (MARCH, JUNE)
    assert data.questions[0].answers[JUNE][0].text == "[No]"


def test_what_was_not_recorded_is_absent_not_zero(tmp_path: Path) -> None:
    answer = load_recorded(written(tmp_path, lines(line()))).questions[0].answers[MARCH][0]
    assert (answer.latency_s, answer.input_tokens, answer.output_tokens, answer.cost_usd) == (None, None, None, None)


def test_a_recorded_question_is_a_case(tmp_path: Path) -> None:
    case = load_recorded(written(tmp_path, lines(line()))).questions[0].as_case()
    assert case == Case(
        id="q1",
        input=(Message(role="user", content="1?"),),
        references=("yes",),
        category="prime",
        provenance="recorded",
    )
    assert case_from_json(case_to_json(case), "here") == case


@pytest.mark.parametrize(
    ("snapshots", "family"),
    [
        (("gpt-4-0314", "gpt-4-0613"), "gpt-4"),
        (("gpt-4-0314",), "gpt-4-0314"),
        (("6b", "175b"), "6b"),
        (("m", "m-2"), "m"),
    ],
)
def test_the_family_is_the_name_that_the_snapshots_share(snapshots: tuple[str, ...], family: str) -> None:
    assert RecordedData(questions=(), snapshots=snapshots).family == family


def test_a_file_answered_by_one_model_has_one_snapshot(tmp_path: Path) -> None:
    only = line(answers={MARCH: line()["answers"][MARCH]})
    assert load_recorded(written(tmp_path, lines(only))).snapshots == (MARCH,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "answers.jsonl: has no questions"),
        (b"id,question\n", "answers.jsonl line 1: is not JSON"),
        (b"[1]\n", "answers.jsonl line 1: expected a JSON object, found list"),
        (b"\xff\xfe", "is not UTF-8 at byte 0"),
        (gzip.compress(lines(line()), mtime=0)[:-9], "is a damaged gzip file"),
        (gzip.compress(b"x", mtime=0)[:10] + b"garbage", "is a damaged gzip file"),
        (lines({"id": "q1"}), "answers.jsonl line 1: field 'answers' is missing"),
        (lines(line(answers={})), "field 'answers' names no snapshot"),
        (lines(line(question=3)), "field 'question' cannot be '3'"),
        (lines(line(answers={MARCH: []})), f"answers of {MARCH}: expected a list of at least one object"),
        (lines(line(answers={MARCH: [{"text": "x"}]})), "field 'recorded_on' is missing"),
        (
            lines(line(answers={MARCH: [{"text": "x", "recorded_on": "July"}]})),
            "field 'recorded_on' must be a date like 2023-07-02, found 'July'",
        ),
        (
            lines(line(answers={MARCH: [{"text": "x", "recorded_on": "2023-07-02", "input_tokens": 1.5}]})),
            "field 'input_tokens' cannot be '1.5'",
        ),
        (lines(line(), line(question="2?")), "answers.jsonl: the id of 'q1' is given twice"),
        (lines(line(), line(id="q2", question=" 1? ")), "answers.jsonl: the question of 'q1' is given twice"),
        (
            lines(line(), line(id="q2", question="2?", answers={MARCH: line()["answers"][MARCH]})),
            "answers.jsonl: 'q2' and 'q1' are answered by different snapshots",
        ),
    ],
)
def test_a_file_that_cannot_be_served_is_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ReplayError) as caught:
        load_recorded(written(tmp_path, content))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="nowhere: cannot be read: No such file"):
        load_recorded(tmp_path / "nowhere")
