"""The versions in a lock are the tested versions on the page, and a jar has its locked hash."""

from pathlib import Path

import pytest

from tests.clients.matrix.jars import found, locked
from tests.clients.matrix.versions import locked_versions

OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # sha256 of no bytes


def jar(folder: Path, path: str, content: bytes = b"") -> Path:
    file = folder / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    return file


def test_a_jar_is_named_by_its_path_in_the_repository(tmp_path: Path) -> None:
    client = jar(tmp_path, "com/openai/openai-java/4.101.0/openai-java-4.101.0.jar")
    short = jar(tmp_path, "junit/junit/4.13/junit-4.13.jar")
    assert found(tmp_path) == {"com.openai:openai-java:4.101.0": client, "junit:junit:4.13": short}


def test_a_lock_of_jars_has_their_versions_and_hashes(tmp_path: Path) -> None:
    jar(tmp_path, "org/eclipse/jdt/ecj/3.46.100/ecj-3.46.100.jar")
    jar(tmp_path, "com/openai/openai-java/4.101.0/openai-java-4.101.0.jar", b"other")
    first, second = locked(tmp_path)
    assert second == f"org.eclipse.jdt:ecj:3.46.100 sha256:{OF_NOTHING}"
    assert OF_NOTHING not in first
    (tmp_path / "maven.lock").write_text(f"{first}\n{second}\n")
    versions = {"com.openai:openai-java": "4.101.0", "org.eclipse.jdt:ecj": "3.46.100"}
    assert locked_versions(tmp_path, "java") == versions


def test_a_line_without_a_hash_is_not_locked(tmp_path: Path) -> None:
    (tmp_path / "maven.lock").write_text(f"a.b:c:1.0\na.b:d:1.0 sha256:{OF_NOTHING[:-1]}\n")
    assert locked_versions(tmp_path, "java") == {}


def test_a_language_without_a_reader_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        locked_versions(tmp_path, "cobol")
