"""Kills and freezes the process that leads, with a run at work and alerts that fire, and verifies what is stored and
sent.

`PYTHONPATH=.venv/duckdb-1.5.5 python bench/lake_leader_kills.py --harms 50`

Two processes of the role control share one lake; PostgreSQL, the endpoint and two webhook receivers are on this
machine. Exit code 1 when an outcome or a verdict is missing or twice, when a takeover lasts longer than 15 s, when a
receiver did not learn of an alert or of its end, when it received two notifications with the same content, or one
notification again without a kill or freeze in between. With one in between it can come again, with the same id: the
process that leads records a delivery after it (docs/alerts.md).
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Final

from monitor.cli.demo.stage import default_data
from monitor.cli.demo.story import as_case
from monitor.clock import SystemClock
from monitor.domain.finding import Verdict
from monitor.store.findings import alerts
from monitor.store.lake.lake_store import LakeStore
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.kills.alert_kills import SETS, Delivered, Incident, insert_finding, judged
from tests.kills.alert_sink import AlertSink, Delivery
from tests.kills.lake_processes import STANDBY, freeze, processes, thaw
from tests.kills.process import DEPLOYMENT, SET
from tests.kills.waiting import until
from tests.store.lake.lakes import running_lakes
from tests.store.lake.test_lake_leaders import TAKEOVER_S, Pair, leads

FROZEN_S: Final = 13.0  # longer than the lease
AWAY: Final = 0.2  # share of harms during which the receivers answer 503
LATENCY: Final = 0.06  # of the recorded latency of each answer


@dataclass(slots=True)
class Story:
    """What happened to the runs."""

    takeovers_s: list[float] = field(default_factory=list)
    harmed_at: list[float] = field(default_factory=list)  # instants of `time.monotonic`
    harms: Counter[str] = field(default_factory=Counter)
    wrong_runs: list[str] = field(default_factory=list)  # with a missing or repeated sample or verdict
    refused: int = 0  # frozen processes that returned to standby by themselves

    @property
    def holds(self) -> bool:
        stale = self.refused == self.harms["freeze"]
        return not self.wrong_runs and stale and max(self.takeovers_s) <= TAKEOVER_S


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harms", type=int, default=50, help="kills and freezes, one for each run (%(default)s)")
    parser.add_argument("--cases", type=int, default=60, help="of a run (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the instants (%(default)s)")
    options = parser.parse_args()
    began = monotonic()
    with tempfile.TemporaryDirectory(prefix="driftd-lake-leaders-") as folder:
        story, delivered, again = tell(Path(folder), options)
    takeovers = sorted(story.takeovers_s)
    figures = {
        "harms": dict(story.harms),
        "takeover_s": {"median": takeovers[len(takeovers) // 2], "longest": takeovers[-1]},
        "wrong_runs": story.wrong_runs,
        "stale_leaders_refused": story.refused,
        "alerts": asdict(delivered),
        "again_without_harm": again,
        "seconds": monotonic() - began,
        "holds": story.holds and delivered.complete and not delivered.same_meaning and not again,
    }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0 if figures["holds"] else 1


def tell(folder: Path, options: argparse.Namespace) -> tuple[Story, Delivered, int]:
    rng, story = Random(options.seed), Story()
    data = load_recorded(default_data())
    cases = [as_case(question) for question in data.questions[: options.cases]]
    with AlertSink() as sink, _started(folder, sink) as both:
        both.leader().post("sets", {"name": SET, "cases": cases})
        for number in range(1, options.harms + 1):
            sink.away = rng.random() < AWAY
            _night(both, sink, rng)
            _one(both, story, rng, options.cases)
            sink.away = False
            sys.stderr.write(f"{number} of {options.harms}: takeover after {story.takeovers_s[-1]:.1f} s\n")
        incident = Incident(both.leader(), sink, rng)
        incident.wait(incident.all_announced, "every receiver knows every open alert")
        incident.resolve_all()
        incident.wait(incident.is_over, "every receiver knows that every alert is resolved")
        with both.store._cursor("read") as cursor:  # noqa: SLF001 - no statement of driftd asks this
            fired = cursor.execute("SELECT id, state FROM control.main.alert WHERE fired_at IS NOT NULL").fetchall()
            events = Counter(cursor.execute("SELECT alert_id, kind FROM control.main.alert_event").fetchall())
        again = without_harm(sink.deliveries, story.harmed_at)
        return story, judged(options.harms, fired, events, incident), again


def without_harm(deliveries: list[Delivery], harmed_at: list[float]) -> int:
    """Return the number of deliveries of an accepted notification that no harm since the previous delivery explains.

    >>> again = [Delivery(at=at, receiver="pager", id="a", payload={}) for at in (1.0, 3.0)]
    >>> without_harm(again, [2.0]), without_harm(again, [0.5])
    (0, 1)
    """
    previous: dict[tuple[str, str], float] = {}
    found = 0
    for each in deliveries:
        before = previous.get((each.receiver, each.id))
        found += before is not None and not any(before < harm < each.at for harm in harmed_at)
        previous[each.receiver, each.id] = each.at
    return found


def _one(both: Pair, story: Story, rng: Random, cases: int) -> None:
    """Harm the process that leads while a run is at work. Verify the run when the other process has ended it."""
    leader = both.leader()
    other = both.other(leader)
    run_id = both.run(other)
    sleep(rng.uniform(0.0, 1.0))
    harm = "kill" if rng.random() < 0.7 else "freeze"
    story.harms[harm] += 1
    began = monotonic()
    story.harmed_at.append(began)
    if harm == "kill":
        leader.kill()
    else:
        freeze(leader)
    until(lambda: leads(other), "the other process leads")
    story.takeovers_s.append(monotonic() - began)
    if harm == "kill":
        leader.start("--role", "control")
        leader.wait_ready()
    else:
        sleep(max(0.0, FROZEN_S - (monotonic() - began)))
        thaw(leader)
        until(lambda: leader.get("status")["loops"]["schedule"].startswith(STANDBY), "the thawed process is in standby")
        story.refused += leader.alive
    until(lambda: other.get(f"runs/{run_id}")["state"] == "complete", "the run is complete")
    until(lambda: both.verdicts(run_id)[2] > 0, "the run has a verdict")
    if (found := both.verdicts(run_id)) != (cases, cases, 1):
        story.wrong_runs.append(f"{run_id}: {found}")


def _night(both: Pair, sink: AlertSink, rng: Random) -> None:
    """Store findings of up to two sets, which fire or end alerts. An alert ends only after every receiver knows it."""
    known = set(sink.firing())
    for name in rng.sample(sorted(SETS), rng.choice((0, 1, 2))):
        with both.store.write() as tx:
            opened = alerts.open_of_set(tx, DEPLOYMENT, name)
            if opened is None or rng.random() < 0.3:
                insert_finding(tx, name, Verdict.REGRESSION, rng.choice(("warning", "critical")))
            elif opened.id in known:
                insert_finding(tx, name, Verdict.OK, "info")


@contextmanager
def _started(folder: Path, sink: AlertSink) -> Iterator[Pair]:
    data = load_recorded(default_data())
    endpoint = RecordedEndpoint(data, model=data.family, latency_scale=LATENCY)
    with running_lakes() as lakes:
        lake = lakes.create()
        roles = ["control", "control"]
        with processes(folder, lakes, lake, roles, model_url=endpoint.start(), **sink.settings) as daemons:
            store: LakeStore = lakes.open(lake, SystemClock())
            try:
                for daemon in daemons:
                    daemon.start("--role", "control")
                for daemon in daemons:
                    daemon.wait_ready()
                yield Pair(daemons=daemons, endpoint=endpoint, store=store)
            finally:
                store.close()
                endpoint.stop()


if __name__ == "__main__":
    sys.exit(main())
