"""The next content of a dynamic set: the newest accepted cases, then what the set held before, up to its limit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replay.types import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicBuild:
    """The cases of the new revision and, by id, what is different from the one before."""

    cases: tuple[Case, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    replaced: tuple[str, ...]  # same id, new content

    @property
    def changed(self) -> bool:
        """Whether the content differs at all; the order alone makes no new revision."""
        return bool(self.entered or self.left or self.replaced)


def build(previous: Sequence[Case], accepted: Sequence[Case], max_cases: int) -> DynamicBuild:
    """Keep the first `max_cases` of `accepted` (newest first) followed by `previous` (in its order), each id once.

    A case of the previous content that is still accepted is carried over in its accepted content, one that is
    not is carried over as it was while there is room, so consecutive revisions overlap as far as the limit allows.
    """
    if max_cases < 1:
        raise ValueError(f"max_cases must be at least 1, it is {max_cases}")
    cases = _first_of_each_id([*accepted, *previous])[:max_cases]
    before = {case.id: case for case in previous}
    now = {case.id: case for case in cases}
    return DynamicBuild(
        cases=tuple(cases),
        entered=tuple(case.id for case in cases if case.id not in before),
        left=tuple(case.id for case in previous if case.id not in now),
        replaced=tuple(case.id for case in cases if case.id in before and before[case.id] != case),
    )


def _first_of_each_id(cases: Iterable[Case]) -> list[Case]:
    kept: dict[str, Case] = {}
    for case in cases:
        kept.setdefault(case.id, case)
    return list(kept.values())
