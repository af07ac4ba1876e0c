import pytest
from pydantic import ValidationError

from monitor.config.tree import Config, fill
from tests.config.builders import config, working


def test_the_default_service_name_is_that_of_the_deployment() -> None:
    assert config().deployments["support"].service_names == ("support",)
    named = config(deployments__support__service_names=["bot", "bot-canary"])
    assert named.deployments["support"].service_names == ("bot", "bot-canary")


def test_a_schedule_without_deployments_replays_all() -> None:
    sales = {"target": "model"}
    assert config(deployments__sales=sales).schedules["nightly"].deployments == ("support", "sales")


def test_alerts_without_receivers_reach_all_of_them() -> None:
    assert config(receivers__night={"kind": "console"}).alerts.receivers == ("hook", "night")
    assert config(alerts__receivers=[]).alerts.receivers == ()


def test_without_receivers_there_is_a_console() -> None:
    assert list(config(receivers=...).receivers) == ["console"]


def test_fill_leaves_values_that_are_not_mappings_to_validation() -> None:
    assert fill({"deployments": 3, "alerts": "x", "schedules": {"a": None}})["deployments"] == 3
    with pytest.raises(ValidationError):
        Config.model_validate({"deployments": {"a": 3}, "schedules": {"s": 4}})


def test_a_mapping_validates_without_a_file() -> None:
    assert Config.model_validate(working()).targets["model"].timeout_s == 60.0


def test_settings_are_immutable() -> None:
    with pytest.raises(ValidationError):
        config().store.memory_limit_mb = 2  # type: ignore[misc]
