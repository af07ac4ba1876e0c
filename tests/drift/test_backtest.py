import json

import pytest

from monitor.drift.backtest import backtest_document
from monitor.errors import MalformedRecord

from .histories import Document, document, drawn, served, steady

FIELDS = {"night", "kind", "trigger", "channel", "onset", "delta", "ci"}


def broken() -> Document:
    rates = steady(90, 40)
    rates[25:] *= 0.5
    return document(drawn(rates), id="shop/primes")


def test_the_answer_is_a_document_of_plain_values() -> None:
    answer = backtest_document(broken())
    assert set(answer) == {"id", "alerts"}
    assert answer["id"] == "shop/primes"
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_a_silent_alert_has_evidence_and_a_known_one_a_p_value() -> None:
    silent, *_ = backtest_document(broken())["alerts"]
    known, *_ = backtest_document(served(broken(), "version", "v2", 25))["alerts"]
    assert set(silent) == {*FIELDS, "e"}
    assert set(known) == {*FIELDS, "p"}
    assert known["ci"][0] <= known["delta"] <= known["ci"][1]


def test_a_quiet_history_has_no_alerts() -> None:
    assert backtest_document(document(drawn(steady(30, 20)), id="quiet")) == {"id": "quiet", "alerts": []}


def test_the_document_is_not_changed() -> None:
    line = broken()
    before = json.dumps(line)
    backtest_document(line)
    assert json.dumps(line) == before


def test_a_document_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(MalformedRecord, match="cases: must be a list"):
        backtest_document({"id": "x"})
