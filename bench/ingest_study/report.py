"""The Markdown tables of what is stored."""

from collections.abc import Callable, Sequence

from bench.drift_study.markdown import Row, table
from bench.ingest_study.jobs import BATCHES, FLOOR, OURS, RIVALS, Job, Sizes
from bench.ingest_study.measurement import Measurement
from bench.ledger import Ledger
from bench.replay_study.figures import Figure, summary
from bench.replay_study.measurement import QUIET_LOAD, QUIET_OTHERS

NOT_MEASURED = "–"
LOADED = " †"
Made = dict[str, list[Measurement]]


def report(ledger: Ledger[Measurement], sizes: Sizes) -> str:
    """Return all tables, with a dash for each missing measurement."""
    made = {name: ledger.latest_of(name) for name in (OURS, FLOOR, *RIVALS)}
    tables = [
        table("Goals", ["figure", "goal", "measured", ""], _targets(made, sizes)),
        table("All programs at full load", _PROGRAMS_HEAD, _programs(made, sizes)),
        table("driftd at half of its full load", _HALF_HEAD, [_half(made[OURS], sizes.half(b)) for b in BATCHES]),
        _several_cores("driftd on two cores", made[OURS], [sizes.on_cores(batch, 2) for batch in BATCHES]),
        _several_cores(
            "driftd on all cores, shared with the sender", made[OURS], [sizes.everywhere(batch) for batch in BATCHES]
        ),
        _conditions([one for each in made.values() for one in each]),
    ]
    return "".join(tables)


def of_job(made: Sequence[Measurement], job: Job) -> list[Measurement]:
    """Return the measurements of the job, whatever its length: those on an idle machine, or all when there are none."""
    wanted = (job.batch, job.full, job.all_cores, job.cores)
    chosen = [one for one in made if (one.job.batch, one.job.full, one.job.all_cores, one.job.cores) == wanted]
    return [one for one in chosen if not one.loaded] or chosen


def figure(made: Sequence[Measurement], value: Callable[[Measurement], float]) -> Figure | None:
    """Return the summary; None without a measurement."""
    return summary([value(one) for one in made], loaded=any(one.loaded for one in made))


def of_the_floor(ours: Sequence[Measurement], floor: Sequence[Measurement]) -> Figure | None:
    """Return the ratio of spans per second of CPU, driftd to floor, from the measurements of the same round."""
    pairs = list(zip(ours, floor, strict=False))
    return summary(
        [mine.spans_a_core_second / least.spans_a_core_second for mine, least in pairs],
        loaded=any(mine.loaded or least.loaded for mine, least in pairs),
    )


def _targets(made: Made, sizes: Sizes) -> list[Row]:
    rows: list[Row] = []
    for batch in BATCHES:
        job, half = sizes.full(batch), sizes.half(batch)
        ours = of_job(made[OURS], job)
        share = of_the_floor(ours, of_job(made[FLOOR], job))
        rate, disk = figure(ours, _core_rate), figure(ours, lambda one: one.bytes_a_span)
        late = figure(of_job(made[OURS], half), lambda one: one.ack_p99_ms)
        rows += [
            _least(f"spans per second of CPU, batches of {batch}, over the floor's", "≥ 0.5", share, 0.5),
            _least(f"durable spans per second of one core, batches of {batch}", "≥ 10,000", rate, 10_000),
            _most(f"disk per span, batches of {batch}", "< 1,024 bytes", disk, 1024),
            _most(f"acknowledgement at half load, batches of {batch}, 99th percentile", "< 300 ms", late, 300),
        ]
    return [*rows, *(_against(made, name, sizes) for name in RIVALS)]


def _core_rate(one: Measurement) -> float:
    return one.spans_a_core_second


def _least(what: str, asked: str, found: Figure | None, least: float) -> Row:
    return [what, asked, _shown(found), "" if found is None else _verdict(holds=found.middle >= least)]


def _most(what: str, asked: str, found: Figure | None, most: float) -> Row:
    return [what, asked, _shown(found), "" if found is None else _verdict(holds=found.middle < most)]


