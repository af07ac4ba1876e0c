"""Kills the daemon again and again, in the middle of ingest, compactions, replays and alerts, and verifies the data.

`python bench/kills.py --kills 50 --seed 1`: about five seconds a kill. Leaves with 1 when a promise was broken.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import monotonic

from bench.alert_results import write_result
from tests.ingest.kafka.broker import running_broker, why_not
from tests.kills.alert_kills import Kill as AlertKill
from tests.kills.alert_kills import alert_kills
from tests.kills.commit_delay import commit_delays
from tests.kills.compaction_kills import Kill as CompactionKill
from tests.kills.compaction_kills import compaction_kills
from tests.kills.gsm8k import gsm8k_answers
from tests.kills.ingest_kills import Kill as IngestKill
from tests.kills.ingest_kills import ingest_kills
from tests.kills.kafka_kills import Kill as KafkaKill
from tests.kills.kafka_kills import kafka_kills
from tests.kills.replay_kills import Finished, Kill, Recording, Size, replay_kills

ALERTS_LIFE_S = 4.0  # the longest; the share of duplicates falls with the life of the daemon between two kills
STORED_FROM = 200  # kills; the share of duplicates of fewer says little
REPLAYED = Size(cases=300, concurrency=8, latency_scale=0.03)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="of each kind (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the instants (%(default)s)")
    parser.add_argument("--only", choices=tuple(WORKS), help="one kind alone")
    parser.add_argument("--minutes", type=float, default=60.0, help="give up after this many minutes (%(default)s)")
    options = parser.parse_args()
    deadline = monotonic() + options.minutes * 60
    held = []
    for name, work in WORKS.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(prefix=f"driftd-kills-{name}-") as folder:
                held.append(work(Path(folder), options.kills, options.seed, deadline))
    return 0 if all(held) else 1


def _ingest(folder: Path, kills: int, seed: int, deadline: float) -> bool:
    _say("kill -9 in the middle of ingest: 4 senders, OTLP protobuf, OTLP JSON, log events, native records, feedback")
    verdict = ingest_kills(folder, kills=kills, seed=seed, report=_batches(deadline))
    for name, value in asdict(verdict).items():
        _say(f"  {name:<22} {value}")
    return _verdict(verdict.holds)


def _kafka(folder: Path, kills: int, seed: int, deadline: float) -> bool:
    if reason := why_not(os.environ):
        _say(f"Kafka is left out: {reason}")
        return False
    _say("kill -9 in the middle of reading Kafka: a real broker, 3 partitions, one record in 50 unreadable")
    _row("kill", "when", "after s", "records sent")

    def report(kill: KafkaKill) -> None:
        _row(kill.number, kill.at, f"{kill.after_s:.2f}", kill.sent)
        _check_time(deadline)

    place = folder / "broker"
    place.mkdir()
    with running_broker(place) as broker:
        verdict = kafka_kills(folder / "daemon", broker, kills=kills, seed=seed, report=report)
    for name, value in asdict(verdict).items():
        _say(f"  {name:<22} {value}")
    return _verdict(verdict.holds)


def _compaction(folder: Path, kills: int, seed: int, deadline: float) -> bool:
    _say("kill -9 in the middle of compactions of the file, while 3 senders write")
    verdict = compaction_kills(folder, kills=kills, seed=seed, report=_batches(deadline))
    figures = asdict(verdict)
    for name, value in (figures.pop("ingest") | figures).items():
        _say(f"  {name:<22} {value}")
    return _verdict(verdict.holds)


def _replay(folder: Path, kills: int, seed: int, deadline: float) -> bool:
    return _replay_of(folder, kills, seed, deadline, size=REPLAYED, of=Recording())


def _gsm8k(folder: Path, kills: int, seed: int, deadline: float) -> bool:
    answers = gsm8k_answers()
    size = Size(cases=len(answers.questions), concurrency=16, latency_scale=0.0)
    held = []
    for version in answers.snapshots:
        _say(version)
        recording = Recording(data=answers, snapshot=version, scorer="numeric")
        held.append(_replay_of(folder / version, kills, seed, deadline, size=size, of=recording))
    return all(held)


def _replay_of(folder: Path, kills: int, seed: int, deadline: float, *, size: Size, of: Recording) -> bool:
    _say(f"kill -9 in the middle of replays of {size.cases} cases, {size.concurrency} calls at a time")
    _row("kill", "when", "after s", "calls of the run", "outcomes committed")

    def report(event: Kill | Finished) -> None:
        if isinstance(event, Kill):
            _row(event.number, event.at, f"{event.after_s:.2f}", event.calls, event.committed)
        else:
            _say(
                f"  run {event.run}: {event.state}, {event.outcomes} outcomes of {event.cases}, {event.twice} twice, "
                f"{event.kills} kills, {event.calls} calls of at most {event.allowed}"
            )
        _check_time(deadline)

    finished = replay_kills(folder, kills=kills, seed=seed, size=size, of=of, report=report)
    repeated = sum(run.calls - run.cases for run in finished)
    _say(f"  {kills} kills made {repeated} calls twice; {kills * 2 * size.concurrency} are allowed")
    return _verdict(all(run.holds for run in finished))


def _delay(folder: Path, _kills: int, _seed: int, _deadline: float) -> bool:
    found = commit_delays(folder)
    _say(
        f"an answer is committed {found.median_ms:.0f} ms after it came (median of {found.calls}, "
        f"the longest {found.longest_ms:.0f} ms), two HTTP requests of the observer included"
    )
    return True


def _alerts(folder: Path, kills: int, seed: int, deadline: float) -> bool:
    _say("kill -9 in the middle of an incident: six alerts in three groups, two receivers that answer 503 at times")
    _row("kill", "when", "after s", "delivered", "answered 503")

    def report(kill: AlertKill) -> None:
        _row(kill.number, kill.at, f"{kill.after_s:.2f}", kill.delivered, kill.turned_away)
        _check_time(deadline)

    delivered = alert_kills(folder, kills=kills, seed=seed, longest_s=ALERTS_LIFE_S, report=report)
    figures = asdict(delivered) | {"longest_life_s": ALERTS_LIFE_S, "duplicates": round(delivered.duplicates, 5)}
    for name, value in figures.items():
        _say(f"  {name:<22} {value}")
    if kills >= STORED_FROM:
        write_result("alert_kills", {"seed": seed} | figures)
    return _verdict(delivered.holds)


def _batches(deadline: float) -> Callable[[IngestKill | CompactionKill], None]:
    """Print the head of a table of kills while senders write. Return what prints a row."""
    _row("kill", "when", "after s", "batches acknowledged", "batches sent again")

    def report(kill: IngestKill | CompactionKill) -> None:
        _row(kill.number, kill.at, f"{kill.after_s:.2f}", kill.acknowledged, kill.sent_again)
        _check_time(deadline)

    return report


def _verdict(holds: bool) -> bool:  # noqa: FBT001
    _say("HOLDS\n" if holds else "BROKEN\n")
    return holds


def _check_time(deadline: float) -> None:
    if monotonic() > deadline:
        sys.exit("given up: the time is over (--minutes)")


def _row(*cells: object) -> None:
    _say("  " + "  ".join(f"{cell!s:>20}" for cell in cells))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


WORKS = {
    "ingest": _ingest,
    "kafka": _kafka,
    "compaction": _compaction,
    "replay": _replay,
    "gsm8k": _gsm8k,
    "delay": _delay,
    "alerts": _alerts,
}


if __name__ == "__main__":
    sys.exit(main())
