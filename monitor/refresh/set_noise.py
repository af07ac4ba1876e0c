"""Measures the noise of a set over the nights of the newest version of a deployment."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import msgspec

from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import NoiseEvidence
from monitor.domain.policy import DriftPolicy
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
from monitor.stats.power import Noise
from monitor.store.engine.database import Tx
from monitor.store.findings import baselines
from monitor.store.runs import nights
from monitor.store.sets import stored_noise
from monitor.store.sets.stored_noise import StoredNoise


@dataclass(frozen=True, slots=True, kw_only=True)
class SetNoise:
    """The noise of the newest `nights` nights. `cases` are those with a score in the last night, `samples` the mean
    number of their samples. `noise` is for planning; None while it is unknown.
    """

    nights: int
    cases: int
    samples: float
    noise: Noise | None
    evidence: NoiseEvidence


_DOCUMENT: Final = msgspec.json.Decoder(SetNoise)


def inputs_of(tx: Tx, deployment: str, set_name: str, drift: DriftPolicy, code_version: str) -> str | None:
    """Return what identifies the inputs of a measurement; None while results of a run are not stored."""
    rows = nights.runs_of_set(tx, deployment, set_name, since=_counted_since(tx, deployment, set_name))
    digests = stored_noise.digests(tx, [row["run_id"] for row in rows])
    if len(digests) < len(rows):
        return None
    text = repr((code_version, drift, [tuple(row.values()) for row in rows], sorted(digests.items())))
    return hashlib.sha256(text.encode()).hexdigest()


def measure(tx: Tx, deployment: str, set_name: str, drift: DriftPolicy) -> SetNoise | None:
    """Return the noise of a set; None without a scored night."""
    since = _counted_since(tx, deployment, set_name)
    known = build_nights(nights.of_set(tx, deployment, set_name, until_run=None, since=since), drift)
    start, end = newest_segment(known.history)
    tally, repeats = known.history.tally.between(start, end), known.repeats.between(start, end)
    floor = noise_floor_of(tally, repeats)
    evidence = noise_evidence(tally, repeats, detectable=_detectable(known.history) if floor is not None else ())
    if floor is None or evidence is None:
        return None
    samples = samples_per_case(tally)
    return SetNoise(
        nights=tally.nights,
        cases=int((tally.count[-1] > 0).sum()),
        samples=samples,
        noise=planning_noise(floor, samples),
        evidence=evidence if floor.within_variance else replace(evidence, case_night_variance=None),
    )


def to_stored(found: SetNoise, inputs: str) -> StoredNoise:
    return StoredNoise(inputs=inputs, document=msgspec.json.encode(found).decode())


def from_stored(document: str) -> SetNoise:
    return _DOCUMENT.decode(document)


def read(tx: Tx, deployment: str, set_name: str, drift: DriftPolicy, code_version: str) -> SetNoise | None:
    """Return the noise as it is stored, or measured now when another measurement would have another result."""
    stored = stored_noise.newest(tx, deployment, set_name)
    if stored is not None and stored.inputs == inputs_of(tx, deployment, set_name, drift, code_version):
        return from_stored(stored.document)
    return measure(tx, deployment, set_name, drift)


def _counted_since(tx: Tx, deployment: str, set_name: str) -> datetime | None:
    accepted = baselines.current(tx, deployment, set_name)
    return accepted.counts_from if accepted else None


def _detectable(history: History) -> tuple[DetectableEffect, ...]:
    """Return the smallest detectable falls that begin with the next night."""
    reference = reference_of(history, detect_alerts(history))
    return set_effects(
        history,
        reference.own_nights,
        reference.own_nights,
        candidate_onsets=history.nights - reference.span.first_onset,
    )
