"""Measures the noise of sets after their runs, so that no request repeats the detection over all nights."""

from functools import partial
from itertools import cycle, islice
from typing import Final

from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.jobs.after_writes import AfterWrites
from monitor.refresh import set_noise
from monitor.store.engine.database import Store
from monitor.store.sets import stored_noise

CHECKED_A_STEP: Final = 10  # a check reads the runs of a set
IDLE_S: Final = 10.0
SHARE: Final = 3.0  # a pause is this many times as long as the step before it


class NoiseLoop:
    """Measures the noise of a set when its nights changed. It never counts as work: a request measures what is not
    stored.
    """

    name = "set-noise"

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, code_version: str) -> None:
        self._store, self._policy, self._clock, self._code_version = store, policy, clock, code_version
        pairs = [(name, set_name) for name, known in policy.deployments.items() for set_name in known.sets]
        self._checked = min(len(pairs), CHECKED_A_STEP)
        self._pairs = cycle([(*pair, AfterWrites(store, clock)) for pair in pairs])
        self.poll_s = IDLE_S

    def step(self) -> int:
        """Check the next sets, and measure the first one that needs it."""
        began_s = self._clock.monotonic()
        checks = islice(self._pairs, self._checked)
        if any(after.run(partial(self._measure, name, set_name)) for name, set_name, after in checks):
            self.poll_s = max(0.2, SHARE * (self._clock.monotonic() - began_s))
        else:
            self.poll_s = IDLE_S
        return 0

    def _measure(self, deployment: str, set_name: str) -> bool:
        """Measure the noise when its inputs changed. Return False if it is stored, or cannot be measured."""
        drift = self._policy.deployments[deployment].drift
        with self._store.read() as tx:
            inputs = set_noise.inputs_of(tx, deployment, set_name, drift, self._code_version)
            stored = stored_noise.newest(tx, deployment, set_name)
            if inputs is None or (stored is not None and stored.inputs == inputs):
                return False
            found = set_noise.measure(tx, deployment, set_name, drift)
        if found is None:
            return False
        with self._store.write() as tx:
            if set_noise.inputs_of(tx, deployment, set_name, drift, self._code_version) == inputs:
                stored_noise.put(tx, deployment, set_name, set_noise.to_stored(found, inputs))
        return True
