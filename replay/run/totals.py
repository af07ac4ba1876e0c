"""The totals of a run's outcomes."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import ceil

from replay.scoring import has_verdict
from replay.types import Outcome, Reply, ScoredOutcome

MAX_VALUES = 50
OTHER = "(other)"


class Tally:
    """Counts committed outcomes one by one. It uses 8 bytes of memory for each answer (the latency).

    A resumed run is one run: its tally starts with the outcomes that were committed before, in any order.
    """

    def __init__(self) -> None:
        self.outcomes = 0
        self.requests = 0  # attempts of all outcomes
        self.scored = 0
        self.errors: Counter[str] = Counter()
        self.input_tokens = 0
        self.output_tokens = 0
        self.unpriced = 0  # replies without a cost
        self._cost_usd = 0.0
        self._latencies_ms = array("d")
        self._reported: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: ScoredOutcome) -> None:
        self.add_outcome(row.outcome, scored=has_verdict(row.scores))

    def add_outcome(self, outcome: Outcome, *, scored: bool) -> None:
        """Add an outcome of a store that seals texts. The text of the reply is not used and may be empty."""
        self.outcomes += 1
        self.requests += outcome.attempts
        self.scored += scored
        if outcome.reply is None:
            self.errors[outcome.error_class or "unknown"] += 1
        else:
            self._add_reply(outcome.reply)

    @property
    def answered(self) -> int:
        return len(self._latencies_ms)

    @property
    def cost_usd(self) -> float | None:
        """The sum of the known costs; None if no reply has a cost."""
        return self._cost_usd if self.answered > self.unpriced else None

    @property
    def reported(self) -> Mapping[str, Mapping[str, int]]:
        """The values that replies report: field to value to number of replies, most frequent first."""
        return {field: dict(values.most_common()) for field, values in sorted(self._reported.items())}

    def latency_ms(self, quantile: float) -> float | None:
        """Nearest-rank percentiles over the answered calls, so each is a measured latency. None without any."""
        if not self._latencies_ms:
            return None
        ordered = sorted(self._latencies_ms)
        return ordered[max(1, ceil(quantile * len(ordered))) - 1]

    def _add_reply(self, reply: Reply) -> None:
        self._latencies_ms.append(reply.latency_ms)
        self.input_tokens += reply.input_tokens or 0
        self.output_tokens += reply.output_tokens or 0
        if reply.cost_usd is None:
            self.unpriced += 1
        else:
            self._cost_usd += reply.cost_usd
        date = reply.reported_at.date().isoformat() if reply.reported_at else None
        for field, value in (
            ("model", reply.model),
            ("system_fingerprint", reply.system_fingerprint),
            ("date", date),
            *reply.reported.items(),
        ):
            if value is not None:
                self._count(field, value)

    def _count(self, field: str, value: str) -> None:
        """Count a value. After 50 distinct values of a field the others are counted together, so that a manifest stays
        readable.
        """
        values = self._reported[field]
        values[value if value in values or len(values) < MAX_VALUES else OTHER] += 1
