"""A complete daemon finds the cause of a real drop: it replays the old model while the endpoint still offers it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.app.house import DEPLOYMENT, FROZEN, House, daemon, primes
from tests.app.two_models import ALIAS, TwoModels
from tests.app.two_prompts import TwoPrompts

OLD, NEW = "gpt-4-0314", "gpt-4-0613"
CASES, BUDGET = 120, 200
OLD_MODEL, OLD_PROMPT = "replay the old model on the new prompt", "replay the old prompt on the new model"
GOOD, BAD = "Think step by step, then say [Yes] or [No].", "Say [Yes] or [No] at once."


@contextmanager
def two_models(folder: Path, *, calls: int, offered: tuple[str, ...] = (OLD, NEW)) -> Iterator[tuple[House, TwoModels]]:
    with TwoModels(primes(), (OLD, NEW), offered=offered) as models:
        drift = {"min_cases": 20, "attribution_calls": calls, "attribution_usd": 5.0}
        target = {"kind": "openai", "base_url": models.base_url, "model": ALIAS}
        with daemon(
            folder,
            deployments={DEPLOYMENT: {"target": "gpt-4", "sets": [FROZEN], "drift": drift}},
            targets={"gpt-4": {**target, "price": {"input_usd_per_mtok": 30.0, "output_usd_per_mtok": 60.0}}},
        ) as house:
            house.import_primes(CASES)
            yield house, models


def drop(house: House, models: TwoModels) -> dict[str, Any]:
    """Run three nights of one model, then one of the other under the same alias. Return the finding that opens the
    alert.
    """
    for _ in range(3):
        house.replay()
    models.alias = NEW
    house.replay()
    return next(row for row in house.listed("findings") if row["verdict"] == "regression")


def test_the_old_model_is_asked_again_and_named(tmp_path: Path) -> None:
    with two_models(tmp_path, calls=BUDGET) as (house, models):
        cause = drop(house, models)["evidence"]["cause"]
        assert cause["named"] == ["model"]
        assert cause["probability"] >= 0.95
        assert cause["confirmed"] is True
        assert cause["statement"].startswith("caused by model (")
        assert f"served model: {OLD} to {NEW}" in cause["differences"]
        tried = {row["step"]: row for row in cause["tried"]}
        assert tried[OLD_MODEL]["result"] == "all of the drop went away"
        assert 30 <= models.asked[OLD] == tried[OLD_MODEL]["calls"] <= CASES
        assert 0.0 < cause["usd"] < 5.0
        assert cause["calls"] == sum(row["calls"] for row in cause["tried"]) <= BUDGET
        alarmed = next(trace[:16] for model, trace in reversed(models.traces) if model == ALIAS)
        assert {trace[:16] for model, trace in models.traces if model == OLD} == {alarmed}, "its echoes are the run's"
        house.replay()
        assert models.asked[OLD] == tried[OLD_MODEL]["calls"], "asked once for an alert, not every night"


def test_an_old_model_that_is_no_longer_offered_is_reported_to_be_gone(tmp_path: Path) -> None:
    with two_models(tmp_path, calls=BUDGET, offered=(NEW,)) as (house, models):
        cause = drop(house, models)["evidence"]["cause"]
        not_tried = {row["step"]: row["why"] for row in cause["not_tried"]}
        assert not_tried[OLD_MODEL] == f"the target does not offer {OLD} any more"
        assert models.asked[OLD] == 0


def test_without_a_budget_nothing_is_asked_and_what_is_stored_is_read_again(tmp_path: Path) -> None:
    with two_models(tmp_path, calls=0) as (house, models):
        cause = drop(house, models)["evidence"]["cause"]
        assert (cause["calls"], cause["usd"], models.asked) == (0, 0.0, {ALIAS: 4 * CASES})
        tried = {row["step"]: row for row in cause["tried"]}
        again = tried["re-judge stored baseline outputs"]
        assert again["result"] == "the drop stayed"
        assert f"{3 * CASES} stored outputs judged again: 0.0 % came out differently" in again["detail"]
        assert (cause["confirmed"], cause["probability"]) == (False, None)
        assert cause["statement"].startswith(f"model is the only recorded difference (served model: {OLD} to {NEW}")
        assert "the old model was not replayed" in cause["statement"]
        assert "%" not in cause["statement"]
        (old_model,) = [row["why"] for row in cause["not_tried"] if row["step"] == OLD_MODEL]
        assert old_model.endswith("0 calls and 5.00 USD are left")


@contextmanager
def announced_prompt(folder: Path) -> Iterator[tuple[House, TwoPrompts]]:
    """A deployment that runs the last announced prompt, on an endpoint whose answers depend only on the prompt."""
    with TwoPrompts(primes(), {GOOD: OLD, BAD: NEW}) as models:
        drift = {"min_cases": 20, "attribution_calls": BUDGET, "attribution_usd": 5.0}
        target = {"kind": "openai", "base_url": models.base_url, "model": ALIAS, "prompt_from": "announced"}
        with daemon(
            folder,
            deployments={DEPLOYMENT: {"target": "gpt-4", "sets": [FROZEN], "drift": drift}},
            targets={"gpt-4": target},
        ) as house:
            house.import_primes(CASES)
            yield house, models


def announce(house: House, model: str, version: str, text: str) -> None:
    told = {"model": model, "prompt_id": "primes", "prompt_version": version, "prompt_text": text}
    house.api.post("/api/v1/changes", json={"deployment": DEPLOYMENT, **told}).raise_for_status()
    house.app.settle(60.0)


def test_of_a_model_and_a_prompt_that_changed_at_once_the_prompt_ranks_first_once_it_was_put_back(
    tmp_path: Path,
) -> None:
    with announced_prompt(tmp_path) as (house, models):
        announce(house, "gpt-4-march", "1", GOOD)
        for _ in range(3):
            house.replay()
        before = models.asked[GOOD]
        models.reported = "gpt-4-june"
        announce(house, "gpt-4-june", "2", BAD)
        finding = next(row for row in house.listed("findings") if row["verdict"] == "regression")
        cause = finding["evidence"]["cause"]
        assert (cause["causes"][0]["suspect"], cause["causes"][0]["probability"] > 0.95) == ("prompt", True), cause
        assert cause["named"] is None, "that it needs the new model as well is not ruled out without the old one"
        assert "prompt version: 1 to 2" in cause["differences"]
        tried = {row["step"]: row for row in cause["tried"]}
        assert tried[OLD_PROMPT]["result"] == "all of the drop went away"
        assert models.asked[GOOD] - before == tried[OLD_PROMPT]["calls"] <= BUDGET
