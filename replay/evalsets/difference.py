"""The difference between two contents of a set: cases that entered, left or changed, and the changed fields, without
their content.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replay.evalsets.case_codec import case_to_json
from replay.types import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The ids of added, removed and changed cases. `changed` maps an id to the names of its changed fields."""

    entered: tuple[str, ...]
    left: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]
    same: int

    @property
    def any(self) -> bool:
        return bool(self.entered or self.left or self.changed)


def difference(before: Sequence[Case], after: Sequence[Case]) -> Difference:
    """Return the difference from `before` to `after`. The order of the cases does not matter."""
    old, new = {case.id: case for case in before}, {case.id: case for case in after}
    both = [case_id for case_id in old if case_id in new]
    changed = {case_id: fields for case_id in both if (fields := _fields(old[case_id], new[case_id]))}
    return Difference(
        entered=tuple(case_id for case_id in new if case_id not in old),
        left=tuple(case_id for case_id in old if case_id not in new),
        changed=changed,
        same=len(both) - len(changed),
    )


def _fields(old: Case, new: Case) -> tuple[str, ...]:
    """Return the names of the changed fields, in the order of the JSON form."""
    before, after = case_to_json(old), case_to_json(new)
    names = dict.fromkeys([*before, *after])
    return tuple(name for name in names if before.get(name) != after.get(name))
