import logging
from pathlib import Path

import pytest

from monitor.cli.checks import traffic_reports as checks
from monitor.cli.checks.line import State
from monitor.config.tree import Config
from monitor.jobs.traffic_reports.available import missing_package
from tests.jobs.traffic_reports.test_loop import CONFIG, DAY, NIGHT, House


def test_an_installed_package_is_not_missing() -> None:
    assert missing_package() is None


def test_a_missing_package_is_named_with_the_commands_that_install_it() -> None:
    reason = missing_package("a_package_that_does_not_exist")
    assert reason is not None
    assert reason.startswith("the package a_package_that_does_not_exist is not installed")
    assert "pip install 'evidently>=0.7.23,<0.8'" in reason
    assert "pipx inject driftd 'evidently>=0.7.23,<0.8'" in reason


def test_the_loop_logs_a_missing_package_once_and_makes_no_report(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house = House(tmp_path)
    try:
        house.loop()
        house.live(days=3)
        with caplog.at_level(logging.WARNING):
            loop = house.loop(missing="evidently is not installed")  # with its first step
            house.clock.instant = NIGHT + DAY
            assert [loop.step(), loop.step()] == [0, 0]
        assert house.kept() == []
        assert caplog.messages == ["evidently is not installed"]
    finally:
        house.store.close()


@pytest.mark.parametrize(
    ("missing", "enabled", "deployments", "states"),
    [
        ("not installed", True, True, [State.WARN]),
        ("not installed", False, True, []),
        ("not installed", True, False, []),
        (None, True, True, []),
    ],
)
def test_check_warns_only_if_reports_are_enabled_and_cannot_be_made(
    monkeypatch: pytest.MonkeyPatch, missing: str | None, enabled: bool, deployments: bool, states: list[State]
) -> None:
    monkeypatch.setattr(checks, "missing_package", lambda: missing)
    reports = CONFIG.traffic_reports.model_copy(update={"enabled": enabled})
    config = (CONFIG if deployments else Config()).model_copy(update={"traffic_reports": reports})
    assert [line.state for line in checks.check_traffic_reports(config)] == states
