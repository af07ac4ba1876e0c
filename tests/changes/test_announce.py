from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor.changes.announce import Announced, Announcement, announce
from monitor.changes.detect import detect
from monitor.changes.fingerprint import identity_from
from monitor.domain.version import Change, ChangeKind, How, Version
from monitor.errors import UsageError
from replay.targets.prompt import prompt_hash
from tests.changes.build import POLICY, T0, at, digest, traffic

FIELDS = POLICY.identity
NOW = at(100)


def version(**fields: str) -> Version:
    identity = identity_from({"response_model": "A", "prompt": "p@1"} | fields)
    return Version(
        id=identity.digest,
        deployment="support",
        label=identity.label,
        identity=identity.fields,
        first_seen=T0,
        how=How.OBSERVED,
    )


OLD = version()


def tell(
    *,
    fields: tuple[str, ...] = FIELDS,
    current: str | None = OLD.id,
    known: Sequence[Version] = (OLD,),
    now: datetime = NOW,
    configured_id: str | None = None,
    last: Change | None = None,
    **reported: Any,
) -> Announced:
    return announce(
        Announcement(deployment="support", **reported),
        fields=fields,
        current=current,
        known=known,
        now=now,
        change_id="change-1",
        prompt_id=configured_id,
        last=last,
    )


def test_a_new_model_keeps_the_prompt_of_the_current_version() -> None:
    reported = tell(model="B", at=at(90), note="cheaper")
    assert reported.version is not None
    assert reported.change is not None
    assert reported.version.identity == {"response_model": "B", "prompt": "p@1"}
    assert (reported.version.label, reported.version.how, reported.version.first_seen) == (
        "B · p@1",
        How.ANNOUNCED,
        at(90),
    )
    assert (reported.change.from_version, reported.change.to_version) == (OLD.id, digest("B"))
    assert (reported.change.kind, reported.change.how) == (ChangeKind.MODEL, How.ANNOUNCED)
    assert (reported.change.at, reported.change.noted_at) == (at(90), at(100))
    assert reported.change.evidence == {"differs": ["response_model"], "note": "cheaper"}


def test_without_a_time_it_takes_effect_now() -> None:
    reported = tell(model="B")
    assert reported.change is not None
    assert reported.change.at == at(100)


def test_what_was_announced_is_no_second_change_when_traffic_shows_it() -> None:
    reported = tell(model="B")
    assert reported.version is not None
    assert reported.change is not None
    known, noted = [OLD, reported.version], [reported.change]
    still_old = traffic(["A"] * 180)  # the old one serves on for a while after the announcement
    assert detect(still_old, known, reported.version.id, POLICY, noted) == []
    assert detect([*still_old, *traffic(["B"] * 100, start=180)], known, reported.version.id, POLICY, noted) == []


def test_an_announced_version_that_is_taken_back_is_a_change() -> None:
    reported = tell(model="B")
    assert reported.version is not None
    assert reported.change is not None
    window = traffic(["A"] * 100, ["B"] * 60, ["A"] * 40)
    [back] = detect(window, [OLD, reported.version], reported.version.id, POLICY, [reported.change])
    assert (back.to_version, back.at) == (OLD.id, at(160))


def test_repeated_or_after_traffic_showed_it_nothing_happens() -> None:
    new = version(response_model="B")
    reported = tell(model="B", current=new.id, known=(OLD, new))
    assert reported.version is None
    assert reported.change is None


def test_going_back_to_a_known_version_is_a_change_without_a_new_version() -> None:
    new = version(response_model="B")
    reported = tell(model="A", current=new.id, known=(OLD, new))
    assert reported.version is None
    assert reported.change is not None
    assert (reported.change.from_version, reported.change.to_version) == (new.id, OLD.id)


