"""The example client against a whole daemon and without one."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.app.house import DEPLOYMENT, House, daemon
from tests.ports import free_port, free_ports

FOLDER = Path(__file__).parents[2] / "examples" / "client"
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is 9 prime?"}]
MANY = 2_000


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("driftd_client", FOLDER / "driftd_client.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client_module = _module()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with daemon(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture
def nobody() -> Iterator[Any]:
    """Yield a client of a daemon that is down."""
    where = f"http://127.0.0.1:{free_port()}"
    made = client_module.Driftd(DEPLOYMENT, otlp=where, api=where, max_queued=100, timeout_s=0.2)
    yield made
    made.close(0.5)


def client_of(house: House, **options: Any) -> Any:
    addresses = house.app.addresses
    return client_module.Driftd(DEPLOYMENT, otlp=addresses["ingest.otlp"], api=addresses["api"], **options)


def ask(client: Any, response_id: str) -> str:
    prompt = ("primes", "3")
    with client.call(model="gpt-4", messages=MESSAGES, prompt=prompt, category="odd", conversation_id="c1") as call:
        call.set_answer("[Yes]", model="gpt-4-0613", response_id=response_id, input_tokens=9, output_tokens=3)
    return str(call.trace_id)


def settled(house: House, client: Any) -> None:
    assert client.flush(30.0)
    house.app.wake()
    house.app.settle(30.0)


def test_a_call_and_its_correction_arrive_and_are_linked(house: House) -> None:
    client = client_of(house)
    ask(client, "resp-a")
    trace_id = ask(client, "resp-b")
    client.correct(response_id="resp-a", expected="no", failure_category="false_prime")
    client.correct(trace_id=trace_id, comment="nine is three times three")
    settled(house, client)
    client.close()
    calls = {item["response_id"]: item for item in house.listed("interactions")}
    asked = calls["resp-a"]
    assert (asked["deployment"], asked["response_model"], asked["category"]) == (DEPLOYMENT, "gpt-4-0613", "odd")
    assert (asked["prompt_id"], asked["prompt_version"], asked["conversation_id"]) == ("primes", "3", "c1")
    assert asked["content_state"] == "full"
    linked = {item["expected"]: item["linked_interaction_id"] for item in house.listed("feedback")}
    assert linked == {"no": asked["id"], None: calls["resp-b"]["id"]}
    assert client.dropped == {"calls": 0, "corrections": 0}


def test_an_error_of_the_call_is_recorded_and_raised_again(house: House) -> None:
    client = client_of(house)
    with (
        pytest.raises(ZeroDivisionError, match="secret"),
        client.call(model="gpt-4", messages=MESSAGES, conversation_id="broken"),
    ):
        raise ZeroDivisionError("secret words of a user")
    settled(house, client)
    client.close()
    [failed] = [item for item in house.listed("interactions") if item["conversation_id"] == "broken"]
    assert (failed["status"], failed["error_class"]) == ("error", "other")
    assert failed["error_type"] == "ZeroDivisionError"
    assert "secret" not in str(failed)


def test_texts_are_not_sent_when_disabled(house: House) -> None:
    client = client_of(house, capture_content=False)
    ask(client, "resp-quiet")
    settled(house, client)
    client.close()
    [quiet] = [item for item in house.listed("interactions") if item["response_id"] == "resp-quiet"]
    assert quiet["content_state"] == "absent"


def test_messages_that_are_not_text_do_not_fail_the_application(house: House) -> None:
    client = client_of(house)
    with client.call(model="gpt-4", messages=[{"role": "user", "content": None}, {}]) as call:
        call.set_answer("[No]", model="gpt-4-0613")
    assert client.flush(30.0)
    client.close()
    assert client.dropped["calls"] == 0


@pytest.mark.timeout(100)  # a refused connection with its retries takes the exporter 0.2 s: all of them take minutes
def test_without_a_daemon_calls_return_at_once_and_memory_is_bounded(nobody: Any) -> None:
    for n in range(MANY):
        ask(nobody, f"resp-{n}")
        nobody.correct(response_id=f"resp-{n}", expected="no")

    assert nobody.dropped["corrections"] >= MANY - 100 - client_module.BATCH
    assert nobody.dropped["calls"] >= MANY - 100 - 256 - MANY // 4
    nobody.close(0.5)
    assert nobody.dropped == {"calls": MANY, "corrections": MANY}


@pytest.mark.timeout(15)  # the exports of all calls take 20 s
def test_closing_without_a_daemon_respects_its_timeout(nobody: Any) -> None:
    for n in range(100):
        ask(nobody, f"resp-{n}")
        nobody.correct(response_id=f"resp-{n}")
    nobody.close(0.5)
    ask(nobody, "after the end")
    nobody.correct(response_id="after the end")
    assert nobody.dropped == {"calls": 101, "corrections": 101}


def test_corrections_are_sent_when_the_daemon_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "PAUSE_S", 0.05)
    port, otlp = free_ports(2)
    client = client_module.Driftd(DEPLOYMENT, otlp=f"http://127.0.0.1:{otlp}", api=f"http://127.0.0.1:{port}")
    client.correct(response_id="early", expected="no")
    assert not client.flush(0.3)
    with daemon(tmp_path, api={"port": port}) as house:
        assert client._feedback.wait(30.0)
        assert [item["expected"] for item in house.listed("feedback")] == ["no"]
    client.close(0.5)
    assert client.dropped["corrections"] == 0


def test_records_that_driftd_rejects_are_counted(house: House) -> None:
    client = client_of(house)
    client.correct()  # the correction has no subject
    client.correct(response_id="resp-c")
    assert client.flush(30.0)
    client.close()
    assert client.dropped["corrections"] == 1


def test_the_example_runs_unchanged(house: House) -> None:
    addresses = [house.app.addresses["ingest.otlp"], house.app.addresses["api"]]
    done = subprocess.run(
        [sys.executable, str(FOLDER / "example.py"), *addresses], capture_output=True, text=True, timeout=60, check=True
    )
    assert "dropped: {'calls': 0, 'corrections': 0}" in done.stdout
    sent = {item["response_id"] for item in house.listed("interactions", deployment="support-bot")}
    assert sent == {"resp-1"}
    assert [f["failure_category"] for f in house.listed("feedback", deployment="support-bot")] == ["wrong_refusal"]
