from datetime import datetime, timedelta

from dashboards.charts.changes import Marker
from dashboards.charts.time_axis import TimeAxis
from dashboards.markers import changes_within, describe_change, tagged_markers
from dashboards.set_status import happened_at
from monitor.api.schema import ChangeItem

from .fake_daemon import FakeDaemon, nights, regression
from .items import BOT, FIRST_NIGHT, NEW, OLD, change
from .test_set_status import snapshot


def changes_of_chart(daemon: FakeDaemon) -> list[ChangeItem]:
    return changes_within(snapshot(daemon), BOT, [happened_at(run) for run in daemon.runs])


def markers(daemon: FakeDaemon) -> list[Marker]:
    changes = changes_of_chart(daemon)
    moments: list[datetime] = [happened_at(run) for run in daemon.runs] + [row.at for row in changes]
    return tagged_markers(snapshot(daemon), changes, TimeAxis.of(moments))


def test_a_change_is_between_the_last_run_before_and_the_first_after_it() -> None:
    daemon = regression()
    [row] = changes_of_chart(daemon)
    [marker] = markers(daemon)
    axis = TimeAxis.of([*(happened_at(run) for run in daemon.runs), row.at])
    before = max(happened_at(run) for run in daemon.runs if happened_at(run) < row.at)
    after = min(happened_at(run) for run in daemon.runs if happened_at(run) > row.at)
    assert axis.place(before) < marker.order < axis.place(after)
    assert marker.label == "A"
    assert marker.detail.endswith("(model, observed, 2026-03-06 14:03 UTC)")


def test_a_change_after_all_runs_is_drawn_and_one_before_them_or_a_first_version_is_not() -> None:
    daemon = nights(3)
    daemon.changes = [
        change("late", daemon.now, OLD, NEW),
        change("early", FIRST_NIGHT - timedelta(days=1), OLD, NEW),
        change("first sight", FIRST_NIGHT + timedelta(hours=30), None, OLD),
    ]
    assert [row.id for row in changes_of_chart(daemon)] == ["late"]


def test_changes_have_letters_from_the_oldest_on() -> None:
    daemon = nights(2)
    noon = FIRST_NIGHT + timedelta(hours=10)
    daemon.changes = [change("2", noon + timedelta(hours=1), NEW, OLD), change("1", noon, OLD, NEW)]
    assert [(marker.label, marker.detail.count("→")) for marker in markers(daemon)] == [("A", 1), ("B", 1)]
    assert [row.id for row in changes_of_chart(daemon)] == ["1", "2"]


def test_a_shift_of_fingerprints_names_the_version_it_hides_in() -> None:
    daemon = nights(2)
    daemon.changes = [change("1", FIRST_NIGHT + timedelta(hours=10), OLD, OLD)]
    [row] = changes_of_chart(daemon)
    assert describe_change(snapshot(daemon), row) == "gpt-4-0314 · prompt 3f2a9c: fingerprints shifted"
