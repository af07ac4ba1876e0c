"""How the tests find a broker, and the message without one."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.ingest.kafka.broker import FINDER, jars, jars_missing, why_not, without_broker


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def without_java(folder: Path) -> dict[str, str]:
    """Return a PATH with only the programs that the shell script needs."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("bash", "dirname", "env"):
        (tools / name).symlink_to(Path("/usr/bin") / name)
    return {"PATH": str(tools), "XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}


def with_java(folder: Path) -> dict[str, str]:
    env = without_java(folder)
    return env | {"PATH": f"{executable(folder / 'bin/java').parent}:{env['PATH']}"}


def test_a_broker_that_is_named_needs_neither_java_nor_jars(tmp_path: Path) -> None:
    env = without_java(tmp_path) | {"KAFKA_BOOTSTRAP_SERVERS": "broker:9092"}
    assert why_not(env) is None
    assert jars_missing(env) is not None  # one with listeners of its own needs the jars


def test_without_java_the_message_names_what_to_install(tmp_path: Path) -> None:
    said = why_not(without_java(tmp_path))
    assert said is not None
    assert "there is no Java for a Kafka broker; install Java 17" in said


def test_without_jars_the_message_names_the_command(tmp_path: Path) -> None:
    said = why_not(with_java(tmp_path))
    assert said is not None
    assert "there are no jars of a Kafka broker; run `.ci/kafka`" in said
    assert "KAFKA_BOOTSTRAP_SERVERS" in said


def test_resolved_jars_are_reused(tmp_path: Path) -> None:
    env = with_java(tmp_path)
    jars(env).mkdir(parents=True)
    assert jars(env).is_relative_to(tmp_path / "cache/driftd-ci")
    assert why_not(env) is None


def test_without_a_broker_the_tests_are_skipped_with_a_reason() -> None:
    with pytest.raises(pytest.skip.Exception, match="no jars"):
        without_broker({}, "no jars")


def test_without_a_broker_ci_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match="no jars"):
        without_broker({"CI": "true"}, "no jars")


def test_the_finder_reuses_what_it_resolved_and_prints_its_folder_alone(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    folder = jars(env)
    folder.mkdir(parents=True)
    said = subprocess.run([FINDER], env=env, capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == (f"{folder}\n", "")


def test_the_finder_without_java_fails_with_a_message(tmp_path: Path) -> None:
    said = subprocess.run([FINDER], env=without_java(tmp_path), capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "java is not on the PATH; install Java 17" in said.stderr
