"""Random schedules with jitter, blackouts and pauses: the set of instants does not depend on how it is read."""

from datetime import UTC, datetime, time, timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import WEEKDAYS, Window, active
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import due_instant, instants, next_instant
from monitor.schedules.occasions import OccasionState, occasions
from tests.properties import examples

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
ZONES = ("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Nuuk", "Antarctica/Troll")
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
TIMES = st.builds(time, st.integers(0, 23), st.sampled_from((0, 30)))

windows = st.builds(
    Window,
    name=st.sampled_from(("backup", "release")),
    timezone=st.sampled_from(ZONES),
    days=st.frozensets(st.sampled_from(WEEKDAYS), min_size=1, max_size=5),
    start=TIMES,
    end=TIMES,
)
kinds = st.sampled_from(
    (("0 2 * * *", None), ("30 * * * *", None), ("59 23 * * *", None), ("0 */6 * * *", None), (None, 5400.0))
)
schedules = kinds.flatmap(
    lambda kind: st.builds(
        SchedulePolicy,
        name=st.just("nightly"),
        cron=st.just(kind[0]),
        every_s=st.just(kind[1]),
        timezone=st.sampled_from(ZONES),
        deployments=st.just(("bot",)),
        catch_up_s=st.just(20 * 86_400.0),
        jitter_s=st.sampled_from((0.0, 900.0, 14_400.0)),
        blackouts=st.lists(windows, max_size=2).map(tuple),
        postpone=st.booleans(),
    )
)
starts = st.integers(0, 364 * 24 * 60).map(lambda minutes: FIRST + minutes * MINUTE)


@st.composite
def pauses(draw: st.DrawFn, start: datetime) -> list[Pause]:
    """Return up to two pauses in the days after `start`."""
    spans = draw(st.lists(st.tuples(st.integers(0, 7000), st.integers(1, 3000)), max_size=2))
    begun = [(start + after * MINUTE, length * MINUTE) for after, length in spans]
    return [
        Pause(id=f"p{n}", schedule="nightly", paused_at=at, paused_by="anna", ends_at=at + length)
        for n, (at, length) in enumerate(begun)
    ]


@given(st.data(), schedules, starts, st.integers(1, 7 * 1440))
@settings(max_examples=examples(150), deadline=None)
def test_the_instants_of_a_time_are_those_of_its_parts(
    data: st.DataObject, schedule: SchedulePolicy, start: datetime, minutes: int
) -> None:
    stopped = data.draw(pauses(start))
    middle, end = start + minutes * MINUTE, start + 8 * DAY
    whole, first, second = (
        instants(schedule, *span, deployment="bot", pauses=stopped)
        for span in ((start, end), (start, middle), (middle, end))
    )
    assert whole == first | second


@given(st.data(), schedules, starts)
@settings(max_examples=80, deadline=None)
def test_no_instant_is_inside_a_blackout_or_a_pause_and_each_nominal_one_has_one_fate(
    data: st.DataObject, schedule: SchedulePolicy, start: datetime
) -> None:
    stopped = data.draw(pauses(start))
    found = occasions(schedule, start, start + 8 * DAY, deployment="bot", pauses=stopped)
    running = [one.at for one in found if one.runs]
    assert len(running) == len(set(running))
    assert not [at for at in running if active(schedule.blackouts, at) or any(p.contains(at) for p in stopped)]
    assert len({one.nominal for one in found}) == len(found)
    assert {one.at for one in found if one.state is OccasionState.MERGED} <= set(running)
    assert all(one.nominal <= one.at for one in found)


@given(st.data(), schedules, starts, st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_stepping_with_random_pauses_handles_the_instants_that_were_the_latest_when_it_woke(
    data: st.DataObject, schedule: SchedulePolicy, start: datetime, seed: int
) -> None:
    stopped, rng = data.draw(pauses(start)), Random(seed)
    last = now = start
    handled: list[datetime] = []
    while now < start + 6 * DAY:
        now += rng.random() * 300 * MINUTE
        found = due_instant(schedule, last, now, deployment="bot", pauses=stopped)
        if found is not None:
            handled.append(found)
            last = found
    planned = instants(schedule, start, now, deployment="bot", pauses=stopped)
    assert handled == sorted(set(handled))
    assert set(handled) <= planned
    held = active(schedule.blackouts, now) or any(p.contains(now) for p in stopped)
    assert held or not planned or handled[-1] == max(planned)


@given(st.data(), schedules, starts)
@settings(max_examples=60, deadline=None)
def test_the_next_instant_is_the_first_of_the_instants(
    data: st.DataObject, schedule: SchedulePolicy, start: datetime
) -> None:
    stopped = data.draw(pauses(start))
    planned = instants(schedule, start, start + 9 * DAY, deployment="bot", pauses=stopped)
    following = next_instant(schedule, start, deployment="bot", pauses=stopped)
    if planned:
        assert following == min(planned)
    else:
        assert following is None or following > start + 9 * DAY
