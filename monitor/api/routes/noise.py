"""The noise floor of a set, for planning."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import DetectableEffectItem, NoiseItem
from monitor.api.set_sizes import curve, needed
from monitor.domain.detectable import DetectableEffect
from monitor.drift.detect.detectable import set_effects
from monitor.drift.detect.detector import detect_alerts
from monitor.drift.detect.history import History
from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.detect.noise_floor import (
    newest_segment,
    noise_evidence,
    noise_floor_of,
    planning_noise,
    samples_per_case,
)
from monitor.drift.detect.reference import reference_of
from monitor.errors import NotFound, unknown
from monitor.store.findings import baselines
from monitor.store.runs import nights

router = APIRouter(prefix="/api/v1/noise", tags=["noise"])
Name = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("", **needs(Role.READ))
def get_noise(context: Context, deployment: Name, set_name: Name) -> NoiseItem:
    """Return the noise of a set over the nights of the newest version of a deployment."""
    policy = context.policy.deployments.get(deployment)
    if policy is None:
        raise unknown("deployment", deployment, context.policy.deployments)
    with context.store.read() as tx:
        accepted = baselines.current(tx, deployment, set_name)
        since = accepted.counts_from if accepted else None
        rows = nights.of_set(tx, deployment, set_name, until_run=None, since=since)
    known = build_nights(rows, policy.drift)
    start, end = newest_segment(known.history)
    tally, repeats = known.history.tally.between(start, end), known.repeats.between(start, end)
    floor = noise_floor_of(tally, repeats)
    cases = int((tally.count[-1] > 0).sum()) if floor is not None else 0
    evidence = noise_evidence(tally, repeats, detectable=_detectable(known.history) if floor is not None else ())
    if floor is None or evidence is None:
        raise NotFound(f"set {set_name!r} has no scored night of deployment {deployment!r}; replay it first")
    samples = samples_per_case(tally)
    noise = planning_noise(floor, samples)
    return NoiseItem(
        deployment=deployment,
        set_name=set_name,
        nights=tally.nights,
        cases=cases,
        samples=samples,
        repeats=evidence.repeats,
        within_variance=None if noise is None else noise.within_variance,
        within_interval=evidence.within_interval,
        flip_rate=evidence.flip_rate,
        flip_interval=evidence.flip_interval,
        case_night_variance=evidence.case_night_variance if floor.within_variance else None,
        night_variance=evidence.night_variance,
        night_interval=evidence.night_interval,
        detectable=[DetectableEffectItem(**asdict(each)) for each in evidence.detectable],
        curve=() if noise is None else curve(noise, cases=cases, samples=max(1, round(samples))),
        needed=() if noise is None else needed(noise, samples=max(1, round(samples))),
    )


def _detectable(history: History) -> tuple[DetectableEffect, ...]:
    """Return the smallest detectable falls that begin with the next night."""
    reference = reference_of(history, detect_alerts(history))
    return set_effects(
        history,
        reference.own_nights,
        reference.own_nights,
        candidate_onsets=history.nights - reference.span.first_onset,
    )
