"""Errors of the replay library. Each message says what, where and what to do."""


class ReplayError(Exception):
    """Base of all."""


class CaseError(ReplayError):
    """An eval set file holds something that is no case; the message names the line and the field."""


class SealError(ReplayError):
    """Sealed content cannot be opened: wrong key, wrong place, or changed bytes."""


class TargetError(ReplayError):
    """A target cannot be called at all (its configuration, not one reply)."""


class OutageError(TargetError):
    """A target answers nothing now, for a reason that may pass; the run can be taken up again later."""


class CallError(ReplayError):
    """One call failed. `error_class` is stored with the outcome; `retryable` decides whether to try again. `sent` is
    False when no request left this machine.
    """

    def __init__(
        self,
        error_class: str,
        message: str,
        *,
        retryable: bool,
        retry_after_s: float | None = None,
        sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.sent = sent
        self.error_class = error_class
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class BudgetSpentError(ReplayError):
    """A further request of an attempt would pass a budget; the attempt has no outcome."""
