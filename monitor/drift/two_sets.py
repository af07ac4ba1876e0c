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

_SENTENCE = {
    Reading.WORSE: "Both sets fell: the product got worse, on what it always did and on what users ask now.",
    Reading.OLD_SKILL_LOST: (
        "Only the frozen set fell: something the product could do was lost, and recent corrections do not ask for it."
    ),
    Reading.WORLD_MOVED: (
        "Only the dynamic set fell: the product does what it did, and users ask for other things or in other ways."
    ),
    Reading.BETTER: "Both sets rose: the product got better.",
    Reading.OVERFITTED: (
        "The frozen set rose while corrections did not fall: probably it was fitted to the set; check exposure before "
        "believing the gain."
    ),
    Reading.FROZEN_ONLY_BETTER: (
        "Only the frozen set rose: a gain that recent requests do not show; watch whether corrections fall."
    ),
    Reading.LEARNED_FROM_PRODUCTION: (
        "Only the dynamic set rose: what users corrected was repaired, and nothing old was lost for it."
    ),
    Reading.TRADED: "The frozen set fell while the dynamic set rose: repairing what users corrected cost an old skill.",
    Reading.TAUGHT_TO_THE_FROZEN_SET: (
        "The frozen set rose while the dynamic set fell: the gain does not reach users; suspect that the frozen set "
        "leaked."
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
