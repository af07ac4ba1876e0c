"""Which recorded answer comes next: state and decisions of the recorded endpoint, without HTTP.

An answer's key is SHA-256 of the snapshot and the last user message (NFC, stripped). Several answers of one question
go by sample index, then cycle. With probability `resample` the answer to another question of the same category is
served, so that two nights differ as real nights do while the rates stay what they were. All chance is a function of
seed, key, sample and how often that was asked before: what else is asked, and in which order, does not enter.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from replay.errors import ReplayError
from replay.evalsets.canonical import question_text
from replay.recorded.data import RecordedAnswer, RecordedData


class UnknownCase(ReplayError):
    """The question is not among the recorded ones. There is no fallback: a made-up answer would be no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What is served now. The three can be changed while the endpoint runs."""

    snapshot: str
    resample: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One answer given: `number` counts the answers of its key from 0."""

    key: str
    number: int
    snapshot: str
    resample: float
    resampled: bool
    answer: RecordedAnswer


@dataclass(slots=True)
class _Asked:
    """How often a key was asked: in all, and by sample index (None: the request named no sample)."""

    total: int = 0
    by_sample: Counter[int | None] = field(default_factory=Counter)


def answer_key(question: str, snapshot: str) -> str:
    """SHA-256 in hexadecimal that names a question under a snapshot."""
    return hashlib.sha256(f"{snapshot}\n{question_text(question)}".encode()).hexdigest()


class AnswerBook:
    """Serves the recorded answers and counts the calls of each key. Not for several threads at once."""

    def __init__(self, data: RecordedData, serving: Serving) -> None:
        self.data = data
        self.serving = serving
        self._position = {question_text(question.question): index for index, question in enumerate(data.questions)}
        self._strata = _strata(data)
        self._asked: dict[str, _Asked] = {}
        check_serving(serving, data)

    def change(self, serving: Serving) -> None:
        """Serve this from now on; ReplayError when it cannot be served. Counts go on."""
        check_serving(serving, self.data)
        self.serving = serving

    def answer(self, question: str, sample: int | None) -> Served:
        """The next answer to the question; UnknownCase when it was never recorded."""
        position = self._position.get(question_text(question))
        if position is None:
            raise UnknownCase("this question has no recorded answer; ask one of the recorded ones, word for word")
        serving = self.serving
        key = answer_key(question, serving.snapshot)
        asked = self._asked.setdefault(key, _Asked())
        chance = Chance(f"{serving.seed}/{key}/{sample}/{asked.by_sample[sample]}")
        source = self._source(position, serving.resample, chance)
        answers = self.data.questions[source].answers[serving.snapshot]
        served = Served(
            key=key,
            number=asked.total,
            snapshot=serving.snapshot,
            resample=serving.resample,
            resampled=source != position,
            answer=answers[(asked.total if sample is None else sample) % len(answers)],
        )
        asked.total += 1
        asked.by_sample[sample] += 1
        return served

    def calls(self) -> Mapping[str, int]:
        """How many answers each key has been given."""
        return {key: asked.total for key, asked in self._asked.items()}

    def _source(self, position: int, resample: float, chance: "Chance") -> int:
        """Whose answer is served: the question's own, or one drawn from the others of its category."""
        stratum = self._strata[self.data.questions[position].category]
        if len(stratum) < 2 or chance.fraction() >= resample:
            return position
        others = [other for other in stratum if other != position]
        return others[chance.below(len(others))]


class Chance:
    """Two independent draws that depend on a text alone.

    >>> Chance("7/a/0").fraction() == Chance("7/a/0").fraction()
    True
    """

    def __init__(self, text: str) -> None:
        self._bytes = hashlib.sha256(text.encode()).digest()

    def fraction(self) -> float:
        """Uniform on [0, 1)."""
        return (int.from_bytes(self._bytes[:8]) >> 11) / 2**53

    def below(self, count: int) -> int:
        """Uniform on 0 .. count - 1; the bias of the remainder is below count / 2^64."""
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
