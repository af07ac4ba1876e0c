"""The noise floor of a set, for planning."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import DetectableEffectItem, NoiseItem
from monitor.api.set_sizes import curve, needed
from monitor.errors import NotFound, unknown
from monitor.refresh import set_noise

router = APIRouter(prefix="/api/v1/noise", tags=["noise"])
Name = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("", **needs(Role.READ))
def get_noise(context: Context, deployment: Name, set_name: Name) -> NoiseItem:
    """Return the noise of a set over the nights of the newest version of a deployment."""
    policy = context.policy.deployments.get(deployment)
    if policy is None:
        raise unknown("deployment", deployment, context.policy.deployments)
    with context.store.read() as tx:
        found = set_noise.read(tx, deployment, set_name, policy.drift, context.code_version)
    if found is None:
        raise NotFound(f"set {set_name!r} has no scored night of deployment {deployment!r}; replay it first")
    evidence, noise, samples = found.evidence, found.noise, max(1, round(found.samples))
    return NoiseItem(
        deployment=deployment,
        set_name=set_name,
        nights=found.nights,
        cases=found.cases,
        samples=found.samples,
        repeats=evidence.repeats,
        within_variance=None if noise is None else noise.within_variance,
        within_interval=evidence.within_interval,
        flip_rate=evidence.flip_rate,
        flip_interval=evidence.flip_interval,
        case_night_variance=evidence.case_night_variance,
        night_variance=evidence.night_variance,
        night_interval=evidence.night_interval,
        detectable=[DetectableEffectItem(**asdict(each)) for each in evidence.detectable],
        curve=() if noise is None else curve(noise, cases=found.cases, samples=samples),
        needed=() if noise is None else needed(noise, samples=samples),
    )
