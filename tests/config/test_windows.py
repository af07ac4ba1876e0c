from datetime import time
from typing import Any

import pytest

from monitor.config.policy import to_policy
from monitor.errors import ConfigError
from tests.config.builders import config

BACKUP = {"timezone": "Europe/Berlin", "days": ["sat", "sun"], "start": "22:00", "end": "24:00"}


def refusal(**changes: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        config(windows__backup={**BACKUP, **changes})
    return str(caught.value)


def test_a_window_reaches_the_policy_under_its_name() -> None:
    found = to_policy(config(windows__backup=BACKUP)).windows["backup"]
    assert (found.name, found.timezone, sorted(found.days)) == ("backup", "Europe/Berlin", ["sat", "sun"])
    assert (found.start, found.end) == (time(22), time(0))


def test_a_time_that_yaml_reads_as_a_number_asks_for_quotes() -> None:
    assert 'windows.backup.start: write the time in quotes, for example "22:00"' in refusal(start=1320)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"timezone": "Berlin"}, "time zone 'Berlin' is unknown; use an IANA name"),
        ({"days": ["saturday"]}, "windows.backup.days"),
        ({"days": []}, "windows.backup.days"),
        ({"start": "24:00"}, "windows.backup.start"),
        ({"end": "25:00"}, "windows.backup.end"),
        ({"end": "7pm"}, "windows.backup.end"),
    ],
)
def test_a_window_that_cannot_be_read_is_refused_with_its_key(changes: Any, part: str) -> None:
    assert part in refusal(**changes)
