"""How much the scores of a set move by themselves: what plans are made with."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import NoiseItem
from monitor.drift.floor import floor_of, newest_nights, planning_noise, samples_of
from monitor.drift.nights import build_nights
from monitor.errors import NotFound, unknown
from monitor.store import baselines, nights

router = APIRouter(prefix="/api/v1/noise", tags=["noise"])
Name = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("", **needs(Role.READ))
def get_noise(context: Context, deployment: Name, set_name: Name) -> NoiseItem:
    """Of the nights that the newest version of a deployment answered to a set."""
    policy = context.policy.deployments.get(deployment)
    if policy is None:
        raise unknown("deployment", deployment, context.policy.deployments)
    with context.store.read() as tx:
        accepted = baselines.current(tx, deployment, set_name)
        since = accepted.counts_from if accepted else None
        rows = nights.of_set(tx, deployment, set_name, until_run=None, since=since)
    tally = newest_nights(build_nights(rows, policy.drift).history)
    floor = floor_of(tally)
    if floor is None:
        raise NotFound(f"set {set_name!r} has no scored night of {deployment!r} yet; replay it first")
    samples = samples_of(tally)
    noise = planning_noise(floor, samples)
    return NoiseItem(
        deployment=deployment,
        set_name=set_name,
        nights=tally.nights,
        cases=int((tally.count[-1] > 0).sum()),
        samples=samples,
        within_variance=None if noise is None else noise.within_variance,
        night_variance=floor.night_variance,
        night_interval=floor.night_interval,
    )
