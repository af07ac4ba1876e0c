"""The message of a real regression: versions, cost, and texts for a receiver that is cleared for them."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from monitor.alerting.notify.console import Console
from monitor.alerting.render import text
from monitor.domain.alert import Notification
from monitor.domain.policy import Policy
from monitor.domain.version import How, Version
from monitor.jobs.alerting.cleared_texts import with_cleared_texts
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.store.engine.database import Store
from monitor.store.findings import alerts
from monitor.store.runs import runs, spending
from monitor.store.sets import revisions as evalsets
from monitor.store.traffic import prompts, versions
from replay.run.budget import Spent
from tests.jobs.nightly import EVERYONE, FIRST, RATES, Nightly
from tests.store.build import complete_run, revision, stored_case

QUESTION = "Is it a prime?"
DROPPED = RATES * np.where(np.arange(len(RATES)) % 2 == 0, 0.3, 1.0)
SPENT = Spent(requests=0, tokens=3000, usd=0.42)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nightly]:
    """The odd cases fall with version B, which has another model, prompt and temperature."""
    house = Nightly(tmp_path_factory.mktemp("house"))
    with house.store.write() as tx:
        for name, model, prompt in (("A", "gpt-a", "Be brief.\nAnswer yes."), ("B", "gpt-b", "Be brief.\nAnswer no.")):
            version = Version(
                id=name,
                deployment="support",
                label=model,
                identity={"response_model": model, "prompt": f"helper@{name}"},
                first_seen=FIRST,
                how=How.OBSERVED,
            )
            versions.insert(tx, version)
            prompts.store_announced(tx, "support", name, prompt, FIRST)
        spending.record(tx, "run-008", "support", FIRST, started=150, ended=SPENT)
    house.nights(7, manifest={"target": {"temperature": 0.0}})
    finding = house.night(DROPPED, version="B", manifest={"target": {"temperature": 0.7}})
    assert finding.verdict == "regression"
    house.clock.instant += timedelta(minutes=5)  # longer than alerts.group_wait_s
    house.alert.step()
    yield house
    house.close()


def cleared(house: Nightly, *labels: str) -> Policy:
    return replace(house.policy, alerts=replace(house.policy.alerts, cleared_for={"console": labels}))


def queued(house: Nightly) -> Notification:
    with house.store.read() as tx:
        [found] = alerts.page_notifications(tx, EVERYONE).items
    return found


def message(house: Nightly, *labels: str) -> str:
    """Return the text for a receiver that is cleared for these labels."""
    with house.store.read() as tx:
        return text(with_cleared_texts(tx, queued(house).payload, "console", cleared(house, *labels)))


def test_the_message_has_versions_cost_and_no_text(house: Nightly) -> None:
    page = message(house)
    first, second, _ = page.splitlines()[:3]
    assert first.startswith("FIRING · critical · odd −")
    assert second == "support, set primes: gpt-a → gpt-b"
    assert "  diff      served model: gpt-a → gpt-b\n            prompt: helper@A → helper@B\n" in page
    old, new = (sha256(line).hexdigest()[:8] for line in (b"Answer yes.", b"Answer no."))
    assert f"            - sha256 {old}\n            + sha256 {new}\n" in page
    assert "            temperature: 0.0 → 0.7\n" in page
    assert "  cost      replay 150 calls, 3000 tokens, 0.42 USD\n" in page
    assert QUESTION not in page
    assert "Answer no." not in page


@pytest.mark.parametrize("labels", [("public",), ("pii",), ("public", "pii")])
def test_a_set_without_labels_counts_as_confidential(house: Nightly, labels: tuple[str, ...]) -> None:
    assert message(house, *labels) == message(house)


def test_a_cleared_receiver_gets_questions_and_prompt_lines(house: Nightly) -> None:
    page = message(house, "confidential")
    assert page.count(f"“{QUESTION}”") == 5
    assert "            - Answer yes.\n            + Answer no.\n" in page


def test_the_loop_sends_texts_that_the_outbox_does_not_store(house: Nightly) -> None:
    stream, policy = io.StringIO(), cleared(house, "confidential")
    loop = NotifyLoop(store=house.store, policy=policy, clock=house.clock, receiver=Console("console", stream))
    assert loop.step() == 1
    assert stream.getvalue().count(QUESTION) == 5
    stored = json.dumps(dict(queued(house).payload))
    assert queued(house).state == "sent"
    assert "prime?" not in stored
    assert "Answer no." not in stored


def test_texts_of_a_sealed_set_are_sent_to_no_receiver(house: Nightly, tmp_path: Path) -> None:
    """The stored case is readable here, so only the check of the seal keeps it back."""
    content = b'{"id": "case-1", "input": "Is it a prime?"}'
    policy = cleared(house, "public", "confidential", "pii")
    payload = queued(house).payload
    worst = [{**case, "case_id": "case-1"} for case in payload["comparison"]["worst_cases"]]
    body = {**payload, "comparison": {**payload["comparison"], "worst_cases": worst}}
    seen = {}
    for sealed in (True, False):
        store = Store.open(tmp_path / f"{sealed}.duckdb", clock=house.clock)
        with store.write() as tx:
            evalsets.insert(tx, revision(cases=1, sealed=sealed), [stored_case("case-1", content=content)])
            runs.insert(tx, complete_run("run-008", FIRST, version="B"))
            prompts.store_announced(tx, "support", "A", "Answer yes.", FIRST)
            prompts.store_announced(tx, "support", "B", "Answer no.", FIRST)
        with store.read() as tx:
            seen[sealed] = text(with_cleared_texts(tx, body, "console", policy))
        store.close()
    assert (QUESTION in seen[False], "+ Answer no." in seen[False]) == (True, True)
    assert (QUESTION in seen[True], "Answer no." in seen[True]) == (False, False)
