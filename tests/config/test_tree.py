import pytest
from pydantic import ValidationError

from monitor.config.tree import Config, fill
from tests.config.builders import config, working


def test_a_deployment_is_its_own_service_when_it_names_none() -> None:
    assert config().deployments["support"].service_names == ("support",)
    named = config(deployments__support__service_names=["bot", "bot-canary"])
    assert named.deployments["support"].service_names == ("bot", "bot-canary")


def test_a_schedule_without_deployments_is_for_all() -> None:
    sales = {"target": "model"}
    assert config(deployments__sales=sales).schedules["nightly"].deployments == ("support", "sales")


def test_every_receiver_is_told_when_alerts_name_none() -> None:
    assert config(receivers__night={"kind": "console"}).alerts.receivers == ("hook", "night")
    assert config(alerts__receivers=[]).alerts.receivers == ()


def test_without_receivers_there_is_a_console() -> None:
    assert list(config(receivers=...).receivers) == ["console"]


def test_what_is_no_mapping_is_left_for_validation_to_refuse() -> None:
    assert fill({"deployments": 3, "alerts": "x", "schedules": {"a": None}})["deployments"] == 3
    with pytest.raises(ValidationError):
        Config.model_validate({"deployments": {"a": 3}, "schedules": {"s": 4}})


def test_a_mapping_validates_without_a_file_too() -> None:
    assert Config.model_validate(working()).targets["model"].timeout_s == 60.0


def test_settings_never_change() -> None:
    with pytest.raises(ValidationError):
        config().store.memory_limit_mb = 2  # type: ignore[misc]
