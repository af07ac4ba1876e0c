"""Measures the speed of a replay, compared with bare clients and other tools on the same questions.

`python bench/replay_speed.py --all --rounds 5 --quiet-within 600` measures what is missing of five rounds and waits up
to ten minutes for a quiet machine before each; `--report` prints the tables of what is stored, `--profile` where our
CPU time goes. A run that is stopped goes on where it was: results are appended to bench/results/replay. To try the
script: `--all --rounds 1 --cases 200 --many 400 --slow-ms 20 --fast-ms 20 --folder FOLDER`.
"""

import argparse
import sys
from pathlib import Path

from bench.drift_study.rivals.environment import RivalUnavailableError
from bench.ledger import Ledger
from bench.replay_study.endpoint_process import EndpointProcess, running_endpoint
from bench.replay_study.jobs import OURS, Sizes, Task, figures
from bench.replay_study.machine import wait_until_quiet
from bench.replay_study.measurement import Measurement, ledger_in
from bench.replay_study.measuring import WrongCountError, measure
from bench.replay_study.process import CommandFailedError
from bench.replay_study.programs import programs
from bench.replay_study.report import report
from bench.replay_study.rounds import missing

RESULTS = Path(__file__).parent / "results" / "replay"


def main() -> int:
    options = _parse()
    sizes = _sizes(options)
    ledger = ledger_in(options.folder)
    if options.report:
        sys.stdout.write(report(ledger, sizes))
        ledger.tell_of_other_code(OURS, programs()[OURS].code())
        return 0
    if options.profile:
        from bench.replay_study.profile import profile  # imports what it profiles

        sys.stdout.write(profile(sizes.fast))
        return 0
    return _measure_all(_tasks(options, sizes), ledger, options)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_argument_group("what is measured")
    which.add_argument("--all", action="store_true", help="every figure")
    which.add_argument("--figure", action="append", choices=list(figures(Sizes())), help="may be given again")
    which.add_argument(
        "--program", action="append", choices=sorted(programs()), help="of them only; may be given again"
    )
    what = parser.add_argument_group("what is done instead")
    what.add_argument("--report", action="store_true", help="print the Markdown tables of what is stored")
    what.add_argument("--profile", action="store_true", help="print where the CPU time of a case goes")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each (%(default)s)")
    parser.add_argument("--quiet-within", type=float, default=0.0, metavar="S", help="wait for a quiet machine")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="of the results (%(default)s)")
    sizes = parser.add_argument_group("sizes, to try the script")
    sizes.add_argument("--cases", type=int, default=Sizes().cases, help="(%(default)s)")
    sizes.add_argument("--many", type=int, default=Sizes().many_cases, help="of the memory figure (%(default)s)")
    sizes.add_argument("--slow-ms", type=float, default=Sizes().slow_ms, help="(%(default)s)")
    sizes.add_argument("--fast-ms", type=float, default=Sizes().fast_ms, help="(%(default)s)")
    options = parser.parse_args()
    if not (options.all or options.figure or options.report or options.profile):
        parser.error("say what: --all, --figure NAME, --report or --profile")
    return options


def _sizes(options: argparse.Namespace) -> Sizes:
    return Sizes(cases=options.cases, many_cases=options.many, slow_ms=options.slow_ms, fast_ms=options.fast_ms)


def _tasks(options: argparse.Namespace, sizes: Sizes) -> list[Task]:
    chosen = [task for name, tasks in figures(sizes).items() if options.all or name in options.figure for task in tasks]
    return [task for task in chosen if not options.program or task.program in options.program]


def _measure_all(tasks: list[Task], ledger: Ledger[Measurement], options: argparse.Namespace) -> int:
    failed: set[str] = set()
    with running_endpoint() as endpoint:
        for _ in range(options.rounds):
            for task in dict.fromkeys(tasks):
                program = programs()[task.program]
                if task.program not in failed and missing(
                    task, ledger.of(task.program), program.code(), options.rounds
                ):
                    if options.quiet_within:
                        wait_until_quiet(options.quiet_within)
                    failed |= _measured(task, endpoint, ledger)
    return 1 if failed else 0


def _measured(task: Task, endpoint: EndpointProcess, ledger: Ledger[Measurement]) -> set[str]:
    """The program when it failed: the others are measured all the same."""
    try:
        made = measure(programs()[task.program], task.job, endpoint)
    except (CommandFailedError, RivalUnavailableError, WrongCountError) as error:
        sys.stderr.write(f"{task.program}: {error}\n")
        return {task.program}
    ledger.append(made)
    mark = " (loaded)" if made.loaded else ""
    sys.stderr.write(
        f"{task.program}, {task.job.cases} cases: {made.cpu_s:.2f} s of CPU, first request after "
        f"{made.first_request_s:.2f} s, last answer {made.span_s:.2f} s later, {made.peak_rss_mb:.0f} MB{mark}\n"
    )
    return set()


if __name__ == "__main__":
    sys.exit(main())
