import numpy as np

from monitor.drift.detect.detector import detect_alerts
from monitor.drift.detect.improvements import detect_improvements
from monitor.drift.detect.nightly_history import build_nights
from tests.drift.builders import POLICY
from tests.drift.nights import quiet, rows

SERVED: list[str | None] = [*["A"] * 15, *["B"] * 3]


def test_a_rise_is_found_where_the_fall_upside_down_is() -> None:
    fallen = quiet(18, rate=0.8)
    fallen[15:, :70] = 0.0
    falls = [
        a for a in detect_alerts(build_nights(rows(fallen, SERVED, labels=None), POLICY).history) if a.kind == "score"
    ]
    rises = detect_improvements(build_nights(rows(1.0 - fallen, SERVED, labels=None), POLICY).history)
    assert [(a.night, a.channel, a.p) for a in rises] == [(a.night, a.channel, a.p) for a in falls]
    assert falls[0].delta is not None
    assert rises[0].delta == -falls[0].delta
    assert rises[0].ci is not None
    assert rises[0].ci.low <= rises[0].delta <= rises[0].ci.high


def test_graded_scores_rise_as_well() -> None:
    graded = np.where(quiet(18, rate=0.5) > 0, 0.75, 0.25)
    graded[15:] = 1.0
    (found,) = detect_improvements(build_nights(rows(graded, SERVED), POLICY).history)
    assert (found.night, found.channel) == (15, "overall")
    assert found.delta is not None
    assert found.delta > 0.2


def test_quiet_nights_and_falls_are_no_improvement() -> None:
    assert detect_improvements(build_nights(rows(quiet(18), SERVED), POLICY).history) == ()