@pytest.mark.parametrize(
    ("reported", "prompt"),
    [
        ({"prompt_version": "2"}, "p@2"),
        ({"prompt_id": "q", "prompt_version": "7"}, "q@7"),
        ({"prompt_id": "q"}, "q"),
        ({"prompt_id": "q", "prompt_text": "You are kind."}, "q"),
    ],
)
def test_a_new_prompt_is_named_as_traffic_will_name_it(reported: dict[str, Any], prompt: str) -> None:
    announced = tell(**reported)
    assert announced.version is not None
    assert announced.change is not None
    assert announced.version.identity == {"response_model": "A", "prompt": prompt}
    assert announced.change.kind is ChangeKind.PROMPT


def test_a_prompt_known_by_its_text_is_announced_by_its_text() -> None:
    hashed = version(prompt=prompt_hash("You are terse."))
    reported = tell(prompt_text=" You are kind.\n", current=hashed.id, known=(hashed,))
    assert reported.version is not None
    assert reported.version.identity["prompt"] == prompt_hash("You are kind.")


def test_new_code_alone_is_a_change_of_the_version_to_itself() -> None:
    reported = tell(note="new retrieval")
    assert reported.version is None
    assert reported.change is not None
    assert (reported.change.from_version, reported.change.to_version) == (OLD.id, OLD.id)
    assert reported.change.kind is ChangeKind.UNKNOWN


def test_the_first_announcement_makes_the_first_version() -> None:
    reported = tell(model="B", prompt_id="p", prompt_version="1", current=None, known=())
    assert reported.version is not None
    assert reported.change is not None
    assert reported.version.id == digest("B")
    assert (reported.change.from_version, reported.change.to_version) == (None, digest("B"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"current": None, "known": (), "note": "x"}, "has no version yet; announce its model too"),
        ({"fields": ("response_model",), "prompt_version": "2"}, "a new prompt is not a change here"),
        ({"fields": ("prompt",), "model": "B"}, "a new model is not a change here: the identity fields are prompt"),
        ({"prompt_text": "You are kind."}, "traffic calls its prompt 'p@1', not by its text; announce its version"),
        ({"model": "B", "at": at(100) + timedelta(minutes=5)}, "is in the future; announce a change when it is dep"),
        ({"model": "B", "at": at(90).replace(tzinfo=None)}, "'at' has no time zone"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        tell(**options)


def test_a_prompt_version_alone_takes_the_configured_id_when_no_version_is_known() -> None:
    reported = tell(model="B", prompt_version="8", current=None, known=(), configured_id="support")
    assert reported.version is not None
    assert reported.version.identity["prompt"] == "support@8"


def test_a_prompt_version_without_any_id_names_the_option() -> None:
    with pytest.raises(UsageError, match=r"announce it too \(prompt_id, --prompt-id\)"):
        tell(model="B", prompt_version="2", current=None, known=())


def test_a_version_of_a_prompt_known_by_its_text_is_a_prompt_change_of_the_version_to_itself() -> None:
    hashed = version(prompt=prompt_hash("You are terse."))
    reported = tell(prompt_version="8", note="kinder", current=hashed.id, known=(hashed,))
    assert reported.version is None
    assert reported.change is not None
    assert (reported.change.from_version, reported.change.to_version) == (hashed.id, hashed.id)
    assert reported.change.kind is ChangeKind.PROMPT
    assert reported.change.evidence == {"differs": [], "prompt_version": "8", "note": "prompt version 8; kinder"}
    again = tell(prompt_version="8", current=hashed.id, known=(hashed,), last=reported.change)
    assert again.change is None
    newer = tell(prompt_version="9", current=hashed.id, known=(hashed,), last=reported.change)
    assert newer.change is not None


def test_a_prompt_version_with_its_text_is_named_by_the_text_where_traffic_does_so() -> None:
    hashed = version(prompt=prompt_hash("You are terse."))
    reported = tell(prompt_version="8", prompt_text="You are kind.", current=hashed.id, known=(hashed,))
    assert reported.version is not None
    assert reported.version.identity["prompt"] == prompt_hash("You are kind.")


def test_a_clock_a_little_ahead_is_forgiven() -> None:
    assert tell(model="B", at=at(130)).change is not None
