"""Lookups by id, and the labels of versions."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Path, Query

from monitor.domain.policy import DriftPolicy, Policy
from monitor.domain.run import Run
from monitor.errors import NotFound, unknown
from monitor.store.engine.database import Tx
from monitor.store.runs import runs
from monitor.store.traffic import versions

Identifier = Annotated[str, Path(min_length=1, max_length=200)]
MetricName = Annotated[
    str | None, Query(min_length=1, max_length=200, description="Only this metric: a scorer, or SCORER.COMPONENT.")
]


def missing(kind: str, id_: str, path: str) -> NotFound:
    """Return NotFound for an unknown id."""
    return NotFound(f"{kind} {id_!r} is unknown; GET /api/v1/{path} lists all")


def run_of(tx: Tx, run_id: str) -> Run:
    """Return the run with this id. Raises NotFound."""
    run = runs.get(tx, run_id)
    if run is None:
        raise missing("run", run_id, "runs")
    return run


def deployments_of(tx: Tx, policy: Policy) -> list[str]:
    """Return the configured deployments and those with imported runs, by name."""
    return sorted({*policy.deployments, *runs.imported_deployments(tx)})


def sets_of(tx: Tx, policy: Policy, deployment: str) -> tuple[str, ...]:
    """Return the configured sets of the deployment, then those that only have imported runs.

    Raises UnknownName for a deployment that is neither configured nor has imported runs.
    """
    imported = runs.imported_sets(tx, deployment)
    found = policy.deployments.get(deployment)
    if found is None and not imported:
        raise unknown("deployment", deployment, deployments_of(tx, policy))
    return tuple(dict.fromkeys([*(found.sets if found is not None else ()), *imported]))


def drift_of(policy: Policy, deployment: str) -> DriftPolicy:
    """Return when the runs of a deployment count as a regression. Raises UnknownName without settings for it."""
    found = policy.drift_of(deployment)
    if found is None:
        raise unknown("deployment", deployment, policy.deployments)
    return found


def labels_of(tx: Tx, deployments: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return the labels of all versions of these deployments, by (deployment, version id)."""
    return {(d, version.id): version.label for d in set(deployments) for version in versions.versions(tx, d)}
