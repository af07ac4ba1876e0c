"""Selects the next recorded answer: the state and the decisions of the recorded endpoint, without HTTP.

The key of an answer is the SHA-256 of the snapshot and the last user message (NFC, stripped). Several answers of one
question are selected by sample index and then repeat. With probability `resample` the answer to another question of the
same category is served, so that two nights differ as real nights do while the rates stay the same. Randomness is a
function of the seed, the key, the sample and the number of earlier requests of that key: other requests and their order
do not matter.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from replay.errors import ReplayError
from replay.evalsets.canonical import question_text
from replay.recorded.data import RecordedAnswer, RecordedData


class UnknownCase(ReplayError):
    """The question was not recorded. There is no fallback, because an invented answer would not be a real one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the endpoint serves now. The three values can change while it runs."""

    snapshot: str
    resample: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One served answer. `number` counts the answers of its key from 0."""

    key: str
    number: int
    snapshot: str
    resample: float
    resampled: bool
    answer: RecordedAnswer


@dataclass(slots=True)
class _RequestCount:
    """The number of requests of a key: in total, and by sample index (None: the request had no sample index)."""

    total: int = 0
    by_sample: Counter[int | None] = field(default_factory=Counter)


def answer_key(question: str, snapshot: str) -> str:
    """Return the SHA-256 in hexadecimal that identifies a question under a snapshot."""
    return hashlib.sha256(f"{snapshot}\n{question_text(question)}".encode()).hexdigest()


class AnswerBook:
    """Serves the recorded answers and counts the calls of each key. It is not thread-safe."""

    def __init__(self, data: RecordedData, serving: Serving) -> None:
        self.data = data
        self.serving = serving
        self._position = {question_text(question.question): index for index, question in enumerate(data.questions)}
        self._strata = _strata(data)
        self._request_counts: dict[str, _RequestCount] = {}
        check_serving(serving, data)

    def change(self, serving: Serving) -> None:
        """Serve these values from now on. Raise ReplayError if the data does not have them. Counts continue."""
        check_serving(serving, self.data)
        self.serving = serving

    def answer(self, question: str, sample: int | None) -> Served:
        """Return the next answer to the question. Raise UnknownCase if it was never recorded."""
        position = self._position.get(question_text(question))
        if position is None:
            raise UnknownCase("this question has no recorded answer; send a recorded question without changes")
        serving = self.serving
        key = answer_key(question, serving.snapshot)
        request_count = self._request_counts.setdefault(key, _RequestCount())
        chance = Chance(f"{serving.seed}/{key}/{sample}/{request_count.by_sample[sample]}")
        source = self._source(position, serving.resample, chance)
        answers = self.data.questions[source].answers[serving.snapshot]
        served = Served(
            key=key,
            number=request_count.total,
            snapshot=serving.snapshot,
            resample=serving.resample,
            resampled=source != position,
            answer=answers[(request_count.total if sample is None else sample) % len(answers)],
        )
        request_count.total += 1
        request_count.by_sample[sample] += 1
        return served

    def calls(self) -> Mapping[str, int]:
        """Return the number of served answers of each key."""
        return {key: request_count.total for key, request_count in self._request_counts.items()}

    def _source(self, position: int, resample: float, chance: "Chance") -> int:
        """Return the question whose answer is served: the same question, or a random one of its category."""
        stratum = self._strata[self.data.questions[position].category]
        if len(stratum) < 2 or chance.fraction() >= resample:
            return position
        others = [other for other in stratum if other != position]
        return others[chance.below(len(others))]


class Chance:
    """Two independent random draws that depend only on a text.

    >>> Chance("7/a/0").fraction() == Chance("7/a/0").fraction()
    True
    """

    def __init__(self, text: str) -> None:
        self._bytes = hashlib.sha256(text.encode()).digest()

    def fraction(self) -> float:
        """Return a uniform number in [0, 1)."""
        return (int.from_bytes(self._bytes[:8]) >> 11) / 2**53

    def below(self, count: int) -> int:
        """Return a uniform number in 0 .. count - 1. The bias of the remainder is below count / 2^64."""
        return int.from_bytes(self._bytes[8:16]) % count


def check_serving(serving: Serving, data: RecordedData) -> None:
    """Raise ReplayError when this cannot be served from the data."""
    if serving.snapshot not in data.snapshots:
        raise ReplayError(f"snapshot {serving.snapshot!r} is unknown; known: {', '.join(data.snapshots)}")
    if not 0 <= serving.resample <= 1:
        raise ReplayError(f"resample must be a probability between 0 and 1, it is {serving.resample}")


def _strata(data: RecordedData) -> Mapping[str, list[int]]:
    strata: dict[str, list[int]] = defaultdict(list)
    for index, question in enumerate(data.questions):
        strata[question.category].append(index)
    return strata
