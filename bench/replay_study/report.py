"""The Markdown tables of what is stored."""

import math
from collections.abc import Sequence

from bench.drift_study.markdown import Row, table
from bench.ledger import Ledger
from bench.replay_study.figures import (
    Figure,
    cpu_per_case_ms,
    figure,
    memory_per_case_bytes,
    of_job,
    span_ratio,
)
from bench.replay_study.jobs import BARE, OURS, REFERENCES, RIVALS, Job, Sizes
from bench.replay_study.measurement import QUIET_LOAD, QUIET_OTHERS, Measurement

NOT_MEASURED = "–"
LOADED = " †"
Made = dict[str, list[Measurement]]


def report(ledger: Ledger[Measurement], sizes: Sizes) -> str:
    """All tables; a dash stands for what was not measured yet."""
    made = {name: ledger.latest_of(name) for name in (OURS, *REFERENCES, *RIVALS)}
    tables = [
        table("What is asked of the replay", ["what", "asked", "measured", ""], _targets(made, sizes)),
        table(_programs_title(sizes.fast), _PROGRAMS_HEAD, [_program(name, made, sizes.fast) for name in made]),
        table("Memory of driftd", ["cases", "peak, MB", "CPU of the run, s"], _memory(made[OURS], sizes)),
        table("The endpoint, while it was asked", _ENDPOINT_HEAD, _endpoint(made, sizes)),
        _conditions([one for each in made.values() for one in each]),
    ]
    return "".join(tables)


def best_rival(made: Made, job: Job) -> tuple[str, Figure] | None:
    """The rival with the least CPU time a case."""
    figures = {name: cpu_per_case_ms(made[name], job) for name in RIVALS}
    known = {name: found for name, found in figures.items() if found is not None}
    return min(known.items(), key=lambda item: item[1].middle) if known else None


def _targets(made: Made, sizes: Sizes) -> list[Row]:
    slow, fast, many = sizes.slow, sizes.fast, sizes.many
    ours, bare = made[OURS], made[BARE]
    return [
        _target(
            f"first request to last answer, {_job(slow)}",
            f"≤ 1.10 of the ideal {slow.ideal_s:g} s",
            figure(of_job(ours, slow), lambda one: one.over_ideal),
            1.10,
        ),
        _target(
            f"first request to last answer, {_job(fast)}",
            f"≤ 1.05 of bare {BARE}",
            span_ratio(of_job(ours, fast), of_job(bare, fast)),
            1.05,
        ),
        _target(f"CPU a case, {_job(slow)}", "≤ 0.7 ms", cpu_per_case_ms(ours, slow), 0.7, unit="ms"),
        _target(f"CPU a case, {_job(fast)}", "≤ 0.7 ms", cpu_per_case_ms(ours, fast), 0.7, unit="ms"),
        _target(
            "first request after the command",
            "≤ 1 s",
            figure(of_job(ours, fast), lambda one: one.first_request_s),
            1.0,
            unit="s",
        ),
        _target(
            f"peak memory, {many.cases} cases",
            "< 500 MB",
            figure(of_job(ours, many), lambda one: one.peak_rss_mb),
            500.0,
            unit="MB",
        ),
        _against_rivals(made, fast),
    ]


def _target(what: str, asked: str, found: Figure | None, most: float, *, unit: str = "") -> Row:
    return [what, asked, _shown(found, unit), _verdict(found is not None and found.middle <= most, found)]


def _against_rivals(made: Made, job: Job) -> Row:
    best, ours = best_rival(made, job), cpu_per_case_ms(made[OURS], job)
    what, asked = "CPU a case, the best rival's over ours", "≥ 2"
    if best is None or ours is None or ours.middle <= 0:
        return [what, asked, NOT_MEASURED, ""]
    ratio = best[1].middle / ours.middle
    loaded = LOADED if best[1].loaded or ours.loaded else ""
    return [what, asked, f"{ratio:.1f} ({best[0]}){loaded}", _verdict(ratio >= 2.0, ours)]


def _verdict(holds: bool, found: Figure | None) -> str:  # noqa: FBT001
    if found is None:
        return ""
    return "reached" if holds else "not reached"


_PROGRAMS_HEAD = [
    "program",
    "version",
    "CPU a case, ms",
    "over ours",
    "start-up, CPU s",
    "first request after, s",
    "first request to last answer, s",
    "peak, MB",
]


