"""`driftd lake ray` without a cluster: its errors name what is missing."""

import sys
from pathlib import Path

import pytest
import yaml

from monitor.cli.main import main


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "driftd.yaml"
    path.write_text(yaml.safe_dump({"store": {"url": "postgresql://driftd@127.0.0.1:1/driftd", "data": "lake"}}))
    return path


def error_of(capsys: pytest.CaptureFixture[str], config: Path, *options: str) -> str:
    """Return what the command prints on standard error. Its exit code is 2."""
    with pytest.raises(SystemExit) as left:
        main(["lake", "ray", "--workers", "2", "--config", str(config), *options])
    assert left.value.code == 2
    return capsys.readouterr().err


def test_a_configuration_without_a_lake_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "driftd.yaml"
    file.write_text("{}\n")
    assert "names no lake: set store.url" in error_of(capsys, file)


def test_without_ray_the_error_names_the_command_that_installs_it(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")  # restored after the test
    assert error_of(capsys, config) == (
        "the package ray is not installed; install driftd[ray] in the version of the cluster: "
        "pip install 'ray>=2.60,<3', or requirements-ray.lock\n"
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--idle-exit", "5"), "--idle-exit: the interval '5' cannot be read"),
        (("--timeout", "soon"), "--timeout: the interval 'soon' cannot be read"),
        (("--address", "local"), "--address: give HOST:PORT"),
        (("--address", "ray://head:10001"), "--address: give HOST:PORT"),
    ],
)
def test_an_option_that_cannot_be_read_is_refused(
    config: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, str], error: str
) -> None:
    assert error in error_of(capsys, config, *options)
