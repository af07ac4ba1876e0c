"""Text that compresses like prose: words of an artificial language with the word frequencies of a real one.

Real text of this size would have to be shipped, and repeated text would compress too well.

>>> prose(Random(1), 60)
'foste keng quurth poo mouv foste joom foste kous glay loop '
"""

from bisect import bisect
from functools import cache
from itertools import accumulate
from random import Random

WORDS = 20_000
STEEPNESS = 0.8  # exponent of Zipf's law: zlib compresses a long text to 39 %, about as far as English prose
DATED, ORDERED, PERSONAL = 0.5, 0.25, 0.05  # shares of the questions
_BEGINNINGS = (
    "b",
    "c",
    "d",
    "f",
    "g",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "qu",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "gl",
)
_MIDDLES = ("a", "e", "i", "o", "u", "oo", "ee", "ou", "ay")
_ENDS = ("", "", "m", "n", "r", "s", "t", "ng", "ste", "rth", "v", "p")


def prose(rng: Random, length: int) -> str:
    """Return exactly `length` characters, with words drawn by their frequency."""
    words, sums = _vocabulary()
    made: list[str] = []
    left = length
    while left > 0:
        word = words[bisect(sums, rng.random() * sums[-1])]
        made.append(word)
        left -= len(word) + 1
    return (" ".join(made) + " ")[:length]


def facts(rng: Random) -> str:
    """Return what a question may name before its prose: a date in half of them, an order number in a quarter, and
    personal data in one of twenty.

    >>> facts(Random(1)), facts(Random(2))
    ('on 2026-02-09 order 8364-8737 ', '')
    """
    found = ""
    if rng.random() < DATED:
        found += f"on 2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02} "
    if rng.random() < ORDERED:
        found += f"order {rng.randrange(1000, 9999)}-{rng.randrange(1000, 9999)} "
    if rng.random() < PERSONAL:
        found += f"write to customer.{rng.randrange(10_000)}@example.org or call +49 30 {rng.randrange(10**6, 10**7)} "
    return found


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Return the words, the most frequent first, and the cumulative weights."""
    rng = Random(6)
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(_syllable(rng) for _ in range(rng.choice((1, 1, 2, 2, 3))))] = None
    return list(words), list(accumulate(rank**-STEEPNESS for rank in range(1, WORDS + 1)))


def _syllable(rng: Random) -> str:
    return rng.choice(_BEGINNINGS) + rng.choice(_MIDDLES) + rng.choice(_ENDS)
