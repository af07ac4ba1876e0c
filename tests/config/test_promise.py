"""Shares of alpha over what is watched, and what they add up to."""

from typing import Any

import pytest

from monitor.config.policy import to_policy
from monitor.config.promise import false_alarms, watches
from monitor.config.tree import Config


def config(over: str = "set", **drift: Any) -> Config:
    """Three sets, two of `support` and one of `search`, and the traffic of both; nothing of the third is watched."""
    silent = dict.fromkeys(("corrections", "refusals", "availability", "latency", "cost", "traffic"), False)
    return Config.model_validate(
        {
            "deployments": {
                "support": {"target": "model", "sets": ["primes", "tickets"], "drift": drift},
                "search": {"target": "model", "sets": ["queries"]},
                "unwatched": {"target": "model", "drift": {"production": silent}},
            },
            "targets": {"model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}},
            "sets": {
                name: {"kind": "dynamic", "scorers": [{"kind": "exact"}]} for name in ("primes", "tickets", "queries")
            },
            "alerts": {"alpha_over": over},
        }
    )


@pytest.mark.parametrize(
    ("over", "support", "search", "expected"),
    [("set", 0.05, 0.05, 0.25), ("deployment", 0.05 / 3, 0.025, 0.1), ("all", 0.01, 0.01, 0.05)],
)
def test_a_chance_is_shared_over_what_is_asked_for(over: str, support: float, search: float, expected: float) -> None:
    policy = to_policy(config(over)).deployments
    assert policy["support"].drift.alpha_silent == pytest.approx(support)
    assert policy["search"].drift.alpha_silent == pytest.approx(search)
    assert policy["search"].production.alpha == pytest.approx(search)
    assert false_alarms(config(over)) == pytest.approx(expected)


@pytest.mark.parametrize(("over", "alpha"), [("set", 0.05), ("deployment", 0.025), ("all", 0.025)])
def test_a_known_change_is_one_of_a_deployment_and_shared_over_its_sets(over: str, alpha: float) -> None:
    policy = to_policy(config(over)).deployments
    assert policy["support"].drift.alpha_change == pytest.approx(alpha)
    assert policy["search"].drift.alpha_change == pytest.approx(0.05)


def test_other_chances_and_horizons_of_a_deployment_enter_in_proportion() -> None:
    told = config("all", alpha_silent=0.3, horizon_nights=90, production={"alpha": 0.1})
    assert [round(watch.alpha, 4) for watch in watches(told)] == [0.06, 0.06, 0.02, 0.01, 0.01]
    assert false_alarms(told) == pytest.approx(2 * (0.06 + 0.06 + 0.02) + 0.02)


def test_what_has_no_set_and_no_series_is_not_watched() -> None:
    assert {(watch.deployment, watch.what) for watch in watches(config())} == {
        ("support", "primes"),
        ("support", "tickets"),
        ("support", "traffic"),
        ("search", "queries"),
        ("search", "traffic"),
    }
