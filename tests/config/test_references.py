from typing import Any

import pytest

from monitor.config.references import is_loopback
from monitor.errors import ConfigError
from tests.config.builders import config

TOKEN = [{"name": "ci", "sha256": "0" * 64, "roles": ["admin"]}]


def refusal(**paths: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        config(**paths)
    return str(caught.value)


def test_an_unknown_set_fails_with_its_deployment_and_the_known_names() -> None:
    assert refusal(deployments__support__sets=["primse"]) == (
        "driftd.yaml: deployment 'support': eval set 'primse' is unknown; known: corrections, primes"
    )


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        ({"deployments__support__target": "gpt"}, "deployment 'support': target 'gpt' is unknown; known: model"),
        (
            {"schedules__nightly__deployments": ["sales"]},
            "schedule 'nightly': deployment 'sales' is unknown; known: support",
        ),
        ({"alerts__receivers": ["pager"]}, "alerts.receivers: receiver 'pager' is unknown; known: hook"),
        ({"ingest__default_deployment": "x"}, "ingest.default_deployment: deployment 'x' is unknown; known: support"),
        ({"targets": {}}, "deployment 'support': target 'model' is unknown; known: none"),
    ],
)
def test_an_unknown_name_fails_with_its_path_and_the_known_names(paths: Any, sentence: str) -> None:
    assert refusal(**paths) == f"driftd.yaml: {sentence}"


def test_every_unknown_name_is_listed() -> None:
    assert len(refusal(deployments__support__target="x", deployments__support__sets=["y", "z"]).splitlines()) == 3


def test_a_duplicate_name_is_refused() -> None:
    assert "eval set 'primes' is given 2 times" in refusal(deployments__support__sets=["primes", "primes"])


def test_two_deployments_cannot_claim_one_service() -> None:
    sales = {"target": "model", "service_names": ["support"]}
    assert "deployments: service name 'support' is given 2 times" in refusal(deployments__sales=sales)


def test_two_deployments_may_share_a_frozen_set_but_no_dynamic_one() -> None:
    assert "sales" in config(deployments__sales={"target": "model", "sets": ["primes"]}).deployments
    shared = refusal(deployments__sales={"target": "model", "sets": ["corrections"]})
    assert "set 'corrections': it grows from one deployment's corrections, but support, sales name it" in shared


@pytest.mark.parametrize("key", ["api", "ingest__otlp", "ingest__otlp_grpc"])
def test_a_host_other_than_loopback_needs_tokens(key: str) -> None:
    path = key.replace("__", ".")
    assert refusal(**{f"{key}__host": "0.0.0.0"}).startswith(f"driftd.yaml: {path}.host: 0.0.0.0 is reachable")
    assert config(**{f"{key}__host": "0.0.0.0", "api__tokens": TOKEN}).api.tokens[0].name == "ci"


def test_the_api_and_the_receiver_need_two_ports() -> None:
    assert "api.port: 4318 is also ingest.otlp.port" in refusal(api__port=4318)
    assert "api.port: 4317 is also ingest.otlp_grpc.port" in refusal(api__port=4317)
    both = refusal(ingest__otlp__port=5000, ingest__otlp_grpc__port=5000)
    assert "ingest.otlp.port: 5000 is also ingest.otlp_grpc.port; give each its own" in both
    assert config(api__port=0, ingest__otlp__port=0, ingest__otlp_grpc__port=0).api.port == 0


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("host.example", False),
    ],
)
def test_a_loopback_host_is_reachable_only_from_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(("every_s", "allowed"), [(239.0, True), (240.0, False)])
def test_a_watchdog_that_alertmanager_would_resolve_between_two_signals_is_refused(
    every_s: float, allowed: bool
) -> None:
    paths: dict[str, Any] = {
        "receivers__am": {"kind": "alertmanager", "urls": ["http://am:9093"]},
        "alerts__watchdog": {"receivers": ["am"], "every_s": every_s},
    }
    if allowed:
        config(**paths)
        return
    assert refusal(**paths) == (
        "driftd.yaml: alerts.watchdog.every_s is 240: receiver 'am' keeps an alert for 240 s (four times"
        " receivers.am.resend_s); choose a shorter interval"
    )