def _programs_title(job: Job) -> str:
    return f"Programs side by side, {_job(job)}"


def _program(name: str, made: Made, job: Job) -> Row:
    own, ours = cpu_per_case_ms(made[name], job), cpu_per_case_ms(made[OURS], job)
    whole, start_up = of_job(made[name], job), of_job(made[name], job.start_up)
    return [
        name,
        made[name][-1].version if made[name] else NOT_MEASURED,
        _shown(own),
        NOT_MEASURED if own is None or ours is None or ours.middle <= 0 else f"{own.middle / ours.middle:.1f}",
        _shown(figure(start_up, lambda one: one.cpu_s)),
        _shown(figure(whole, lambda one: one.first_request_s)),
        _shown(figure(whole, lambda one: one.span_s)),
        _shown(figure(whole, lambda one: one.peak_rss_mb)),
    ]


def _memory(ours: list[Measurement], sizes: Sizes) -> list[Row]:
    few, many = of_job(ours, sizes.few), of_job(ours, sizes.many)
    rows: list[Row] = [
        [
            str(job.cases),
            _shown(figure(made, lambda one: one.peak_rss_mb)),
            _shown(figure(made, lambda one: one.cpu_s)),
        ]
        for job, made in ((sizes.few, few), (sizes.many, many))
    ]
    return [*rows, ["bytes a case", _shown(memory_per_case_bytes(few, many)), ""]]


_ENDPOINT_HEAD = ["job", "asked by", "CPU of one core", "answers late, ms", "latest, ms", "most at once"]


def _endpoint(made: Made, sizes: Sizes) -> list[Row]:
    """Never the bottleneck: it uses a small part of its core and answers when it should."""
    who = [(sizes.slow, OURS), (sizes.fast, OURS), *((sizes.fast, name) for name in REFERENCES)]
    return [_endpoint_row(job, name, of_job(made[name], job)) for job, name in who]


def _endpoint_row(job: Job, name: str, found: list[Measurement]) -> Row:
    share = figure(found, lambda one: one.endpoint_share)
    return [
        _job(job),
        name,
        _shown(share and share.times(100), "%"),
        _shown(figure(found, lambda one: one.late_ms)),
        _shown(figure(found, lambda one: one.most_late_ms)),
        str(max(one.most_in_flight for one in found)) if found else NOT_MEASURED,
    ]


def _conditions(made: Sequence[Measurement]) -> str:
    if not made:
        return "\nNothing is measured yet.\n"
    where = sorted({f"{one.conditions.machine}, {one.conditions.cores} cores" for one in made})
    python = sorted({one.conditions.python for one in made})
    days = sorted(one.conditions.at[:10] for one in made)
    load = max(one.conditions.load_before for one in made)
    others = max(one.others_cores for one in made)
    loaded = sum(one.loaded for one in made)
    return (
        f"\nMeasured on {'; '.join(where)}, Python {', '.join(python)}, {days[0]} to {days[-1]}: {len(made)} "
        f"measurements, load average before at most {load:.2f}, others at most {others:.2f} of a core meanwhile.\n"
        f"{loaded} of them on a loaded machine (a load of {QUIET_LOAD:g}, or {QUIET_OTHERS:g} cores used by others); "
        f"they count only where no other measurement exists, and are marked with{LOADED}.\n"
        "Each figure is the middle of its rounds, with the smallest and the largest of more than one.\n"
    )


def _job(job: Job) -> str:
    return f"{job.cases} cases, {job.latency_ms:g} ms, {job.concurrency} at once"


def _shown(found: Figure | None, unit: str = "") -> str:
    if found is None:
        return NOT_MEASURED
    unit = f" {unit}" if unit else ""
    spread = f" ({_number(found.low)} to {_number(found.high)})" if found.rounds > 1 else ""
    return f"{_number(found.middle)}{unit}{spread}{LOADED if found.loaded else ''}"


def _number(value: float) -> str:
    """Three digits that count.

    >>> _number(0.12345), _number(1.2345), _number(12.345), _number(1234.5)
    ('0.123', '1.23', '12.3', '1234')
    """
    return f"{value:.{max(0, 2 - max(0, math.floor(math.log10(abs(value))))) if value and abs(value) >= 1 else 3}f}"
