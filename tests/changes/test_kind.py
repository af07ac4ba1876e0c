import pytest

from monitor.changes.kind import differing, kind_of
from monitor.domain.version import ChangeKind

BASE = {"response_model": "gpt-4-0314", "request_model": "gpt-4", "prompt": "support@1"}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"response_model": "gpt-4-0613"}, ChangeKind.MODEL),
        ({"request_model": "gpt-4o"}, ChangeKind.MODEL),
        ({"response_model": "gpt-4o-1", "request_model": "gpt-4o"}, ChangeKind.MODEL),
        ({"prompt": "support@2"}, ChangeKind.PROMPT),
        ({"prompt": "support@2", "response_model": "gpt-4-0613"}, ChangeKind.UNKNOWN),
        ({"region": "eu"}, ChangeKind.UNKNOWN),
        ({}, ChangeKind.UNKNOWN),
    ],
)
def test_the_kind_is_the_one_factor_that_differs(change: dict[str, str], kind: ChangeKind) -> None:
    assert kind_of(BASE, BASE | change) is kind


def test_differing_names_every_field_that_changed_on_either_side() -> None:
    assert differing({"a": "1", "b": "2", "gone": "x"}, {"b": "3", "a": "1", "new": "y"}) == ("b", "new", "gone")
