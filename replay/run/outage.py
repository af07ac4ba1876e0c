"""When a target, and not its cases, is what fails."""

from replay.errors import OutageError, TargetError
from replay.targets.failure import ErrorClass
from replay.types import ScoredOutcome, TargetConditions

SMALLEST_STREAK = 8
_CLASSES = frozenset(ErrorClass)
_HINTS = {
    ErrorClass.TIMEOUT: "nothing answers in time: see whether it is overloaded, or allow more time",
    ErrorClass.CONNECTION: "nothing answers there: see whether it runs and its address is right",
    ErrorClass.RATE_LIMIT: "its rate limit is used up: lower the concurrency or run later",
    ErrorClass.QUOTA: "the account has no credit left",
    ErrorClass.SERVER_ERROR: "the server itself fails: see its own log",
    ErrorClass.AUTH: "the key is refused: see its api_key",
    ErrorClass.NOT_FOUND: "it knows no such path or model: see its address and model",
}


class OutageWatch:
    """Holds back failures that blame the target until it is clear whether they are an outage.

    An outage is a streak of max(2 * concurrency, 8) calls in a row, at the start or anywhere later, that all failed
    for good with one class that says nothing of the case (`ErrorClass.blames_target`), or every call of a shorter
    run that no earlier start of the run answered either. Failures of an outage are never stored, so a resume asks
    those cases again. Any other outcome breaks the streak, and what was held back is an ordinary failure after all.
    """

    def __init__(self, conditions: TargetConditions, concurrency: int, *, answered_before: bool) -> None:
        self._conditions = conditions
        self._limit = max(2 * concurrency, SMALLEST_STREAK)
        self._held: list[ScoredOutcome] = []
        self._answered = answered_before

    def pass_on(self, row: ScoredOutcome) -> list[ScoredOutcome]:
        """What may be stored now, `row` last if it may. Raises TargetError when the streak is an outage."""
        if not _blames_target(row):
            self._answered = True
            return [*self._release(), row]
        before = self._release() if self._held and self._held[0].outcome.error_class != row.outcome.error_class else []
        self._held.append(row)
        if len(self._held) >= self._limit:
            raise self._outage()
        return before

    def close(self) -> list[ScoredOutcome]:
        """What was still held back when the work ended. Raises TargetError when nothing else ever came."""
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
            " see that it can be reached and start the replay again"
        )


def _blames_target(row: ScoredOutcome) -> bool:
    error_class = row.outcome.error_class
    return error_class in _CLASSES and ErrorClass(error_class).blames_target
