"""Renamed keys of stored findings and queued notifications, so that older files can still be read."""

from collections.abc import Mapping
from typing import Any

# For the key of an object: the old keys in that object and their new names.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "evidence": {
        "situation": "phase",
        "bridge": "case_overlap",
        "golden": "pinned_run",
        "open_drop": "open_alert_change",
    },
    "pinned_run": {"standing": "status", "told_run": "detected_run"},
    "consistency": {"told": "direction"},
    "cause": {"says": "statement", "differs": "differences"},
    "tried": {"showing": "result", "says": "detail"},
    "detectable": {"situation": "scenario"},
}


def with_current_keys(value: Any, held_by: str = "") -> Any:
    """Return the JSON value with the current keys. `held_by` is the key of the value, empty for a whole payload.

    Objects in a list belong to the key of the list. A value with current keys is returned unchanged.

    >>> with_current_keys({"bridge": {"cases": 40}, "nights": 9}, "evidence")
    {'case_overlap': {'cases': 40}, 'nights': 9}
    >>> with_current_keys({"detectable": [{"situation": "silent", "nights": 1}]}, "decided")
    {'detectable': [{'scenario': 'silent', 'nights': 1}]}
    """
    if isinstance(value, Mapping):
        new = RENAMED.get(held_by, {})
        return {new.get(key, key): with_current_keys(item, new.get(key, key)) for key, item in value.items()}
    return [with_current_keys(item, held_by) for item in value] if isinstance(value, list) else value
