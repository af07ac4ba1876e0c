"""The page Metrics: one series for each metric, what decides, and the radar of components."""

from datetime import timedelta
from typing import Any

from dashboards.metric_series import MetricRuns, components, decision_of
from dashboards.panels.component_radar import radar_points
from monitor.api.schema import RunItem
from monitor.api.schema.metrics import MetricItem, MetricJudgeItem, MetricNightItem, SetMetricsItem

from .conftest import OpenPage, everything
from .fake_daemon import FakeDaemon, no_runs, regression
from .items import BOT

PAGE = "metrics"
PARTS = ("principles", "path", "red_herrings")


def night(run: RunItem, mean: float, *, decides: bool = False) -> MetricNightItem:
    return MetricNightItem(
        run_id=run.id,
        at=run.planned_at + timedelta(minutes=5),
        version=run.version,
        revision="r",
        mean=mean,
        low=mean - 0.1,
        high=min(1.0, mean + 0.1),
        scored=40,
        decides=decides,
    )


def metric(name: str | None, runs: list[RunItem], means: list[float], **fields: Any) -> MetricItem:
    plain: dict[str, Any] = {"decides": False, "watched": True, "judge": None, "finding": None, "alert_id": None}
    found = [night(run, mean) for run, mean in zip(runs, means, strict=True)]
    return MetricItem(metric=name, nights=found, **plain | fields)


def judged() -> FakeDaemon:
    """The set of a regression, graded by a rubric with three parts and by a length limit."""
    daemon = regression()
    runs = [run for run in daemon.runs if run.set_name == "primes"][::-1]
    falls = [0.9] * (len(runs) - 1) + [0.3]
    judge = MetricJudgeItem(state="unvalidated", reviewed=4, reason="16 more reviewed outcomes are needed")
    daemon.metrics["primes"] = SetMetricsItem(
        deployment=BOT,
        set_name="primes",
        verdict=metric(None, runs, falls, decides=True, watched=False),
        metrics=[
            metric("rubric", runs, falls, decides=True, watched=False, judge=judge),
            *(metric(f"rubric.{part}", runs, falls, judge=judge) for part in PARTS),
            metric("rubric.agreement", runs, [1.0] * len(runs), judge=judge),
            metric("length", runs, [1.0] * len(runs)),
        ],
    )
    return daemon


def test_an_error_of_the_daemon_is_shown_and_is_not_missing_data(open_page: OpenPage) -> None:
    daemon = judged()
    daemon.metrics_problem = "the store is busy"
    page = open_page(daemon, PAGE)
    assert str(page.error[0].value).startswith("**The metrics cannot be shown.**")
    assert "the store is busy" in str(page.error[0].value)
    assert not page.info
    assert not page.exception


def test_every_metric_has_a_chart_and_its_role(open_page: OpenPage) -> None:
    page = open_page(judged(), PAGE)
    text = everything(page)
    assert "**rubric** decides the verdict of the set. 5 metrics are watched" in text
    assert "**rubric :blue-badge[decides] :orange-badge[judge unvalidated]** :gray[now 30.0 %]" in text
    assert "**length :gray-badge[watched]** :gray[now 100.0 %]" in text
    assert len(page.get("vega_lite_chart")) == 1 + 6 + 1  # the verdict, each metric, one radar


def test_the_picker_leaves_only_the_chosen_metrics(open_page: OpenPage) -> None:
    page = open_page(judged(), PAGE)
    page.multiselect[0].set_value(["length"]).run()
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 1 + 1 + 1


def test_a_single_metric_is_drawn_once_as_the_verdict(open_page: OpenPage) -> None:
    daemon = judged()
    daemon.metrics["primes"] = daemon.metrics["primes"].model_copy(
        update={"metrics": daemon.metrics["primes"].metrics[:1]}
    )
    page = open_page(daemon, PAGE)
    assert (len(page.get("vega_lite_chart")), len(page.multiselect)) == (1, 0)


def test_the_table_has_the_newest_value_and_the_standing_of_the_judge(open_page: OpenPage) -> None:
    table = open_page(judged(), PAGE).dataframe[0].value
    assert list(table["metric"])[:2] == ["rubric", "rubric.principles"]
    assert list(table["role"])[:2] == ["decides", "watched"]
    assert table["judge"][0] == "unvalidated: 16 more reviewed outcomes are needed"


def test_a_set_without_runs_is_no_data(open_page: OpenPage) -> None:
    assert "No run of primes was scored in this period." in str(open_page(no_runs(), PAGE).info[0].value)


def test_a_radar_has_the_newest_run_of_each_version() -> None:
    daemon = judged()
    runs = MetricRuns.of([run for run in daemon.runs if run.set_name == "primes"][::-1])
    parts = components(daemon.metrics["primes"])["rubric"]
    points = radar_points(parts, runs)
    assert [(point.axis, point.mean) for point in points] == [(part, 0.9) for part in PARTS] + [(p, 0.3) for p in PARTS]


def test_components_about_the_judges_are_not_in_the_radar() -> None:
    assert [part.metric for part in components(judged().metrics["primes"])["rubric"]] == [f"rubric.{p}" for p in PARTS]


def test_several_deciding_metrics_are_named_as_the_lowest() -> None:
    found = judged().metrics["primes"]
    both = [each.model_copy(update={"decides": each.metric in {"rubric", "length"}}) for each in found.metrics]
    assert decision_of(found.model_copy(update={"metrics": both})).startswith(
        "The lowest of **rubric**, **length** decides"
    )
