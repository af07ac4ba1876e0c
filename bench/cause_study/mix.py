"""Plans of alarms: the cause of the drop and the recorded differences, drawn from the mix that driftd assumes."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from monitor.drift.cause.prior import FALSE_ALARM, NEED_EACH_OTHER, SUSPECT_RATES, TOGETHER, Suspect
from monitor.drift.cause.suspects import NOTHING, Hypothesis, RecordedEvidence

MODEL, PROMPT, JUDGE = Suspect.MODEL, Suspect.PROMPT, Suspect.JUDGE
HOSTED = 0.4  # share of the sets with a hosted judge that may change silently: the judge's `silent`
RECORDED_OF_HOSTED = 0.4  # including the other judges, whose changes are always recorded: the judge's `recorded`
MADE_BY = tuple(suspect for suspect in Suspect if suspect is not Suspect.SET)  # alarms compare only unchanged cases
DROPS = (0.02, 0.34)  # uniform in the logarithm


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan before any answer is drawn."""

    truth: Hypothesis
    evidence: RecordedEvidence
    hosted: bool
    drop: float
    cases: int
    redraws: bool  # a change of model or prompt makes other cases fail
    mood: float
    needs_both: bool
    new_cases: bool  # the set was revised
    old_model_offered: bool
    has_arm: bool
    calls: int


def causes() -> dict[Hypothesis, float]:
    """Return the causes of the drop of an alarm, and how often each occurs."""
    weights: dict[Hypothesis, float] = {NOTHING: FALSE_ALARM}
    weights |= {frozenset({one}): SUSPECT_RATES[one].share for one in MADE_BY}
    for one, other in combinations(MADE_BY, 2):
        weights[frozenset({one, other})] = TOGETHER * SUSPECT_RATES[one].share * SUSPECT_RATES[other].share
    total = sum(weights.values())
    return {held: weight / total for held, weight in weights.items()}


def draw_plan(rng: np.random.Generator) -> Plan:
    shares = causes()
    truth = list(shares)[int(rng.choice(len(shares), p=list(shares.values())))]
    hosted = bool(rng.random() < HOSTED)
    chances = {suspect: _recorded(suspect, truth, hosted=hosted) for suspect in Suspect}
    recorded = frozenset(suspect for suspect, chance in chances.items() if rng.random() < chance)
    hinted = frozenset(
        suspect
        for suspect, rates in SUSPECT_RATES.items()
        if suspect not in recorded and rng.random() < (rates.hinted if suspect in truth else rates.false_hint)
    )
    silent = {suspect for suspect, rates in SUSPECT_RATES.items() if rates.silent == 1.0} | (
        {JUDGE} if hosted else set()
    )
    return Plan(
        truth=truth,
        evidence=RecordedEvidence(
            changed=recorded, hinted=hinted, ruled_out=frozenset(Suspect) - recorded - hinted - silent
        ),
        hosted=hosted,
        drop=float(np.exp(rng.uniform(*np.log(DROPS)))) if truth else 0.0,
        cases=int(rng.choice([100, 300])),
        redraws=bool(rng.random() < 0.5),
        mood=float(rng.choice([0.0, 0.01])),
        needs_both=len(truth) == 2 and JUDGE not in truth and bool(rng.random() < NEED_EACH_OTHER),
        new_cases=Suspect.SET in recorded,
        old_model_offered=bool(rng.random() < 0.7),
        has_arm=bool(rng.random() < 0.9),
        calls=int(rng.choice([300, 1000, 3000])),
    )


def _recorded(suspect: Suspect, truth: Hypothesis, *, hosted: bool) -> float:
    """Return the probability of a recorded difference. A judge that is not hosted has another version when it
    changed.
    """
    rates = SUSPECT_RATES[suspect]
    if suspect not in truth:
        return rates.innocent
    if suspect is JUDGE:
        return RECORDED_OF_HOSTED if hosted else 1.0
    return rates.recorded
