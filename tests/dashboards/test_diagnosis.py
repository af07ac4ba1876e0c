"""The results of frozen and dynamic sets together, on the page of the deployment."""

from typing import Any

import pytest

from monitor.api.schema import SetDiagnosisItem

from .conftest import OpenPage, everything
from .fake_daemon import regression
from .items import BOT

SENTENCE = "Only the frozen set rose"
CORRECTIONS = {"days": 7, "days_before": 28, "before": 0.05, "after": 0.02, "ci_low": -0.04, "ci_high": -0.02}


def page(open_page: OpenPage, **fields: Any) -> str:
    unseen = {"finding_id": None, "at": None, "baseline": None, "candidate": None}
    given = {
        "deployment": BOT,
        "frozen": [{"set_name": "primes", "verdict": "improvement", **unseen}],
        "dynamic": [{"set_name": "corrections", "verdict": None, **unseen}],
        "diagnosis": "one_set_only",
        "sentence": SENTENCE,
        "corrections": None,
        **fields,
    }
    daemon = regression()
    daemon.diagnoses = [SetDiagnosisItem.model_validate(given)]
    return everything(open_page(daemon, "deployment"))


def test_the_conclusion_is_above_both_verdicts(open_page: OpenPage) -> None:
    shown = page(open_page)
    assert f"**Frozen and dynamic sets together.** {SENTENCE}" in shown
    assert ":blue-badge[frozen] primes :blue-badge[:material/trending_up: improvement]" in shown
    assert "corrections :gray-badge[:material/radio_button_unchecked: no data]" in shown
    assert "Corrections by users" not in shown


@pytest.mark.parametrize(
    ("fell", "expected"),
    [(True, "they became rarer"), (False, "they did not become rarer"), (None, "too few data to decide")],
)
def test_corrections_are_shown_with_their_trend(open_page: OpenPage, fell: bool | None, expected: str) -> None:
    shown = page(open_page, corrections={**CORRECTIONS, "fell": fell})
    assert "2.0 % of interactions in the last 7 days, 5.0 % in the 28 before (−4.0 to −2.0 points)" in shown
    assert expected in shown


@pytest.mark.parametrize("missing", [("frozen",), ("dynamic",), ("frozen", "dynamic")])
def test_a_deployment_without_both_kinds_of_set_has_no_diagnosis(open_page: OpenPage, missing: tuple[str, ...]) -> None:
    shown = page(open_page, corrections={**CORRECTIONS, "fell": True}, **{kind: [] for kind in missing})
    assert "Frozen and dynamic sets together" not in shown
    assert "they became rarer" in shown
