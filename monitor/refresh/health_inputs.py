"""What measurements of the health of one revision at several times have in common, read and computed once."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from monitor.domain.evalset import Revision
from monitor.health.nearness import CaseTexts
from monitor.health.redundancy import Redundancy, redundancy_of
from monitor.store.engine.database import Tx
from monitor.store.sets import set_health
from monitor.store.sets.set_health import ProductionInput, RunScores
from replay.types import Case


class HealthInputs:
    """The inputs of measurements at times up to `last`, in one transaction. Each is read or computed when the first
    measurement asks for it.

    The calls of a measurement are a sample by the digest of their ids. Therefore the sample of a part of a window is
    the start of the sample of the whole window, without the calls outside of the part.
    """

    def __init__(
        self,
        tx: Tx,
        revision: Revision,
        cases: Sequence[Case],
        users: Sequence[str],
        *,
        first: datetime,
        last: datetime | None,
        most_calls: int,
    ) -> None:
        """`first` is the time of the earliest call; without `last`, everything that is stored counts."""
        self.revision, self.cases, self.users = revision, cases, users
        self._tx, self._first, self._last, self._most = tx, first, last, most_calls
        self.texts = {case.id: case.question for case in cases}

    @cached_property
    def case_texts(self) -> CaseTexts:
        return CaseTexts(list(self.texts.values()))

    @cached_property
    def redundancy(self) -> Redundancy:
        return redundancy_of(self.texts)

    def runs(self, until: datetime | None) -> RunScores:
        """Return the scores of the runs that ended before `until`."""
        return self._runs if until == self._last or until is None else self._runs.before(until)

    def calls(self, since: datetime, until: datetime | None) -> Sequence[ProductionInput]:
        """Return a sample of the calls in [since, until)."""
        if since == self._first and until == self._last:
            return self._read_calls(since, until, self._most)
        if until is None or since < self._first:
            raise ValueError("the window of calls is outside of the shared one")
        sample = self._sample
        inside = [call for call in sample if since <= call.started_at < until][: self._most]
        if len(inside) == self._most or len(sample) < self._sampled:
            return inside
        return self._read_calls(since, until, self._most)

    @cached_property
    def _runs(self) -> RunScores:
        revision = self.revision
        return set_health.run_scores(
            self._tx, revision.name, revision.revision, len(self.cases), self.users, until=self._last
        )

    @cached_property
    def _sample(self) -> Sequence[ProductionInput]:
        return self._read_calls(self._first, self._last, self._sampled)

    @property
    def _sampled(self) -> int:
        return 2 * self._most

    def _read_calls(self, since: datetime, until: datetime | None, most: int) -> Sequence[ProductionInput]:
        return set_health.production_inputs(self._tx, self.users, since, most, until)
