"""Finding one thing by its id, and the labels of versions that screens show beside ids."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Path

from monitor.domain.run import Run
from monitor.errors import NotFound
from monitor.store.engine.database import Tx
from monitor.store.runs import runs
from monitor.store.traffic import versions

Identifier = Annotated[str, Path(min_length=1, max_length=200)]


def missing(kind: str, id_: str, path: str) -> NotFound:
    """NotFound for an id that nothing has."""
    return NotFound(f"{kind} {id_!r} is unknown; GET /api/v1/{path} lists those that are there")


def run_of(tx: Tx, run_id: str) -> Run:
    """The run, or NotFound."""
    run = runs.get(tx, run_id)
    if run is None:
        raise missing("run", run_id, "runs")
    return run


def labels_of(tx: Tx, deployments: Iterable[str]) -> dict[tuple[str, str], str]:
    """(deployment, version id) to label, for every version of these deployments."""
    return {(d, version.id): version.label for d in set(deployments) for version in versions.versions(tx, d)}
