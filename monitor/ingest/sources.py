"""The sources that driftd reads. Their threads stop before the writer; their clients close after it."""

from collections.abc import Container, Sequence
from typing import Protocol

from monitor.supervisor import Loop, Supervisor, Turn, always
from monitor.telemetry import Recorder

RUNNING_STATES = ("working", "idle")  # thread states without detail; the state of the source is shown instead


class Source(Loop, Protocol):
    """A loop that reads records into the intake."""

    @property
    def state(self) -> str: ...

    def trouble(self) -> str | None: ...

    def close(self) -> None: ...


class Sources:
    """All sources, one thread each. A source that fails stops; the daemon continues."""

    def __init__(
        self,
        sources: Sequence[Source],
        telemetry: Recorder,
        *,
        turn: Turn = always,
        in_each_process: Container[str] = (),
    ) -> None:
        """`turn` and `in_each_process` are those of the supervisor."""
        self._sources = sources
        self._threads = Supervisor(sources, telemetry, turn=turn, in_each_process=in_each_process)

    @property
    def crashed(self) -> bool:
        return self._threads.crashed.is_set()

    def start(self) -> None:
        self._threads.start()

    def stop(self, timeout_s: float) -> list[str]:
        """Stop reading. Return the names of the sources that did not stop within the time."""
        return self._threads.stop(timeout_s)

    def close(self) -> None:
        """Close the sources after the writer has stored their rows."""
        for source in self._sources:
            source.close()

    def states(self) -> dict[str, str]:
        threads = self._threads.states()
        return {s.name: s.state if threads[s.name] in RUNNING_STATES else threads[s.name] for s in self._sources}

    def troubles(self) -> list[str]:
        """Return the names of the sources that stopped or stalled."""
        return [source.name for source in self._sources if source.trouble() is not None]
