"""The stages of `.ci/run`, with programs in place of make and of the builders that only write their names."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = {
    "helm": "a real Helm",
    "otelcol": "a real OpenTelemetry Collector",
    "kafka": "a real Kafka broker",
}
STAGES = (
    "commit subjects",
    "the Python environment",
    "checks",
    "the store on DuckDB 1.5.5 and DuckLake",
    "tests",
    "the store on PostgreSQL and DuckLake",
    "component tests",
)


def run(
    folder: Path, make: str = "", broken: str = "", helm: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run `.ci/run` in a folder where every builder passes, except the broken one. `make` is the script of make."""
    programs = folder / "bin"
    for path in (folder / ".ci", programs):
        path.mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    for name in (*TOOLS, "s3", "alertmanager", "promtool", "postgres", "commit-subjects"):
        write(folder / ".ci" / name, "exit 3" if name == broken else f"echo built {name}")
    if helm:
        write(folder / ".ci/helm", helm)
    write(programs / "make", make or 'echo "make $*"')
    for name in ("chromium", "bwrap", "nginx", "systemd-analyze", "zsh", "fish", "java", "mvn", "npm"):
        write(programs / name, "")
    env = {"PATH": f"{programs}:/usr/bin:/bin", "TMPDIR": os.fspath(folder), **variables}
    return subprocess.run([folder / ".ci/run"], env=env, capture_output=True, text=True, timeout=60, check=False)


def write(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_every_stage_prints_its_seconds(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    for stage in STAGES:
        assert f"== {stage}\n" in done.stdout
        assert f"== {stage}: " in done.stdout
    others = ("a real Alertmanager, Prometheus and PostgreSQL", "the documentation as a site", "Debian packages")
    for tool in (*TOOLS.values(), *others):
        assert "s in the background" in done.stdout.split(f"== {tool}: ")[1].splitlines()[0]
    assert "== all stages: " in done.stdout
    assert "warning" not in done.stderr


def test_the_store_on_an_object_store_is_tested_on_request(tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "with").mkdir()
    stage = "== the store on PostgreSQL and an object store\n"
    assert stage not in run(tmp_path / "without").stdout
    done = run(tmp_path / "with", LAKE_S3_TESTS="tests/store")
    assert stage in done.stdout
    assert "a real object store: " in done.stdout
    assert "make test-lake-s3 LAKE_S3_TESTS=tests/store" in done.stdout


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_that_cannot_be_built_fails_the_run_and_is_named(tmp_path: Path, tool: str) -> None:
    done = run(tmp_path, broken=tool)
    assert done.returncode == 3
    assert f"waiting for {TOOLS[tool]} (exit code 3)" in done.stderr
    assert "test-components" not in done.stdout


@pytest.mark.parametrize(
    ("target", "stage"),
    [
        ("check", "checks"),
        ("test", "tests"),
        ("test-lake", "the store on PostgreSQL and DuckLake"),
        ("test-components", "component tests"),
    ],
)
def test_a_failed_stage_fails_the_run_and_is_named(tmp_path: Path, target: str, stage: str) -> None:
    done = run(tmp_path, make=f'[ "$1" != {target} ]')
    assert done.returncode == 1
    assert f": {stage} (exit code 1)" in done.stderr


def test_the_documentation_is_built_beside_the_checks_and_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, make='[ "$1" != docs ]')
    assert done.returncode != 0
    assert "waiting for the documentation as a site" in done.stderr


@pytest.mark.parametrize(("limit_s", "warnings"), [("1", 1), ("0", 0)])
def test_a_run_longer_than_its_limit_passes_with_a_warning(tmp_path: Path, limit_s: str, warnings: int) -> None:
    done = run(tmp_path, make='[ "$1" != check ] || sleep 2', LIMIT_S=limit_s)
    assert done.returncode == 0
    assert done.stderr.count("== warning: ") == warnings


def test_a_failed_stage_ends_the_builds_in_the_background(tmp_path: Path) -> None:
    build = 'echo $$ >"$TMPDIR/build"; sleep 60'
    waiting = 'while [ ! -s "$TMPDIR/build" ]; do sleep 0.05; done'
    started = time.monotonic()
    done = run(tmp_path, make=f"{waiting}; exit 1", helm=build)
    assert done.returncode == 1
    build_process = int((tmp_path / "build").read_text())
    while alive(build_process):
        assert time.monotonic() < started + 30, "the build still runs"
        time.sleep(0.05)


def test_a_failed_stage_waits_for_builds_that_end_slowly(tmp_path: Path) -> None:
    build = """trap 'sleep 0.5; exit 1' TERM; echo $$ >"$TMPDIR/build"; while :; do sleep 0.05; done"""
    waiting = 'while [ ! -s "$TMPDIR/build" ]; do sleep 0.05; done'
    done = run(tmp_path, make=f"{waiting}; exit 1", helm=build)
    assert done.returncode == 1
    assert not alive(int((tmp_path / "build").read_text()))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".ci", "bin", "build"]


def alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()
