"""Finds cases that repeat another case. Each costs a call every night and adds no information."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.health.shingles import ShingleIndex

ALIKE = 0.8  # share of each case that the other contains


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """`groups` are cases that are near copies of each other, the largest group first. `redundant` cases can be removed
    without losing a question; `share` is their share of all cases.
    """

    cases: int
    groups: tuple[tuple[str, ...], ...]
    redundant: int

    @property
    def share(self) -> float:
        return self.redundant / self.cases if self.cases else 0.0


def redundancy_of(texts: Mapping[str, str], alike: float = ALIKE) -> Redundancy:
    """Return the groups of cases whose texts contain each other, directly or through other cases of the group.

    >>> redundancy_of({"a": "May I return a kettle?", "b": "May I return a kettle", "c": "Where is it?"}).groups
    (('a', 'b'),)
    """
    index = ShingleIndex(texts, alike)
    contained = {case_id: index.found_in(text) for case_id, text in texts.items()}
    leader = {case_id: case_id for case_id in texts}
    for one, found in contained.items():
        for other in found:
            if other != one and one in contained[other]:
                _join(leader, one, other)
    groups: dict[str, list[str]] = {}
    for case_id in texts:
        groups.setdefault(_root(leader, case_id), []).append(case_id)
    several = sorted((tuple(group) for group in groups.values() if len(group) > 1), key=lambda group: -len(group))
    return Redundancy(cases=len(texts), groups=tuple(several), redundant=sum(len(group) - 1 for group in several))


def _root(leader: dict[str, str], case_id: str) -> str:
    while leader[case_id] != case_id:
        leader[case_id] = leader[leader[case_id]]
        case_id = leader[case_id]
    return case_id


def _join(leader: dict[str, str], one: str, other: str) -> None:
    leader[_root(leader, other)] = _root(leader, one)
