"""The measured servers: how to start each in an empty folder, and how to count its stored spans."""

import os
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from bench.drift_study.ledger import code_hash
from bench.drift_study.rivals.environment import cache_folder, installed_python
from bench.ingest_study.jobs import FLOOR, OURS
from bench.ingest_study.server import Recipe, free_port
from bench.replay_study.programs import OFFLINE, locked_version

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent
TRACES = "/v1/traces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A measured server. `stored` counts the spans that can be queried. `while_running` is False when its file is
    locked while it runs.

    Such a program answers after its commit, and its spans are counted after it has stopped.
    """

    name: str
    recipe: Callable[[Path], Recipe]
    stored: Callable[[Recipe], int]
    while_running: bool
    version: Callable[[], str]
    code: Callable[[], str]


@cache
def programs() -> Mapping[str, Program]:
    return {
        OURS: Program(
            name=OURS,
            recipe=serve,
            stored=lambda recipe: _count_in_duckdb(recipe, "interaction"),
            while_running=False,
            version=lambda: version("driftd"),
            code=lambda: code_hash(
                [*(ROOT / "replay").rglob("*.py"), *(ROOT / "monitor").rglob("*.py")],
                f"{version('duckdb')} {_load_code()}",
            ),
        ),
        FLOOR: Program(
            name=FLOOR,
            recipe=_floor,
            stored=lambda recipe: _count_in_duckdb(recipe, "span"),
            while_running=False,
            version=lambda: f"duckdb {version('duckdb')}",
            code=lambda: code_hash([FOLDER / "floor.py"], f"{version('duckdb')} {_load_code()}"),
        ),
        "arize-phoenix": _rival("arize-phoenix", _phoenix),
        "mlflow": _rival("mlflow", _mlflow),
    }


def serve(folder: Path) -> Recipe:
    """Return `driftd serve` with the default configuration, except for its ports."""
    api, otlp = free_port(), free_port()
    config = folder / "driftd.yaml"
    config.write_text(f"api: {{port: {api}}}\ningest: {{otlp: {{port: {otlp}}}, otlp_grpc: {{port: 0}}}}\n")
    command = "from monitor.cli.main import main; main()"
    return Recipe(
        argv=[sys.executable, "-c", command, "serve", "--config", str(config)],
        folder=folder,
        env=_environment(folder) | {"PYTHONPATH": str(ROOT)},
        address=f"http://127.0.0.1:{otlp}",
        path=TRACES,
        ready=f"http://127.0.0.1:{api}/healthz",
        data=[folder / "data" / "driftd.duckdb"],
    )


def _floor(folder: Path) -> Recipe:
    port, file = free_port(), folder / "floor.duckdb"
    return Recipe(
        argv=[sys.executable, "-m", "bench.ingest_study.floor", str(port), str(file)],
        folder=folder,
        env=_environment(folder) | {"PYTHONPATH": str(ROOT)},
        address=f"http://127.0.0.1:{port}",
        path=TRACES,
        ready=f"http://127.0.0.1:{port}/",
        data=[file],
    )


def _phoenix(folder: Path, python: Path) -> Recipe:
    """Return `phoenix serve` with its default database, SQLite."""
    port, data = free_port(), folder / "phoenix"
    own = {"PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_WORKING_DIR": str(data)}
    return Recipe(
        argv=[str(python.with_name("phoenix")), "serve"],
        folder=folder,
        env=_environment(folder) | own | {"PHOENIX_TELEMETRY_ENABLED": "false"},
        address=f"http://127.0.0.1:{port}",
        path=TRACES,
        ready=f"http://127.0.0.1:{port}/healthz",
        data=[data / "phoenix.db"],
    )


def _mlflow(folder: Path, python: Path) -> Recipe:
    """Return `mlflow server` with SQLite and its OTLP endpoint."""
    port, file = free_port(), folder / "mlflow.db"
    where = ["--backend-store-uri", f"sqlite:///{file}", "--artifacts-destination", str(folder / "artifacts")]
    return Recipe(
        argv=[str(python.with_name("mlflow")), "server", "--host", "127.0.0.1", "--port", str(port), *where],
        folder=folder,
        env=_environment(folder) | {"PATH": f"{python.parent}:{os.environ['PATH']}"},
        address=f"http://127.0.0.1:{port}",
        path=TRACES,
        ready=f"http://127.0.0.1:{port}/health",
        data=[file],
        headers=(("x-mlflow-experiment-id", "0"),),
    )


def _rival(name: str, recipe: Callable[[Path, Path], Recipe]) -> Program:
    lock = FOLDER / f"requirements-{name}.lock"
    return Program(
        name=name,
        recipe=lambda folder: recipe(folder, installed_python(name, lock=lock, cache=cache_folder())),
        stored=lambda found: _count_in_sqlite(found.data[0], "spans"),
        while_running=True,
        version=lambda: locked_version(lock.read_text(encoding="utf-8"), name),
        code=lambda: code_hash([], f"{lock.read_text(encoding='utf-8')} {_load_code()}"),
    )


def _count_in_duckdb(recipe: Recipe, table: str) -> int:
    import duckdb

    with duckdb.connect(recipe.data[0], read_only=True) as connection:
        found = connection.execute(f'SELECT count(*) FROM "{table}"').fetchall()
    return int(found[0][0])


def _count_in_sqlite(file: Path, table: str) -> int:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=60)) as connection:
        found = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    return int(found[0])


def _load_code() -> str:
    """Return the hash of the code that builds and sends the requests."""
    return code_hash([FOLDER / name for name in ("bodies.py", "words.py", "sender.py", "measuring.py")], "load")


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment with a new home, so that a program finds no cache and no settings of an earlier run."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, **OFFLINE, "HOME": str(folder), "TMPDIR": str(folder)}
