"""The figures from the measurements of the replay speed."""

from pathlib import Path

import pytest

from bench.replay_study.figures import cpu_per_case_ms, figure, memory_per_case_bytes, of_job, span_ratio
from bench.replay_study.jobs import OURS, RIVALS, Job, Sizes, Task, figures
from bench.replay_study.measurement import ledger_in
from bench.replay_study.report import best_rival, report
from bench.replay_study.rounds import missing
from tests.bench.speed import FAST, LOADED, measured

SIZES = Sizes(cases=101, fast_ms=50.0, fast_at_once=10, slow_ms=500.0, slow_at_once=20, many_cases=1101)


def test_cpu_a_case_is_what_is_above_start_up_over_the_other_cases() -> None:
    made = [measured(job=FAST.start_up, cpu_s=s) for s in (1.0, 1.4, 1.2)]
    made += [measured(cpu_s=s) for s in (1.3, 1.25, 1.22)]
    found = cpu_per_case_ms(made, FAST)
    assert found is not None
    assert (found.middle, found.low, found.high, found.rounds) == pytest.approx((0.5, 0.2, 1.0, 3))


def test_cpu_a_case_needs_both_measurements() -> None:
    assert cpu_per_case_ms([measured()], FAST) is None
    assert cpu_per_case_ms([measured(job=FAST.start_up)], FAST) is None
    assert cpu_per_case_ms([measured(job=FAST.start_up)], FAST.start_up) is None


def test_a_loaded_measurement_counts_only_where_there_is_no_quiet_one() -> None:
    loaded, quiet = measured(conditions=LOADED), measured()
    assert of_job([loaded, quiet], FAST) == [quiet]
    assert of_job([loaded], FAST) == [loaded]
    found = figure([loaded], lambda one: one.span_s)
    assert found is not None
    assert found.loaded


def test_others_at_work_meanwhile_make_a_measurement_loaded_too() -> None:
    assert measured(others_cores=0.4).loaded
    assert not measured(others_cores=0.1).loaded


def test_the_span_is_compared_with_that_of_the_same_round() -> None:
    found = span_ratio([measured(span_s=2.0), measured(span_s=3.0)], [measured(span_s=2.0), measured(span_s=2.0)])
    assert found is not None
    assert (found.middle, found.low, found.high) == (1.25, 1.0, 1.5)


def test_memory_of_a_case_is_the_growth_over_the_cases_that_are_more() -> None:
    few, many = measured(job=SIZES.few, peak_rss_mb=100.0), measured(job=SIZES.many, peak_rss_mb=101.0)
    found = memory_per_case_bytes([few], [many])
    assert found is not None
    assert found.middle == pytest.approx(2**20 / 1000)


def test_a_round_is_missing_until_there_are_enough_quiet_measurements_by_this_code() -> None:
    task, quiet = Task(program=OURS, job=FAST), measured()
    assert missing(task, [], "abc", 1)
    assert not missing(task, [quiet], "abc", 1)
    assert missing(task, [quiet], "abc", 2)
    assert missing(task, [quiet], "other", 1)
    assert missing(task, [measured(conditions=LOADED)], "abc", 1)
    assert missing(task, [measured(job=FAST.start_up)], "abc", 1)


def test_the_report_marks_reached_targets(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    for program, cpu_s in (("driftd", 1.06), ("lm-eval", 1.13), ("deepeval", 1.5)):
        ledger.append(measured(program, FAST.start_up, cpu_s=1.0))
        ledger.append(measured(program, FAST, cpu_s=cpu_s))
    ledger.append(measured("httpx-aiohttp", span_s=0.5))
    ledger.append(measured(job=SIZES.slow, span_s=2.6, conditions=LOADED))
    text = report(ledger, SIZES)
    assert "| ≤ 1.10 of the ideal 2.525 s | 1.03 † | reached |" in text
    assert "| ≤ 1.05 of bare httpx-aiohttp | 1.20 | not reached |" in text
    assert "| CPU a case, 101 cases, 50 ms, 10 at once | ≤ 0.7 ms | 0.600 ms | reached |" in text
    assert "| ≥ 2 | 2.2 (lm-eval) | reached |" in text
    assert "| peak memory, 1101 cases | < 500 MB | – |  |" in text


def test_the_best_rival_is_none_before_one_is_measured() -> None:
    assert best_rival({name: [] for name in RIVALS}, FAST) is None


def test_every_figure_measures_the_start_up_it_subtracts() -> None:
    for name, tasks in figures(Sizes()).items():
        jobs = {(task.program, task.job) for task in tasks}
        if name != "memory":
            assert all((program, job.start_up) in jobs for program, job in jobs), name


def test_the_sizes_are_those_that_are_planned() -> None:
    assert Sizes().slow == Job(cases=2000, latency_ms=500.0, concurrency=200)
    assert Sizes().fast == Job(cases=2000, latency_ms=50.0, concurrency=50)
    assert Sizes().many.cases == 100_000


def test_the_page_holds_the_tables_of_the_stored_results() -> None:
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "replay-speed.md").read_text(encoding="utf-8")
    assert page.endswith(report(ledger_in(root / "bench" / "results" / "replay"), Sizes()))
