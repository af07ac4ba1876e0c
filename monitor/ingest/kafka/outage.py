"""Ongoing outages: a cluster that does not answer, or a partition without a leader."""

from collections.abc import Mapping


class Outages:
    """Remembers causes by name. Callers pass times in monotonic seconds.

    >>> outages = Outages(60.0)
    >>> outages.update({"cluster": "no broker answers"}, 0.0)
    >>> outages.lasting(59.0), outages.lasting(60.0)
    ([], ['no broker answers, for 60 s'])
    """

    def __init__(self, report_after_s: float) -> None:
        self._report_after_s = report_after_s
        self._since: dict[str, tuple[str, float]] = {}

    def update(self, reasons: Mapping[str, str], now_s: float) -> None:
        """Set the current outages; all others have ended."""
        self._since = {name: (reason, self._since.get(name, ("", now_s))[1]) for name, reason in reasons.items()}

    def lasting(self, now_s: float) -> list[str]:
        """Return the reasons of outages that are long enough to report."""
        return [
            f"{reason}, for {now_s - since_s:.0f} s"
            for reason, since_s in self._since.values()
            if now_s - since_s >= self._report_after_s
        ]
