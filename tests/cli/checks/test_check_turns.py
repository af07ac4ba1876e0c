"""Targets that cannot ask the cases of their sets turn by turn are reported before a replay."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.house import write_house
from tests.cli.test_check import change, lines_of
from tests.ports import free_port

TURNS = "- {id: poem, turns: [Write a poem., Shorter.], must_include: [sea]}\n"
ONCE = "- {id: poem, input: Write a poem., must_include: [sea]}\n"
SET = {"kind": "frozen", "key": "00" * 32, "scorers": [{"kind": "must"}]}
QUESTION = '{"q": {{ question | tojson }}}'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = write_house(
        tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port(), otlp_port=free_port(), grpc_port=free_port()
    )
    return change(
        path,
        sets={"poems": SET},
        targets={"app": {"kind": "http", "url": "http://127.0.0.1:9/ask", "body": QUESTION}},
        deployments={"support": {"target": "app", "sets": ["poems"]}},
    )


def case_file(folder: Path, text: str) -> Path:
    path = folder / "poems.yaml"
    path.write_text(text)
    return path


def test_validate_names_a_deployment_whose_target_cannot_ask_turn_by_turn(config: Path, run: Run) -> None:
    path = case_file(config.parent, TURNS)
    result = run("sets", "validate", path, "--set", "poems", "--config", config, "--json")
    [remark] = result.document["remarks"]
    assert remark["case_id"] == "poem"
    assert remark["text"].startswith("deployment support: 1 cases of set poems are asked turn by turn, but the request")
    assert "use {{ messages | tojson }}" in remark["text"]
    once = run("sets", "validate", case_file(config.parent, ONCE), "--set", "poems", "--config", config, "--json")
    assert once.document["remarks"] == []


def test_check_fails_for_a_deployment_whose_target_cannot_ask_turn_by_turn(config: Path, run: Run) -> None:
    run("sets", "import", "poems", case_file(config.parent, TURNS), "--config", config)
    state, sentence = lines_of(run, config, code=1)["deployment support"]
    assert state == "fail"
    assert sentence.startswith("1 cases of set poems are asked turn by turn, but the request has neither messages")


def test_a_target_that_sends_the_conversation_is_not_named(config: Path, run: Run) -> None:
    change(config, targets={"app": {"kind": "http", "url": "http://127.0.0.1:9/ask"}})
    run("sets", "import", "poems", case_file(config.parent, TURNS), "--config", config)
    assert "deployment support" not in lines_of(run, config, code=1)
