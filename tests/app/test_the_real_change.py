"""All 1,000 prime questions, replayed over real HTTP, give the published figures of the recorded answers."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.app.house import daemon

Compared = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]  # run before, run after, comparison


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compared]:
    with daemon(tmp_path_factory.mktemp("house")) as house:
        house.import_primes(1000)
        before = house.replay()
        house.serve("gpt-4-0613")
        after = house.replay()
        params = {"baseline": before["id"], "candidate": after["id"]}
        yield before, after, house.api.get("/api/v1/comparisons", params=params).raise_for_status().json()


def test_the_pass_rates_are_those_of_the_study(compared: Compared) -> None:
    before, after, _ = compared
    assert (before["pass_rate"], after["pass_rate"]) == (0.840, 0.502)


def test_the_flips_are_counted_case_by_case(compared: Compared) -> None:
    *_, seen = compared
    assert (seen["flipped_to_fail"], seen["flipped_to_pass"], seen["n"]) == (477, 139, 1000)
    assert seen["effect"] == pytest.approx(-0.338)
    assert seen["ci_low"] < -0.338 < seen["ci_high"] < -0.28


def test_primes_collapsed_while_composites_improved(compared: Compared) -> None:
    *_, seen = compared
    rates = {row["category"]: (row["baseline"], row["candidate"]) for row in seen["categories"]}
    assert rates == {"prime": (0.976, 0.024), "composite": (0.704, 0.980)}


def test_answers_without_a_verdict_are_a_failure_category_of_their_own(compared: Compared) -> None:
    before, after, _ = compared
    counts = [
        next(row["count"] for row in run["failure_categories"] if row["failure_category"] == "no_verdict")
        for run in (before, after)
    ]
    assert counts == [4, 53]


def test_the_manifest_holds_every_condition(compared: Compared) -> None:
    before, *_ = compared
    manifest = before["manifest"]
    assert manifest["reported"]["model"] == {"gpt-4-0314": 1000}
    assert manifest["reported"]["recorded-resample"] == {"0": 1000}
    assert manifest["target"]["temperature"] == 0.1
    assert manifest["target"]["max_tokens"] == 1000
    assert len(manifest["target"]["system_prompt_hash"]) == 64
    assert (manifest["cases"], manifest["samples"], manifest["outcomes"], manifest["scored"]) == (1000, 1, 1000, 1000)
    assert manifest["cost_usd"] > 0
    assert manifest["revision"] == before["revision"]
    assert set(manifest["scorers"]) == {"choice"}
