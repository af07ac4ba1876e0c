"""Which runs of two versions can be pooled: those that one meter measured, with the parameters of their version. Pure.

The meter is the revision of the set, the scorers with their versions, the judge, the rubric and the rule of the
verdict. It must be the same on both sides. The parameters of a target belong to its version: they must be the same
within a side, and may differ between the sides.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from monitor.domain.run import Run

METER: Final = ("set revision", "scorers", "judge", "rubric", "verdict rule")
PARAMETERS: Final = ("temperature", "top_p", "max_tokens", "seed", "settings_hash")
SHORT: Final = 12  # characters of a digest that people read
UNSET: Final = "unset"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A run that is not pooled, and the condition that differs."""

    run: Run
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRuns:
    """The runs of both versions, the oldest first. `conditions` are those of the meter by name; `changed` are the
    parameters that differ between the versions, as text.
    """

    before: tuple[Run, ...]
    after: tuple[Run, ...]
    conditions: Mapping[str, str]
    left_out: tuple[LeftOut, ...]
    changed: tuple[str, ...]


def pooled_runs(before: Sequence[Run], after: Sequence[Run], scorers: Mapping[str, str]) -> PooledRuns | None:
    """Return the runs to pool: those with the meter of the newest run after which a run before has too. None when no
    meter measured both versions. `scorers` names the scorers of each run by id; runs are the oldest first.
    """
    before_meters = [meter_of(run, scorers) for run in before]
    common = next((meter for run in reversed(after) if (meter := meter_of(run, scorers)) in before_meters), None)
    if common is None:
        return None
    then, now = _side(before, common, scorers), _side(after, common, scorers)
    kept = [*then, *now]
    left_out = [
        LeftOut(run=run, reason=_reason(run, side[-1], common, scorers))
        for runs, side in ((before, then), (after, now))
        for run in runs
        if run not in kept
    ]
    return PooledRuns(
        before=tuple(then),
        after=tuple(now),
        conditions=common,
        left_out=tuple(left_out),
        changed=tuple(differences(parameters_of(then[-1]), parameters_of(now[-1]))),
    )


def meter_of(run: Run, scorers: Mapping[str, str]) -> dict[str, str]:
    """Return the conditions of the meter by name. A condition that is not recorded is `unset`."""
    manifest = run.manifest or {}
    rule = _part(manifest, "decides").get("digest")
    values = (run.revision, scorers.get(run.id), manifest.get("judge"), manifest.get("rubric"), rule)
    return {name: UNSET if value is None else str(value) for name, value in zip(METER, values, strict=True)}


def parameters_of(run: Run) -> dict[str, str]:
    """Return the parameters of the target by name."""
    target = _part(run.manifest or {}, "target")
    return {name: UNSET if target.get(name) is None else str(target[name]) for name in PARAMETERS}


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[str]:
    """Yield `judge judge-1 to judge-2` for each condition that differs."""
    for name, then in before.items():
        if then != after[name]:
            yield f"{name.replace('_', ' ')} {_short(name, then)} to {_short(name, after[name])}"


def why_not(before: Sequence[Run], after: Sequence[Run], scorers: Mapping[str, str]) -> str:
    """Return how the conditions of the newest run of each version differ."""
    return ", ".join(differences(meter_of(before[-1], scorers), meter_of(after[-1], scorers)))


def _side(runs: Sequence[Run], meter: Mapping[str, str], scorers: Mapping[str, str]) -> list[Run]:
    """Return the runs with this meter and with the parameters of the newest of them."""
    measured = [run for run in runs if meter_of(run, scorers) == meter]
    return [run for run in measured if parameters_of(run) == parameters_of(measured[-1])]


def _reason(run: Run, newest: Run, meter: Mapping[str, str], scorers: Mapping[str, str]) -> str:
    found = [*differences(meter, meter_of(run, scorers)), *differences(parameters_of(newest), parameters_of(run))]
    return ", ".join(found)


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, Mapping) else {}


def _short(name: str, value: str) -> str:
    return value[:SHORT] if name in {"set revision", "verdict rule", "settings_hash"} else value
