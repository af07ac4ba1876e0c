import numpy as np
import pytest

from monitor.drift.backtest_json import read_history
from monitor.drift.detect.announced_change import announced_change_alarm, channel_change
from monitor.drift.detect.history import History
from monitor.drift.detect.window import Window
from monitor.stats.two_versions.group_sequential import LOOKS
from tests.drift.histories import Document, cut, document, drawn, in_category, labelled, silenced, steady

CASES, CHANGE, NIGHTS = 120, 14, 50
BEFORE, AFTER = Window(start=0, end=CHANGE), Window(start=CHANGE, end=CHANGE + LOOKS[-1])


def line(seed: int = 0, *, drop: float = 0.0, since: int = CHANGE) -> Document:
    rates = steady(CASES, NIGHTS, seed)
    rates[since:] = np.clip(rates[since:] - drop, 0.0, 1.0)
    return document(drawn(rates, seed), seed=seed)


def reported(history: History, after: Window = AFTER, *, not_before: int = 0) -> tuple[int, str, str] | None:
    alarm = announced_change_alarm(history, BEFORE, after, not_before=not_before)
    return None if alarm is None else (alarm.night, alarm.kind, alarm.channel)


def test_a_large_drop_is_detected_at_the_first_look() -> None:
    assert reported(read_history(line(1, drop=0.4))) == (CHANGE, "score", "overall")


def test_a_drop_that_comes_later_is_detected_at_the_first_look_that_shows_it() -> None:
    alarm = announced_change_alarm(read_history(line(2, drop=0.5, since=CHANGE + 5)), BEFORE, AFTER)
    assert alarm is not None
    assert alarm.night in {CHANGE + look - 1 for look in LOOKS if look > 5}
    assert 0.0 < alarm.p < 0.05


def test_no_change_and_an_improvement_are_no_alarm() -> None:
    quiet = [reported(read_history(line(seed))) is None for seed in range(3, 13)]
    assert sum(quiet) >= 9
    better = 0.5 * steady(CASES, NIGHTS, 4)
    better[CHANGE:] = steady(CASES, NIGHTS, 4)[CHANGE:]
    assert reported(read_history(document(drawn(better)))) is None


def test_a_look_is_taken_only_when_its_nights_are_there() -> None:
    history = read_history(line(1, drop=0.4))
    assert reported(history, Window(start=CHANGE, end=CHANGE)) is None
    assert reported(history, Window(start=CHANGE, end=CHANGE + 1)) is not None


@pytest.mark.parametrize("not_before", [CHANGE + 1, CHANGE + 3, CHANGE + 12])
def test_looks_that_were_too_early_are_caught_up_with_on_the_first_night_allowed(not_before: int) -> None:
    assert reported(read_history(line(1, drop=0.4)), not_before=not_before) == (not_before, "score", "overall")


def test_when_the_version_ends_before_that_night_nothing_is_reported() -> None:
    history = read_history(line(1, drop=0.4))
    assert reported(history, Window(start=CHANGE, end=CHANGE + 4), not_before=CHANGE + 4) is None


def test_an_alarm_does_not_depend_on_the_nights_after_it() -> None:
    long = line(5, drop=0.12)
    alarm = announced_change_alarm(read_history(long), BEFORE, AFTER)
    assert alarm is not None
    end = alarm.night + 1
    assert announced_change_alarm(read_history(cut(long, end)), BEFORE, Window(start=CHANGE, end=end)) == alarm


def test_a_first_night_without_scores_waits_for_the_next_look() -> None:
    assert reported(read_history(silenced(line(1, drop=0.4), [CHANGE]))) == (CHANGE + 1, "score", "overall")


def test_a_surge_of_a_failure_category_is_detected_when_the_score_is_as_ever() -> None:
    rates = np.full((NIGHTS, CASES), 0.7)
    history = read_history(labelled(document(drawn(rates, 6)), {1: "format", 3: "wrong_answer", CHANGE: "format"}))
    alarm = reported(history)
    assert alarm is not None
    assert alarm[1:] == ("mix", "format")


def test_a_score_that_drops_goes_before_the_mix_on_the_same_night() -> None:
    alarm = reported(read_history(labelled(line(1, drop=0.5), {CHANGE: "format"})))
    assert alarm == (CHANGE, "score", "overall")


def test_the_change_of_a_category_is_that_of_its_cases() -> None:
    rates = steady(CASES, NIGHTS, 7)
    rates[CHANGE:, in_category("refunds", CASES)] = 0.0
    history = read_history(document(drawn(rates, 7)))
    found = channel_change(history, "score", "refunds", BEFORE, AFTER)
    assert found is not None
    delta, interval = found
    before = history.tally.first[:CHANGE, in_category("refunds", CASES)].mean()
    assert delta == pytest.approx(-before)
    assert interval.low <= delta <= interval.high
    others = channel_change(history, "score", "orders", BEFORE, AFTER)
    assert others is not None
    assert abs(others[0]) < 0.1


def test_the_change_of_a_failure_category_is_that_of_its_share() -> None:
    history = read_history(labelled(line(8), {CHANGE: "format"}))
    found = channel_change(history, "mix", "format", BEFORE, AFTER)
    assert found is not None
    share = history.failures["format"][CHANGE : AFTER.end].mean()
    assert found[0] == pytest.approx(share)


def test_a_channel_without_scores_on_one_side_has_no_change() -> None:
    gone = silenced(line(9), range(CHANGE, NIGHTS), in_category("refunds", CASES))
    assert channel_change(read_history(gone), "score", "refunds", BEFORE, AFTER) is None
