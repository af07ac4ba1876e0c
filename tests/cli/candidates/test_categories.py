"""`driftd categories` on the file of a stopped daemon."""

from pathlib import Path

import pytest

from monitor.clock import SystemClock
from monitor.domain.failure_group import FailureGroup
from monitor.store.engine.database import Store
from monitor.store.sets import failure_groups
from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.ports import free_port


@pytest.fixture
def config(tmp_path: Path) -> Path:
    with running_model() as model:
        return write_house(tmp_path, model_url=model.url, api_port=free_port())


def add_group(config: Path) -> None:
    clock = SystemClock()
    store = Store.open(config.parent / "data" / "driftd.duckdb", clock=clock)
    group = FailureGroup(
        id="group-1",
        deployment="support",
        name="card_gift_voucher",
        terms={"gift": 0.6, "card": 0.4},
        members=("cand-1",),
        share=0.125,
        first_seen=clock.now(),
        last_seen=clock.now(),
    )
    with store.write() as tx:
        failure_groups.put(tx, [group])
    store.close()


def test_a_group_is_listed_accepted_and_then_a_category(config: Path, run: Run) -> None:
    add_group(config)
    [group] = run("categories", "groups", "--config", config, "--json").document["items"]
    assert (group["id"], group["terms"], group["share"]) == ("group-1", ["gift", "card"], 0.125)
    assert "12.5%" in run("categories", "groups", "--config", config).out
    done = run("categories", "accept", "group-1", "--name", "gift_cards", "--parent", "wrong_fact", "--config", config)
    assert done.out == "wrong_fact/gift_cards is a failure category of support\n"
    listed = run("categories", "list", "--config", config, "--json").document
    assert [item["name"] for item in listed["items"] if item["deployment"] == "support"] == ["gift_cards"]
    assert "gift_cards" in run("categories", "list", "--config", config).out


def test_a_group_is_dismissed(config: Path, run: Run) -> None:
    add_group(config)
    done = run("categories", "dismiss", "group-1", "--config", config)
    assert done.out == "group group-1 (card_gift_voucher) is dismissed\n"
    [group] = run("categories", "groups", "--state", "dismissed", "--config", config, "--json").document["items"]
    assert group["id"] == "group-1"


def test_a_wrong_name_or_group_is_an_error(config: Path, run: Run) -> None:
    add_group(config)
    assert run("categories", "accept", "none", "--config", config).code != 0
    refused = run("categories", "accept", "group-1", "--name", "incomplete", "--config", config)
    assert refused.code != 0
    assert "choose another name" in refused.err
