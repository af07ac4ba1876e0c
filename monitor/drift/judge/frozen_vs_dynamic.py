"""What the frozen and the dynamic set say together that neither says alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.finding import Verdict


class Reading(StrEnum):
    WORSE = "worse"
    OLD_SKILL_LOST = "old_skill_lost"
    WORLD_MOVED = "world_moved"
    BETTER = "better"
    OVERFITTED = "overfitted"
    FROZEN_ONLY_BETTER = "frozen_only_better"
    LEARNED_FROM_PRODUCTION = "learned_from_production"
    TRADED = "traded"
    TAUGHT_TO_THE_FROZEN_SET = "taught_to_the_frozen_set"
    STEADY = "steady"
    ONE_SET_ONLY = "one_set_only"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSets:
    reading: Reading
    sentence: str


_FELL, _ROSE, _HELD = Verdict.REGRESSION, Verdict.IMPROVEMENT, Verdict.OK

# (frozen, dynamic) -> reading: every pair of verdicts that were reached.
_TABLE = {
    (_FELL, _FELL): Reading.WORSE,
    (_FELL, _HELD): Reading.OLD_SKILL_LOST,
    (_FELL, _ROSE): Reading.TRADED,
    (_HELD, _FELL): Reading.WORLD_MOVED,
    (_HELD, _HELD): Reading.STEADY,
    (_HELD, _ROSE): Reading.LEARNED_FROM_PRODUCTION,
    (_ROSE, _FELL): Reading.TAUGHT_TO_THE_FROZEN_SET,
    (_ROSE, _HELD): Reading.FROZEN_ONLY_BETTER,
    (_ROSE, _ROSE): Reading.BETTER,
}

# A dynamic set holds what an earlier version got wrong, so it rises under any other version: regression to the mean. A
# rise is reported as selected, and never as a repair.
_SELECTED = "its cases were chosen because an earlier version failed them, so a rise alone shows no repair"

_SENTENCE = {
    Reading.WORSE: "Both sets fell: the product got worse on the private cases and on the cases from corrections.",
    Reading.OLD_SKILL_LOST: "Only the frozen set fell: the cases from recent corrections show no change.",
    Reading.WORLD_MOVED: "Only the dynamic set fell: the private cases show no change.",
    Reading.BETTER: f"Both sets rose: the frozen set shows the gain; as for the dynamic set, {_SELECTED}.",
    Reading.OVERFITTED: (
        "The frozen set rose while corrections did not fall: the gain is not seen in production; check the set's "
        "exposure."
    ),
    Reading.FROZEN_ONLY_BETTER: (
        "Only the frozen set rose: the cases from recent corrections show no change; watch whether corrections fall."
    ),
    Reading.LEARNED_FROM_PRODUCTION: f"Only the dynamic set rose: {_SELECTED}.",
    Reading.TRADED: f"The frozen set fell while the dynamic set rose: the fall counts; as for the rise, {_SELECTED}.",
    Reading.TAUGHT_TO_THE_FROZEN_SET: (
        "The frozen set rose while the dynamic set fell: the gain is not seen on cases from corrections; check the "
        "frozen set's exposure."
    ),
    Reading.STEADY: "Neither set moved by more than it varies by itself.",
}


def read_two_sets(frozen: Verdict | None, dynamic: Verdict | None, *, corrections_fell: bool | None) -> TwoSets:
    """What the verdicts of the two sets mean side by side.

    None is a set that was not run. `corrections_fell` is whether users' corrections became rarer over the same time,
    None where that cannot be said; it decides whether a risen frozen set is believed.
    """
    told = {"frozen": frozen if frozen in _VERDICTS else None, "dynamic": dynamic if dynamic in _VERDICTS else None}
    known = {name: verdict for name, verdict in told.items() if verdict is not None}
    if not known:
        return TwoSets(
            reading=Reading.NO_ANSWER, sentence="Neither set reached a verdict: nothing can be read from them."
        )
    if len(known) == 1:
        return _one_set(*known.popitem())
    reading = _TABLE[known["frozen"], known["dynamic"]]
    if frozen is _ROSE and dynamic is not _FELL and corrections_fell is False:
        reading = Reading.OVERFITTED
    return TwoSets(reading=reading, sentence=_SENTENCE[reading])


def verdict_of_sets(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Several sets of one kind as one: fell where any fell, else rose where any rose; None where none has a verdict."""
    found = set(verdicts)
    return next((verdict for verdict in (_FELL, _ROSE, _HELD) if verdict in found), None)


_VERDICTS = frozenset({_FELL, _ROSE, _HELD})
_VERB = {_FELL: "fell", _ROSE: "rose", _HELD: "held"}


def _one_set(name: str, verdict: Verdict) -> TwoSets:
    other = "dynamic" if name == "frozen" else "frozen"
    sentence = (
        f"The {name} set {_VERB[verdict]} and the {other} set reached no verdict: "
        "whether the product or its users changed is open."
    )
    return TwoSets(reading=Reading.ONE_SET_ONLY, sentence=sentence)
