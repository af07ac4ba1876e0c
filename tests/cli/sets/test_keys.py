"""Key rotation with the real application in this process, and the remaining bytes of the file."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from replay.evalsets.sealing import Sealer, key_text
from tests.cli.conftest import Run
from tests.cli.house import Model, running_model, write_house
from tests.cli.result import Result
from tests.ports import free_port

Drive = Callable[..., Result]
OLD, NEW = bytes(range(32)), bytes(32)


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def config(model: Model, tmp_path: Path) -> Path:
    return write_house(tmp_path, model_url=model.url, api_port=free_port())


def name_keys(config: Path, **keys: object) -> None:
    """Change the key files of the set in the configuration."""
    document = yaml.safe_load(config.read_text())
    document["sets"]["primes"].pop("key_file", None)
    document["sets"]["primes"] |= keys
    config.write_text(yaml.safe_dump(document))


def held(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (folder / "data").glob("driftd.duckdb*"))


def test_a_key_is_replaced_and_the_old_one_opens_nothing_any_more(run: Run, config: Path, tmp_path: Path) -> None:
    def drive(*arguments: object) -> Result:
        return run(*arguments, "--config", config)

    drive("sets", "import", "primes", tmp_path / "primes.jsonl")
    before = drive("replay", "run", "support", "primes", "--json").document
    (tmp_path / "new.key").write_text(key_text(NEW))
    name_keys(config, key_file="new.key")
    assert "or name it under old_keys" in drive("sets", "rotate", "primes", "--key").err
    name_keys(config, key_file="new.key", old_keys=[{"key_file": "primes.key"}])
    assert "sealed with an old key; run `driftd sets rotate primes --key`" in drive("check").out
    assert (
        "run `driftd sets rotate primes --key` first"
        in drive("sets", "import", "primes", tmp_path / "primes.jsonl").err
    )

    old_id, new_id = Sealer(OLD).key_id, Sealer(NEW).key_id
    assert bytes.fromhex("01" + old_id) in held(tmp_path)
    done = drive("sets", "rotate", "primes", "--key", "--json")
    assert (done.code, done.document["key_id"]) == (0, new_id)
    assert (done.document["cases"], done.document["outcomes"], done.document["scores"]) == (40, 40, 40)
    assert bytes.fromhex("01" + old_id) not in held(tmp_path)
    assert bytes.fromhex("01" + new_id) in held(tmp_path)

    name_keys(config, key_file="new.key", old_keys=[])
    assert "already there" in drive("sets", "import", "primes", tmp_path / "primes.jsonl").out
    again = drive("replay", "run", "support", "primes", "--json").document
    assert drive("compare", before["id"], again["id"]).code == 0
    assert "; remove its old_keys" in drive("sets", "rotate", "primes", "--key").out


def test_what_is_to_be_rotated_must_be_said(run: Run, config: Path) -> None:
    run("sets", "import", "primes", config.parent / "primes.jsonl", "--config", config)
    result = run("sets", "rotate", "primse", "--key", "--config", config)
    assert (result.code, result.err) == (2, "eval set 'primse' is unknown; known: primes\n")