def _against(made: Made, rival: str, sizes: Sizes) -> Row:
    """Return the ratio of spans per second until queryable, each on one core of the same machine."""
    job = sizes.full(100)
    ours, theirs = (figure(of_job(made[name], job), lambda one: one.spans_a_core_second) for name in (OURS, rival))
    if ours is None or theirs is None:
        return [f"spans per second of CPU over {rival}'s", "≥ 75", NOT_MEASURED, ""]
    ratio = ours.middle / theirs.middle
    mark = LOADED if ours.loaded or theirs.loaded else ""
    return [f"spans per second of CPU over {rival}'s", "≥ 75", f"{ratio:.0f}{mark}", _verdict(holds=ratio >= 75)]


def _verdict(*, holds: bool) -> str:
    return "reached" if holds else "not reached"


_PROGRAMS_HEAD = [
    "program",
    "version",
    "batch",
    "spans per second",
    "spans per second of CPU",
    "CPU per span, µs",
    "acknowledgement, median, ms",
    "disk per span, bytes",
    "peak, MB",
]


def _programs(made: Made, sizes: Sizes) -> list[Row]:
    return [
        _program(name, made[name], sizes.full(batch))
        for name in made
        for batch in (BATCHES if name in (OURS, FLOOR) else BATCHES[:1])
    ]


def _program(name: str, made: list[Measurement], job: Job) -> Row:
    found = of_job(made, job)
    return [
        name,
        made[-1].version if made else NOT_MEASURED,
        str(job.batch),
        _shown(figure(found, lambda one: one.spans_a_second)),
        _shown(figure(found, _core_rate)),
        _shown(figure(found, lambda one: 1e6 / one.spans_a_core_second)),
        _shown(figure(found, lambda one: one.ack_p50_ms)),
        _shown(figure(found, lambda one: one.bytes_a_span)),
        _shown(figure(found, lambda one: one.peak_rss_mb)),
    ]


_HALF_HEAD = ["batch", "connections", "spans per second", "median, ms", "99th percentile, ms", "cores used"]


def _half(made: list[Measurement], job: Job) -> Row:
    found = of_job(made, job)
    return [
        str(job.batch),
        str(job.connections),
        _shown(figure(found, lambda one: one.spans_a_second)),
        _shown(figure(found, lambda one: one.ack_p50_ms)),
        _shown(figure(found, lambda one: one.ack_p99_ms)),
        _shown(figure(found, lambda one: one.cpu_s / one.wall_s)),
    ]


def _several_cores(title: str, made: list[Measurement], jobs: Sequence[Job]) -> str:
    """Return the table of driftd with the default configuration; empty without a measurement."""
    if not any(of_job(made, job) for job in jobs):
        return ""
    return table(title, _HALF_HEAD, [_half(made, job) for job in jobs])


def _conditions(made: Sequence[Measurement]) -> str:
    if not made:
        return "\nNothing is measured yet.\n"
    where = sorted({f"{one.conditions.machine}, {one.conditions.cores} cores" for one in made})
    python = sorted({one.conditions.python for one in made})
    days = sorted(one.conditions.at[:10] for one in made)
    load = max(one.conditions.load_before for one in made)
    others = max(one.others_cores for one in made)
    sender = max(one.sender_cpu_s / one.wall_s for one in made)
    loaded = sum(one.loaded for one in made)
    return (
        f"\nMeasured on {'; '.join(where)}, Python {', '.join(python)}, {days[0]} to {days[-1]}: {len(made)} "
        f"measurements. The load average before was at most {load:.1f}, other programs used at most {others:.1f} "
        f"cores, and the sender at most {sender:.2f} of a core.\n{loaded} of them ran on a loaded machine (a load of "
        f"{QUIET_LOAD:g}, or {QUIET_OTHERS:g} cores used by others). They count only where no other measurement "
        f"exists, and are marked with{LOADED}.\nEach figure is the median of its rounds. With more than one round, the "
        "smallest and the largest follow.\n"
    )


def _shown(found: Figure | None) -> str:
    if found is None:
        return NOT_MEASURED
    spread = f" ({_number(found.low)} to {_number(found.high)})" if found.rounds > 1 else ""
    return f"{_number(found.middle)}{spread}{LOADED if found.loaded else ''}"


def _number(value: float) -> str:
    """Return the number with its significant digits.

    >>> _number(0.512), _number(42.4), _number(10499.6)
    ('0.51', '42.4', '10,500')
    """
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
