"""The database of the demo is moved into a lake: every GET of the API has the same answer before and after."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from monitor.clock import SystemClock
from tests.store.lake.imports.answers import Answer, Asked, Asker, asker, explore
from tests.store.lake.imports.build import different, imported
from tests.store.lake.imports.demo import write_demo
from tests.store.lake.lakes import Lakes

pytestmark = pytest.mark.timeout(1800)
OTHER: Final = {
    "/api/v1/backups/x": "driftd makes backups of files only",
    "/api/v1/backups/x/chunk?number=0": "driftd makes backups of files only",
    "/api/v1/status disk": "a lake has no reserve of a disk",
    "/api/v1/status store_kind": "the kind of the store",
    "/api/v1/status store_bytes": "Parquet files and PostgreSQL take another space",
    "/api/v1/status loops": "a lake has loops for its own maintenance, a file has those of compaction and backup",
    "/api/v1/status daemon": "the process and its configuration",
    "/api/v1/whoami daemon": "the process and its configuration",
}
"""What differs, as a request or as a request and a field of its answer, with the reason."""
SUCCESS: Final = 200
ID: Final = re.compile(r"/[\w-]*\d{8}T[\w-]*|/[0-9a-f]{12,}|/conversation-[\d-]+")
MANY: Final = 600  # requests
ANSWERED: Final = 75  # paths of the API with an answer of status 200


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo(tmp_path_factory.mktemp("demo") / "folder")


def without_other(asked: Asked, answer: Answer) -> Answer | None:
    """Return what must be equal of an answer, None for nothing."""
    if str(asked) in OTHER:
        return None
    if not isinstance(answer.body, dict):
        return answer
    body = {name: value for name, value in answer.body.items() if f"{asked.path} {name}" not in OTHER}
    return Answer(status=answer.status, body=body)


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Yield the places of two documents that differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            yield from differences(one.get(name), other.get(name), f"{where}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for n, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{where}[{n}]")
    elif one != other:
        yield f"{where}: {str(one)[:200]} / {str(other)[:200]}"


def test_every_answer_is_equal_before_and_after(lakes: Lakes, demo: Path, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    copied = Path(shutil.copytree(demo.parent, tmp_path / "asked")) / demo.name  # some requests write who read
    with asker(copied, now) as file:
        explore(file)
    require_coverage(file)

    name = lakes.create()
    database = demo.parent / "driftd.duckdb"
    assert imported(lakes, name, database, SystemClock(), batch_rows=1000).equal
    assert different(lakes, name, database) == {}
    written = yaml.safe_load(demo.read_text())
    written["store"] = {"url": lakes.server.url(name), "data": str(lakes.data), "work_folder": str(demo.parent)}
    demo.write_text(yaml.safe_dump(written))
    with asker(demo, now) as lake:
        for asked in file.answers:
            lake.ask(asked)

    found = {}
    for asked, answer in file.answers.items():
        before, after = (without_other(asked, each) for each in (answer, lake.answers[asked]))
        if before != after:
            found[str(asked)] = [*differences(_document(before), _document(after))]
    assert found == {}


def _document(answer: Answer | None) -> dict[str, Any]:
    return {} if answer is None else {"status": answer.status, "body": answer.body}


def require_coverage(file: Asker) -> None:
    """Require that most paths have an answer with rows: equal errors prove nothing."""
    answered = {
        re.sub(r"/[\w-]*\d{8}T[\w-]*|/[0-9a-f]{12,}", "/{id}", one.path)
        for one, answer in file.answers.items()
        if answer.status == 200
    }
    assert len(file.answers) > MANY
    assert len(answered) > ANSWERED, sorted(answered)
    listed = {
        one.path
        for one, answer in file.answers.items()
        if isinstance(answer.body, dict) and isinstance(answer.body.get("items"), list) and answer.body["items"]
    }
    for what in ("interactions", "feedback", "turns", "dead_letters", "silences", "pins", "tokens", "alerts", "audit"):
        assert f"/api/v1/{what}" in listed
