"""The evidence of a verdict, below the categories that moved."""

from datetime import UTC, datetime
from typing import Any

import pytest

from dashboards.formatting import plain
from monitor.api.schema import EvidenceItem

from .conftest import OpenPage, everything
from .fake_daemon import FakeDaemon, regression

PAGE = "failure_modes"


def with_evidence(**fields: Any) -> FakeDaemon:
    daemon = regression()
    evidence = EvidenceItem.model_validate(
        {
            "phase": "silent",
            "trigger": None,
            "kind": None,
            "channel": None,
            "onset_run": None,
            "onset_at": None,
            "delta": None,
            "interval": None,
            "interval_new_cases": None,
            "e": None,
            "e_needed": None,
            "p": None,
            "p_needed": None,
            "nights": 40,
            "baseline_nights": 14,
            "baseline_first_run": None,
            "baseline_last_run": None,
            "case_overlap": {"cases": 800, "carried_over": 800, "revisions": 1},
            "channels": [],
            "noise": None,
            "not_tested": [],
            **fields,
        }
    )
    daemon.findings = [row.model_copy(update={"evidence": evidence}) for row in daemon.findings]
    return daemon


def test_the_nights_of_a_verdict_are_counted(open_page: OpenPage) -> None:
    page = everything(open_page(with_evidence(), PAGE))
    assert "No change of version is known" in page
    assert "40 nights, 14 of them in the baseline." in page


def test_an_onset_has_both_intervals(open_page: OpenPage) -> None:
    onset = datetime(2026, 11, 2, 3, tzinfo=UTC)
    daemon = with_evidence(
        onset_at=onset, channel="prime", delta=-0.04, interval=(-0.06, -0.02), interval_new_cases=(-0.09, 0.01)
    )
    assert (
        "prime: −4.0 points, 95 % interval −6.0 to −2.0 for these cases, −9.0 to +1.0 for new cases of the same kind."
        in everything(open_page(daemon, PAGE))
    )


@pytest.mark.parametrize(
    ("carried", "expected"),
    [(300, "2 revisions of the set share 300 of 800 cases"), (0, "a new baseline starts")],
)
def test_a_new_revision_shows_the_case_overlap(open_page: OpenPage, carried: int, expected: str) -> None:
    daemon = with_evidence(case_overlap={"cases": 800, "carried_over": carried, "revisions": 2})
    assert expected in everything(open_page(daemon, PAGE))


def test_the_noise_shows_the_variation_of_nights(open_page: OpenPage) -> None:
    noise = {
        "nights": 40,
        "within_variance": 0.06,
        "night_variance": 0.0001,
        "night_interval": None,
        "detectable": [{"scenario": "announced", "nights": 7, "effect": 0.021}],
    }
    page = everything(open_page(with_evidence(noise=noise), PAGE))
    assert "Nights vary by 1.0 points (standard deviation)." in page
    assert "2.1 points" not in page, "that is the smallest effect of another test than the one that decided"


def test_the_channel_nearest_to_an_alarm_is_first(open_page: OpenPage) -> None:
    channels = [
        {"kind": "score", "channel": "overall", "e": 2.0, "e_needed": 1000.0},
        {"kind": "score", "channel": "prime", "e": 1000.0, "e_needed": 1000.0},
        {"kind": "mix", "channel": "format", "p": 0.5, "p_needed": 0.001, "worse": True},
        {"kind": "behaviour", "channel": "overall"},
    ]
    page = open_page(with_evidence(channels=channels), PAGE)
    table = page.dataframe[2].value
    assert list(table["channel"]) == ["prime", "overall", "format", "overall"]
    assert list(table["share of an alarm"]) == ["100 %", "10 %", "10 %", "0 %"]
    assert list(table["measured"]) == ["e 1,000", "e 2", "p 0.5", "-"]


