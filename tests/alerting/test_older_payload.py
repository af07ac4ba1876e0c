"""Payloads that an older driftd queued render with the numbers that they had."""

import json
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.older_payload import current_payload
from monitor.alerting.render import render, text

STORED: dict[str, Any] = json.loads((Path(__file__).parent / "data/schema_1.json").read_text())


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "two_runs",
            [
                "FIRING · critical · prime −95.2 points, composite +27.6 points · support",
                "Pass rate 84.0 % → 50.2 %: −33.8 points, 95 % interval −38.5 to −29.0, 800 cases.",
                "  detects   a change of 3.7 points, with 80 % power",
                "  flips     382 passed before and fail now, 112 the other way",
            ],
        ),
        (
            "nights",
            [
                "FIRING · critical · prime −12.0 points · support",
                "Pass rate of prime 90.0 % → 78.0 %: −12.0 points, 95 % interval −18.0 to −6.0, 460 cases.",
                "  pinned    −3.0 points from the pinned run run-7, 95 % interval −4.0 to −2.0",
            ],
        ),
        (
            "before_decided",
            [
                "FIRING · critical · prime −95.2 points, composite +27.6 points · support",
                "  evidence  two runs compared (exact McNemar, Holm over categories): p < 0.0001, threshold 0.05",
                "  detects   a change of 3.1 points, with 80 % power",
            ],
        ),
        (
            "production",
            [
                "FIRING · warning · corrections +4.21 points · support",
                "  evidence  58 days: e = 1.23e+06, threshold 4.7e+04",
            ],
        ),
    ],
)
def test_a_payload_of_schema_1_renders(name: str, lines: list[str]) -> None:
    page = text(STORED[name]).splitlines()
    assert [line for line in lines if line not in page] == []


@pytest.mark.parametrize("name", STORED)
def test_a_converted_payload_has_one_p_value_and_one_effect_of_the_decision(name: str) -> None:
    body = current_payload(STORED[name])
    assert body["schema"] == 2
    assert body == current_payload(body), "a current payload is not converted again"
    page = text(STORED[name])
    assert page.count("p < ") + page.count("p = ") + page.count("e = ") == 1


def test_a_payload_of_an_unknown_shape_is_still_a_page() -> None:
    page = render({"reason": "first", "deployment": "support", "alert": {"id": "a1", "summary": "it fell\x1b[2J"}})
    assert page.title == "ALERT · support · a1"
    assert page.summary == "it fell\\x1b[2J"
    assert "driftd alerts show has it" in page.text
    assert page.problems
