"""The suspects of a drop, and how likely each is before any experiment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from monitor.domain.version import ChangeKind
from monitor.drift.cause.prior import (
    FALSE_ALARM,
    MIN_ODDS,
    SUSPECT_RATES,
    TOGETHER,
    Suspect,
    odds_when_hinted,
    odds_when_recorded,
    odds_when_unknown,
)

Hypothesis: TypeAlias = frozenset[Suspect]  # the suspects that caused the drop together; empty for a false alarm
Beliefs: TypeAlias = Mapping[Hypothesis, float]  # probabilities that add up to 1

NOTHING: Hypothesis = frozenset()

_SUSPECT_OF_CHANGE = {
    ChangeKind.MODEL: Suspect.MODEL,
    ChangeKind.PROMPT: Suspect.PROMPT,
    ChangeKind.PARAMETERS: Suspect.PARAMETERS,
    ChangeKind.CODE: Suspect.CODE,
}
_VERSIONED = frozenset(_SUSPECT_OF_CHANGE.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvidence:
    """What the records say about the suspects.

    - `changed`: a recorded condition differs.
    - `hinted`: a related value changed (the fingerprint of a backend, latency, an outage).
    - `ruled_out`: recorded as unchanged. A suspect in none of the three is unknown.
    """

    changed: frozenset[Suspect] = frozenset()
    hinted: frozenset[Suspect] = frozenset()
    ruled_out: frozenset[Suspect] = frozenset()

    def __post_init__(self) -> None:
        contradictory = self.ruled_out & (self.changed | self.hinted)
        if contradictory:
            names = ", ".join(sorted(contradictory))
            raise ValueError(f"{names}: recorded both as unchanged and as changed")

    def odds(self, suspect: Suspect) -> float:
        """Return the odds that the suspect caused the drop, in the assumed mix of alarms."""
        rates = SUSPECT_RATES[suspect]
        if suspect in self.changed:
            return odds_when_recorded(rates)
        if suspect in self.hinted:
            return odds_when_hinted(rates)
        return MIN_ODDS if suspect in self.ruled_out else odds_when_unknown(rates)


def recorded_evidence(
    kinds: Iterable[ChangeKind], *, judge_changed: bool | None, set_changed: bool, hinted: Iterable[Suspect] = ()
) -> RecordedEvidence:
    """Return the evidence of the differing fields of the versions, the version of the judge and the revision of the
    set.

    `kinds` has each kind of field that differs between the versions before and after the onset; an unknown kind hints
    at all of them. Without a difference the model stays unknown, since a provider can change it under its name.
    `judge_changed` is None when the version of the judge is not recorded, or when a hosted judge may change under its
    version.
    """
    kinds = frozenset(kinds)
    changed = {_SUSPECT_OF_CHANGE[kind] for kind in kinds if kind in _SUSPECT_OF_CHANGE}
    hints = set(hinted) | (set(_VERSIONED) if ChangeKind.UNKNOWN in kinds else set())
    unchanged = set() if ChangeKind.UNKNOWN in kinds else _VERSIONED - {Suspect.MODEL, Suspect.CODE}
    if judge_changed:
        changed.add(Suspect.JUDGE)
    if set_changed:
        changed.add(Suspect.SET)
    ruled_out_suspects = {Suspect.JUDGE} if judge_changed is False else set()
    ruled_out_suspects |= unchanged | (set() if set_changed else {Suspect.SET})
    return RecordedEvidence(
        changed=frozenset(changed), hinted=frozenset(hints), ruled_out=frozenset(ruled_out_suspects - changed - hints)
    )


def prior(evidence: RecordedEvidence) -> dict[Hypothesis, float]:
    """Return the probability of every suspect alone, every two together, and no cause, before any experiment.

    The weight of a suspect is its odds, that of two together `TOGETHER` times the product of their odds. Time has no
    effect beyond the evidence.
    """
    weights: dict[Hypothesis, float] = {NOTHING: FALSE_ALARM}
    for suspect in Suspect:
        weights[frozenset({suspect})] = evidence.odds(suspect)
    for one, other in combinations(Suspect, 2):
        weights[frozenset({one, other})] = TOGETHER * evidence.odds(one) * evidence.odds(other)
    return normalised(weights)


def normalised(weights: Mapping[Hypothesis, float]) -> dict[Hypothesis, float]:
    total = sum(weights.values())
    return {hypothesis: weight / total for hypothesis, weight in weights.items()}


def hypothesis_name(hypothesis: Hypothesis) -> str:
    """Return `model and judge` in the order of `Suspect`; `nothing` for the empty hypothesis."""
    return " and ".join(suspect for suspect in Suspect if suspect in hypothesis) or "nothing"
