"""diff and export with the real application in this process."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from replay.evalsets.canonical import revision_hash
from replay.evalsets.formats.native.case_file import read_cases
from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Drive:
    config = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port())
    return lambda *arguments: run(*arguments, "--config", config)


def changed_copy(folder: Path) -> Path:
    """Write a copy of the case file without its first case, with a changed second one and a new one."""
    lines = (folder / "primes.jsonl").read_text().splitlines()[1:]
    lines[0] = json.dumps({**json.loads(lines[0]), "reference": "no"})
    path = folder / "changed.jsonl"
    path.write_text("\n".join([*lines, '{"id": "new", "input": "Is 9 prime?"}']) + "\n")
    return path


def test_two_files_are_compared_without_a_configuration(run: Run, tmp_path: Path) -> None:
    write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=1)
    result = run("sets", "diff", tmp_path / "primes.jsonl", changed_copy(tmp_path))
    assert result.code == 1
    assert result.out.splitlines()[-1].endswith("1 entered, 1 left, 1 changed, 38 unchanged")
    same = run("sets", "diff", tmp_path / "primes.jsonl", tmp_path / "primes.jsonl", "--json")
    assert (same.code, same.document["same"]) == (0, 40)


def test_a_file_is_held_against_a_set_before_it_is_imported(drive: Drive, tmp_path: Path) -> None:
    drive("sets", "import", "primes", tmp_path / "primes.jsonl")
    path = changed_copy(tmp_path)
    told = drive("sets", "diff", "primes", path, "--json")
    assert (told.code, told.document["entered"], told.document["left"]) == (1, ["new"], ["p0"])
    assert told.document["changed"] == {"p1": ["references"]}
    drive("sets", "import", "primes", path)
    after = drive("sets", "diff", "primes", "--json")
    assert {k: after.document[k] for k in ("entered", "left", "changed")} == {
        k: told.document[k] for k in ("entered", "left", "changed")
    }
    before, now = after.document["before"][:10], after.document["after"][:10]
    assert drive("sets", "diff", f"primes@{now}", f"primes@{before}", "--json").document["entered"] == ["p0"]


def test_an_export_holds_the_canary_and_imports_as_the_same_revision(drive: Drive, tmp_path: Path) -> None:
    drive("sets", "import", "primes", tmp_path / "primes.jsonl")
    for name in ("out.jsonl", "out.yaml"):
        path = tmp_path / name
        assert drive("sets", "export", "primes", "--out", path).code == 0
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.read_text().count("driftd-canary-") == 40
        assert revision_hash(read_cases(path)) == revision_hash(read_cases(tmp_path / "primes.jsonl"))
        assert "already there" in drive("sets", "import", "primes", path).out
    again = drive("sets", "export", "primes", "--out", tmp_path / "out.yaml")
    assert (again.code, again.err) == (2, f"{tmp_path}/out.yaml exists already; choose another path\n")
    assert len(drive("sets", "export", "primes", "--json").document["cases"]) == 40
    assert len(drive("sets", "export", "primes").out.splitlines()) == 40


def test_the_canary_is_in_no_prompt(run: Run, tmp_path: Path) -> None:
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=free_port())
        run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", config)
        exported = tmp_path / "exported.jsonl"
        run("sets", "export", "primes", "--out", exported, "--config", config)
        run("sets", "import", "primes", exported, "--config", config)
        assert run("replay", "run", "support", "primes", "--config", config).code == 0
    assert len(model.questions) == 40
    assert not [question for question in model.questions if "canary" in question]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("diff", "a.jsonl"), "the second argument must be a file too"),
        (
            ("diff", "primes", "other"),
            "only revisions of one set can be compared; 'primes' and 'other' are different sets",
        ),
        (("diff", "primes"), "eval set 'primes' is unknown"),
        (("export", "primes"), "eval set 'primes' is unknown"),
        (("diff", "primes@ab", "x.jsonl"), "a file is compared with the current revision"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(drive: Drive, arguments: tuple[str, ...], sentence: str) -> None:
    drive("changes", "announce", "support", "--model", "m")  # a database without sets
    result = drive("sets", *arguments)
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err
