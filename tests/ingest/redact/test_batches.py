"""Many texts in one search: which of them get an exact check."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.interaction import Interaction
from monitor.ingest.redact.batch import BatchRedactor
from monitor.ingest.redact.exact import SHORT, ExactChecks
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.ingest.redact.texts import TextRedactor
from tests.ingest.build import alone, interaction, user

MAIL = "anna@example.org"
SALTED = Salted(b"of this test")
TEXTS = ["all is well", f"to {MAIL}", "4111 1111 1111 1111", "2026.11.2", "on 2026-11-26", "für Ürsüla 東京", "\n", ""]


def redactor_of(rules: Rules) -> Redactor:
    return Redactor(RulesByDeployment(default=rules), b"of this test")


def batches_of(rules: Rules) -> BatchRedactor:
    return BatchRedactor(TextRedactor(rules, SALTED), TextRedactor(rules, SALTED, identifier=True))


def call(number: int, *, text: str = "", **attributes: object) -> Interaction:
    return interaction(f"c{number}", input_messages=(user(text),), attributes=attributes)


@given(st.lists(st.tuples(*[st.sampled_from(TEXTS)] * 3), max_size=80))
def test_texts_in_any_order_and_language_are_redacted_as_each_alone(texts: list[tuple[str, str, str]]) -> None:
    redactor = redactor_of(Rules())
    calls = [call(n, text=text, release=release, deep={key: [release]}) for n, (text, release, key) in enumerate(texts)]
    assert redactor.interactions(calls) == tuple(alone(redactor, one) for one in calls)


def test_a_calendar_version_is_checked_once_and_then_left_out_of_the_search() -> None:
    batches = batches_of(Rules())
    assert not batches.private_texts([call(1, release="2026.11.2-17")]).records
    assert batches._exact.clean == {"2026.11.2-17"}
    assert batches.private_texts([call(2, release="2026.11.2-17", contact=MAIL)]).records == {0}


def test_the_memory_of_short_texts_is_bounded() -> None:
    checks = ExactChecks(TextRedactor(Rules(), SALTED))
    for number in range(SHORT + 10):
        assert checks.check(f"2026.11.{number}") is None
    assert len(checks.clean) == 10


def test_a_pattern_at_the_start_and_end_of_a_text_is_found_among_other_texts() -> None:
    redactor = redactor_of(Rules(patterns={"badge": "^B-[0-9]+$"}))
    _, kept, changed = redactor.interactions([call(1, text="well"), call(2, text="x B-17"), call(3, text="B-17")])
    assert kept.input_text == "x B-17"
    assert "B-17" not in changed.input_text


def test_a_match_that_continues_in_the_next_text_does_not_hide_a_value_there() -> None:
    redactor = redactor_of(Rules(patterns={"note": r"note(?s:.)*?end"}))
    first, second = redactor.interactions([call(1, text="note"), call(2, text=f"{MAIL} end")])
    assert first.input_text == "note"
    assert MAIL not in second.input_text
