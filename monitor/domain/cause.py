"""What an alarm is blamed on: what was tried, what it showed, and what is left open."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedStep:
    """A step that was taken: `showing` is what it showed of the drop, `says` the numbers behind."""

    step: str
    showing: str
    says: str
    bits: float  # of information expected of it beforehand
    calls: int
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UntriedStep:
    step: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCause:
    """`probability` is that it had a part in the drop; None where no replay tells the suspects apart."""

    suspect: str | None  # None: nothing made a drop, the alarm was false
    probability: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """`named` are the suspects that made the drop together, empty where nothing did, None when it is not identifiable;
    `why` is what that rests on, or what is missing. `differs` are the recorded conditions that are not those of the
    baseline.

    `confirmed` is True when each named suspect was put back and the scores were looked at again. Otherwise the records
    alone name it, and `probability` is None. `says` is the sentence that every surface shows.
    """

    named: tuple[str, ...] | None
    probability: float | None  # of the likeliest explanation
    why: str
    differs: tuple[str, ...]
    causes: tuple[RankedCause, ...]
    tried: tuple[TriedStep, ...]
    not_tried: tuple[UntriedStep, ...]
    calls: int  # spent
    usd: float  # spent
    confirmed: bool = False
    says: str = ""
