from monitor.changes.fingerprint import identity_from
from monitor.changes.replay_version import version_of_replay
from monitor.domain.version import ChangeKind, How, Version
from tests.changes.build import at

OLD = identity_from({"response_model": "A", "prompt": "p@1"})
NEW = identity_from({"response_model": "B", "prompt": "p@1"})
KNOWN = Version(
    id=OLD.digest, deployment="support", label=OLD.label, identity=OLD.fields, first_seen=at(0), how=How.OBSERVED
)


def test_a_version_that_only_a_replay_has_met_is_a_change_with_the_run_as_evidence() -> None:
    found = version_of_replay(NEW, known=[KNOWN], current=OLD.digest, at=at(9), run_id="run-1", models={"B": 40})
    assert found is not None
    assert (found.from_version, found.to_version, found.at) == (OLD.digest, NEW.digest, at(9))
    assert (found.kind, found.identity) == (ChangeKind.MODEL, NEW)
    assert found.evidence == {"replay": "run-1", "replies": {"B": 40}}


def test_the_very_first_version_may_come_from_a_replay_and_is_no_step() -> None:
    found = version_of_replay(NEW, known=[], current=None, at=at(9), run_id="run-1", models={})
    assert found is not None
    assert (found.from_version, found.kind) == (None, ChangeKind.UNKNOWN)


def test_a_known_version_in_a_replay_is_no_change() -> None:
    assert (
        version_of_replay(OLD, known=[KNOWN], current="elsewhere", at=at(9), run_id="run-1", models={"A": 40}) is None
    )
