"""What made the drop: one line of an alert, from the finding that opened it."""

from dataclasses import replace

import pytest

from monitor.alerting.render import text
from monitor.domain.evidence import Cause, RankedCause, TriedStep
from tests.alerting.build import a_payload, an_alert

NAMED = Cause(
    named=("model",),
    probability=0.97,
    why="model, by re-judge stored baseline outputs: the drop stayed",
    differences=("served model: gpt-4-0314 to gpt-4-0613",),
    causes=(
        RankedCause(suspect="model", probability=0.97),
        RankedCause(suspect="environment", probability=0.06),
        RankedCause(suspect=None, probability=0.01),
    ),
    tried=(
        TriedStep(
            step="re-judge stored baseline outputs",
            result="the drop stayed",
            detail="1200 stored outputs",
            bits=0.5,
            calls=0,
            usd=0.0,
        ),
    ),
    not_tried=(),
    calls=0,
    usd=0.0,
    confirmed=True,
    statement="caused by model (97%)",
)
UNTESTED = replace(
    NAMED,
    probability=None,
    confirmed=False,
    causes=tuple(replace(row, probability=None) for row in NAMED.causes),
    statement=(
        "model is the only recorded difference (served model: gpt-4-0314 to gpt-4-0613); "
        "the old model was not replayed (it costs 100 calls)"
    ),
)


@pytest.mark.parametrize(
    ("cause", "line"),
    [
        (NAMED, "caused by model (97%)"),
        (UNTESTED, UNTESTED.statement),
    ],
)
def test_the_page_names_the_cause_and_where_it_is_told_whole(cause: Cause, line: str) -> None:
    shown = text(a_payload(cause=cause)).splitlines()
    assert f"  cause     {line}; driftd drift explain {an_alert().finding_id}" in shown


def test_without_a_cause_there_is_no_line() -> None:
    assert "  cause" not in text(a_payload())
    assert a_payload()["cause"] is None


def test_the_payload_names_only_those_who_are_worth_a_thought() -> None:
    told = a_payload(cause=NAMED)["cause"]
    assert told["named"] == ["model"]
    assert [row["suspect"] for row in told["likeliest"]] == ["model", "environment"]
    assert told["differences"] == ["served model: gpt-4-0314 to gpt-4-0613"]


def test_no_percentage_is_sent_for_a_cause_that_nothing_tested() -> None:
    sent = a_payload(cause=UNTESTED)
    assert sent["cause"]["probability"] is None
    assert {row["probability"] for row in sent["cause"]["likeliest"]} == {None}
    (line,) = [line for line in text(sent).splitlines() if line.startswith("  cause")]
    assert "%" not in line