def cause(**fields: Any) -> dict[str, Any]:
    return {
        "named": ["model"],
        "probability": 0.97,
        "confirmed": True,
        "statement": "caused by model (97%)",
        "why": "model, by replay the old model on the new prompt: all of the drop went away",
        "differences": ["served model: gpt-4-0314 to gpt-4-0613"],
        "causes": [{"suspect": "model", "probability": 0.97}, {"suspect": None, "probability": 0.02}],
        "tried": [
            {
                "step": "replay the old model on the new prompt",
                "result": "all of the drop went away",
                "detail": "84.0 % on 60 cases",
                "bits": 0.8,
                "calls": 60,
                "usd": 0.25,
            }
        ],
        "not_tried": [{"step": "replay the old prompt on the new model", "why": "its text is not kept"}],
        "calls": 60,
        "usd": 0.25,
        **fields,
    }


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "**Cause.** Caused by model (97%)."),
        (
            {"named": None, "statement": "not identifiable: model, code"},
            "**Cause.** Not identifiable: model, code.",
        ),
    ],
)
def test_the_cause_is_shown_or_unknown(open_page: OpenPage, fields: dict[str, Any], expected: str) -> None:
    page = open_page(with_evidence(cause=cause(**fields)), PAGE)
    assert plain(expected).replace("\\*", "*") in everything(page)
    assert f"Differences: {plain('served model: gpt-4-0314 to gpt-4-0613')}." in everything(page)


def test_an_untested_cause_has_no_percentage(open_page: OpenPage) -> None:
    untested = {
        "probability": None,
        "confirmed": False,
        "statement": "model is the only recorded difference; the old model was not replayed (no call is left)",
        "causes": [{"suspect": "model", "probability": None}],
        "tried": [],
    }
    page = open_page(with_evidence(cause=cause(**untested)), PAGE)
    assert "**Cause.** Model is the only recorded difference; the old model was not replayed" in everything(page)
    assert "Probability of each cause" not in everything(page)
    assert "Made by" not in everything(page)


def test_every_step_of_the_investigation_is_listed_with_its_result(open_page: OpenPage) -> None:
    page = open_page(with_evidence(cause=cause()), PAGE)
    assert "1 step run, 1 not run, 60 calls and 0.25 USD spent" in [row.label for row in page.expander]
    table = next(frame.value for frame in page.dataframe if "result" in frame.value)
    assert list(table["result"]) == ["all of the drop went away", "not run"]
    assert list(table["numbers"]) == ["84.0 % on 60 cases", "its text is not kept"]


@pytest.mark.parametrize("smallest", [0.021, None])
def test_the_noise_shows_how_often_two_answers_of_one_night_differ(open_page: OpenPage, smallest: float | None) -> None:
    noise = {
        "nights": 1,
        "within_variance": 0.04,
        "night_variance": None,
        "night_interval": None,
        "detectable": [] if smallest is None else [{"scenario": "silent", "nights": 1, "effect": smallest}],
        "repeats": 80,
        "flip_rate": 0.081,
        "flip_interval": (0.06, 0.102),
    }
    page = everything(open_page(with_evidence(noise=noise), PAGE))
    assert "Within one night, a repeated case gets a different verdict in 8.1 % (6.0 to 10.2) of the repeats." in page
    assert "Smallest change" not in page


def test_a_pinned_run_shows_the_difference_of_the_newest_nights(open_page: OpenPage) -> None:
    pinned = {
        "pin_id": "pin-1",
        "run_id": "run-7",
        "nights": 14,
        "recent_nights": 7,
        "status": "below",
        "looks": 3,
        "delta": -0.03,
        "interval": (-0.04, -0.02),
        "interval_new_cases": None,
        "channel": "overall",
        "p": 0.00001,
        "p_needed": 0.0001,
        "detected_run": "run-21",
    }
    status = "Compared with the pinned run run-7: the set is below it. "
    assert f"{status}The newest 7 nights: −3.0 points (−4.0 to −2.0)." in everything(
        open_page(with_evidence(pinned_run=pinned), PAGE)
    )
    others = {**pinned, "status": "other_judge", "delta": None, "interval": None}
    assert "the scorers have changed" in everything(open_page(with_evidence(pinned_run=others), PAGE))


CONSISTENCY: dict[str, Any] = {
    "cases": 300,
    "nights": 3,
    "pairs": "nights",
    "before": 0.04,
    "after": 0.121,
    "delta": 0.081,
    "interval": (0.05, 0.112),
    "p": 1e-6,
    "p_needed": 0.02,
    "direction": "less",
}


@pytest.mark.parametrize(
    ("direction", "claim"),
    [("less", "The new version is less consistent (no regression)"), (None, "No change of consistency was detected")],
)
def test_consistency_has_both_rates_and_the_interval(open_page: OpenPage, direction: str | None, claim: str) -> None:
    page = everything(open_page(with_evidence(consistency=CONSISTENCY | {"direction": direction}), PAGE))
    assert (
        f"{claim}: two answers to one case differ in 12.1 % instead of 4.0 %, +8.1 points (+5.0 to +11.2, 300 cases, "
        "3 nights after the change)."
    ) in page
