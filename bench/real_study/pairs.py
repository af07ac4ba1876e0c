"""The changes whose truth is known from all cases: the right verdict for a part of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bench.real_study.versions import Versions, gsm8k, primes, sensitive

Verdict = Literal["regression", "improvement", "ok"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One version after the other. A collapse of a category is a regression, whatever the whole does."""

    name: str
    of: Callable[[], Versions]
    before: str
    after: str
    verdict: Verdict
    fell: frozenset[str] = field(default=frozenset())  # categories that should be reported
    rose: frozenset[str] = field(default=frozenset())


PRIME, COMPOSITE = frozenset({"prime"}), frozenset({"composite"})
PAIRS = (
    Pair(
        name="primes, gpt-4 March to June",
        of=primes,
        before="gpt-4-0314",
        after="gpt-4-0613",
        verdict="regression",
        fell=PRIME,
        rose=COMPOSITE,
    ),
    Pair(
        name="primes, gpt-3.5 March to June",
        of=primes,
        before="gpt-3.5-turbo-0301",
        after="gpt-3.5-turbo-0613",
        verdict="regression",
        fell=COMPOSITE,
        rose=PRIME,
    ),
    Pair(
        name="sensitive, gpt-4 March to June",
        of=sensitive,
        before="gpt-4-0314",
        after="gpt-4-0613",
        verdict="regression",
    ),
    Pair(
        name="gsm8k, 6b: verification added",
        of=gsm8k,
        before="6b_finetuning",
        after="6b_verification",
        verdict="improvement",
    ),
    Pair(
        name="gsm8k, 175b: verification removed",
        of=gsm8k,
        before="175b_verification",
        after="175b_finetuning",
        verdict="regression",
    ),
    Pair(
        name="gsm8k, verification: 6b to 175b",
        of=gsm8k,
        before="6b_verification",
        after="175b_verification",
        verdict="improvement",
    ),
    Pair(
        name="gsm8k, fine-tuning: 175b to 6b",
        of=gsm8k,
        before="175b_finetuning",
        after="6b_finetuning",
        verdict="regression",
    ),
    Pair(
        name="gsm8k, 6b verified to 175b fine-tuned",
        of=gsm8k,
        before="6b_verification",
        after="175b_finetuning",
        verdict="regression",
    ),
)
