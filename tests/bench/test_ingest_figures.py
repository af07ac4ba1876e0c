"""From stored measurements of ingest to the tables of its page."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.ingest_study.jobs import BATCHES, FLOOR, OURS, RIVALS, Job, Sizes, tasks
from bench.ingest_study.measurement import Measurement, ledger_in
from bench.ingest_study.report import of_job, of_the_floor, report
from tests.bench.speed import LOADED, QUIET

SIZES = Sizes(seconds=5.0)


def measured(program: str = OURS, job: Job | None = None, **fields: object) -> Measurement:
    usual = Measurement(
        program=program,
        version="1.0",
        code="abc",
        job=job or SIZES.full(100),
        spans=50_000,
        wall_s=5.0,
        acked_s=5.0,
        cpu_s=4.0,
        sender_cpu_s=0.5,
        ack_p50_ms=20.0,
        ack_p99_ms=90.0,
        refused=0,
        disk_bytes=45_000_000,
        peak_rss_mb=300.0,
        others_cores=0.05,
        conditions=QUIET,
    )
    return replace(usual, **fields)  # type: ignore[arg-type]  # the fields of the dataclass


def test_the_tables_say_what_is_reached(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    ledger.append(measured())
    ledger.append(measured(FLOOR, cpu_s=2.5))
    ledger.append(measured(job=SIZES.half(100), ack_p99_ms=310.0))
    ledger.append(measured("mlflow", spans=500))
    text = report(ledger, SIZES)
    assert "| spans per second of CPU, batches of 100, over the floor's | ≥ 0.5 | 0.62 | reached |" in text
    assert "| durable spans per second of one core, batches of 100 | ≥ 10,000 | 12,500 | reached |" in text
    assert "| disk per span, batches of 100 | < 1,024 bytes | 900 | reached |" in text
    assert "batches of 100, 99th percentile | < 300 ms | 310 | not reached |" in text
    assert "| spans per second of CPU over mlflow's | ≥ 75 | 100 | reached |" in text
    assert "| spans per second of CPU over arize-phoenix's | ≥ 75 | – |  |" in text
    assert "batches of 512, over the floor's | ≥ 0.5 | – |  |" in text


def test_what_was_measured_on_all_cores_stands_apart(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    ledger.append(measured())
    assert "on all cores" not in report(ledger, SIZES)
    ledger.append(measured(job=SIZES.everywhere(100), spans=60_000))
    text = report(ledger, SIZES)
    assert "| durable spans per second of one core, batches of 100 | ≥ 10,000 | 12,500 | reached |" in text
    assert "driftd on all cores, shared with the sender" in text
    assert "| 100 | 4 | 12,000 |" in text


def test_quiet_measurements_count_alone_where_there_are_any() -> None:
    quiet, loud = measured(), measured(conditions=LOADED)
    assert of_job([quiet, loud], SIZES.full(100)) == [quiet]
    assert of_job([loud], SIZES.full(100)) == [loud]
    assert of_job([quiet], SIZES.half(100)) == []


def test_the_floor_is_compared_with_its_own_round() -> None:
    found = of_the_floor([measured(cpu_s=4.0), measured(cpu_s=8.0)], [measured(cpu_s=2.0), measured(cpu_s=2.0)])
    assert found is not None
    assert (found.low, found.high) == (0.25, 0.5)


def test_a_stored_measurement_reads_back_as_it_was(tmp_path: Path) -> None:
    made = measured(job=SIZES.half(100), ack_p99_ms=1.25)
    ledger_in(tmp_path).append(made)
    assert ledger_in(tmp_path).of(OURS) == [made]


def test_one_two_and_all_cores_are_different_jobs() -> None:
    jobs = [SIZES.full(100), SIZES.on_cores(100, 2), SIZES.everywhere(100)]
    made = [measured(job=job, cpu_s=float(number)) for number, job in enumerate(jobs, 1)]
    assert [[one.cpu_s for one in of_job(made, job)] for job in jobs] == [[1.0], [2.0], [3.0]]


def test_every_program_is_measured_and_ours_with_its_floor_in_both_batches() -> None:
    asked = [(task.program, task.jobs[0].batch) for task in tasks(SIZES)]
    assert asked == [
        *((name, batch) for batch in BATCHES for name in (FLOOR, OURS)),
        *((OURS, batch) for batch in BATCHES for _ in ("two cores", "all cores")),
        *((name, 100) for name in RIVALS),
    ]


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_is_locked_with_hashes_and_without_addresses(name: str) -> None:
    folder = Path(__file__).resolve().parents[2] / "bench" / "ingest_study"
    lock = (folder / f"requirements-{name}.lock").read_text(encoding="utf-8")
    assert f"\n{name}==" in lock
    assert lock.count("--hash=sha256:") > lock.count("\n==")
    assert "://" not in lock


def test_the_page_holds_the_tables_of_the_stored_results() -> None:
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "ingest-speed.md").read_text(encoding="utf-8")
    assert page.endswith(report(ledger_in(root / "bench" / "results" / "ingest"), Sizes()))
