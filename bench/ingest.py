"""Measures OTLP ingest throughput, compared with the minimum cost of ingest and with other programs.

`python bench/ingest.py --all --rounds 3 --quiet-within 600` measures what is missing of three rounds and waits up to
ten minutes for a quiet machine before each; `--report` prints the tables of what is stored, `--profile` where the CPU
time of a span goes, `--memory` the peak memory after 100,000 spans with all cores. A run that is stopped goes on where
it was: results are appended to bench/results/ingest. To try the script: `--all --rounds 1 --seconds 3 --folder FOLDER`.
`--steady 60` prints the memory over an hour of constant load. `--kafka` reads a topic of native JSON from a real broker
instead of sending anything.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bench.drift_study.rivals.environment import RivalUnavailableError
from bench.ingest_study.jobs import BATCHES, OURS, Sizes, Task, tasks
from bench.ingest_study.measurement import Measurement, ledger_in
from bench.ingest_study.measuring import LostSpansError, measure, peak_memory, under_load
from bench.ingest_study.programs import programs
from bench.ingest_study.report import report
from bench.ingest_study.server import ServerFailedError
from bench.ledger import Ledger
from bench.replay_study.machine import wait_until_quiet

RESULTS = Path(__file__).parent / "results" / "ingest"


def main() -> int:
    options = _parse()
    sizes = Sizes(seconds=options.seconds, connections=options.connections)
    ledger = ledger_in(options.folder)
    if options.report:
        sys.stdout.write(report(ledger, sizes))
        ledger.tell_of_other_code(OURS, programs()[OURS].code())
        return 0
    if options.profile:
        from bench.ingest_study.profile import profile  # imports what it profiles

        sys.stdout.write(profile())
        return 0
    if options.memory:
        return _print_memory(sizes, options.spans)
    if options.steady:
        return _print_steady(sizes, options.steady, options.rate)
    if options.kafka:
        return _read_topic(options)
    wanted = [task for task in tasks(sizes) if not options.program or task.program in options.program]
    return _measure_all(wanted, ledger, options)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_argument_group("what is measured")
    which.add_argument("--all", action="store_true", help="every program")
    which.add_argument("--program", action="append", choices=sorted(programs()), help="may be given again")
    what = parser.add_argument_group("what is done instead")
    what.add_argument("--report", action="store_true", help="print the Markdown tables of what is stored")
    what.add_argument("--profile", action="store_true", help="print where the CPU time of a span goes")
    what.add_argument("--memory", action="store_true", help="print the peak memory of driftd, with all cores")
    what.add_argument("--steady", type=int, metavar="MINUTES", help="print the memory of driftd under constant load")
    what.add_argument("--kafka", action="store_true", help="read a topic from a real broker, once")
    parser.add_argument("--spans", type=int, default=100_000, help="sent with --memory (%(default)s)")
    parser.add_argument("--rate", type=float, default=2000.0, help="spans a second with --steady (%(default)s)")
    parser.add_argument("--records", type=int, default=200_000, help="of that topic, 1 KB each (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each (%(default)s)")
    parser.add_argument("--quiet-within", type=float, default=0.0, metavar="S", help="wait for a quiet machine")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="of the results (%(default)s)")
    sizes = parser.add_argument_group("sizes, to try the script")
    sizes.add_argument("--seconds", type=float, default=Sizes().seconds, help="of sending (%(default)s)")
    sizes.add_argument("--connections", type=int, default=Sizes().connections, help="at full load (%(default)s)")
    options = parser.parse_args()
    named = ("all", "program", "report", "profile", "memory", "steady", "kafka")
    if not any(getattr(options, name) for name in named):
        parser.error("say what: --all, --program NAME, --kafka, --memory, --steady, --report or --profile")
    return options


def _measure_all(wanted: list[Task], ledger: Ledger[Measurement], options: argparse.Namespace) -> int:
    failed: set[str] = set()
    for _ in range(options.rounds):
        for task in wanted:
            if task.program not in failed and missing(task, ledger, options.rounds):
                if options.quiet_within:
                    wait_until_quiet(options.quiet_within)
                failed |= _measured(task, ledger)
    return 1 if failed else 0


def missing(task: Task, ledger: Ledger[Measurement], rounds: int) -> bool:
    """Whether fewer than `rounds` measurements of the task are there, by this code and on a quiet machine."""
    code = programs()[task.program].code()
    quiet = [one for one in ledger.of(task.program) if one.job == task.jobs[0] and one.code == code and not one.loaded]
    return len(quiet) < rounds


def _measured(task: Task, ledger: Ledger[Measurement]) -> set[str]:
    """The program when it failed: the others are measured all the same."""
    try:
        made = measure(programs()[task.program], task)
    except (LostSpansError, RivalUnavailableError, ServerFailedError) as error:
        sys.stderr.write(f"{task.program}: {error}\n")
        return {task.program}
    for one in made:
        ledger.append(one)
        mark = " (loaded)" if one.loaded else ""
        sys.stderr.write(
            f"{one.program}, batches of {one.job.batch}, load {one.job.share:g}: {one.spans_a_second:.0f} spans/s, "
            f"{one.spans_a_core_second:.0f} of a second of CPU, 99 of 100 acknowledged within {one.ack_p99_ms:.0f} ms, "
            f"{one.bytes_a_span:.0f} bytes a span, {one.peak_rss_mb:.0f} MB{mark}\n"
        )
    return set()


def _print_memory(sizes: Sizes, spans: int) -> int:
    """Print the peak memory for each batch size, with all cores."""
    for batch in BATCHES:
        found = peak_memory(programs()[OURS], spans=spans, job=sizes.everywhere(batch))
        sys.stdout.write(
            f"batches of {batch}: {found.peak_rss_mb:.0f} MB after {found.spans} spans; the log had at most "
            f"{found.log_bytes / 1e6:.0f} MB\n"
        )
    return 0


def _print_steady(sizes: Sizes, minutes: int, rate: float) -> int:
    """Print a row every five minutes of constant load, with all cores and batches of 100."""
    columns = "| minute | spans | memory, MB | peak, MB | CPU per span, µs | 99th percentile, ms | disk, MB |"
    sys.stdout.write(f"{columns}\n|{' --- |' * 7}\n")
    for now in under_load(programs()[OURS], job=sizes.everywhere(BATCHES[0]), rate=rate, minutes=minutes):
        sys.stdout.write(
            f"| {now.minute} | {now.spans:,} | {now.rss_mb:.0f} | {now.peak_rss_mb:.0f} | {now.cpu_us:.0f} | "
            f"{now.ack_p99_ms:.0f} | {now.disk_mb:.0f} |\n"
        )
        sys.stdout.flush()
    return 0


def _read_topic(options: argparse.Namespace) -> int:
    """Leaves with 1 when a record is not there once in the end."""
    from bench.ingest_study.kafka_reading import keep, read_topic  # kafka-python takes long to read
    from tests.ingest.kafka.broker import running_broker, why_not

    if reason := why_not(os.environ):
        sys.stderr.write(f"{reason}\n")
        return 1
    if options.quiet_within:
        wait_until_quiet(options.quiet_within)
    with tempfile.TemporaryDirectory(prefix="driftd-bench-kafka-") as folder, running_broker(Path(folder)) as broker:
        made = read_topic(broker, options.records)
    keep(made, options.folder / "driftd-kafka.jsonl")
    sys.stderr.write(
        f"{made.records_a_second:.0f} records/s of {made.record_bytes:.0f} bytes, {made.cpu_us:.0f} µs of CPU each, "
        f"{made.peak_rss_mb:.0f} MB, lag {made.lag}, {made.missing} not there once; broker and others used "
        f"{made.others_cores:.1f} cores\n"
    )
    return 1 if made.lag or made.missing else 0


if __name__ == "__main__":
    sys.exit(main())
