"""`.ci/commit-subjects` on repositories that the tests create."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT

IDENTITY = ("-c", "user.name=driftd", "-c", "user.email=driftd@example.com", "-c", "commit.gpgsign=false")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that has the script and no history."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "commit-subjects", tmp_path / ".ci")
    return tmp_path


def commit(folder: Path, *subjects: str) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)
    for subject in subjects:
        command = ["git", *IDENTITY, "commit", "-q", "--no-verify", "--allow-empty", "-m", subject, "-m", "x" * 90]
        subprocess.run(command, cwd=folder, check=True)


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([folder / ".ci" / "commit-subjects"], check=False, capture_output=True, text=True)


def test_a_subject_of_72_characters_passes(folder: Path) -> None:
    commit(folder, "é" * 72, "ci: check commit subjects")
    done = check(folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_longer_subject_fails_and_is_named(folder: Path) -> None:
    commit(folder, "c" * 73, "ci: check commit subjects")
    done = check(folder)
    assert done.returncode == 1
    assert f"the subject has 73 characters, at most 72 are allowed: {'c' * 73}" in done.stderr


def test_a_folder_without_history_is_skipped(folder: Path) -> None:
    done = check(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "commit subjects are not checked" in done.stdout


def test_a_repository_without_a_commit_is_skipped(folder: Path) -> None:
    commit(folder)
    assert check(folder).returncode == 0


def test_an_archive_inside_another_repository_is_skipped(folder: Path, tmp_path: Path) -> None:
    commit(folder, "c" * 73)
    inner = tmp_path / "archive"
    shutil.copytree(folder / ".ci", inner / ".ci")
    assert check(inner).returncode == 0


def test_ci_checks_the_subjects() -> None:
    assert ".ci/commit-subjects" in (ROOT / ".ci" / "run").read_text().splitlines()
