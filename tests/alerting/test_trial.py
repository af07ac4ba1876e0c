from monitor.alerting.render import text
from monitor.alerting.trial import SENTENCE, trial
from tests.alerting.build import a_payload, at

TRIAL = trial("pager", id="check-1", now=at(0))


def test_a_trial_reads_as_one_at_first_sight() -> None:
    lines = text(TRIAL.payload).splitlines()
    assert lines[:4] == [
        "TEST · info · set driftd-check · driftd-check",
        "driftd-check, set driftd-check",
        SENTENCE,
        "  verdict   test",
    ]
    assert "FIRING" not in text(TRIAL.payload)


def test_a_trial_has_the_parts_of_a_real_notification() -> None:
    real = a_payload()
    assert list(TRIAL.payload) == list(real)
    assert TRIAL.payload["alert"].keys() == real["alert"].keys()
    assert TRIAL.payload["set"].keys() == real["set"].keys()
