import os
import subprocess
from pathlib import Path

import pytest

from tests.helm.binary import find_helm, where_built, without_helm

NOWHERE = {"PATH": "/usr/bin:/bin"}  # a path with a shell and without helm


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_variable_helm_has_priority(tmp_path: Path) -> None:
    named, on_path = executable(tmp_path / "named"), executable(tmp_path / "bin/helm")
    assert find_helm({**NOWHERE, "HELM": str(named), "PATH": f"{on_path.parent}:/usr/bin:/bin"}) == named


def test_a_helm_on_the_path_is_used(tmp_path: Path) -> None:
    on_path = executable(tmp_path / "bin/helm")
    assert find_helm({"PATH": f"{on_path.parent}:/usr/bin:/bin", "HOME": str(tmp_path)}) == on_path


def test_a_helm_that_was_built_before_is_used(tmp_path: Path) -> None:
    env = {**NOWHERE, "XDG_CACHE_HOME": str(tmp_path)}
    assert find_helm(env) is None
    built = executable(where_built(env))
    assert built.is_relative_to(tmp_path / "driftd-ci")
    assert find_helm(env) == built


def test_a_variable_helm_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match="which is not a file"):
        find_helm({**NOWHERE, "HELM": str(tmp_path / "none")})


def test_without_helm_the_tests_are_skipped_with_a_reason() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"\.ci/helm"):
        without_helm({})


def test_without_helm_ci_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"\.ci/helm"):
        without_helm({"CI": "true"})


def test_the_builder_reuses_its_binary_and_prints_only_the_path(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    built = executable(where_built(env))
    result = subprocess.run([".ci/helm"], env=env, capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == (f"{built}\n", "")
