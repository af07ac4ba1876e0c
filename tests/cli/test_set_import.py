"""Refusals and confirmations of an import."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Run
from tests.cli.house import CASES, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Drive:
    """A folder with the imported frozen set and an empty dynamic set `open`."""
    config = write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port())
    document = yaml.safe_load(config.read_text())
    document["sets"]["open"] = {"kind": "dynamic", "scorers": [{"kind": "exact"}]}
    config.write_text(yaml.safe_dump(document))

    def call(*arguments: object) -> Result:
        return run(*arguments, "--config", config)

    assert call("sets", "import", "primes", tmp_path / "primes.jsonl").code == 0
    return call


def cases_of(drive: Drive, name: str) -> int:
    shown = [item for item in drive("sets", "list", "--json").document["items"] if item["name"] == name]
    return sum(item["cases"] for item in shown)


def write(folder: Path, *cases: dict[str, str]) -> Path:
    path = folder / "given.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return path


def test_one_case_over_forty_needs_a_yes(drive: Drive, tmp_path: Path) -> None:
    one = write(tmp_path, {"id": "p0", "input": "Is 0 prime?", "reference": "no"})
    refused = drive("sets", "import", "primes", one)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(
        f"{CASES - 1} of {CASES} cases of 'primes' are not in given.jsonl and would be removed"
    )
    assert cases_of(drive, "primes") == CASES
    assert drive("sets", "import", "primes", one, "--yes").code == 0
    assert cases_of(drive, "primes") == 1


def test_a_fifth_may_leave_without_a_question(drive: Drive, tmp_path: Path) -> None:
    lines = (tmp_path / "primes.jsonl").read_text().splitlines()
    kept = tmp_path / "kept.jsonl"
    kept.write_text("\n".join(lines[CASES // 5 :]))
    assert drive("sets", "import", "primes", kept).code == 0
    assert cases_of(drive, "primes") == CASES - CASES // 5


def test_questions_of_a_sealed_set_are_not_stored_unsealed(drive: Drive, tmp_path: Path) -> None:
    own = {"id": "own", "input": "May I return a kettle?", "reference": "yes"}
    restated = {"id": "renamed", "input": " Is 7 prime? ", "reference": "yes"}
    refused = drive("sets", "import", "open", write(tmp_path, own, restated))
    assert (refused.code, refused.out) == (2, "")
    assert "eval set 'open' is not sealed, and 1 of 2 cases have a question of a sealed set (renamed)" in refused.err
    assert "Is 7 prime" not in refused.err
    assert cases_of(drive, "open") == 0
    assert drive("sets", "import", "open", write(tmp_path, own)).code == 0
    assert drive("sets", "import", "open", write(tmp_path, own, restated), "--allow-sealed").code == 0
    assert cases_of(drive, "open") == 2


def test_a_benchmark_is_imported_with_its_format_and_its_scorers(drive: Drive, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"question": "Two and two?", "answer": "2+2=4\n#### 4"}) + "\n")
    result = drive("sets", "import", "open", path)
    assert result.code == 0
    assert result.err.startswith("format: gsm8k, detected\n")
    assert "GSM8K is scored by accuracy:\n    scorers:\n    - kind: numeric\n      marker: '####'\n" in result.out
    assert "warning: the set has no scorer of the kind 'numeric', which the format prescribes" in result.out
    shown = drive("sets", "show", "open").out
    assert "format   gsm8k" in shown
    assert "licence  MIT" in shown
    assert drive("sets", "diff", "open", path).code == 0
    assert drive("sets", "diff", "open", path).out.endswith("1 unchanged\n")


def test_a_benchmark_with_a_canary_needs_a_set_that_is_marked(drive: Drive, tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    examples = [{"input": "Two and two?", "target": "4"}]
    path.write_text(
        json.dumps({"canary": "KEEP OUT", "name": "sums", "metrics": ["exact_str_match"], "examples": examples})
    )
    refused = drive("sets", "import", "open", path)
    assert refused.code == 2
    assert "task.json has the canary of a benchmark" in refused.err
    assert "the set needs contamination_aware: true" in drive("sets", "validate", path, "--set", "open").out
    config = tmp_path / "driftd.yaml"
    config.write_text(config.read_text().replace("kind: dynamic", "kind: dynamic\n    contamination_aware: true"))
    done = drive("sets", "import", "open", path, "--json")
    assert (done.code, done.document["format"], done.document["prescribed"]) == (0, "big-bench", [{"kind": "exact"}])
    assert "canary   in the data" in drive("sets", "show", "open").out


def test_the_formats_are_listed(run: Run) -> None:
    listed = run("sets", "formats", "--json").document["formats"]
    assert {"driftd", "humaneval", "mmlu"} <= {each["name"] for each in listed}
