"""Send SIGKILL during a replay: it is resumed, and repeats at most the calls that were sent and not yet committed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

from monitor.cli.demo.stage import default_data
from monitor.cli.demo.story import as_case
from replay.recorded.data import RecordedData, load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.kills.file import rows_of
from tests.kills.process import DEPLOYMENT, SET, Daemon

PATIENCE_S = 120.0
LONGEST_S = 1.0  # of a replay at work before the kill
EARLY = 0.2  # share of kills while the daemon is still starting


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of one replay. It takes about cases * latency_scale * 8 s / concurrency."""

    cases: int = 100
    concurrency: int = 4
    latency_scale: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The recorded answers; the answers of the demo by default."""

    data: RecordedData = field(default_factory=lambda: load_recorded(default_data()))
    snapshot: str | None = None
    scorer: str = "contains"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    number: int
    run: int
    at: str
    after_s: float
    calls: int  # of the run at the endpoint, before it
    committed: int  # outcomes of the run in the file after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """One finished run, and the cost of its kills."""

    run: int
    state: str
    cases: int
    outcomes: int
    twice: int  # outcomes beyond one for a sample, and samples without exactly one score
    kills: int
    calls: int
    listed: int  # calls of the run in the ledger of access
    allowed: int  # cases + kills * 2 * concurrency

    @property
    def holds(self) -> bool:
        whole = self.state == "complete" and self.outcomes == self.cases and not self.twice
        return whole and self.cases <= self.calls <= min(self.allowed, self.listed)


class Replays:
    """A daemon, the recorded endpoint that it calls, and the current run."""

    def __init__(self, daemon: Daemon, endpoint: RecordedEndpoint, size: Size, data: RecordedData) -> None:
        self.daemon, self.size, self._data = daemon, size, data
        self._endpoint = endpoint
        self._before = 0  # calls of earlier runs
        self.run_id = ""

    def import_set(self) -> None:
        cases = [as_case(question) for question in self._data.questions[: self.size.cases]]
        self.daemon.post("sets", {"name": SET, "cases": cases})

    def plan(self) -> None:
        self._before = self._total()
        self.run_id = self.daemon.post("runs", {"deployment": DEPLOYMENT, "set_name": SET})["id"]

    def calls(self) -> int:
        """Return the number of calls of the run that reached the endpoint."""
        return self._total() - self._before

    def settled_calls(self) -> int:
        """Return the number of calls after the requests in flight have arrived. The daemon is down."""
        seen = self.calls()
        while True:
            sleep(0.05)
            if (now := self.calls()) == seen:
                return now
            seen = now

    def state(self) -> dict[str, Any]:
        return self.daemon.get(f"runs/{self.run_id}")

    def wait(self, done: Callable[[], bool], what: str) -> None:
        until = monotonic() + PATIENCE_S
        while not done():
            assert monotonic() < until, f"{what}: not within {PATIENCE_S:.0f} s\n{self.daemon.log[-3000:]}"
            sleep(0.01)

    def committed(self) -> int:
        with rows_of(self.daemon.file) as rows:
            return rows.number("SELECT count(*) FROM outcome WHERE run_id = ?", self.run_id)

    def listed(self) -> int:
        """Return the number of calls of the run in the access log."""
        entries = self.daemon.get("sets/access", set_name=SET)["items"]
        return sum(entry["calls"] for entry in entries if entry["what"] == self.run_id)

    def _total(self) -> int:
        return int(self.daemon.http.get(f"{self._endpoint.address}/_calls").json()["total"])


@contextmanager
def replays(
    folder: Path, size: Size, of: Recording | None = None, replay: dict[str, Any] | None = None
) -> Iterator[Replays]:
    """Keep the endpoint running while the daemon stops and starts. `replay` are settings of the deployment."""
    of = of or Recording()
    model = of.data.family
    endpoint = RecordedEndpoint(of.data, snapshot=of.snapshot, model=model, latency_scale=size.latency_scale)
    url = endpoint.start()
    try:
        with Daemon(
            folder=folder,
            model_url=url,
            model=model,
            scorer=of.scorer,
            concurrency=size.concurrency,
            replay=replay or {},
        ) as daemon:
            yield Replays(daemon, endpoint, size, of.data)
    finally:
        endpoint.stop()


def replay_kills(
    folder: Path,
    *,
    kills: int,
    seed: int,
    size: Size,
    of: Recording | None = None,
    report: Callable[[Kill | Finished], None] = lambda _: None,
) -> list[Finished]:
    """Execute as many runs as the number of kills needs, each to its end."""
    rng = Random(seed)
    finished: list[Finished] = []
    with replays(folder, size, of) as home:
        home.daemon.start()
        home.daemon.wait_ready()
        home.import_set()
        left = kills
        while left:
            killed = _one_run(home, rng, left, run=len(finished) + 1, number=kills - left, report=report)
            finished.append(killed)
            report(killed)
            left -= killed.kills
        assert home.daemon.stop() == 0
    return finished


def _one_run(
    home: Replays, rng: Random, most: int, *, run: int, number: int, report: Callable[[Kill | Finished], None]
) -> Finished:
    home.plan()
    kills = 0
    while kills < most and _at_work(home, kills):
        kills += 1
        report(_kill(home, rng, number=number + kills, run=run))
        home.daemon.start()
        home.daemon.wait_ready()
    home.wait(lambda: home.state()["state"] not in ("planned", "running"), "the run comes to its end")
    return _finished(home, run, kills)


def _at_work(home: Replays, kills: int) -> bool:
    """Return whether the run sends calls after its last start; False when it is finished."""
    before = home.calls() if kills else 0
    home.wait(lambda: home.calls() > before or home.state()["state"] == "complete", "the run goes on")
    return bool(home.state()["state"] == "running")


def _kill(home: Replays, rng: Random, *, number: int, run: int) -> Kill:
    began = monotonic()
    sleep(rng.uniform(0.0, LONGEST_S))
    home.daemon.kill()
    after_s = monotonic() - began
    if early := rng.random() < EARLY:  # and once more, before it is up again
        home.daemon.start()
        sleep(rng.uniform(0.0, 1.5))
        home.daemon.kill()
    return Kill(
        number=number,
        run=run,
        at="at work, starting" if early else "at work",
        after_s=after_s,
        calls=home.settled_calls(),
        committed=home.committed(),
    )


def _finished(home: Replays, run: int, kills: int) -> Finished:
    item, listed = home.state(), _outcomes(home)
    samples = {(outcome["case_id"], outcome["sample"]) for outcome in listed}
    return Finished(
        run=run,
        state=item["state"],
        cases=home.size.cases,
        outcomes=len(samples),
        twice=len(listed) - len(samples) + sum(len(outcome["scores"]) != 1 for outcome in listed),
        kills=kills,
        calls=home.calls(),
        listed=home.listed(),
        allowed=home.size.cases + kills * 2 * home.size.concurrency,
    )


def _outcomes(home: Replays) -> list[dict[str, Any]]:
    """Return every outcome of the run from the API."""
    found: list[dict[str, Any]] = []
    query, cursor = {"run_id": home.run_id, "limit": "500"}, None
    while True:
        page = home.daemon.get("outcomes", **(query if cursor is None else query | {"cursor": cursor}))
        found += page["items"]
        if (cursor := page["next_cursor"]) is None:
            return found
