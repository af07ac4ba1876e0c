"""Detects an outage: the target fails, not its cases."""

from replay.errors import OutageError, TargetError
from replay.targets.failure import ErrorClass
from replay.types import ScoredOutcome, TargetConditions

SMALLEST_STREAK = 8
_CLASSES = frozenset(ErrorClass)
_HINTS = {
    ErrorClass.TIMEOUT: "no response in time: check whether it is overloaded, or raise the timeout",
    ErrorClass.CONNECTION: "no response: check that it runs and that its address is correct",
    ErrorClass.RATE_LIMIT: "its rate limit is used up: lower the concurrency or run later",
    ErrorClass.QUOTA: "the account has no credit left",
    ErrorClass.SERVER_ERROR: "the server fails: see its log",
    ErrorClass.AUTH: "the key is refused: check its api_key",
    ErrorClass.NOT_FOUND: "the path or the model does not exist: check its address and model",
}


class OutageWatch:
    """Withholds failures that concern the target until it is clear whether they are an outage.

    An outage is a sequence of max(2 * concurrency, 8) calls, at the start or later, that all failed permanently with
    one class that does not concern the case (`ErrorClass.blames_target`), or every call of a shorter run without an
    answer in an earlier start. Failures of an outage are never stored, so a resumed run repeats these cases. Any other
    outcome ends the sequence, and the withheld failures become ordinary failures.
    """

    def __init__(self, conditions: TargetConditions, concurrency: int, *, answered_before: bool) -> None:
        self._conditions = conditions
        self._limit = max(2 * concurrency, SMALLEST_STREAK)
        self._held: list[ScoredOutcome] = []
        self._answered = answered_before

    def pass_on(self, row: ScoredOutcome) -> list[ScoredOutcome]:
        """Return the rows that may be stored now, with `row` last if it may. Raise TargetError if the sequence is an
        outage.
        """
        if not _blames_target(row):
            self._answered = True
            return [*self._release(), row]
        before = self._release() if self._held and self._held[0].outcome.error_class != row.outcome.error_class else []
        self._held.append(row)
        if len(self._held) >= self._limit:
            raise self._outage()
        return before

    def close(self) -> list[ScoredOutcome]:
        """Return the rows that were withheld until the end. Raise TargetError if there was no other outcome."""
        if self._held and not self._answered:
            raise self._outage()
        return self._release()

    def _release(self) -> list[ScoredOutcome]:
        held, self._held = self._held, []
        return held

    def _outage(self) -> TargetError:
        error_class = ErrorClass(self._held[-1].outcome.error_class or "")
        model, where = self._conditions.model, self._conditions.base_url
        target = f"model {model!r} at {where}" if model else where
        kind = OutageError if error_class.retryable else TargetError
        return kind(
            f"{target}: {len(self._held)} calls in a row failed with {error_class}, {_HINTS[error_class]};"
            " correct this and start the replay again"
        )


def _blames_target(row: ScoredOutcome) -> bool:
    error_class = row.outcome.error_class
    return error_class in _CLASSES and ErrorClass(error_class).blames_target
