"""The settings of the sandbox for programs of replies."""

from pathlib import Path
from typing import Any

import pytest

from monitor.config.load import from_mapping
from monitor.config.sandbox import SandboxConfig
from monitor.errors import ConfigError

KUBERNETES = {"kind": "kubernetes", "namespace": "driftd-code", "image": "python:3.13"}


def sandbox(folder: Path, section: dict[str, Any]) -> SandboxConfig:
    return from_mapping({"sandbox": section}, env={}, folder=folder, where="driftd.yaml").sandbox


def test_programs_run_on_this_machine_by_default(tmp_path: Path) -> None:
    assert sandbox(tmp_path, {}).cluster is None


def test_files_are_relative_to_the_configuration(tmp_path: Path) -> None:
    found = sandbox(tmp_path, {**KUBERNETES, "url": "https://10.0.0.1:6443", "token_file": "token"}).cluster
    assert found is not None
    assert found.token_file == tmp_path / "token"
    assert found.ca_file == Path("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt")


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"namespace": "x"}, "sandbox.namespace: only kind: kubernetes has this key"),
        ({"kind": "kubernetes", "namespace": "x"}, "sandbox.image: kind: kubernetes needs this key"),
        ({"kind": "kubernetes", "image": "x"}, "sandbox.namespace: kind: kubernetes needs this key"),
        ({**KUBERNETES, "url": "http://10.0.0.1"}, "sandbox.url"),
        ({**KUBERNETES, "namespace": "Driftd_Code"}, "sandbox.namespace"),
        ({**KUBERNETES, "cpu": "2"}, "sandbox.cpu"),
        ({**KUBERNETES, "at_once": 0}, "sandbox.at_once"),
    ],
)
def test_settings_that_cannot_work_are_errors(tmp_path: Path, section: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        sandbox(tmp_path, section)
    assert message in str(raised.value)
