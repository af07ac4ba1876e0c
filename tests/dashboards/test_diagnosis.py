"""Frozen beside dynamic, where an evaluation engineer looks each morning."""

from typing import Any

import pytest

from monitor.api.schema import SetDiagnosisItem

from .conftest import Look, everything
from .items import BOT
from .world import regression

SENTENCE = "Only the frozen set rose"
CORRECTIONS = {"days": 7, "days_before": 28, "before": 0.05, "after": 0.02, "ci_low": -0.04, "ci_high": -0.02}


def page(look: Look, **fields: Any) -> str:
    unseen = {"finding_id": None, "at": None, "baseline": None, "candidate": None}
    told = {
        "deployment": BOT,
        "frozen": [{"set_name": "primes", "verdict": "improvement", **unseen}],
        "dynamic": [{"set_name": "corrections", "verdict": None, **unseen}],
        "diagnosis": "one_set_only",
        "sentence": SENTENCE,
        "corrections": None,
        **fields,
    }
    world = regression()
    world.diagnoses = [SetDiagnosisItem.model_validate(told)]
    return everything(look(world, "overview"))


def test_the_sentence_stands_over_both_verdicts(look: Look) -> None:
    shown = page(look)
    assert f"**Both kinds of sets together.** {SENTENCE}" in shown
    assert ":blue-badge[frozen] primes :blue-badge[:material/trending_up: improvement]" in shown
    assert "corrections :gray-badge[:material/radio_button_unchecked: no data]" in shown
    assert "Corrections by users" not in shown


@pytest.mark.parametrize(
    ("fell", "said"),
    [(True, "they became rarer"), (False, "they did not become rarer"), (None, "too few data to say")],
)
def test_corrections_are_told_with_what_can_be_said_of_them(look: Look, fell: bool | None, said: str) -> None:
    shown = page(look, corrections={**CORRECTIONS, "fell": fell})
    assert "2.0 % of interactions in the last 7 days, 5.0 % in the 28 before (−4.0 to −2.0 points)" in shown
    assert said in shown


def test_a_deployment_without_sets_has_no_diagnosis(look: Look) -> None:
    assert "Both kinds" not in page(look, frozen=[], dynamic=[])
