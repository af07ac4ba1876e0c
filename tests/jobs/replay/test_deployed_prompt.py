"""The prompt of a replay when the configuration does not contain it."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from monitor.changes.fingerprint import identity_of
from monitor.clock import SystemClock
from monitor.jobs.replay.deployed_prompt import keep_prompt, prompt_options, replayed_prompt
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions, prompts, versions
from replay.errors import TargetError
from replay.targets.table import build_target
from tests.store.build import at, interaction, version

SUPPORT = "support"


@pytest.fixture
def store(tmp_path: Path) -> Any:
    opened = Store.open(tmp_path / "driftd.duckdb", clock=SystemClock())
    yield opened
    opened.close()


def run_version(store: Store, prompt_id: str | None = "greeting", prompt_version: str | None = "7") -> str:
    made = identity_of(
        ("response_model", "prompt"), response_model="gpt-4-0613", prompt_id=prompt_id, prompt_version=prompt_version
    )
    assert made is not None
    with store.write() as tx:
        versions.insert(tx, version(made.digest, deployment=SUPPORT, identity=made.fields, label=made.label))
    return made.digest


def test_the_configuration_needs_no_store(store: Store) -> None:
    assert prompt_options(store, SUPPORT, "config") == {}


def test_an_announced_prompt_is_the_template_told_with_the_current_version(store: Store) -> None:
    current = run_version(store)
    with store.write() as tx:
        prompts.store_announced(tx, SUPPORT, current, "Be {{ how }}.", at(0))
    assert prompt_options(store, SUPPORT, "announced") == {
        "template": "Be {{ how }}.",
        "prompt_id": "greeting",
        "prompt_version": "7",
        "prompt_from": "announced",
    }


def test_an_observed_prompt_is_what_traffic_of_the_current_version_says_word_for_word(store: Store) -> None:
    current = run_version(store)
    with store.write() as tx:
        messages = interaction(
            "i", deployment=SUPPORT, identity=current, system_prompt="Be {{ brief }}.", prompt_id="greeting"
        )
        interactions.insert(tx, [messages])
    assert prompt_options(store, SUPPORT, "observed") == {
        "system_prompt": "Be {{ brief }}.",
        "prompt_id": "greeting",
        "prompt_version": None,
        "prompt_from": "observed",
    }


@pytest.mark.parametrize(
    ("source", "why"),
    [("announced", "version 'gpt-4-0613 · greeting@7': its prompt was not announced"), ("observed", "no traffic with")],
)
def test_a_prompt_that_nobody_knows_is_no_replay_with_another(store: Store, source: str, why: str) -> None:
    with pytest.raises(TargetError, match="has no version yet"):
        prompt_options(store, SUPPORT, source)
    run_version(store)
    with pytest.raises(TargetError) as raised:
        prompt_options(store, SUPPORT, source)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    "result",
    [
        {"system_prompt": "Be brief."},
        {"template": "Be {{ how }}.", "variables": {"how": "brief"}},
        {"template": "{{ q }}"},
    ],
)
def test_the_prompt_of_a_replay_can_be_restored(store: Store, result: dict[str, Any]) -> None:
    options = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "prompt_id": "p", "prompt_version": "1", **result}
    sent = build_target("openai", options).conditions
    keep_prompt(store, SUPPORT, options, sent)
    keep_prompt(store, SUPPORT, options, sent)
    back = replayed_prompt(store, SUPPORT, asdict(sent))
    assert build_target("openai", {**options, "system_prompt": None, "template": None, **back}).conditions == sent


def test_a_run_without_a_prompt_is_put_back_without_one_and_a_text_that_was_not_kept_is_said(store: Store) -> None:
    bare = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
    keep_prompt(store, SUPPORT, bare, build_target("openai", bare).conditions)
    assert set(replayed_prompt(store, SUPPORT, {}).values()) == {None}
    with pytest.raises(TargetError, match=r"the text of the old prompt \(abc\) is not kept"):
        replayed_prompt(store, SUPPORT, {"system_prompt_hash": "abc"})
