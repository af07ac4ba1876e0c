"""The cascade decides by the event first, then by repetition, then by the text, then by the judge."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.turn import EVENTS, SignalCode, Turn
from monitor.feedback.turns.calibration import Calibration, ReviewedScore
from monitor.feedback.turns.detector import TurnDetector
from monitor.feedback.turns.judge import Opinion
from tests.feedback.turns.build import ANSWER, REQUEST, a_turn
from tests.growth import grows_linearly
from tests.properties import examples

DETECTOR = TurnDetector.shipped()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("No, it was opened in 1938.", SignalCode.CORRECT_WITH_FIX),
        ("That is wrong.", SignalCode.REJECT_NO_FIX),
        ("Are you sure?", SignalCode.DOUBT),
        ("Nein, das stimmt nicht.", SignalCode.REJECT_NO_FIX),
        ("¿Estás seguro?", SignalCode.DOUBT),
        ("不对", SignalCode.REJECT_NO_FIX),
        ("I want to talk to a human agent", SignalCode.ESCALATE),
    ],
)
def test_plain_corrections_are_flagged_with_their_code(text: str, code: SignalCode) -> None:
    verdict = DETECTOR.judge(a_turn(text))
    assert (verdict.flagged, verdict.code, verdict.detector) == (True, code, "text")
    assert verdict.evidence


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Thanks, that's perfect!", SignalCode.PRAISE),
        ("ok thank you", SignalCode.ACK),
        ("Who built it?", SignalCode.FOLLOWUP),
        ("Can you make it shorter?", SignalCode.REFINE),
        ("No thanks, that's all.", SignalCode.ACK),
    ],
)
def test_other_turns_are_not_flagged(text: str, code: SignalCode) -> None:
    verdict = DETECTOR.judge(a_turn(text))
    assert (verdict.flagged, verdict.code) == (False, code)


def test_a_repeated_request_is_a_rephrase() -> None:
    verdict = DETECTOR.judge(a_turn("In what year was the harbor bridge opened?"))
    assert (verdict.code, verdict.flagged, verdict.detector) == (SignalCode.REPHRASE, True, "rephrase")


def test_a_repeated_request_with_the_same_answer_is_no_rephrase() -> None:
    same = DETECTOR.judge(a_turn(REQUEST, next_answer=ANSWER.upper()))
    other = DETECTOR.judge(a_turn(REQUEST, next_answer="In 1938."))
    assert (same.detector, other.detector) == ("text", "rephrase")


@pytest.mark.parametrize("text", ["and for the canal bridge?", "When was the Canal Street bridge of Leeds opened?"])
def test_a_templated_follow_up_is_no_rephrase(text: str) -> None:
    assert DETECTOR.judge(a_turn(text)).detector != "rephrase"


@given(text=st.text(max_size=80), event=st.sampled_from(SignalCode))
def test_no_text_changes_the_verdict_of_an_event(text: str, event: SignalCode) -> None:
    verdict = DETECTOR.judge(a_turn(text, event=event))
    assert (verdict.code, verdict.score, verdict.flagged) == (event, float(event.is_correction), event.is_correction)
    assert verdict.detector == "event"


def test_an_event_decides_against_a_complaint_and_against_thanks() -> None:
    assert not DETECTOR.judge(a_turn("That is wrong!", event=SignalCode.PRAISE)).flagged
    assert DETECTOR.judge(a_turn("Thanks, perfect!", event=SignalCode.REJECTED)).flagged


@given(
    text=st.text(max_size=300), answer=st.text(max_size=100), request=st.text(max_size=100), after=st.none() | st.text()
)
@settings(max_examples=examples(300))
def test_any_text_gets_one_bounded_verdict_and_the_same_again(
    text: str, answer: str, request: str, after: str | None
) -> None:
    turn = a_turn(text, answer=answer, request=request, next_answer=after)
    verdict = DETECTOR.judge(turn)
    assert 0 <= verdict.score <= 1
    assert verdict.flagged == verdict.code.is_correction == (verdict.score >= DETECTOR.calibration.threshold)
    assert verdict.code not in EVENTS
    assert verdict == DETECTOR.judge(turn)


@pytest.mark.parametrize("text", ["", " \n\t", "\ud800", "\x00", "?" * 50, "́" * 40, "🙃"])
def test_texts_without_words_get_a_verdict(text: str) -> None:
    assert 0 <= DETECTOR.judge(a_turn(text)).score <= 1


def test_a_turn_without_an_answer_before_it_corrects_nothing() -> None:
    verdict = DETECTOR.judge(Turn(text="That is wrong!", earlier=()))
    assert (verdict.score, verdict.flagged, verdict.code) == (0.0, False, SignalCode.FOLLOWUP)


@pytest.mark.parametrize("unit", ["wrong ", "a", "(", "«", "no, it is 5. ", "\n", "E1 ", "at ", "不对", "́"])
def test_only_a_bounded_part_of_a_long_text_is_read(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert DETECTOR.judge(a_turn(text, answer=text, request=text)).score <= 1
    grows_linearly(lambda size: a_turn(unit * size, answer=unit * size, request=unit * size), DETECTOR.judge, size=1000)


def test_a_batch_is_judged_in_its_order() -> None:
    turns = [a_turn("That is wrong."), a_turn("Thanks!")]
    assert DETECTOR.judge_turns(turns) == [DETECTOR.judge(turn) for turn in turns]


@dataclass
class FakeJudge:
    opinion: Opinion | None
    version: str = "fake-1"
    asked: list[Turn] = field(default_factory=list)

    def judge(self, turn: Turn) -> Opinion | None:
        self.asked.append(turn)
        return self.opinion


def test_a_judge_is_asked_about_uncertain_turns_only() -> None:
    judge = FakeJudge(Opinion(code=SignalCode.DOUBT, probability=0.9, reason="questions the date"))
    detector = TurnDetector.shipped(judge=judge)
    sure = detector.judge(a_turn("That is wrong."))
    unsure = next(t for t in map(a_turn, UNSURE) if 0.3 < DETECTOR.judge(t).score < 0.7)
    verdict = detector.judge(unsure)
    assert sure.detector == "text"
    assert (verdict.detector, verdict.score, verdict.flagged) == ("judge", 0.9, True)
    assert verdict.evidence == ("questions the date",)
    assert judge.asked == [unsure]


def test_the_text_decides_when_the_judge_has_no_answer() -> None:
    detector = TurnDetector.shipped(judge=FakeJudge(None))
    unsure = next(t for t in map(a_turn, UNSURE) if 0.3 < DETECTOR.judge(t).score < 0.7)
    assert detector.judge(unsure).detector == "text"


def test_an_opinion_whose_probability_contradicts_its_code_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Opinion(code=SignalCode.PRAISE, probability=0.9)


UNSURE = ("but the bridge?", "hmm", "1938 maybe", "but", "oh 1938?", "but why", "1938", "the bridge?", "not the harbor")


def test_the_version_names_model_calibration_and_judge() -> None:
    calibrated = TurnDetector.shipped(calibration=Calibration(slope=0.5, intercept=0.1, threshold=0.4))
    judged = TurnDetector.shipped(judge=FakeJudge(None))
    assert len({DETECTOR.version, calibrated.version, judged.version}) == 3
    assert DETECTOR.judge(a_turn("hm")).version == DETECTOR.version


def test_reviews_move_the_scores_of_a_team() -> None:
    strict = DETECTOR.recalibrated([ReviewedScore(raw=r / 10, corrects=r > 25) for r in range(-20, 40)])
    turn = a_turn("That is wrong.")
    assert strict.judge(turn).score < DETECTOR.judge(turn).score
    assert strict.raw_score(strict.judge(turn)) == pytest.approx(DETECTOR.raw_score(DETECTOR.judge(turn)))
