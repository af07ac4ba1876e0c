"""A smallest effect in a finding of an earlier release is decoded."""

import json

import pytest

from monitor.domain.deciding_test import DecidingTest
from monitor.domain.detectable import DetectableEffect
from monitor.store.findings.decision_json import decided_from_json, decided_to_json
from monitor.store.findings.finding_json import evidence_from_json, evidence_to_json
from tests.store.findings.test_baselines import FULL

EFFECT = DetectableEffect(scenario="announced", nights=3, effect=0.04)


def test_each_effect_comes_back_with_its_situation_and_nights() -> None:
    decided = DecidingTest(test="known_change", channel="overall", detectable=(EFFECT,))
    assert decided_from_json(decided_to_json(decided)) == decided


@pytest.mark.parametrize(
    ("test", "situation"),
    [("known_change", "announced"), ("silent_drift", "silent"), ("two_runs", "two_runs"), ("pinned_run", "pinned_run")],
)
def test_an_old_test_has_its_one_effect(test: str, situation: str) -> None:
    plain = json.loads(decided_to_json(DecidingTest(test="two_runs", channel="overall")))
    del plain["detectable"]
    old = plain | {"test": test, "smallest_effect": 0.04, "smallest_nights": None if test == "two_runs" else 7}
    (found,) = decided_from_json(json.dumps(old)).detectable
    assert (found.scenario, found.effect) == (situation, 0.04)
    assert found.nights == (1 if test == "two_runs" else 7)


def test_an_old_test_without_an_effect_has_none() -> None:
    plain = json.loads(decided_to_json(DecidingTest(test="open_alert", channel="overall")))
    del plain["detectable"]
    old = plain | {"smallest_effect": None, "smallest_nights": None}
    assert decided_from_json(json.dumps(old)).detectable == ()


def test_the_channels_and_the_noise_of_old_evidence_are_read() -> None:
    plain = json.loads(evidence_to_json(FULL))
    for item in (*plain["channels"], plain["noise"]):
        del item["detectable"]
        item |= {"smallest_effect": 0.03, "smallest_nights": 7}
    found = evidence_from_json(json.dumps(plain))
    assert found.noise is not None
    assert found.noise.detectable == (DetectableEffect(scenario="announced", nights=7, effect=0.03),)
    assert [row.detectable for row in found.channels] == [(DetectableEffect(scenario="silent", nights=7, effect=0.03),)]
