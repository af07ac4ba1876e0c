import math
from datetime import UTC, datetime, timedelta

import numpy as np

from monitor.drift.production.input_drift import BASELINE, TrafficEvidence, TrafficWindow, evaluate_traffic

START = datetime(2026, 3, 2, 4, 30, tzinfo=UTC)
COLUMNS = ("input_chars", "latency_ms", "refusal", "topic")
WINDOWS = 120
REFERENCE = 28


def at(night: int) -> datetime:
    return START + timedelta(days=night)


def windows(rows: list[dict[str, float | None]], run: int = 0) -> list[TrafficWindow]:
    return [TrafficWindow(id=f"{run}-{n}", until=at(n), distances=row) for n, row in enumerate(rows)]


def weigh(rows: list[TrafficWindow]) -> TrafficEvidence:
    return evaluate_traffic(rows, alpha=0.05, horizon=WINDOWS)


def lived(seed: int, nights: int, *, shift: float = 0.0, since: int = 0) -> list[dict[str, float | None]]:
    """Distances as they come about: a night's mean against those of its own 28 nights before, louder on Sundays."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0.0, 0.05, (nights + REFERENCE, len(COLUMNS)))
    means[6::7] += 0.2
    means[REFERENCE + since :, 1] += shift
    return [
        {
            name: float(abs(means[n + REFERENCE, place] - means[n : n + REFERENCE, place].mean()))
            for place, name in enumerate(COLUMNS)
        }
        for n in range(nights)
    ]


def test_the_first_windows_say_how_many_are_missing() -> None:
    reported = weigh(windows(lived(1, 5)))
    assert (reported.verdict, reported.windows, reported.missing) == ("insufficient", 5, BASELINE + 1 - 5)
    nothing = weigh([])
    assert (nothing.verdict, nothing.missing, nothing.log_e) == ("insufficient", BASELINE + 1, -math.inf)


def alarmed(rows: list[TrafficWindow]) -> bool:
    """Ever: after a drift the windows before its onset count no more."""
    reported = weigh(rows)
    return reported.verdict == "drift" or reported.windows < len(rows)


def test_unchanged_traffic_with_loud_sundays_is_quiet() -> None:
    alarms = sum(alarmed(windows(lived(seed, WINDOWS), seed)) for seed in range(12))
    assert alarms <= 2  # of 12 at 5 %, three have a chance of 2 %


def test_a_shift_that_stays_is_reported_with_its_column_and_its_onset() -> None:
    delays, errors = [], []
    for seed in range(5):
        rows = windows(lived(seed, 80, shift=1.0, since=60), seed)
        night = next(n for n in range(60, 80) if weigh(rows[: n + 1]).verdict == "drift")
        reported = weigh(rows[: night + 1])
        assert reported.columns[0][0] == "latency_ms"
        assert reported.onset is not None
        delays.append(night - 60)
        errors.append(abs((reported.onset - at(60)).days))
    assert np.median(delays) <= 7
    assert np.median(errors) <= 2


def test_one_wild_window_is_no_drift() -> None:
    rows = lived(3, 60)
    rows[40] = dict.fromkeys(COLUMNS, 9.0)
    verdicts = {weigh(windows(rows)[: n + 1]).verdict for n in range(40, 60)}
    assert verdicts == {"ok"}


def test_after_a_drift_the_new_traffic_is_the_usual_one() -> None:
    rows = windows(lived(5, 90, shift=1.0, since=60), 5)
    drifts = [n for n in range(60, 76) if weigh(rows[: n + 1]).verdict == "drift"]
    assert len(drifts) == 1
    assert weigh(rows).windows < 60


def test_later_windows_do_not_change_an_earlier_verdict() -> None:
    rows = windows(lived(7, 80, shift=1.0, since=60), 7)
    before = [weigh(rows[: n + 1]) for n in range(58, 70)]
    loud = [*rows[:70], *windows([dict.fromkeys(COLUMNS, 50.0)] * 80)[70:]]
    assert [weigh(loud[: n + 1]) for n in range(58, 70)] == before


def test_a_missing_distance_adds_nothing_and_a_column_may_come_later() -> None:
    rows = lived(9, 40)
    for n, row in enumerate(rows):
        row["topic"] = None if n < 30 else row["topic"]
        if n % 3 == 0:
            row["refusal"] = None
    assert weigh(windows(rows)).verdict == "ok"


def test_windows_in_which_nothing_could_be_measured_are_no_verdict() -> None:
    reported = weigh(windows([dict.fromkeys(COLUMNS)] * 40))
    assert (reported.verdict, reported.windows, reported.missing) == ("insufficient", 0, BASELINE + 1)
