"""The assumed prior: what causes the drops of alarms, and how often a cause or an innocent condition is recorded.

The shares are assumptions, stated in docs/statistics.md. `bench/causes.py` draws its alarms from them, so the
probabilities of an investigation are calibrated for this mix.
"""

from dataclasses import dataclass
from enum import StrEnum

MIN_ODDS = 0.002  # of a suspect whose condition is recorded as the same: records can be wrong
FALSE_ALARM = 0.03  # weight of 'nothing did'
TOGETHER = 0.5  # weight of two at once, over the product of their shares
NEED_EACH_OTHER = 0.3  # of two causes at once, how often each needs the other


class Suspect(StrEnum):
    MODEL = "model"
    PROMPT = "prompt"
    PARAMETERS = "parameters"
    CODE = "code"
    JUDGE = "judge"
    SET = "set"
    ENVIRONMENT = "environment"  # production around the model: retrieval, tools, load, the network


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectRates:
    """The assumed rates of one suspect.

    - `share`: weight of the alarms that it causes alone.
    - `recorded`: share of these with a recorded difference; `hinted`: share of the others with a hint.
    - `innocent`: share of the other alarms with a recorded difference; `false_hint`: share of the rest with a hint.
    - `silent`: share of the deployments where it can change without a record.
    """

    share: float
    recorded: float
    innocent: float
    hinted: float = 0.0
    false_hint: float = 0.0
    silent: float = 1.0


SUSPECT_RATES = {
    Suspect.MODEL: SuspectRates(share=0.40, recorded=0.60, innocent=0.08, hinted=0.4, false_hint=0.15),
    Suspect.PROMPT: SuspectRates(share=0.25, recorded=1.0, innocent=0.12, silent=0.0),
    Suspect.PARAMETERS: SuspectRates(share=0.04, recorded=1.0, innocent=0.05, silent=0.0),
    Suspect.CODE: SuspectRates(share=0.02, recorded=0.80, innocent=0.05),
    Suspect.JUDGE: SuspectRates(share=0.12, recorded=0.76, innocent=0.03, silent=0.4),  # 0.4: hosted, recorded in 40 %
    Suspect.SET: SuspectRates(share=0.005, recorded=1.0, innocent=0.15, silent=0.0),
    Suspect.ENVIRONMENT: SuspectRates(share=0.05, recorded=0.0, innocent=0.0, hinted=0.4, false_hint=0.04),
}
HINT_OF_ANY_CHANGE = 0.3  # odds where a change is known and its kind is not, which is not part of the mix


def odds_when_recorded(rates: SuspectRates) -> float:
    """Return the weight of alarms that it causes over those that it does not cause, among those with a recorded
    difference.
    """
    return max(_ratio(rates.share * rates.recorded, rates.innocent), MIN_ODDS)


def odds_when_hinted(rates: SuspectRates) -> float:
    """Return the same odds among alarms with a hint and no recorded difference."""
    if not rates.false_hint:
        return HINT_OF_ANY_CHANGE
    return max(
        _ratio(rates.share * (1.0 - rates.recorded) * rates.hinted, (1.0 - rates.innocent) * rates.false_hint),
        MIN_ODDS,
    )


def odds_when_unknown(rates: SuspectRates) -> float:
    """Return the same odds among alarms without a record or a hint."""
    quiet = (1.0 - rates.innocent) * (1.0 - rates.false_hint) * rates.silent
    return max(_ratio(rates.share * (1.0 - rates.recorded) * (1.0 - rates.hinted), quiet), MIN_ODDS)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else HINT_OF_ANY_CHANGE if part else 0.0
