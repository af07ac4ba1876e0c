"""The sentence that names a cause, and whether an experiment confirms it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from monitor.drift.cause.attribution import LEFT_OPEN, RankedCauses
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import PUTS_BACK, REPLAYS, StepKind
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import NOTHING, Hypothesis, RecordedEvidence, hypothesis_name

_STEP_OF = {
    Suspect.MODEL: (StepKind.OLD_MODEL, "the old model was not replayed"),
    Suspect.PROMPT: (StepKind.OLD_PROMPT, "the old prompt was not replayed"),
    Suspect.SET: (StepKind.OLD_SET, "the old set revision was not replayed"),
    Suspect.JUDGE: (StepKind.REJUDGE, "the stored outputs were not judged again"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseStatement:
    """`confirmed`: every named suspect was tested, with a clear result. `replayed`: a replay that restored one
    condition had a clear result, so the probabilities rest on more than the records.
    """

    confirmed: bool
    replayed: bool
    text: str


def state_cause(found: RankedCauses, evidence: RecordedEvidence, differences: Sequence[str]) -> CauseStatement:
    """Return the statement about the cause. Only tested suspects get a probability."""
    clear = {row.kind: row.result for row in found.tried if row.result.clear}
    replayed = any(PUTS_BACK[kind] for kind in clear.keys() & REPLAYS)
    if found.named is None:
        return CauseStatement(confirmed=False, replayed=replayed, text=_not_identifiable(found, replayed=replayed))
    confirmed = _was_put_back(found.named, clear)
    text = (
        f"caused by {hypothesis_name(found.named)} ({found.probability:.0%})"
        if confirmed and found.named
        else f"false alarm ({found.probability:.0%})"
        if confirmed
        else _by_records(found.named, found, evidence, differences, tried=clear.keys())
    )
    return CauseStatement(confirmed=confirmed, replayed=replayed, text=text)


def _was_put_back(named: Hypothesis, clear: Mapping[StepKind, StepResult]) -> bool:
    if named == NOTHING:
        return StepResult.NO_DROP in clear.values()
    tested = frozenset[Suspect]().union(*(PUTS_BACK[kind] for kind in clear))
    return named <= tested


def _by_records(
    named: Hypothesis,
    found: RankedCauses,
    evidence: RecordedEvidence,
    differences: Sequence[str],
    *,
    tried: Collection[StepKind],
) -> str:
    if named == NOTHING:
        return "probably a false alarm: no recorded condition explains it, and nothing was replayed"
    name = hypothesis_name(named)
    is_only_difference = evidence.changed == named and bool(differences)
    claim = (
        f"{name} is the only recorded difference ({'; '.join(differences)})"
        if is_only_difference
        else f"{name} is the likeliest explanation based on the records alone"
    )
    return "; ".join([claim, *(_not_put_back(suspect, found) for suspect in _missing(named, tried))])


def _missing(named: Hypothesis, tried: Collection[StepKind]) -> list[Suspect]:
    tested = frozenset[Suspect]().union(*(PUTS_BACK[kind] for kind in tried))
    return [suspect for suspect in Suspect if suspect in named - tested]


def _not_put_back(suspect: Suspect, found: RankedCauses) -> str:
    if suspect not in _STEP_OF:
        return f"no step can restore the old {suspect.value}"
    kind, sentence = _STEP_OF[suspect]
    why = next((row.why for row in found.not_tried if row.kind is kind), None)
    if why is None:
        return sentence.replace("was not replayed", "was replayed without a clear result")
    return f"{sentence} ({why})"


def _not_identifiable(found: RankedCauses, *, replayed: bool) -> str:
    rows = [row for row in found.causes if row.probability >= LEFT_OPEN]
    names = [(row.suspect.value if row.suspect else "a false alarm") for row in rows]
    if replayed:
        names = [f"{name} {row.probability:.0%}" for name, row in zip(names, rows, strict=True)]
        return f"not identifiable: {', '.join(names)}"
    repeated = any(row.kind is StepKind.AGAIN and row.result.clear for row in found.tried)
    tried = "nothing old was replayed" if repeated else "nothing was replayed"
    return f"not identifiable: {', '.join(names)} are possible, and {tried}"
